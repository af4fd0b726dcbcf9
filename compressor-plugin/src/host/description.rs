//! What a plugin says about itself before it is opened, from its table or from its manifest.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use compressor_api::{
    Format, Open, ParamKind, ParamSpec, Params, ProviderClass, ProviderEntry, ProviderId,
};

use super::error::Violation;
use crate::abi::{
    CP_PARAM_BOOL, CP_PARAM_BYTES, CP_PARAM_CHOICE, CP_PARAM_DURATION, CP_PARAM_INT, CP_PARAM_TEXT,
    MAX_ITEMS, MAX_TEXT,
};
use crate::text::is_unprintable;

/// What the names of linked software begin with: operators and metrics take what is named so for
/// software.
const SOFTWARE: &str = "software.";

/// As it came, unchecked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) id: String,
    pub(super) description: String,
    pub(super) formats: Vec<Format>,
    pub(super) priority: i32,
    pub(super) params: Vec<DraftParam>,
}

/// A parameter as it came. Numbers are in bytes or nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DraftParam {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) default: String,
    pub(super) kind: u32,
    pub(super) min: i64,
    pub(super) max: i64,
    pub(super) choices: Vec<String>,
}

/// Checked, and leaked: providers are `'static`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Description {
    pub(super) id: ProviderId,
    description: &'static str,
    formats: &'static [Format],
    priority: i16,
    params: &'static [ParamSpec],
}

/// What came of each draft that was leaked, so that the same one is never leaked again, however often
/// a plugin is listed or refused.
static CHECKED: Mutex<Vec<(Draft, Result<Description, Violation>)>> = Mutex::new(Vec::new());

impl Description {
    /// Checks a draft.
    pub(super) fn new(mut draft: Draft) -> Result<Self, Violation> {
        draft.check_texts()?;
        draft.formats.sort_unstable();
        let mut checked = CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = checked.iter().find(|(known, _)| *known == draft) {
            return known.clone();
        }
        let description = Self::leak(draft.clone());
        checked.push((draft, description.clone()));
        description
    }

    /// Checks a draft whose formats are sorted, and leaks it in doing so.
    fn leak(draft: Draft) -> Result<Self, Violation> {
        if draft.formats.is_empty() {
            return Err(Violation::new("lists no format"));
        }
        let formats = draft.formats;
        if let Some([twice, ..]) = formats.windows(2).find(|pair| pair.first() == pair.last()) {
            return Err(Violation(format!("lists the format {twice} twice")));
        }
        let priority = i16::try_from(draft.priority)
            .map_err(|_| Violation(format!("has the priority {}", draft.priority)))?;
        let params = draft
            .params
            .into_iter()
            .map(DraftParam::check)
            .collect::<Result<Vec<_>, _>>()?;
        for (i, param) in params.iter().enumerate() {
            if params.iter().skip(i + 1).any(|p| p.name == param.name) {
                return Err(Violation(format!("has the parameter {} twice", param.name)));
            }
        }
        Params::parse(&params, [])
            .map_err(|error| Violation(format!("has a default that does not fit: {error}")))?;
        let description = Self {
            id: ProviderId::new(draft.id.leak()),
            description: draft.description.leak(),
            formats: formats.leak(),
            priority,
            params: params.leak(),
        };
        let id = description.id.as_str();
        if !description.id.is_well_formed() {
            return Err(Violation(format!(
                "is named {id:?}; a name is made of lower-case letters, digits, '.' and '-'"
            )));
        }
        if id.starts_with(SOFTWARE) {
            return Err(Violation(format!(
                "is named {id}; names that begin with {SOFTWARE:?} are those of linked software"
            )));
        }
        Ok(description)
    }

    /// The provider as a registry lists it.
    pub(super) fn entry(&self, opener: &'static dyn Open) -> ProviderEntry {
        ProviderEntry::new(
            self.id,
            ProviderClass::Accelerator,
            self.description,
            self.formats,
            opener,
        )
        .with_priority(self.priority)
        .with_params(self.params)
    }

    pub(super) fn params(&self) -> &'static [ParamSpec] {
        self.params
    }

    /// The first thing that another description says otherwise.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        [
            (self.id == other.id, "the id"),
            (self.formats == other.formats, "the formats"),
            (self.priority == other.priority, "the priority"),
            (self.params == other.params, "the parameters"),
            (self.description == other.description, "the description"),
        ]
        .into_iter()
        .find_map(|(same, what)| (!same).then_some(what))
    }
}

impl Draft {
    /// Whether its texts are such as the ABI carries, wherever they are from: short, and of nothing
    /// that steers a terminal.
    fn check_texts(&self) -> Result<(), Violation> {
        few(self.params.len(), "parameters")?;
        // How an id is spelled is checked with it.
        short(&self.id, "its id")?;
        line(&self.description, "its description")?;
        for param in &self.params {
            few(param.choices.len(), "choices")?;
            line(&param.name, "the name of a parameter")?;
            line(&param.doc, "the doc of a parameter")?;
            line(&param.default, "the default of a parameter")?;
            for choice in &param.choices {
                line(choice, "a choice of a parameter")?;
            }
        }
        Ok(())
    }
}

/// Refuses a list that is longer than the ABI carries.
pub(super) fn few(count: usize, what: &str) -> Result<(), Violation> {
    if count > MAX_ITEMS {
        return Err(Violation(format!("has {count} {what}")));
    }
    Ok(())
}

fn short(text: &str, what: &str) -> Result<(), Violation> {
    if text.len() > MAX_TEXT {
        return Err(too_long(what));
    }
    Ok(())
}

fn line(text: &str, what: &str) -> Result<(), Violation> {
    short(text, what)?;
    match text.chars().find(|c| is_unprintable(*c)) {
        None => Ok(()),
        Some(c) => Err(Violation(format!(
            "has the unprintable character U+{:04X} in {what}",
            u32::from(c)
        ))),
    }
}

/// Whether a parameter may have this name: lower-case letters, digits and `_`, a letter first.
fn is_param_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// The violation of a text that is longer than the ABI carries.
pub(super) fn too_long(what: &str) -> Violation {
    Violation(format!("has more than {MAX_TEXT} bytes in {what}"))
}

impl DraftParam {
    fn check(self) -> Result<ParamSpec, Violation> {
        let Self { name, min, max, .. } = self;
        if name.is_empty() {
            return Err(Violation::new("has a parameter without a name"));
        }
        if !is_param_name(&name) {
            return Err(Violation(format!(
                "has a parameter {name:?}; a name is made of lower-case letters, digits and '_', \
                 and begins with a letter"
            )));
        }
        let numbers = [CP_PARAM_INT, CP_PARAM_BYTES, CP_PARAM_DURATION];
        if numbers.contains(&self.kind) && min > max {
            return Err(Violation(format!(
                "has a parameter {name:?} that fits nothing"
            )));
        }
        let positive = |number: i64| {
            u64::try_from(number)
                .map_err(|_| Violation(format!("has a parameter {name:?} below zero")))
        };
        let kind = match self.kind {
            CP_PARAM_BOOL => ParamKind::Bool,
            CP_PARAM_INT => ParamKind::Int { min, max },
            CP_PARAM_BYTES => ParamKind::Bytes {
                min: positive(min)?,
                max: positive(max)?,
            },
            CP_PARAM_DURATION => ParamKind::Duration {
                min: Duration::from_nanos(positive(min)?),
                max: Duration::from_nanos(positive(max)?),
            },
            CP_PARAM_CHOICE if self.choices.is_empty() => {
                return Err(Violation(format!(
                    "has a parameter {name:?} without choices"
                )));
            }
            CP_PARAM_CHOICE => {
                let words = self.choices.into_iter().map(|word| &*word.leak());
                ParamKind::Choice(words.collect::<Vec<&str>>().leak())
            }
            CP_PARAM_TEXT => ParamKind::Text,
            unknown => {
                return Err(Violation(format!(
                    "has a parameter {name:?} of an unknown kind, {unknown}"
                )));
            }
        };
        Ok(ParamSpec {
            name: name.leak(),
            kind,
            default: self.default.leak(),
            doc: self.doc.leak(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(id: &str) -> Draft {
        Draft {
            id: id.into(),
            description: "d".repeat(MAX_TEXT),
            formats: vec![Format::Zlib, Format::None],
            priority: 0,
            params: Vec::new(),
        }
    }

    #[test]
    fn the_same_draft_is_leaked_once_be_it_taken_or_refused() {
        let taken = || Description::new(draft("leaked-once")).unwrap();
        assert!(std::ptr::eq(taken().description, taken().description));
        let refused = || Description::new(draft("Leaked Once")).unwrap_err();
        assert_eq!(refused(), refused());
        let checked = CHECKED.lock().unwrap();
        for id in ["leaked-once", "Leaked Once"] {
            let times = checked.iter().filter(|(known, _)| known.id == id).count();
            assert_eq!(times, 1, "{id}");
        }
    }

    #[test]
    fn as_much_as_the_abi_carries_is_taken_and_no_more() {
        let long = "x".repeat(MAX_TEXT);
        let mut fits = draft(&long);
        fits.params.push(DraftParam {
            name: long.clone(),
            doc: long.clone(),
            default: long.clone(),
            kind: CP_PARAM_CHOICE,
            min: 0,
            max: 0,
            choices: vec![long],
        });
        Description::new(fits.clone()).unwrap();
        few(MAX_ITEMS, "items").unwrap();

        let refused = |lengthen: fn(&mut Draft), says: &str| {
            let mut long = fits.clone();
            lengthen(&mut long);
            let Violation(what) = Description::new(long.clone()).unwrap_err();
            assert!(what.contains(says), "{what:?} does not say {says:?}");
            // Refused before anything is leaked.
            let checked = CHECKED.lock().unwrap();
            assert!(!checked.iter().any(|(known, _)| *known == long));
        };
        refused(|d| d.id.push('x'), "bytes in its id");
        refused(|d| d.description.push('x'), "bytes in its description");
        refused(|d| d.params[0].name.push('x'), "bytes in the name");
        refused(|d| d.params[0].doc.push('x'), "bytes in the doc");
        refused(|d| d.params[0].default.push('x'), "bytes in the default");
        refused(|d| d.params[0].choices[0].push('x'), "bytes in a choice");
        let choices = |d: &mut Draft| d.params[0].choices.resize(257, String::new());
        refused(choices, "has 257 choices");
        let params = |d: &mut Draft| {
            let param = DraftParam {
                name: String::new(),
                doc: String::new(),
                default: String::new(),
                choices: Vec::new(),
                ..d.params[0]
            };
            d.params.resize(257, param);
        };
        refused(params, "has 257 parameters");
    }

    fn with_param(id: &str, name: &str) -> Draft {
        let mut draft = draft(id);
        draft.params.push(DraftParam {
            name: name.into(),
            doc: "doc".into(),
            default: "one".into(),
            kind: CP_PARAM_CHOICE,
            min: 0,
            max: 0,
            choices: vec!["one".into()],
        });
        draft
    }

    #[test]
    fn texts_that_steer_a_terminal_are_refused() {
        type Place = fn(&mut Draft) -> &mut String;
        let places: [(Place, &str); 5] = [
            (|d| &mut d.description, "in its description"),
            (|d| &mut d.params[0].name, "in the name of a parameter"),
            (|d| &mut d.params[0].doc, "in the doc of a parameter"),
            (|d| &mut d.params[0].default, "in the default of a"),
            (
                |d| &mut d.params[0].choices[0],
                "in a choice of a parameter",
            ),
        ];
        for (place, says) in places {
            for c in ['\n', '\u{1b}', '\u{9b}', '\u{2029}', '\u{202e}', '\u{2066}'] {
                let mut draft = with_param("steers", "p");
                *place(&mut draft) = format!("a{c}b");
                let Violation(what) = Description::new(draft).unwrap_err();
                let says = format!("U+{:04X} {says}", u32::from(c));
                assert!(what.contains(&says), "{what:?} does not say {says:?}");
            }
        }
    }

    #[test]
    fn names_of_parameters_are_in_lower_case() {
        for name in ["a", "max_in_flight", "level2"] {
            Description::new(with_param("param-names", name)).unwrap();
        }
        for name in [
            "A",
            "maxInFlight",
            "max-in-flight",
            "a b",
            "a=b",
            "_a",
            "2a",
            "\u{e9}",
        ] {
            let Violation(what) = Description::new(with_param("param-names", name)).unwrap_err();
            assert!(what.contains("a name is made of lower-case"), "{what}");
        }
    }

    #[test]
    fn names_of_linked_software_are_refused() {
        let Violation(what) = Description::new(draft("software.zstd")).unwrap_err();
        assert!(what.starts_with("is named software.zstd; "), "{what}");
        for id in ["softwares", "my.software.zstd"] {
            Description::new(draft(id)).unwrap();
        }
    }
}
