use crate::{Dictionary, Effort, Format, SpecError};

/// All that compressed bytes depend on: format, level or effort, window, dictionary, checksum.
///
/// Validated once, when it is made; a [`Compressor`](crate::Compressor) made from it never checks
/// again. Two providers given one spec write bytes that differ, and that either can read.
///
/// Only the format (and the dictionary, if any) matters for reading: level, effort, window and
/// checksum bind the writer alone.
///
/// A level alone is served as it is, by whoever comes first. With an [`Effort`] the level says what
/// length is compared with: who serves, and at which level, follows from the effort.
///
/// ```
/// use compressor_api::{Format, Spec};
///
/// let spec = Spec::new(Format::Zlib).with_level(9)?;
/// assert_eq!((spec.format(), spec.level()), (Format::Zlib, 9));
/// assert!(Spec::new(Format::Zlib).with_level(10).is_err());
/// # Ok::<(), compressor_api::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    format: Format,
    level: i32,
    effort: Option<Effort>,
    /// In percent, where it was stated; means something for [`Effort::Speed`] only.
    max_loss: Option<u8>,
    window_log: Option<u8>,
    dictionary: Option<Dictionary>,
    checksum: bool,
}

impl Spec {
    /// The format with the defaults that Cassandra uses: zlib 6, zstd 3, LZ4 fast.
    #[must_use]
    pub const fn new(format: Format) -> Self {
        let checksum = matches!(format, Format::Zstd | Format::Zlib | Format::Gzip);
        Self {
            format,
            level: format.levels().default_level(),
            effort: None,
            max_loss: None,
            window_log: None,
            dictionary: None,
            checksum,
        }
    }

    /// The same at another level, on the format's own scale ([`Format::levels`]).
    ///
    /// # Errors
    ///
    /// [`SpecError::LevelOutOfRange`].
    pub fn with_level(mut self, level: i32) -> Result<Self, SpecError> {
        if !self.format.levels().contains(level) {
            return Err(SpecError::LevelOutOfRange {
                format: self.format,
                level,
            });
        }
        self.level = level;
        Ok(self)
    }

    /// The same, served for this effort.
    #[must_use]
    pub const fn with_effort(mut self, effort: Effort) -> Self {
        self.effort = Some(effort);
        self
    }

    /// The same, served at its level alone.
    #[must_use]
    pub const fn without_effort(mut self) -> Self {
        self.effort = None;
        self.max_loss = None;
        self
    }

    /// The same with units that may be up to `percent` longer than the software codec's at this
    /// level, where the effort is [`Effort::Speed`]. The other efforts have limits of their own.
    ///
    /// # Errors
    ///
    /// [`SpecError::LossOutOfRange`] above 100.
    pub fn with_max_loss(mut self, percent: u8) -> Result<Self, SpecError> {
        if percent > 100 {
            return Err(SpecError::LossOutOfRange { percent });
        }
        self.max_loss = Some(percent);
        Ok(self)
    }

    /// The same with matches no further back than `1 << window_log` bytes.
    ///
    /// # Errors
    ///
    /// [`SpecError::WindowOutOfRange`] outside [`Format::window_logs`], and for formats that have
    /// no such choice.
    pub fn with_window_log(mut self, window_log: u8) -> Result<Self, SpecError> {
        match self.format.window_logs() {
            Some((min, max)) if (min..=max).contains(&window_log) => {
                self.window_log = Some(window_log);
                Ok(self)
            }
            _ => Err(SpecError::WindowOutOfRange {
                format: self.format,
                window_log,
            }),
        }
    }

    /// The same with a dictionary, for both directions.
    ///
    /// # Errors
    ///
    /// [`SpecError::NoDictionary`] for every format but `zstd`.
    pub fn with_dictionary(mut self, dictionary: Dictionary) -> Result<Self, SpecError> {
        if !Dictionary::supported_by(self.format) {
            return Err(SpecError::NoDictionary {
                format: self.format,
            });
        }
        self.dictionary = Some(dictionary);
        Ok(self)
    }

    /// The same with or without a checksum over the content; on unless said otherwise.
    ///
    /// Binds the writer: a unit without a checksum stays readable, one with a wrong checksum never
    /// is.
    ///
    /// # Errors
    ///
    /// [`SpecError::ChecksumFixed`] for every format but `zstd`, if the value is not the one that
    /// the format has anyway.
    pub fn with_checksum(mut self, checksum: bool) -> Result<Self, SpecError> {
        if self.format != Format::Zstd && checksum != self.checksum {
            return Err(SpecError::ChecksumFixed {
                format: self.format,
            });
        }
        self.checksum = checksum;
        Ok(self)
    }

    /// The format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The level, on the format's own scale.
    #[must_use]
    pub const fn level(&self) -> i32 {
        self.level
    }

    /// The effort, if there is one.
    #[must_use]
    pub const fn effort(&self) -> Option<Effort> {
        self.effort
    }

    /// By how many percent units may be longer than the software codec's at this level; 0 without
    /// an effort.
    #[must_use]
    pub const fn max_loss(&self) -> u8 {
        match (self.effort, self.max_loss) {
            (None, _) => 0,
            (Some(Effort::Speed), Some(stated)) => stated,
            (Some(effort), _) => effort.default_loss(),
        }
    }

    /// The loss as it was stated; `None` if none was.
    pub(crate) const fn stated_loss(&self) -> Option<u8> {
        self.max_loss
    }

    /// Base-2 logarithm of the window asked for; `None` leaves it to the codec.
    #[must_use]
    pub const fn window_log(&self) -> Option<u8> {
        self.window_log
    }

    /// The dictionary, if any.
    #[must_use]
    pub const fn dictionary(&self) -> Option<&Dictionary> {
        self.dictionary.as_ref()
    }

    /// Whether the writer adds a checksum over the content.
    #[must_use]
    pub const fn checksum(&self) -> bool {
        self.checksum
    }

    /// The spec of the format inside this one's frame, for [`framed`](crate::framed); `None` for a
    /// format that has none.
    #[must_use]
    pub fn inner(&self) -> Option<Self> {
        let inner = Self::new(self.format.inner()?);
        Some(Self {
            level: self.level,
            effort: self.effort,
            max_loss: self.max_loss,
            window_log: self.window_log,
            ..inner
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_cassandras() {
        assert_eq!(Spec::new(Format::Zlib).level(), 6);
        assert_eq!(Spec::new(Format::Zstd).level(), 3);
        assert_eq!(Spec::new(Format::Lz4Sized).level(), 0);
        assert!(Spec::new(Format::Zstd).checksum());
    }

    #[test]
    fn each_format_takes_its_ends_and_refuses_what_lies_beyond() {
        for format in Format::ALL {
            let levels = format.levels();
            for level in [levels.min(), levels.max()] {
                assert!(
                    Spec::new(format).with_level(level).is_ok(),
                    "{format} {level}"
                );
            }
            for level in [levels.min() - 1, levels.max() + 1, i32::MIN, i32::MAX] {
                assert_eq!(
                    Spec::new(format).with_level(level),
                    Err(SpecError::LevelOutOfRange { format, level })
                );
            }
            match format.window_logs() {
                Some((min, max)) => {
                    assert!(Spec::new(format).with_window_log(min).is_ok());
                    assert!(Spec::new(format).with_window_log(max).is_ok());
                    assert!(Spec::new(format).with_window_log(min - 1).is_err());
                    assert!(Spec::new(format).with_window_log(max + 1).is_err());
                }
                None => assert!(Spec::new(format).with_window_log(15).is_err()),
            }
        }
    }

    #[test]
    fn a_loss_is_stated_for_speed_and_follows_from_other_efforts() {
        let spec = Spec::new(Format::Zlib);
        assert_eq!((spec.effort(), spec.max_loss()), (None, 0));
        let stated = spec.with_max_loss(25).unwrap();
        assert_eq!(stated.max_loss(), 0);
        let losses = Effort::ALL.map(|effort| stated.clone().with_effort(effort).max_loss());
        assert_eq!(losses, [1, 7, 25]);
        assert_eq!(
            Spec::new(Format::Zlib)
                .with_effort(Effort::Speed)
                .max_loss(),
            10
        );
        assert!(Spec::new(Format::Zlib).with_max_loss(100).is_ok());
        assert_eq!(
            Spec::new(Format::Zlib).with_max_loss(101),
            Err(SpecError::LossOutOfRange { percent: 101 })
        );
    }

    #[test]
    fn the_spec_inside_a_frame_writes_as_the_one_outside() {
        let spec = Spec::new(Format::Gzip)
            .with_level(3)
            .and_then(|spec| spec.with_window_log(12))
            .and_then(|spec| spec.with_max_loss(4))
            .unwrap()
            .with_effort(Effort::Speed);
        let inner = spec.inner().unwrap();
        assert_eq!(inner.format(), Format::DeflateRaw);
        assert_eq!((inner.level(), inner.window_log()), (3, Some(12)));
        assert_eq!((inner.effort(), inner.max_loss()), (Some(Effort::Speed), 4));
        assert_eq!(inner.inner(), None);
    }

    #[test]
    fn only_zstd_has_a_choice_of_dictionary_and_checksum() {
        let dictionary = Dictionary::raw(&b"some content"[..]).unwrap();
        for format in Format::ALL {
            let spec = Spec::new(format);
            assert_eq!(
                spec.clone().with_dictionary(dictionary.clone()).is_ok(),
                format == Format::Zstd
            );
            assert_eq!(
                spec.clone().with_checksum(!spec.checksum()).is_ok(),
                format == Format::Zstd
            );
        }
    }
}
