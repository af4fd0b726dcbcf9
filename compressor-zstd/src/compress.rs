use compressor_api::{CompressSession, Error, ErrorKind};

use crate::cctx::{self, CCtx};
use crate::error::ID;

/// A context, and room for a unit whose `dst` is shorter than the bound.
pub(crate) struct Compress {
    context: CCtx,
    scratch: Vec<u8>,
}

impl Compress {
    pub(crate) fn new(context: CCtx) -> Self {
        Self {
            context,
            scratch: Vec::new(),
        }
    }
}

impl CompressSession for Compress {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let bound = cctx::bound(src.len()).ok_or(Error::new(ErrorKind::Unsupported, ID))?;
        if dst.len() >= bound {
            return self.context.compress(src, dst);
        }
        // Given less than the bound, libzstd fails on most units that would fit exactly, because its
        // encoders want a few bytes to spare. A copy costs little; trying in `dst` first would cost
        // a second compression of every block that does not shrink.
        let scratch = room(&mut self.scratch, bound)?;
        let n = self.context.compress(src, scratch)?;
        let unit = scratch.get(..n).ok_or(Error::new(ErrorKind::Device, ID))?;
        dst.get_mut(..n)
            .ok_or(Error::new(ErrorKind::OutputTooSmall, ID))?
            .copy_from_slice(unit);
        Ok(n)
    }
}

/// At least `len` bytes of scratch, kept from call to call.
fn room(scratch: &mut Vec<u8>, len: usize) -> Result<&mut [u8], Error> {
    if let Some(missing) = len.checked_sub(scratch.len()) {
        scratch
            .try_reserve(missing)
            .map_err(|_| Error::new(ErrorKind::OutOfMemory, ID))?;
        scratch.resize(len, 0);
    }
    Ok(scratch)
}
