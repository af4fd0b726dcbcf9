//! A pair to read, and who reads it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chunk_file::{CompressionInfo, Pair, Reader, ReaderOptions};
use compressor::{Accelerated, Direction, Engine};

use super::serving::Serving;
use crate::failure::Failure;

/// The argument that names a pair.
#[derive(Debug, clap::Args)]
pub struct PairArg {
    /// The pair: the path of its Data.db or its CompressionInfo.db, or what both begin with, as in
    /// data/nb-1-big.
    #[arg(value_name = "PAIR")]
    path: PathBuf,
}

/// A pair that can be read.
pub struct Opened {
    /// Checks every CRC.
    pub reader: Reader,
    /// What the reader decompresses with; counts.
    pub compressor: Arc<Accelerated>,
}

impl Opened {
    /// What the reader's compressor did until now.
    pub fn served(&self) -> Serving {
        let chunk_len = self.reader.info().chunk_len();
        Serving::of(&self.compressor, Direction::Decompress, chunk_len)
    }
}

impl PairArg {
    /// Opens the pair with a compressor of `engine` for the spec that it names.
    pub fn open(&self, engine: &Engine) -> Result<Opened, Failure> {
        let pair = named(&self.path)?;
        let info = CompressionInfo::of(&pair)?;
        let compressor = engine.compressor(info.spec())?;
        let reader = Reader::open_as(&pair, compressor.clone(), ReaderOptions::default())?;
        Ok(Opened { reader, compressor })
    }
}

/// The pair that a path to either file names, or the beginning of both. A directory names none,
/// unless there is a pair beside it that begins alike.
fn named(path: &Path) -> Result<Pair, Failure> {
    if let Some(pair) = Pair::of(path) {
        return Ok(pair);
    }
    let shown = path.display();
    let name = path.file_name().and_then(OsStr::to_str);
    let pair = path
        .parent()
        .zip(name)
        .map(|(dir, name)| Pair::new(dir, name));
    if path.is_dir() && pair.as_ref().is_none_or(|pair| !pair.data().exists()) {
        return Err(Failure::usage(format_args!(
            "{shown}: is a directory and names no pair; one in it is named as in {}",
            path.join("nb-1-big").display()
        )));
    }
    pair.ok_or_else(|| Failure::usage(format_args!("{shown}: names no pair")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_named_by_either_file_or_by_what_both_begin_with() {
        let pair = Pair::new("d", "nb-1-big");
        for path in [
            "d/nb-1-big",
            "d/nb-1-big-Data.db",
            "d/nb-1-big-CompressionInfo.db",
        ] {
            assert_eq!(named(Path::new(path)).unwrap(), pair, "{path}");
        }
        assert_eq!(
            named(Path::new("nb-1-big")).unwrap(),
            Pair::new("", "nb-1-big")
        );
        for path in ["", "/", "d/..", "src"] {
            assert!(named(Path::new(path)).is_err(), "{path:?}");
        }
    }
}
