//! A crate behind the contract, so that it can be measured like everything else.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Effective, EffectiveSide, Error, ErrorKind,
    ProviderId, Spec,
};

/// A crate in use: its contexts, for both directions.
pub trait Peer: Send + Sized + 'static {
    /// What it is called.
    const ID: ProviderId;

    /// Makes the contexts.
    fn new(spec: &Spec) -> Result<Self, Error>;

    /// Compresses `src` to the start of `dst`; the unit's length.
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error>;

    /// Decompresses `unit` to the start of `dst`; the content's length.
    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> Result<usize, Error>;

    /// The crate refused, which it never does for want of room.
    fn refused() -> Error {
        Error::new(ErrorKind::Device, Self::ID)
    }
}

/// The peer for this spec.
pub fn compressor<P: Peer>(spec: &Spec) -> Arc<dyn Compressor> {
    let side = EffectiveSide::new(P::ID, spec.level(), 0);
    Arc::new(Direct::<P> {
        spec: spec.clone(),
        effective: Effective::both(side),
        peer: PhantomData,
    })
}

struct Direct<P> {
    spec: Spec,
    effective: Effective,
    peer: PhantomData<fn() -> P>,
}

impl<P: Peer> fmt::Debug for Direct<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:?}", P::ID, self.spec)
    }
}

impl<P: Peer> Compressor for Direct<P> {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    /// More than the bound of any of them: a fastest level may write 9 bits for a byte.
    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        src_len.checked_add(src_len / 4)?.checked_add(256)
    }

    fn decompressed_len(&self, _: &[u8]) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        Ok(Box::new(Session(P::new(&self.spec)?)))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        Ok(Box::new(Session(P::new(&self.spec)?)))
    }
}

struct Session<P>(P);

impl<P: Peer> CompressSession for Session<P> {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.0.compress(src, dst)
    }
}

impl<P: Peer> DecompressSession for Session<P> {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.0.decompress(src, dst)
    }

    fn provider(&self) -> ProviderId {
        P::ID
    }
}
