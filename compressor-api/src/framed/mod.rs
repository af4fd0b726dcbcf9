//! The frames around an inner codec, built in one place.
//!
//! `lz4-sized` is a length before an LZ4 block; `zlib` and `gzip` are a header and a checksum around
//! raw Deflate. A provider that has only the inner format serves these too: through
//! [`compressor`], which the [`Registry`](crate::Registry) applies by itself.

mod gzip;
mod lz4_sized;
mod zlib;

pub use gzip::GZIP_HEADER;
pub use zlib::zlib_header;

use std::fmt::Debug;
use std::sync::Arc;

use crate::{
    CompressSession, Compressor, DecompressSession, Effective, Error, ErrorKind, Format,
    ProviderId, Spec, inspect,
};

/// A compressor for `spec` over `inner`, a compressor for the format inside its frame.
///
/// `None` if `spec` is no framed format, or `inner` is not of its inner format.
#[must_use]
pub fn compressor(spec: &Spec, inner: Arc<dyn Compressor>) -> Option<Arc<dyn Compressor>> {
    if spec.format().inner() != Some(inner.spec().format()) {
        return None;
    }
    let spec = spec.clone();
    Some(match spec.format() {
        Format::Lz4Sized => Arc::new(Framed {
            frame: lz4_sized::Lz4Sized,
            spec,
            inner,
        }),
        Format::Zlib => Arc::new(Framed {
            frame: zlib::Zlib::new(&spec),
            spec,
            inner,
        }),
        Format::Gzip => Arc::new(Framed {
            frame: gzip::Gzip,
            spec,
            inner,
        }),
        _ => return None,
    })
}

/// Bytes of frame around a unit of the inner format; 0 for a format that has none.
#[must_use]
pub(crate) fn overhead(format: Format) -> usize {
    match format {
        Format::Lz4Sized => lz4_sized::Lz4Sized::HEADER + lz4_sized::Lz4Sized::TRAILER,
        Format::Zlib => zlib::Zlib::HEADER + zlib::Zlib::TRAILER,
        Format::Gzip => gzip::Gzip::HEADER + gzip::Gzip::TRAILER,
        _ => 0,
    }
}

/// What goes before and after the inner unit.
trait Frame: Copy + Debug + Send + Sync + 'static {
    /// Bytes that are written before it.
    const HEADER: usize;
    /// Bytes after it.
    const TRAILER: usize;

    /// Writes both, for the content `src`. `None` if the frame cannot say its length.
    fn write(self, src: &[u8], header: &mut [u8], trailer: &mut [u8]) -> Option<()>;

    /// Takes the frame off and decompresses what is inside.
    fn decompress(
        self,
        inner: &mut dyn DecompressSession,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error>;
}

#[derive(Debug)]
struct Framed<F> {
    frame: F,
    spec: Spec,
    inner: Arc<dyn Compressor>,
}

impl<F: Frame> Compressor for Framed<F> {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        self.inner.effective()
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        self.inner
            .max_compressed_len(src_len)?
            .checked_add(F::HEADER + F::TRAILER)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        inspect::header(self.spec.format(), src)
            .map(|header| header.declared_len)
            .map_err(|malformed| {
                let side = self.effective().decompress.or(self.effective().compress);
                malformed.error(side.map_or(ProviderId::new("framed"), |side| side.provider))
            })
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        let provider = self.effective().compress.map(|side| side.provider);
        Ok(Box::new(FramedCompress {
            frame: self.frame,
            inner: self.inner.compress_session()?,
            provider: provider.unwrap_or(ProviderId::new("framed")),
        }))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        let inner = self.inner.decompress_session()?;
        Ok(Box::new(FramedDecompress {
            frame: self.frame,
            inner,
        }))
    }
}

struct FramedCompress<F> {
    frame: F,
    inner: Box<dyn CompressSession>,
    provider: ProviderId,
}

impl<F: Frame> CompressSession for FramedCompress<F> {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let fail = |kind| Error::new(kind, self.provider);
        let body_max = dst
            .len()
            .checked_sub(F::HEADER + F::TRAILER)
            .ok_or(fail(ErrorKind::OutputTooSmall))?;
        let (header, rest) = dst
            .split_at_mut_checked(F::HEADER)
            .ok_or(fail(ErrorKind::OutputTooSmall))?;
        let body = rest
            .get_mut(..body_max)
            .ok_or(fail(ErrorKind::OutputTooSmall))?;
        let n = self.inner.compress(src, body)?;
        // The inner session's word is checked before a slice is made from it.
        let trailer = rest
            .get_mut(n..)
            .and_then(|rest| rest.get_mut(..F::TRAILER))
            .ok_or(fail(ErrorKind::Device))?;
        self.frame
            .write(src, header, trailer)
            .ok_or(fail(ErrorKind::Unsupported))?;
        Ok(F::HEADER + n + F::TRAILER)
    }
}

struct FramedDecompress<F> {
    frame: F,
    inner: Box<dyn DecompressSession>,
}

impl<F: Frame> DecompressSession for FramedDecompress<F> {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.frame.decompress(&mut *self.inner, src, dst)
    }

    fn provider(&self) -> ProviderId {
        self.inner.provider()
    }
}

/// Decompresses the raw Deflate between a header and a trailer, and returns its content as well.
fn inflate<'d>(
    inner: &mut dyn DecompressSession,
    format: Format,
    src: &[u8],
    trailer: usize,
    dst: &'d mut [u8],
) -> Result<&'d [u8], Error> {
    let provider = inner.provider();
    let corrupt = Error::new(ErrorKind::CorruptInput, provider);
    let header = inspect::header(format, src).map_err(|malformed| malformed.error(provider))?;
    if header.dictionary_id.is_some() {
        return Err(Error::new(ErrorKind::Unsupported, provider));
    }
    let end = src.len().checked_sub(trailer).ok_or(corrupt)?;
    let body = src.get(header.len..end).ok_or(corrupt)?;
    let n = inner.decompress(body, dst)?;
    dst.get(..n).ok_or(Error::new(ErrorKind::Device, provider))
}

#[cfg(test)]
mod tests;
