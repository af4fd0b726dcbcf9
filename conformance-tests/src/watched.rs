//! A provider's compressor and its sessions, whose drops are watched.
//!
//! One that panics when it is dropped would unwind through a check that holds another one; should
//! that panic as well, the process would end. So each ends by itself, and what it threw is kept until
//! somebody asks.

use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Effective, Error, ErrorKind, Format, Job,
    ProviderId, Spec, stored,
};

use crate::contain::caught;
use crate::stop::Stop;

/// What was thrown in drops since it was last asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drops(Arc<Mutex<Option<String>>>);

impl Drops {
    /// What came of something, unless something of the provider's panicked when it was dropped
    /// meanwhile.
    pub(crate) fn judge(&self, result: Result<(), Stop>) -> Result<(), Stop> {
        let thrown = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (result, thrown) {
            (Err(stop @ Stop::Fault(_)), _) => Err(stop),
            (_, Some(message)) => Err(Stop::panicked(format!("{message}, when it was dropped"))),
            (result, None) => result,
        }
    }

    fn note(&self, message: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
    }
}

/// The compressor, watched, with sessions that are.
pub(crate) struct Watched {
    compressor: Arc<dyn Compressor>,
    drops: Drops,
}

impl Watched {
    pub(crate) fn new(compressor: Arc<dyn Compressor>, drops: Drops) -> Self {
        Self { compressor, drops }
    }

    fn held<S: ?Sized>(&self, session: Box<S>) -> Held<S> {
        Held {
            session: Some(session),
            drops: self.drops.clone(),
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // Something of ours in its place, so that it can be taken out.
        let Ok(ours) = stored::factory().compressor(&Spec::new(Format::None)) else {
            return;
        };
        let compressor = mem::replace(&mut self.compressor, ours);
        if let Err(message) = caught(move || drop(compressor)) {
            self.drops.note(message);
        }
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.compressor.fmt(f)
    }
}

#[deny(
    clippy::missing_trait_methods,
    reason = "a default would hide the provider's own"
)]
impl Compressor for Watched {
    fn spec(&self) -> &Spec {
        self.compressor.spec()
    }

    fn effective(&self) -> &Effective {
        self.compressor.effective()
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        self.compressor.max_compressed_len(src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        self.compressor.decompressed_len(src)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        Ok(Box::new(self.held(self.compressor.compress_session()?)))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        Ok(Box::new(self.held(self.compressor.decompress_session()?)))
    }
}

/// A session of the provider's; there until it is dropped.
struct Held<S: ?Sized> {
    session: Option<Box<S>>,
    drops: Drops,
}

const GONE: ProviderId = ProviderId::new("dropped");

impl<S: ?Sized> Held<S> {
    fn session(&mut self) -> Result<&mut S, Error> {
        let gone = Error::new(ErrorKind::Poisoned, GONE);
        self.session.as_deref_mut().ok_or(gone)
    }
}

impl<S: ?Sized> Drop for Held<S> {
    fn drop(&mut self) {
        let session = self.session.take();
        if let Err(message) = caught(move || drop(session)) {
            self.drops.note(message);
        }
    }
}

#[deny(
    clippy::missing_trait_methods,
    reason = "a default would hide the provider's own"
)]
impl CompressSession for Held<dyn CompressSession> {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.session()?.compress(src, dst)
    }

    fn compress_many(&mut self, jobs: &mut [Job<'_>]) {
        if let Ok(session) = self.session() {
            session.compress_many(jobs);
        }
    }
}

#[deny(
    clippy::missing_trait_methods,
    reason = "a default would hide the provider's own"
)]
impl DecompressSession for Held<dyn DecompressSession> {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.session()?.decompress(src, dst)
    }

    fn decompress_exact(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(), Error> {
        self.session()?.decompress_exact(src, dst)
    }

    fn decompress_many(&mut self, jobs: &mut [Job<'_>]) {
        if let Ok(session) = self.session() {
            session.decompress_many(jobs);
        }
    }

    fn provider(&self) -> ProviderId {
        self.session
            .as_ref()
            .map_or(GONE, |session| session.provider())
    }
}
