//! What the file calls things.

macro_rules! by_name {
    ($name:ident, $kind:ty, $parse:expr) => {
        pub(super) mod $name {
            use serde::de::Error;
            use serde::{Deserialize, Deserializer, Serializer};

            pub(in super::super) fn serialize<S: Serializer>(
                value: &$kind,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                to.serialize_str(value.name())
            }

            pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
                from: D,
            ) -> Result<$kind, D::Error> {
                let name = String::deserialize(from)?;
                let parse: fn(&str) -> Result<$kind, String> = $parse;
                parse(&name).map_err(D::Error::custom)
            }
        }
    };
}

by_name!(format, compressor_api::Format, |name| name
    .parse()
    .map_err(|error: compressor_api::SpecError| error.to_string()));

by_name!(direction, compressor_api::Direction, |name| {
    compressor_api::Direction::BOTH
        .into_iter()
        .find(|direction| direction.name() == name)
        .ok_or_else(|| format!("unknown direction {name:?}"))
});

/// An effort, or none.
pub(super) mod effort {
    use compressor_api::Effort;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        value: &Option<Effort>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(effort) => to.serialize_str(effort.name()),
            None => to.serialize_none(),
        }
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Effort>, D::Error> {
        let name = String::deserialize(from)?;
        name.parse().map(Some).map_err(D::Error::custom)
    }
}
