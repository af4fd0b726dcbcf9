//! What stands behind a compression manager: compressors by spec, and readers by format.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use compressor::decorator::{Guards, Options};
use compressor::{
    Accelerated, CompressSession, Compressor, Engine, Error, ErrorKind, Format, Policy, Registry,
    SelectError, SessionPool, Spec,
};

use crate::block::{self, Outcome};
use crate::readers::Readers;
use crate::wanted::{BlockType, Wanted};

/// Idle sessions that a pool keeps: more threads than databases write with at once.
const IDLE_SESSIONS: usize = 64;

/// Where compressors come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Engine(Arc<Engine>),
    Registry {
        registry: Arc<Registry>,
        policy: Policy,
        options: Options,
        guards: Guards,
    },
}

impl Source {
    fn compressor(&self, spec: &Spec) -> Result<Arc<Accelerated>, SelectError> {
        match self {
            Self::Engine(engine) => engine.compressor(spec),
            Self::Registry {
                registry,
                policy,
                options,
                guards,
            } => {
                let selection = registry.select(spec, policy)?;
                let options = options.on_operation_error(policy.on_operation_error);
                Accelerated::from_selection(&selection, guards, options)
                    .map(Arc::new)
                    .map_err(|error| SelectError::Unfit { error })
            }
        }
    }
}

/// Shared by every table of every database that it is installed in, and by the handle.
#[derive(Debug)]
pub(crate) struct Manager {
    source: Source,
    /// One per format: nothing else matters for reading.
    readers: [(Format, Readers); 4],
    /// By the spec that RocksDB's options come to; the usual ones, whose compressors read, among
    /// them. Locked when a table is begun and when somebody reads counters, never for a block.
    writers: Mutex<HashMap<Spec, Arc<Writer>>>,
}

/// Compresses blocks of one spec.
#[derive(Debug)]
pub(crate) struct Writer {
    spec: Spec,
    compressor: Arc<Accelerated>,
    /// For blocks that come without a working area.
    sessions: SessionPool,
}

/// RocksDB's working area: a session, until it was poisoned.
pub(crate) struct WorkingArea(Option<Box<dyn CompressSession>>);

impl Manager {
    pub(crate) fn new(source: Source) -> Result<Self, SelectError> {
        let [snappy, deflate, lz4, zstd] = [
            BlockType::Snappy,
            BlockType::Zlib,
            BlockType::Lz4,
            BlockType::Zstd,
        ]
        .map(|block_type| {
            let usual = Wanted::usual(block_type).spec();
            Writer::new(&source, usual.unwrap_or(Spec::new(block_type.format())))
        });
        let usual = [snappy?, deflate?, lz4?, zstd?];
        let reader = |w: &Arc<Writer>| (w.spec.format(), Readers::new(w.compressor.clone()));
        Ok(Self {
            readers: usual.each_ref().map(reader),
            writers: Mutex::new(usual.map(|w| (w.spec.clone(), w)).into()),
            source,
        })
    }

    /// Who writes a table with these options. `None` where RocksDB's own code is to serve.
    pub(crate) fn writer(&self, wanted: &Wanted) -> Option<Arc<Writer>> {
        let spec = wanted.spec()?;
        let mut writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = writers.get(&spec) {
            return Some(writer.clone());
        }
        match Writer::new(&self.source, spec.clone()) {
            Ok(writer) => {
                writers.insert(spec, writer.clone());
                Some(writer)
            }
            Err(error) => {
                // The usual ones were served when this was installed: something about these options.
                tracing::warn!(?wanted, %error, "RocksDB's own compression serves this table");
                None
            }
        }
    }

    /// Decompresses a block of RocksDB's type `block_type`, the length in front of it taken off, to
    /// fill `dst`.
    pub(crate) fn decompress(&self, block_type: u8, src: &[u8], dst: &mut [u8]) -> Outcome {
        let format = BlockType::from_byte(block_type).map(BlockType::format);
        let reader = self.readers.iter().find(|(of, _)| Some(*of) == format);
        match reader.map(|(_, reader)| reader.decompress_exact(src, dst)) {
            Some(Ok(())) => Outcome::Done(dst.len()),
            Some(Err(error)) => Outcome::of_decompression(error),
            None => Outcome::Stock,
        }
    }

    /// Every compressor that was made so far, in the order of formats and levels.
    pub(crate) fn compressors(&self) -> Vec<Arc<Accelerated>> {
        let writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = writers.values().map(|c| c.compressor.clone()).collect();
        all.sort_by_key(|compressor| {
            let spec = compressor.spec();
            let options = (spec.level(), spec.window_log(), spec.checksum());
            (spec.format().id(), options)
        });
        all
    }
}

impl Writer {
    fn new(source: &Source, spec: Spec) -> Result<Arc<Self>, SelectError> {
        let compressor = source.compressor(&spec)?;
        Ok(Arc::new(Self {
            spec,
            sessions: SessionPool::new(compressor.clone(), IDLE_SESSIONS),
            compressor,
        }))
    }

    /// A session for one table; empty if none can be had.
    pub(crate) fn working_area(&self) -> WorkingArea {
        WorkingArea(self.compressor.compress_session().ok())
    }

    /// Compresses a block with the session of `area`, or with one of the pool.
    pub(crate) fn compress(
        &self,
        area: Option<&mut WorkingArea>,
        src: &[u8],
        dst: &mut [u8],
    ) -> Outcome {
        // Out of the area while it runs: should it panic, the session is not used again.
        let own = area.and_then(|WorkingArea(kept)| kept.take().map(|session| (kept, session)));
        let result = match own {
            Some((kept, mut session)) => {
                let result = block::compress(&mut *session, self.spec.format(), src, dst);
                if !is_poisoned(&result) {
                    *kept = Some(session);
                }
                result
            }
            None => match self.sessions.compress_session() {
                Ok(mut session) => block::compress(&mut session, self.spec.format(), src, dst),
                // RocksDB's own code may do with less, and keeps the block raw if not.
                Err(error) if error.kind() == ErrorKind::OutOfMemory => return Outcome::Stock,
                Err(error) => Err(error),
            },
        };
        result.unwrap_or_else(Outcome::of_compression)
    }
}

fn is_poisoned<T>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(error) if error.kind() == ErrorKind::Poisoned)
}
