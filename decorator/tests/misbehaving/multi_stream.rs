use compressor_api::{CompressSession, Error, ErrorKind, Spec};

use super::{Misbehaviour, error};

/// Above its buffer size it writes several streams in a row. For formats of one stream.
#[derive(Debug)]
pub struct MultiStream {
    pub buffer: usize,
}

impl Misbehaviour for MultiStream {
    fn compress(
        &self,
        codec: &mut dyn CompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let (first, more) = src.split_at(src.len().min(self.buffer));
        let mut n = codec.compress(first, dst)?;
        for part in more.chunks(self.buffer) {
            let rest = dst.get_mut(n..).ok_or(error(ErrorKind::Device))?;
            n += codec.compress(part, rest)?;
        }
        Ok(n)
    }
}
