//! What a plugin says about itself before it is opened, from its table or from its manifest.

use std::time::Duration;

use compressor_api::{
    Format, Open, ParamKind, ParamSpec, Params, ProviderClass, ProviderEntry, ProviderId,
};

use super::error::Violation;
use crate::abi::{
    CP_PARAM_BOOL, CP_PARAM_BYTES, CP_PARAM_CHOICE, CP_PARAM_DURATION, CP_PARAM_INT, CP_PARAM_TEXT,
};

/// As it came, unchecked.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) id: String,
    pub(super) description: String,
    pub(super) formats: Vec<Format>,
    pub(super) priority: i32,
    pub(super) params: Vec<DraftParam>,
}

/// A parameter as it came. Numbers are in bytes or nanoseconds.
#[derive(Clone, Debug)]
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

impl Description {
    /// Checks a draft. One that is refused may leave a few hundred bytes behind.
    pub(super) fn new(draft: Draft) -> Result<Self, Violation> {
        if draft.formats.is_empty() {
            return Err(Violation::new("lists no format"));
        }
        let mut formats = draft.formats;
        formats.sort_unstable();
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
        if description.id.is_well_formed() {
            Ok(description)
        } else {
            Err(Violation(format!(
                "is named {:?}; a name is made of lower-case letters, digits, '.' and '-'",
                description.id.as_str()
            )))
        }
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

impl DraftParam {
    fn check(self) -> Result<ParamSpec, Violation> {
        let Self { name, min, max, .. } = self;
        if name.is_empty() {
            return Err(Violation::new("has a parameter without a name"));
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
