use std::sync::{Arc, Mutex};

use compressor::{Compressor, Engine, SessionPool, Spec};

use super::cache::Cache;
use super::chance::Chance;
use super::{IDLE_SESSIONS, Reader};
use crate::error::Flaw;
use crate::params::ParamsError;
use crate::regular::open_regular;
use crate::{CompressionInfo, Error, Pair};

/// How a [`Reader`] reads.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReaderOptions {
    /// The chance, from 0 to 1, that the CRC of a chunk is checked when it is read.
    pub crc_check_chance: f64,
    /// Bytes of decoded chunks to keep, rounded down to whole chunks; 0 for none.
    pub cache_bytes: usize,
}

impl Default for ReaderOptions {
    /// Every CRC is checked, nothing is kept.
    fn default() -> Self {
        Self {
            crc_check_chance: 1.0,
            cache_bytes: 0,
        }
    }
}

impl ReaderOptions {
    /// The same with another chance.
    #[must_use]
    pub const fn crc_check_chance(mut self, chance: f64) -> Self {
        self.crc_check_chance = chance;
        self
    }

    /// The same with a cache.
    #[must_use]
    pub const fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }
}

impl Reader {
    /// Opens a pair, with a compressor of `engine` for the spec that its metadata names.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], also for a file that is not a regular one; [`Error::Refused`],
    /// [`Error::Unavailable`]; [`Error::Params`] if the chance is not from 0 to 1;
    /// [`Error::Corrupt`] if a chunk behind the content is not empty.
    pub fn open(pair: &Pair, engine: &Engine, options: ReaderOptions) -> Result<Self, Error> {
        Self::open_with(pair, options, |spec| match engine.compressor(spec) {
            Ok(accelerated) => Ok(accelerated),
            Err(error) => Err(Error::Unavailable {
                path: Arc::from(pair.info()),
                why: error.to_string().into(),
            }),
        })
    }

    /// Opens a pair with a compressor of the caller's, for the format that its metadata names; this
    /// is how a dictionary is given, which is not kept in the pair.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); [`Error::Refused`] also if the compressor is for another format.
    pub fn open_as(
        pair: &Pair,
        compressor: Arc<dyn Compressor>,
        options: ReaderOptions,
    ) -> Result<Self, Error> {
        Self::open_with(pair, options, |spec| {
            let (file, given) = (spec.format(), compressor.spec().format());
            if file == given {
                return Ok(compressor);
            }
            let compressor = given;
            Err(Error::refused(
                pair.info(),
                Flaw::OtherFormat { file, compressor },
            ))
        })
    }

    fn open_with(
        pair: &Pair,
        options: ReaderOptions,
        compressor: impl FnOnce(&Spec) -> Result<Arc<dyn Compressor>, Error>,
    ) -> Result<Self, Error> {
        let chance =
            Chance::new(options.crc_check_chance).ok_or_else(|| ParamsError::BadValue {
                option: "crc_check_chance",
                value: options.crc_check_chance.to_string(),
                valid: "from 0 to 1",
            })?;
        let (file, file_len) = open_regular(pair.data())?;
        let info = CompressionInfo::read(pair.info(), file_len)?;
        let compressor = compressor(info.spec())?;
        let slots = options.cache_bytes / info.chunk_len() as usize;
        let reader = Self {
            path: Arc::from(pair.data()),
            file,
            pool: SessionPool::new(compressor, IDLE_SESSIONS),
            cache: (slots > 0).then(|| Cache::new(slots)),
            info,
            chance,
            idle: Mutex::default(),
        };
        reader.surplus_is_empty()?;
        Ok(reader)
    }

    /// Whether chunks behind the content really hold nothing: nobody would read them, so that they
    /// could be content which a wrong data length leaves out.
    fn surplus_is_empty(&self) -> Result<(), Error> {
        let (mut stored, mut content) = (Vec::new(), Vec::new());
        self.info
            .surplus()
            .try_for_each(|chunk| self.verify_chunk(chunk, &mut stored, &mut content))
    }
}
