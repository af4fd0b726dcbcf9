use std::fmt;

use compressor::cassandra::{self, Class};
use compressor::{Spec, SpecError};

/// The longest chunk that is written or read: 16 MiB.
///
/// Cassandra sets no limit below 1 GiB; this one keeps a corrupt length from becoming memory.
pub const MAX_CHUNK_LEN: u32 = 16 << 20;

/// The chunk length that Cassandra takes if none is given: 16 KiB.
pub const DEFAULT_CHUNK_LEN: u32 = 16 << 10;

/// What `max_compressed_len` is where no chunk is ever stored raw.
pub(crate) const NEVER_RAW: u32 = i32::MAX as u32;

const CLASS: &str = "class";
const CHUNK_LENGTH: &str = "chunk_length_in_kb";
const MIN_RATIO: &str = "min_compress_ratio";
const CRC_CHANCE: &str = "crc_check_chance";

/// How a table is compressed: the options of CQL's `compression`, checked.
///
/// ```
/// use chunk_file::Params;
///
/// let params = Params::from_cql([
///     ("class", "ZstdCompressor"),
///     ("chunk_length_in_kb", "64"),
///     ("min_compress_ratio", "1.1"),
///     ("compression_level", "1"),
/// ])?;
/// assert_eq!(params.chunk_len(), 65_536);
/// assert_eq!(params.max_compressed_len(), 59_579);
/// assert_eq!(params.spec().level(), 1);
/// # Ok::<(), chunk_file::ParamsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    spec: Spec,
    class: Class,
    chunk_len: u32,
    max_compressed_len: u32,
    crc_check_chance: f64,
}

impl Params {
    /// A spec with Cassandra's defaults: chunks of 16 KiB, never stored raw, every CRC checked.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Spec`] for a format that has no compressor class in Cassandra.
    pub fn new(spec: Spec) -> Result<Self, ParamsError> {
        let class = cassandra::class(&spec)?;
        Ok(Self {
            spec,
            class,
            chunk_len: DEFAULT_CHUNK_LEN,
            max_compressed_len: NEVER_RAW,
            crc_check_chance: 1.0,
        })
    }

    /// From the options as CQL has them, in any order: `class`, `chunk_length_in_kb`,
    /// `min_compress_ratio`, `crc_check_chance`, and the compressor's own.
    ///
    /// `crc_check_chance` is an option of the table in newer versions; it binds readers and is not
    /// kept in the file.
    ///
    /// # Errors
    ///
    /// Any [`ParamsError`]; an option that neither this layout nor the class has is
    /// [`ParamsError::Spec`].
    pub fn from_cql<'a>(
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, ParamsError> {
        let (mut class, mut chunk_len, mut ratio, mut chance) = (None, None, None, None);
        let mut others = Vec::new();
        for (name, value) in options {
            match name {
                CLASS => class = Some(value),
                CHUNK_LENGTH => chunk_len = Some(value),
                MIN_RATIO => ratio = Some(value),
                CRC_CHANCE => chance = Some(value),
                _ => others.push((name, value)),
            }
        }
        let class = class.ok_or(ParamsError::NoClass)?;
        let mut params = Self::new(cassandra::spec(class, others)?)?;
        if let Some(value) = chunk_len {
            let bytes = value.parse().ok().and_then(|kb: u32| kb.checked_mul(1024));
            params = params.with_chunk_len(bytes.ok_or_else(|| bad(CHUNK_LENGTH, value))?)?;
        }
        if let Some(value) = ratio {
            let ratio = value.parse().map_err(|_| bad(MIN_RATIO, value))?;
            params = params.with_min_compress_ratio(ratio)?;
        }
        if let Some(value) = chance {
            let chance = value.parse().map_err(|_| bad(CRC_CHANCE, value))?;
            params = params.with_crc_check_chance(chance)?;
        }
        Ok(params)
    }

    /// The same with chunks of `bytes`, which the ratio set before applies to as well.
    ///
    /// # Errors
    ///
    /// [`ParamsError::ChunkLen`] unless it is a power of two up to [`MAX_CHUNK_LEN`].
    pub fn with_chunk_len(mut self, bytes: u32) -> Result<Self, ParamsError> {
        if !is_chunk_len(bytes) {
            return Err(ParamsError::ChunkLen { bytes });
        }
        let ratio = self.min_compress_ratio();
        self.chunk_len = bytes;
        self.with_min_compress_ratio(ratio)
    }

    /// The same, but a chunk that shrinks less than by this factor is stored raw; 0 for never.
    ///
    /// # Errors
    ///
    /// [`ParamsError::BadValue`] unless it is 0, or at least 1 and finite.
    pub fn with_min_compress_ratio(mut self, ratio: f64) -> Result<Self, ParamsError> {
        self.max_compressed_len = max_compressed_len(self.chunk_len, ratio)
            .ok_or_else(|| bad(MIN_RATIO, &ratio.to_string()))?;
        Ok(self)
    }

    /// The same with the chance, from 0 to 1, that a reader checks a chunk's CRC.
    ///
    /// # Errors
    ///
    /// [`ParamsError::BadValue`] for anything else.
    pub fn with_crc_check_chance(mut self, chance: f64) -> Result<Self, ParamsError> {
        if !(0.0..=1.0).contains(&chance) {
            return Err(bad(CRC_CHANCE, &chance.to_string()));
        }
        self.crc_check_chance = chance;
        Ok(self)
    }

    /// The same by another spec: for what the class's options in CQL do not say, as an effort, the
    /// level of Deflate, or a dictionary.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_spec(mut self, spec: Spec) -> Result<Self, ParamsError> {
        self.class = cassandra::class(&spec)?;
        self.spec = spec;
        Ok(self)
    }

    /// What compresses the chunks.
    #[must_use]
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The same as a compressor class.
    #[must_use]
    pub const fn class(&self) -> &Class {
        &self.class
    }

    /// Bytes of content in each chunk but the last.
    #[must_use]
    pub const fn chunk_len(&self) -> u32 {
        self.chunk_len
    }

    /// A chunk that compresses to this many bytes or more is stored raw; `i32::MAX` for never.
    #[must_use]
    pub const fn max_compressed_len(&self) -> u32 {
        self.max_compressed_len
    }

    /// The ratio that [`max_compressed_len`](Self::max_compressed_len) stands for; 0 for none.
    #[must_use]
    pub fn min_compress_ratio(&self) -> f64 {
        min_compress_ratio(self.chunk_len, self.max_compressed_len)
    }

    /// The chance that a reader checks a chunk's CRC, for
    /// [`ReaderOptions::crc_check_chance`](crate::ReaderOptions::crc_check_chance).
    #[must_use]
    pub const fn crc_check_chance(&self) -> f64 {
        self.crc_check_chance
    }
}

/// Whether chunks may be that long.
pub(crate) const fn is_chunk_len(bytes: u32) -> bool {
    bytes.is_power_of_two() && bytes <= MAX_CHUNK_LEN
}

/// Whether this can be the max compressed length of such chunks.
pub(crate) const fn is_max_compressed_len(len: u32, chunk_len: u32) -> bool {
    len >= 1 && (len <= chunk_len || len == NEVER_RAW)
}

pub(crate) fn min_compress_ratio(chunk_len: u32, max_compressed_len: u32) -> f64 {
    if max_compressed_len == NEVER_RAW {
        0.0
    } else {
        f64::from(chunk_len) / f64::from(max_compressed_len)
    }
}

/// Cassandra's arithmetic: the quotient in double precision, rounded up; a quotient by 0 is
/// infinite and becomes 2³¹ − 1.
fn max_compressed_len(chunk_len: u32, ratio: f64) -> Option<u32> {
    if !ratio.is_finite() || ratio.is_sign_negative() {
        return None;
    }
    let len = (f64::from(chunk_len) / ratio)
        .min(f64::from(NEVER_RAW))
        .ceil();
    // From 0 to 2³¹ − 1, so the conversion is exact.
    Some(len as u32).filter(|len| is_max_compressed_len(*len, chunk_len))
}

fn bad(option: &'static str, value: &str) -> ParamsError {
    let valid = match option {
        CHUNK_LENGTH => "a power of two up to 16384",
        MIN_RATIO => "0, or at least 1",
        _ => "from 0 to 1",
    };
    ParamsError::BadValue {
        option,
        value: value.into(),
        valid,
    }
}

/// Why [`Params`] cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamsError {
    /// The class, its options or the spec.
    Spec(SpecError),
    /// There is no `class`.
    NoClass,
    /// The chunk length is no power of two, or too long.
    ChunkLen {
        /// The length given.
        bytes: u32,
    },
    /// The value does not fit the option.
    BadValue {
        /// The option.
        option: &'static str,
        /// The value given.
        value: String,
        /// What would fit.
        valid: &'static str,
    },
}

impl fmt::Display for ParamsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spec(error) => error.fmt(f),
            Self::NoClass => write!(f, "no {CLASS}; known are {}", cassandra::CLASSES.join(", ")),
            Self::ChunkLen { bytes } => write!(
                f,
                "a chunk length of {bytes} bytes is no power of two up to {MAX_CHUNK_LEN}"
            ),
            Self::BadValue {
                option,
                value,
                valid,
            } => write!(f, "{option} is {value:?}, must be {valid}"),
        }
    }
}

impl std::error::Error for ParamsError {}

impl From<SpecError> for ParamsError {
    fn from(error: SpecError) -> Self {
        Self::Spec(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use compressor::Format;

    fn lz4() -> Params {
        Params::new(Spec::new(Format::Lz4Sized)).unwrap()
    }

    #[test]
    fn defaults_are_cassandras() {
        let params = Params::from_cql([("class", "LZ4Compressor")]).unwrap();
        assert_eq!(params, lz4());
        assert_eq!(params.chunk_len(), 16_384);
        assert_eq!(params.max_compressed_len(), i32::MAX as u32);
        assert_eq!(params.min_compress_ratio(), 0.0);
        assert_eq!(params.crc_check_chance(), 1.0);
    }

    #[test]
    fn the_max_compressed_length_is_the_quotient_rounded_up() {
        for (ratio, expected) in [
            (0.0, Some(i32::MAX as u32)),
            (1.0, Some(16_384)),
            (1.1, Some(14_895)),
            (2.0, Some(8_192)),
            (1e6, Some(1)),
            (0.5, None),
            (-1.0, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            let len = lz4().with_min_compress_ratio(ratio).ok();
            assert_eq!(len.map(|p| p.max_compressed_len()), expected, "{ratio}");
        }
    }

    #[test]
    fn options_in_any_order_mean_the_same() {
        let options = [
            ("min_compress_ratio", "2"),
            ("crc_check_chance", "0.25"),
            ("class", "org.apache.cassandra.io.compress.LZ4Compressor"),
            ("lz4_compressor_type", "high"),
            ("chunk_length_in_kb", "4"),
        ];
        let params = Params::from_cql(options).unwrap();
        assert_eq!(params.max_compressed_len(), 2_048);
        assert_eq!(params.crc_check_chance(), 0.25);
        assert_eq!(params.spec().level(), 9);
        assert_eq!(Params::from_cql(options.into_iter().rev()).unwrap(), params);
    }

    #[test]
    fn another_spec_leaves_all_else_as_it_is() {
        let params = lz4().with_chunk_len(4096).unwrap();
        let params = params.with_min_compress_ratio(2.0).unwrap();
        let spec = Spec::new(Format::Zlib).with_effort(compressor::Effort::Speed);
        let params = params.with_spec(spec.clone()).unwrap();
        assert_eq!(params.spec(), &spec);
        assert_eq!(params.class().name, "DeflateCompressor");
        assert_eq!(
            (params.chunk_len(), params.max_compressed_len()),
            (4096, 2048)
        );
        assert!(params.with_spec(Spec::new(Format::Gzip)).is_err());
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (option, value, names) in [
            ("chunk_length_in_kb", "3", "power of two"),
            ("chunk_length_in_kb", "0", "power of two"),
            ("chunk_length_in_kb", "-4", "chunk_length_in_kb"),
            ("chunk_length_in_kb", "32768", "16777216"),
            ("chunk_length_in_kb", "4194304", "chunk_length_in_kb"),
            ("min_compress_ratio", "0.9", "min_compress_ratio"),
            ("min_compress_ratio", "much", "min_compress_ratio"),
            ("crc_check_chance", "1.1", "crc_check_chance"),
            ("crc_check_chance", "NaN", "crc_check_chance"),
            ("compression_level", "3", "lz4_compressor_type"),
            ("class", "Lzma", "LZ4Compressor"),
        ] {
            let options = [("class", "LZ4Compressor"), (option, value)];
            let refused = Params::from_cql(options).unwrap_err().to_string();
            assert!(refused.contains(names), "{option} {value}: {refused}");
        }
        assert_eq!(Params::from_cql([]), Err(ParamsError::NoClass));
        assert!(Params::new(Spec::new(Format::Gzip)).is_err());
    }
}
