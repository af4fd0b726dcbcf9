use std::fmt;
use std::time::Duration;

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamKind {
    /// `true` or `false`.
    Bool,
    /// A whole number, both ends included.
    Int {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// A number of bytes: `65536`, `64KiB`, `1MiB`; both ends included.
    Bytes {
        /// The least value, in bytes.
        min: u64,
        /// The greatest value, in bytes.
        max: u64,
    },
    /// A time: `5us`, `250ms`, `2s`; both ends included.
    Duration {
        /// The least value.
        min: Duration,
        /// The greatest value.
        max: Duration,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text: a path, a name.
    Text,
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("true or false"),
            Self::Int { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Bytes { min, max } => write!(f, "a size from {min} to {max} bytes, as in 64KiB"),
            Self::Duration { min, max } => write!(f, "a time from {min:?} to {max:?}, as in 250ms"),
            Self::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Self::Text => f.write_str("text"),
        }
    }
}

/// A parameter that a provider takes: it documents and checks itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamSpec {
    /// Its name, in `snake_case`.
    pub name: &'static str,
    /// The values it takes.
    pub kind: ParamKind,
    /// The value if none is given, written as a user would.
    pub default: &'static str,
    /// One line for people: what it does, and its unit.
    pub doc: &'static str,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamValue {
    /// Of [`ParamKind::Bool`].
    Bool(bool),
    /// Of [`ParamKind::Int`].
    Int(i64),
    /// Of [`ParamKind::Bytes`], in bytes.
    Bytes(u64),
    /// Of [`ParamKind::Duration`].
    Duration(Duration),
    /// Of [`ParamKind::Choice`].
    Choice(&'static str),
    /// Of [`ParamKind::Text`].
    Text(String),
}

/// The parameters of one provider, each with a value that fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    values: Vec<(&'static str, ParamValue)>,
}

impl Params {
    /// Checks what a user gave against what a provider takes; the rest gets its default.
    ///
    /// # Errors
    ///
    /// [`ParamError::Unknown`] for a name that is not among `specs`, [`ParamError::Repeated`] for
    /// one given twice, [`ParamError::BadValue`] for a value that does not fit.
    pub fn parse<'a>(
        specs: &[ParamSpec],
        given: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, ParamError> {
        let mut values: Vec<(&'static str, ParamValue)> = Vec::with_capacity(specs.len());
        for (name, text) in given {
            let spec =
                specs
                    .iter()
                    .find(|spec| spec.name == name)
                    .ok_or_else(|| ParamError::Unknown {
                        name: name.into(),
                        valid: specs.iter().map(|spec| spec.name).collect(),
                    })?;
            if values.iter().any(|(known, _)| *known == name) {
                return Err(ParamError::Repeated { name: spec.name });
            }
            values.push((spec.name, spec.parse(text)?));
        }
        for spec in specs {
            if !values.iter().any(|(known, _)| *known == spec.name) {
                values.push((spec.name, spec.parse(spec.default)?));
            }
        }
        Ok(Self { values })
    }

    /// The value of a parameter; `None` if the provider takes none of that name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&ParamValue> {
        self.values
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// The value of a [`ParamKind::Bool`]; `None` if there is no such parameter.
    #[must_use]
    pub fn bool(&self, name: &str) -> Option<bool> {
        match self.value(name) {
            Some(ParamValue::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    /// The value of a [`ParamKind::Int`]; `None` if there is no such parameter.
    #[must_use]
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.value(name) {
            Some(ParamValue::Int(value)) => Some(*value),
            _ => None,
        }
    }

    /// The value of a [`ParamKind::Bytes`], in bytes; `None` if there is no such parameter.
    #[must_use]
    pub fn bytes(&self, name: &str) -> Option<u64> {
        match self.value(name) {
            Some(ParamValue::Bytes(value)) => Some(*value),
            _ => None,
        }
    }

    /// The value of a [`ParamKind::Duration`]; `None` if there is no such parameter.
    #[must_use]
    pub fn duration(&self, name: &str) -> Option<Duration> {
        match self.value(name) {
            Some(ParamValue::Duration(value)) => Some(*value),
            _ => None,
        }
    }

    /// The value of a [`ParamKind::Choice`] or [`ParamKind::Text`]; `None` if there is no such
    /// parameter.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.value(name) {
            Some(ParamValue::Choice(value)) => Some(value),
            Some(ParamValue::Text(value)) => Some(value),
            _ => None,
        }
    }
}

impl ParamSpec {
    fn parse(&self, text: &str) -> Result<ParamValue, ParamError> {
        let value = match self.kind {
            ParamKind::Bool => text.parse().ok().map(ParamValue::Bool),
            ParamKind::Int { min, max } => text
                .parse()
                .ok()
                .filter(|value| (min..=max).contains(value))
                .map(ParamValue::Int),
            ParamKind::Bytes { min, max } => scaled(
                text,
                &[
                    ("KiB", 1 << 10),
                    ("MiB", 1 << 20),
                    ("GiB", 1 << 30),
                    ("", 1),
                ],
            )
            .filter(|value| (min..=max).contains(value))
            .map(ParamValue::Bytes),
            ParamKind::Duration { min, max } => scaled(
                text,
                &[
                    ("us", 1_000),
                    ("ms", 1_000_000),
                    ("ns", 1),
                    ("s", 1_000_000_000),
                ],
            )
            .map(Duration::from_nanos)
            .filter(|value| (min..=max).contains(value))
            .map(ParamValue::Duration),
            ParamKind::Choice(words) => words
                .iter()
                .find(|word| **word == text)
                .map(|word| ParamValue::Choice(word)),
            ParamKind::Text => Some(ParamValue::Text(text.into())),
        };
        value.ok_or_else(|| ParamError::BadValue {
            name: self.name,
            value: text.into(),
            kind: self.kind,
        })
    }
}

/// A whole number with one of `units` behind it, the first that fits.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    units.iter().find_map(|(unit, scale)| {
        let number = text.strip_suffix(unit)?.trim_end();
        number.parse::<u64>().ok()?.checked_mul(*scale)
    })
}

/// Why the parameters of a provider cannot be what the user gave.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamError {
    /// The provider takes no parameter of this name.
    Unknown {
        /// The name given.
        name: String,
        /// The names it takes.
        valid: Vec<&'static str>,
    },
    /// Given more than once.
    Repeated {
        /// The name given.
        name: &'static str,
    },
    /// The value does not fit.
    BadValue {
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: String,
        /// What would fit.
        kind: ParamKind,
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, valid } if valid.is_empty() => {
                write!(f, "unknown parameter {name:?}; there are none")
            }
            Self::Unknown { name, valid } => {
                write!(
                    f,
                    "unknown parameter {name:?}; the parameters are {}",
                    valid.join(", ")
                )
            }
            Self::Repeated { name } => write!(f, "parameter {name} is given twice"),
            Self::BadValue { name, value, kind } => {
                write!(f, "parameter {name} cannot be {value:?}; it takes {kind}")
            }
        }
    }
}

impl std::error::Error for ParamError {}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[ParamSpec] = &[
        ParamSpec {
            name: "on",
            kind: ParamKind::Bool,
            default: "true",
            doc: "",
        },
        ParamSpec {
            name: "depth",
            kind: ParamKind::Int { min: 1, max: 64 },
            default: "16",
            doc: "",
        },
        ParamSpec {
            name: "buffer",
            kind: ParamKind::Bytes {
                min: 1 << 10,
                max: 512 << 10,
            },
            default: "64KiB",
            doc: "",
        },
        ParamSpec {
            name: "deadline",
            kind: ParamKind::Duration {
                min: Duration::from_micros(1),
                max: Duration::from_secs(60),
            },
            default: "2s",
            doc: "",
        },
        ParamSpec {
            name: "polling",
            kind: ParamKind::Choice(&["busy", "periodical"]),
            default: "busy",
            doc: "",
        },
        ParamSpec {
            name: "library",
            kind: ParamKind::Text,
            default: "",
            doc: "",
        },
    ];

    #[test]
    fn defaults_fill_what_is_not_given() {
        let params = Params::parse(SPECS, [("depth", "4")]).unwrap();
        assert_eq!(params.int("depth"), Some(4));
        assert_eq!(params.bool("on"), Some(true));
        assert_eq!(params.bytes("buffer"), Some(65_536));
        assert_eq!(params.duration("deadline"), Some(Duration::from_secs(2)));
        assert_eq!(params.text("polling"), Some("busy"));
        assert_eq!(params.text("library"), Some(""));
        assert_eq!(params.int("on"), None);
        assert_eq!(params.int("nothing"), None);
    }

    #[test]
    fn units_are_read() {
        let params = Params::parse(SPECS, [("buffer", "2 KiB"), ("deadline", "250ms")]).unwrap();
        assert_eq!(params.bytes("buffer"), Some(2_048));
        assert_eq!(
            params.duration("deadline"),
            Some(Duration::from_millis(250))
        );
        let params = Params::parse(SPECS, [("buffer", "4096"), ("deadline", "5us")]).unwrap();
        assert_eq!(params.bytes("buffer"), Some(4_096));
        assert_eq!(params.duration("deadline"), Some(Duration::from_micros(5)));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        for (name, value, says) in [
            ("depth", "0", "1 to 64"),
            ("depth", "65", "1 to 64"),
            ("depth", "many", "1 to 64"),
            ("buffer", "1023", "1024 to 524288"),
            ("buffer", "99999999999GiB", "1024 to 524288"),
            ("deadline", "61s", "250ms"),
            ("deadline", "5", "250ms"),
            ("polling", "sometimes", "busy, periodical"),
            ("on", "yes", "true or false"),
            ("dept", "4", "depth"),
        ] {
            let error = Params::parse(SPECS, [(name, value)])
                .unwrap_err()
                .to_string();
            assert!(error.contains(says), "{name}={value}: {error}");
        }
        let twice = Params::parse(SPECS, [("depth", "4"), ("depth", "5")]);
        assert_eq!(twice, Err(ParamError::Repeated { name: "depth" }));
    }
}
