use compressor_api::{CompressSession, Error, ErrorKind};
use snap::raw::Encoder;

use crate::limits::FRAGMENT;
use crate::{ID, limits};

pub(crate) struct CompressBlock {
    encoder: Encoder,
    /// Room for whatever one fragment compresses to; empty until it is needed.
    scratch: Vec<u8>,
}

impl CompressBlock {
    pub(crate) fn new() -> Self {
        Self {
            encoder: Encoder::new(),
            scratch: Vec::new(),
        }
    }

    /// Compresses into less room than snap wants for all of `src` at once: fragment by fragment,
    /// which gives the same elements, and stops at the first one that does not fit.
    fn compress_if_it_fits(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.prepare_scratch()?;
        let mut output = Output { dst, len: 0 };
        output.append(Header::of(src).bytes())?;
        for fragment in src.chunks(FRAGMENT) {
            let n = encode(&mut self.encoder, fragment, &mut self.scratch)?;
            let elements = self.scratch.get(Header::of(fragment).len..n);
            output.append(elements.ok_or(FAILED)?)?;
        }
        Ok(output.len)
    }

    fn prepare_scratch(&mut self) -> Result<(), Error> {
        if self.scratch.is_empty() {
            let len = snap::raw::max_compress_len(FRAGMENT);
            self.scratch
                .try_reserve_exact(len)
                .map_err(|_| Error::new(ErrorKind::OutOfMemory, ID))?;
            self.scratch.resize(len, 0);
        }
        Ok(())
    }
}

impl CompressSession for CompressBlock {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let bound =
            limits::compress_bound(src.len()).ok_or(Error::new(ErrorKind::Unsupported, ID))?;
        if dst.len() >= bound {
            encode(&mut self.encoder, src, dst)
        } else {
            self.compress_if_it_fits(src, dst)
        }
    }
}

/// What snap cannot say here: lengths were checked before.
const FAILED: Error = Error::new(ErrorKind::Device, ID);

fn encode(encoder: &mut Encoder, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
    encoder.compress(src, dst).map_err(|_| FAILED)
}

/// The start of a block: the length of its content, seven bits a byte, the low ones first.
struct Header {
    bytes: [u8; 5],
    len: usize,
}

impl Header {
    fn of(content: &[u8]) -> Self {
        let mut rest = content.len();
        let mut header = Self {
            bytes: [0; 5],
            len: 0,
        };
        for byte in &mut header.bytes {
            header.len += 1;
            *byte = (rest & 0x7F) as u8;
            rest >>= 7;
            if rest == 0 {
                break;
            }
            *byte |= 0x80;
        }
        header
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&self.bytes)
    }
}

/// What was written of a block.
struct Output<'d> {
    dst: &'d mut [u8],
    len: usize,
}

impl Output<'_> {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.dst
            .get_mut(self.len..)
            .and_then(|room| room.get_mut(..bytes.len()))
            .ok_or(Error::new(ErrorKind::OutputTooSmall, ID))?
            .copy_from_slice(bytes);
        self.len += bytes.len();
        Ok(())
    }
}
