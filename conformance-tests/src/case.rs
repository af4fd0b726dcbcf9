use compressor_api::{Dictionary, Effort, Format, Spec, SpecError};

use crate::data::Kind;

/// What one run of a check is about: the spec, the content, and how its unit is made.
///
/// Small enough to be printed in one line, and all that is needed to run it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// The level; the provider's default if there is none.
    pub level: Option<i32>,
    /// The effort that the spec asks for.
    pub effort: Option<Effort>,
    /// The loss that the spec states, in percent; the effort's own if there is none.
    pub max_loss: Option<u8>,
    /// The window that the spec asks for, as its base-2 logarithm.
    pub window_log: Option<u8>,
    /// The dictionary that the spec holds.
    pub dictionary: Option<DictionaryChoice>,
    /// Whether the spec asks for a checksum; the format's default if it does not say.
    pub checksum: Option<bool>,
    /// The content: what kind of data,
    pub kind: Kind,
    /// how many bytes of it,
    pub size: usize,
    /// and from which seed.
    pub seed: u64,
    /// Content given as it is, instead.
    pub hex: Option<Vec<u8>>,
    /// Who makes the unit that is decompressed.
    pub writer: Writer,
    /// A unit given as it is, instead.
    pub unit: Option<Vec<u8>>,
    /// The length of `dst`, where the check varies it.
    pub room: Option<usize>,
    /// The place that is damaged, cut or looked at, where the check varies it.
    pub at: Option<usize>,
}

/// Who makes the unit that a provider is given to decompress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// The suite's own plain writer.
    Plain,
    /// The reference codec that the suite was given.
    Reference,
    /// The provider itself.
    Own,
}

impl Writer {
    pub(crate) const ALL: [Self; 3] = [Self::Plain, Self::Reference, Self::Own];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Reference => "reference",
            Self::Own => "own",
        }
    }
}

/// One of the dictionaries that the suite holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DictionaryChoice {
    /// Plain content.
    Raw,
    /// Other plain content.
    OtherRaw,
    /// Trained by the reference tool.
    Trained,
    /// Trained as well, under another id.
    OtherTrained,
}

impl DictionaryChoice {
    pub(crate) const ALL: [Self; 4] =
        [Self::Raw, Self::OtherRaw, Self::Trained, Self::OtherTrained];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::OtherRaw => "other-raw",
            Self::Trained => "trained",
            Self::OtherTrained => "other-trained",
        }
    }

    pub(crate) fn load(self) -> Result<Dictionary, SpecError> {
        match self {
            Self::Raw => Dictionary::raw(Kind::Text.make(4_096, 100)),
            Self::OtherRaw => Dictionary::raw(Kind::Rows.make(4_096, 101)),
            Self::Trained => Dictionary::trained(&include_bytes!("../vectors/text.zdict")[..]),
            Self::OtherTrained => Dictionary::trained(&include_bytes!("../vectors/rows.zdict")[..]),
        }
    }
}

impl Case {
    /// The default spec, and content of this kind and size.
    pub(crate) const fn new(kind: Kind, size: usize, seed: u64) -> Self {
        Self {
            level: None,
            effort: None,
            max_loss: None,
            window_log: None,
            dictionary: None,
            checksum: None,
            kind,
            size,
            seed,
            hex: None,
            writer: Writer::Plain,
            unit: None,
            room: None,
            at: None,
        }
    }

    /// A unit as it is.
    pub(crate) fn of_unit(unit: &[u8], room: usize) -> Self {
        Self {
            unit: Some(unit.to_vec()),
            room: Some(room),
            ..Self::new(Kind::Zeros, 0, 0)
        }
    }

    pub(crate) fn level(self, level: i32) -> Self {
        Self {
            level: Some(level),
            ..self
        }
    }

    pub(crate) fn dictionary(self, dictionary: DictionaryChoice) -> Self {
        Self {
            dictionary: Some(dictionary),
            ..self
        }
    }

    pub(crate) fn writer(self, writer: Writer) -> Self {
        Self { writer, ..self }
    }

    pub(crate) fn at(self, at: usize) -> Self {
        Self {
            at: Some(at),
            ..self
        }
    }

    /// Other content of this length, for a check that needs more of it than one.
    ///
    /// What was printed of one case is no part of another: a unit and content that were given as
    /// they are go, also where seed and kind are the case's own.
    pub(crate) fn varied(&self, kind: Kind, seed: u64) -> Self {
        Self {
            kind,
            seed,
            hex: None,
            unit: None,
            ..self.clone()
        }
    }

    /// The content.
    pub(crate) fn content(&self) -> Vec<u8> {
        self.hex
            .clone()
            .unwrap_or_else(|| self.kind.make(self.size, self.seed))
    }

    /// The spec, at `default_level` if the case names none.
    pub(crate) fn spec(&self, format: Format, default_level: i32) -> Result<Spec, SpecError> {
        let mut spec = Spec::new(format).with_level(self.level.unwrap_or(default_level))?;
        if let Some(effort) = self.effort {
            spec = spec.with_effort(effort);
        }
        if let Some(percent) = self.max_loss {
            spec = spec.with_max_loss(percent)?;
        }
        if let Some(window_log) = self.window_log {
            spec = spec.with_window_log(window_log)?;
        }
        if let Some(dictionary) = self.dictionary {
            spec = spec.with_dictionary(dictionary.load()?)?;
        }
        if let Some(checksum) = self.checksum {
            spec = spec.with_checksum(checksum)?;
        }
        Ok(spec)
    }
}
