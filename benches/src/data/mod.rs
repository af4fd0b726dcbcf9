//! Seeded data sets for measuring block compression.
//!
//! A compressor's speed and ratio depend on its input more than on anything else, so a number means
//! little without the bytes behind it. Each [`Kind`] models one thing that storage engines compress
//! in blocks of 4–256 KiB, and [`generate`] makes any amount of it from a seed.
//!
//! # What is promised
//!
//! - **Same seed, same bytes**, on every platform: all randomness is one ChaCha8 stream a set, all
//!   arithmetic is on integers, and the few floating-point cells are one exactly rounded division,
//!   stored as bits and never as text.
//! - **Exactly the asked length**; the last record is cut where it must be, as a block boundary
//!   would cut it.
//! - **Prefix-stable**: a shorter set is the beginning of a longer one of the same kind and seed.
//! - **Kinds are independent**: one seed gives unrelated streams to different kinds.
//!
//! The bytes of a kind are frozen by a checksum among the tests. Whoever changes a generator
//! changes the checksum with it, and old measurements are no longer comparable.
//!
//! # How well they compress
//!
//! Compressed size over original size (smaller is better), zlib level 6, each block compressed
//! alone:
//!
//! | kind | 4 KiB | 16 KiB | 64 KiB | models |
//! | --- | --- | --- | --- | --- |
//! | [`rows`](Kind::Rows) | 0.377 | 0.326 | 0.313 | narrow rows of a time-series store |
//! | [`wide-rows`](Kind::WideRows) | 0.528 | 0.446 | 0.392 | rows of 6 KB with many columns and a JSON document |
//! | [`logs`](Kind::Logs) | 0.316 | 0.234 | 0.203 | JSON log lines |
//! | [`text`](Kind::Text) | 0.454 | 0.376 | 0.325 | prose |
//! | [`random`](Kind::Random) | 1.003 | 1.001 | 1.000 | data that is encrypted or already compressed |
//!
//! Measured with Python's zlib on 4 MiB of seed 1; for `rows`, and the other kinds alike:
//!
//! ```sh
//! cargo run --release -p compressor-benches --example data_set -- rows 1 4194304 | python3 -c '
//! import sys, zlib
//! data = sys.stdin.buffer.read()
//! for size in (4096, 16384, 65536):
//!     blocks = [data[i:i + size] for i in range(0, len(data), size)]
//!     print(size, round(sum(len(zlib.compress(b, 6)) for b in blocks) / len(data), 3))'
//! ```
//!
//! # Example
//!
//! ```
//! use compressor_benches::data::{Kind, generate};
//!
//! let kind: Kind = "rows".parse()?;
//! let rows = generate(kind, 1, 64 * 1024);
//! assert_eq!(rows.name, "rows");
//! assert_eq!(rows.bytes.chunks(16 * 1024).count(), 4);
//! # Ok::<(), compressor_benches::data::UnknownKind>(())
//! ```

mod cells;
mod draw;
mod form;
mod kind;
mod logs;
mod moment;
mod number;
mod prose;
mod random;
mod rows;
mod sensors;
mod text;
mod wide_rows;
mod words;
mod zipf;

use std::io;
use std::path::Path;

use draw::Draw;
pub use kind::{Kind, UnknownKind};

/// Bytes to compress, and what to call them in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataSet {
    /// The name of the kind, or of the file without its folders.
    pub name: String,
    /// The data.
    pub bytes: Vec<u8>,
}

impl DataSet {
    /// Reads a whole file, so that measuring never waits for a disk.
    ///
    /// # Errors
    ///
    /// Whatever reading gives, with the path put before it: the file is missing, may not be read,
    /// or is a folder.
    pub fn from_file(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|cause| {
            io::Error::new(cause.kind(), format!("{}: {cause}", path.display()))
        })?;
        let name = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned();
        Ok(Self { name, bytes })
    }
}

/// Makes exactly `len` bytes of `kind`, always the same for one `seed`.
#[must_use]
pub fn generate(kind: Kind, seed: u64, len: usize) -> DataSet {
    let mut draw = Draw::new(kind.name(), seed);
    let mut records: Box<dyn Records> = match kind {
        Kind::Rows => Box::new(rows::Rows),
        Kind::WideRows => Box::new(wide_rows::WideRows::new(&mut draw)),
        Kind::Logs => Box::new(logs::Logs::new(&mut draw)),
        Kind::Text => Box::new(text::Text::new(&mut draw)),
        Kind::Random => Box::new(random::Random),
    };
    let mut bytes = Vec::with_capacity(len);
    let mut record = Vec::new();
    while bytes.len() < len {
        record.clear();
        records.append_next(&mut draw, &mut record);
        let room = len - bytes.len();
        bytes.extend_from_slice(record.get(..room).unwrap_or(&record));
    }
    DataSet {
        name: kind.name().to_owned(),
        bytes,
    }
}

/// An endless sequence of records, one after the other.
trait Records {
    /// Appends the next record to `out`: at least one byte, so that whoever collects them comes to
    /// an end.
    fn append_next(&mut self, draw: &mut Draw, out: &mut Vec<u8>);
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// Checksums of the first million bytes of seed 1. Who has to change one changes every number
    /// measured on that set.
    #[test]
    fn bytes_are_frozen() {
        let checksums = Kind::ALL.map(|kind| {
            let crc = crc32fast::hash(&generate(kind, 1, 1_000_000).bytes);
            format!("{kind} {crc:08x}")
        });
        assert_eq!(
            checksums,
            [
                "rows 3f1032a8",
                "wide-rows a8182e8c",
                "logs 669a57e2",
                "text 23914db4",
                "random 1e9c7b91"
            ]
        );
    }

    #[test]
    fn lengths_are_exact() {
        for kind in Kind::ALL {
            for len in [0, 1, 7, 4096, 4097, 1_000_000] {
                assert_eq!(generate(kind, 1, len).bytes.len(), len, "{kind}");
            }
        }
    }

    #[test]
    fn shorter_sets_are_the_beginning_of_longer_ones() {
        for kind in Kind::ALL {
            let long = generate(kind, 1, 200_000).bytes;
            for len in [1, 100, 4096, 100_001] {
                assert!(
                    long.starts_with(&generate(kind, 1, len).bytes),
                    "{kind}, {len} bytes"
                );
            }
        }
    }

    #[test]
    fn seeds_differ_early() {
        for kind in Kind::ALL {
            assert_ne!(
                generate(kind, 1, 256).bytes,
                generate(kind, 2, 256).bytes,
                "{kind}"
            );
            assert_ne!(
                generate(kind, 0, 256).bytes,
                generate(kind, u64::MAX, 256).bytes,
                "{kind}"
            );
        }
    }

    /// The bands are wider than the table above, for they hold for every seed and any deflate of
    /// level 6.
    #[test]
    fn blocks_of_16_kib_compress_as_documented() {
        for kind in Kind::ALL {
            let band = match kind {
                Kind::Rows => 0.28..0.37,
                Kind::WideRows => 0.40..0.50,
                Kind::Logs => 0.20..0.30,
                Kind::Text => 0.35..0.45,
                Kind::Random => 1.0..1.01,
            };
            for seed in [1, 2, 3] {
                let ratio = deflated_ratio(&generate(kind, seed, 256 * 1024).bytes, 16 * 1024);
                assert!(band.contains(&ratio), "{kind}, seed {seed}: {ratio:.3}");
            }
        }
    }

    fn deflated_ratio(bytes: &[u8], block_size: usize) -> f64 {
        let deflated: usize = bytes.chunks(block_size).map(deflated_len).sum();
        deflated as f64 / bytes.len() as f64
    }

    fn deflated_len(block: &[u8]) -> usize {
        let mut deflated = Vec::new();
        let mut encoder = flate2::bufread::ZlibEncoder::new(block, flate2::Compression::new(6));
        encoder.read_to_end(&mut deflated).unwrap();
        deflated.len()
    }

    #[test]
    fn files_are_named_without_their_folders() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let set = DataSet::from_file(&manifest).unwrap();
        assert_eq!(set.name, "Cargo.toml");
        assert_eq!(set.bytes, std::fs::read(&manifest).unwrap());
    }

    #[test]
    fn missing_files_are_named_in_the_error() {
        let error = DataSet::from_file("no/such/file").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().starts_with("no/such/file: "), "{error}");
    }
}
