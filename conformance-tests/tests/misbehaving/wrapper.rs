use std::fmt::Debug;
use std::sync::Arc;

use compressor_api::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession, Direction,
    Effective, Error, ErrorKind, Health, Job, ProviderId, Spec,
};

/// What a provider does other than its base. Each method is handed what the base would do.
pub(crate) trait Misbehaves: Debug + Send + Sync + 'static {
    fn id(&self, right: ProviderId) -> ProviderId {
        right
    }

    /// Asked once, when the provider is made.
    fn list(&self, right: Vec<Capabilities>) -> Vec<Capabilities> {
        right
    }

    fn capabilities<'a>(&'a self, right: &'a [Capabilities]) -> &'a [Capabilities] {
        right
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self, right: Result<(), Error>) -> Result<(), Error> {
        right
    }

    fn make(
        &self,
        base: &dyn CompressorFactory,
        spec: &Spec,
    ) -> Result<Arc<dyn Compressor>, Error> {
        base.compressor(spec)
    }

    fn spec<'a>(&'a self, right: &'a Spec) -> &'a Spec {
        right
    }

    fn effective(&self, _spec: &Spec, right: Effective) -> Effective {
        right
    }

    fn bound(&self, _len: usize, right: Option<usize>) -> Option<usize> {
        right
    }

    fn declared(
        &self,
        _unit: &[u8],
        right: Result<Option<u64>, Error>,
    ) -> Result<Option<u64>, Error> {
        right
    }

    fn open(&self, _direction: Direction, _compressor: &Arc<Wrapped>) -> Result<Memory, Error> {
        Ok(Memory::default())
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        call.base.compress(call.src, call.dst)
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        call.base.decompress(call.src, call.dst)
    }

    /// `None`: as the trait itself does it.
    fn decompress_exact(
        &self,
        _base: &mut dyn DecompressSession,
        _src: &[u8],
        _dst: &mut [u8],
    ) -> Option<Result<(), Error>> {
        None
    }

    /// What becomes of the jobs of a batch once each was run.
    fn batch(&self, _jobs: &mut [Job<'_>]) {}

    fn drop_session(&self) {}

    fn drop_compressor(&self) {}
}

/// One call to compress, with the session that would do it right.
pub(crate) struct Compress<'a> {
    pub memory: &'a mut Memory,
    pub base: &'a mut dyn CompressSession,
    pub src: &'a [u8],
    pub dst: &'a mut [u8],
}

/// One call to decompress, likewise.
pub(crate) struct Decompress<'a> {
    pub memory: &'a mut Memory,
    pub base: &'a mut dyn DecompressSession,
    pub src: &'a [u8],
    pub dst: &'a mut [u8],
}

/// What a session remembers.
#[derive(Default)]
pub(crate) struct Memory {
    pub calls: u64,
    pub bytes: Vec<u8>,
    pub thread: Option<std::thread::ThreadId>,
    pub failed: bool,
    pub compressor: Option<std::sync::Weak<Wrapped>>,
    /// Kept for as long as the session lives.
    pub _held: Option<Box<dyn Send>>,
}

/// An error of the kind, from nobody in particular.
pub(crate) fn fail(kind: ErrorKind) -> Error {
    Error::new(kind, compressor_conformance::plain::ID)
}

/// The base, with what the misbehaviour does in its place.
pub(crate) fn misbehaving(
    base: Arc<dyn CompressorFactory>,
    how: impl Misbehaves,
) -> Arc<dyn CompressorFactory> {
    let listed = how.list(base.capabilities().to_vec());
    Arc::new(Factory {
        base,
        listed,
        how: Arc::new(how),
    })
}

#[derive(Debug)]
struct Factory {
    base: Arc<dyn CompressorFactory>,
    listed: Vec<Capabilities>,
    how: Arc<dyn Misbehaves>,
}

impl CompressorFactory for Factory {
    fn id(&self) -> ProviderId {
        self.how.id(self.base.id())
    }

    fn capabilities(&self) -> &[Capabilities] {
        self.how.capabilities(&self.listed)
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        let base = self.how.make(&*self.base, spec)?;
        let effective = self.how.effective(spec, base.effective().clone());
        let wrapped = Arc::new(Wrapped {
            base,
            how: Arc::clone(&self.how),
            effective,
        });
        Ok(Arc::new(Handle(wrapped)))
    }

    fn health(&self) -> Health {
        self.how.health()
    }

    fn self_test(&self) -> Result<(), Error> {
        self.how.self_test(self.base.self_test())
    }
}

#[derive(Debug)]
pub(crate) struct Wrapped {
    base: Arc<dyn Compressor>,
    how: Arc<dyn Misbehaves>,
    effective: Effective,
}

impl Drop for Wrapped {
    fn drop(&mut self) {
        self.how.drop_compressor();
    }
}

/// Makes sessions that may refer to their compressor.
#[derive(Debug)]
struct Handle(Arc<Wrapped>);

impl Compressor for Handle {
    fn spec(&self) -> &Spec {
        self.0.how.spec(self.0.base.spec())
    }

    fn effective(&self) -> &Effective {
        &self.0.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        self.0
            .how
            .bound(src_len, self.0.base.max_compressed_len(src_len))
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        self.0.how.declared(src, self.0.base.decompressed_len(src))
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        Ok(Box::new(Session {
            base: self.0.base.compress_session()?,
            memory: self.0.how.open(Direction::Compress, &self.0)?,
            how: Arc::clone(&self.0.how),
        }))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        Ok(Box::new(Session {
            base: self.0.base.decompress_session()?,
            memory: self.0.how.open(Direction::Decompress, &self.0)?,
            how: Arc::clone(&self.0.how),
        }))
    }
}

impl Wrapped {
    pub(crate) fn spec(&self) -> &Spec {
        self.base.spec()
    }
}

struct Session<S: ?Sized> {
    how: Arc<dyn Misbehaves>,
    memory: Memory,
    base: Box<S>,
}

impl<S: ?Sized> Drop for Session<S> {
    fn drop(&mut self) {
        self.how.drop_session();
    }
}

impl CompressSession for Session<dyn CompressSession> {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.memory.calls += 1;
        self.how.compress(Compress {
            memory: &mut self.memory,
            base: &mut *self.base,
            src,
            dst,
        })
    }

    fn compress_many(&mut self, jobs: &mut [Job<'_>]) {
        jobs.iter_mut()
            .for_each(|job| job.result = self.compress(job.src, job.dst));
        self.how.batch(jobs);
    }
}

impl DecompressSession for Session<dyn DecompressSession> {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.memory.calls += 1;
        self.how.decompress(Decompress {
            memory: &mut self.memory,
            base: &mut *self.base,
            src,
            dst,
        })
    }

    fn decompress_exact(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(), Error> {
        if let Some(result) = self.how.decompress_exact(&mut *self.base, src, dst) {
            return result;
        }
        match self.decompress(src, dst) {
            Ok(n) if n == dst.len() => Ok(()),
            Ok(_) => Err(fail(ErrorKind::CorruptInput)),
            Err(error) if error.kind() == ErrorKind::OutputTooSmall => {
                Err(fail(ErrorKind::CorruptInput))
            }
            Err(error) => Err(error),
        }
    }

    fn decompress_many(&mut self, jobs: &mut [Job<'_>]) {
        jobs.iter_mut()
            .for_each(|job| job.result = self.decompress(job.src, job.dst));
        self.how.batch(jobs);
    }

    fn provider(&self) -> ProviderId {
        self.base.provider()
    }
}
