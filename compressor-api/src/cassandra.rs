//! The compressor classes of Apache Cassandra, as a table's options and an SSTable's metadata name
//! them.
//!
//! | class | format | options |
//! | --- | --- | --- |
//! | `LZ4Compressor` | `lz4-sized` | `lz4_compressor_type` (`fast`, `high`), `lz4_high_compressor_level` (1–17, default 9) |
//! | `ZstdCompressor` | `zstd` | `compression_level` (−131072–22, default 3) |
//! | `ZstdDictionaryCompressor` | `zstd` | `compression_level`; the dictionary is kept elsewhere |
//! | `DeflateCompressor` | `zlib` | none: always level 6 |
//! | `SnappyCompressor` | `snappy` | none |
//! | `NoopCompressor` | `none` | none |
//!
//! Names are taken alone or with the package `org.apache.cassandra.io.compress`. What concerns
//! chunks (`chunk_length_in_kb`, `min_compress_ratio`, `crc_check_chance`) is no option of a
//! compressor.

use crate::{Format, Spec, SpecError};

/// The package of Cassandra's compressor classes.
pub const PACKAGE: &str = "org.apache.cassandra.io.compress";

const LZ4: &str = "LZ4Compressor";
const ZSTD: &str = "ZstdCompressor";
const ZSTD_DICTIONARY: &str = "ZstdDictionaryCompressor";
const DEFLATE: &str = "DeflateCompressor";
const SNAPPY: &str = "SnappyCompressor";
const NOOP: &str = "NoopCompressor";

const LZ4_TYPE: &str = "lz4_compressor_type";
const LZ4_HIGH_LEVEL: &str = "lz4_high_compressor_level";
const LEVEL: &str = "compression_level";

/// The short names of the classes.
pub const CLASSES: &[&str] = &[LZ4, ZSTD, ZSTD_DICTIONARY, DEFLATE, SNAPPY, NOOP];

/// A compressor class and the options it is created with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Short name, as in CQL.
    pub name: &'static str,
    /// Option and value, in the order that the table above lists them; defaults are left out.
    pub options: Vec<(&'static str, String)>,
}

impl Class {
    /// The name with its package, as an SSTable's metadata may carry it.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{PACKAGE}.{}", self.name)
    }
}

/// The spec that a class with these options stands for.
///
/// `ZstdDictionaryCompressor` gives a spec without its dictionary, as it does in Cassandra until a
/// dictionary was trained; add one with [`Spec::with_dictionary`].
///
/// LZ4's high levels 13–17 become 12: the library knows no more than that, and treats them so.
///
/// # Errors
///
/// [`SpecError::UnknownClass`], [`SpecError::UnknownOption`], [`SpecError::BadValue`]; each lists
/// what would be valid.
pub fn spec<'a>(
    class: &str,
    options: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Spec, SpecError> {
    let short = class
        .strip_prefix(PACKAGE)
        .and_then(|name| name.strip_prefix('.'));
    let name = CLASSES
        .iter()
        .copied()
        .find(|known| *known == short.unwrap_or(class))
        .ok_or_else(|| SpecError::UnknownClass {
            name: class.into(),
            valid: CLASSES,
        })?;

    let mut high = false;
    let mut high_level = 9;
    let mut level = None;
    for (option, value) in options {
        match (name, option) {
            (LZ4, LZ4_TYPE) => high = compressor_type(value)?,
            (LZ4, LZ4_HIGH_LEVEL) => high_level = number(name, LZ4_HIGH_LEVEL, value, 1, 17)?,
            (ZSTD | ZSTD_DICTIONARY, LEVEL) => {
                let levels = Format::Zstd.levels();
                level = Some(number(name, LEVEL, value, levels.min(), levels.max())?);
            }
            _ => {
                let valid = valid_options(name);
                return Err(SpecError::UnknownOption {
                    class: name,
                    option: option.into(),
                    valid,
                });
            }
        }
    }

    let format = format(name);
    let spec = Spec::new(format);
    match (name, level) {
        (LZ4, _) if high => spec.with_level(high_level.min(format.levels().max())),
        (_, Some(level)) => spec.with_level(level),
        _ => Ok(spec),
    }
}

/// The class and options that stand for a spec: what a reader needs, and the level.
///
/// LZ4 acceleration and the levels of Deflate have no option in Cassandra. They bind the writer
/// alone, so the class without them reads the same bytes.
///
/// # Errors
///
/// [`SpecError::NoClass`] for `lz4-block`, `deflate-raw` and `gzip`.
pub fn class(spec: &Spec) -> Result<Class, SpecError> {
    let format = spec.format();
    let level = spec.level();
    let not_default = |level: i32| level != format.levels().default_level();
    let (name, options) = match format {
        Format::Lz4Sized if level > 0 => {
            let high = vec![
                (LZ4_TYPE, "high".into()),
                (LZ4_HIGH_LEVEL, level.to_string()),
            ];
            (LZ4, high)
        }
        Format::Lz4Sized => (LZ4, Vec::new()),
        Format::Zstd => {
            let name = if spec.dictionary().is_some() {
                ZSTD_DICTIONARY
            } else {
                ZSTD
            };
            let level = not_default(level).then(|| (LEVEL, level.to_string()));
            (name, level.into_iter().collect())
        }
        Format::Zlib => (DEFLATE, Vec::new()),
        Format::Snappy => (SNAPPY, Vec::new()),
        Format::None => (NOOP, Vec::new()),
        Format::Lz4Block | Format::DeflateRaw | Format::Gzip => {
            return Err(SpecError::NoClass { format });
        }
    };
    Ok(Class { name, options })
}

fn format(name: &str) -> Format {
    match name {
        LZ4 => Format::Lz4Sized,
        ZSTD | ZSTD_DICTIONARY => Format::Zstd,
        DEFLATE => Format::Zlib,
        SNAPPY => Format::Snappy,
        _ => Format::None,
    }
}

fn valid_options(name: &str) -> &'static [&'static str] {
    match name {
        LZ4 => &[LZ4_TYPE, LZ4_HIGH_LEVEL],
        ZSTD | ZSTD_DICTIONARY => &[LEVEL],
        _ => &[],
    }
}

/// Whether the type is the high one.
fn compressor_type(value: &str) -> Result<bool, SpecError> {
    match value {
        "fast" => Ok(false),
        "high" => Ok(true),
        _ => Err(SpecError::BadValue {
            class: LZ4,
            option: LZ4_TYPE,
            value: value.into(),
            valid: "fast or high".into(),
        }),
    }
}

fn number(
    class: &'static str,
    option: &'static str,
    value: &str,
    min: i32,
    max: i32,
) -> Result<i32, SpecError> {
    value
        .parse()
        .ok()
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| SpecError::BadValue {
            class,
            option,
            value: value.into(),
            valid: format!("a whole number from {min} to {max}"),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dictionary;

    fn parse(class: &str, options: &[(&str, &str)]) -> Result<(Format, i32), String> {
        spec(class, options.iter().copied())
            .map(|spec| (spec.format(), spec.level()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn classes_and_options_are_read() {
        for (class, options, expected) in [
            ("LZ4Compressor", &[][..], (Format::Lz4Sized, 0)),
            (
                "LZ4Compressor",
                &[("lz4_compressor_type", "fast")],
                (Format::Lz4Sized, 0),
            ),
            (
                "LZ4Compressor",
                &[("lz4_high_compressor_level", "4")],
                (Format::Lz4Sized, 0),
            ),
            (
                "LZ4Compressor",
                &[("lz4_compressor_type", "high")],
                (Format::Lz4Sized, 9),
            ),
            (
                "LZ4Compressor",
                &[
                    ("lz4_high_compressor_level", "17"),
                    ("lz4_compressor_type", "high"),
                ],
                (Format::Lz4Sized, 12),
            ),
            (
                "ZstdCompressor",
                &[("compression_level", "-131072")],
                (Format::Zstd, -131_072),
            ),
            (
                "ZstdDictionaryCompressor",
                &[("compression_level", "22")],
                (Format::Zstd, 22),
            ),
            ("DeflateCompressor", &[], (Format::Zlib, 6)),
            ("SnappyCompressor", &[], (Format::Snappy, 0)),
            ("NoopCompressor", &[], (Format::None, 0)),
        ] {
            assert_eq!(parse(class, options), Ok(expected), "{class}");
            let qualified = format!("org.apache.cassandra.io.compress.{class}");
            assert_eq!(parse(&qualified, options), Ok(expected), "{class}");
        }
    }

    #[test]
    fn what_is_unknown_or_out_of_range_is_refused_with_what_is_valid() {
        for (class, options, says) in [
            ("Lz4Compressor", &[][..], "LZ4Compressor, ZstdCompressor"),
            ("com.example.LZ4Compressor", &[], "LZ4Compressor"),
            (
                "org.apache.cassandra.io.compressLZ4Compressor",
                &[],
                "LZ4Compressor",
            ),
            ("", &[], "LZ4Compressor"),
            (
                "LZ4Compressor",
                &[("compression_level", "3")],
                "lz4_compressor_type",
            ),
            (
                "LZ4Compressor",
                &[("lz4_compressor_type", "slow")],
                "fast or high",
            ),
            (
                "LZ4Compressor",
                &[("lz4_high_compressor_level", "0")],
                "1 to 17",
            ),
            (
                "LZ4Compressor",
                &[("lz4_high_compressor_level", "18")],
                "1 to 17",
            ),
            (
                "LZ4Compressor",
                &[("lz4_high_compressor_level", "")],
                "1 to 17",
            ),
            (
                "ZstdCompressor",
                &[("compression_level", "23")],
                "-131072 to 22",
            ),
            ("ZstdCompressor", &[("level", "3")], "compression_level"),
            (
                "DeflateCompressor",
                &[("compression_level", "6")],
                "has none",
            ),
            (
                "SnappyCompressor",
                &[("chunk_length_in_kb", "16")],
                "has none",
            ),
        ] {
            let error = parse(class, options).unwrap_err();
            assert!(error.contains(says), "{class} {options:?}: {error}");
        }
    }

    #[test]
    fn a_spec_leads_back_to_its_class() {
        let zstd = Spec::new(Format::Zstd);
        let dictionary = Dictionary::raw(&b"content of it"[..]).unwrap();
        for spec in [
            Spec::new(Format::Lz4Sized),
            Spec::new(Format::Lz4Sized).with_level(1).unwrap(),
            Spec::new(Format::Lz4Sized).with_level(12).unwrap(),
            zstd.clone(),
            zstd.clone().with_level(-5).unwrap(),
            Spec::new(Format::Zlib),
            Spec::new(Format::Snappy),
            Spec::new(Format::None),
        ] {
            let class = class(&spec).unwrap();
            let options = class
                .options
                .iter()
                .map(|(key, value)| (*key, value.as_str()));
            assert_eq!(super::spec(class.name, options.clone()).as_ref(), Ok(&spec));
            assert_eq!(super::spec(&class.qualified_name(), options), Ok(spec));
        }
        let with = zstd.with_dictionary(dictionary).unwrap();
        assert_eq!(class(&with).unwrap().name, "ZstdDictionaryCompressor");
    }

    #[test]
    fn formats_that_cassandra_does_not_write_have_no_class() {
        for format in [Format::Lz4Block, Format::DeflateRaw, Format::Gzip] {
            assert_eq!(
                class(&Spec::new(format)),
                Err(SpecError::NoClass { format })
            );
        }
    }
}
