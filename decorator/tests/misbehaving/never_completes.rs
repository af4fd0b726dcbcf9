use compressor_api::{CompressSession, DecompressSession, Error, ErrorKind, Spec};

use super::{Misbehaviour, NContexts, error};

/// Does not return: not within its deadline, nor within anyone's patience. Once a test lets go of
/// it, it answers that it timed out.
#[derive(Debug, Default)]
pub struct NeverCompletes {
    pub held: NContexts,
}

impl Misbehaviour for NeverCompletes {
    fn compress(
        &self,
        codec: &mut dyn CompressSession,
        spec: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        self.held.compress(codec, spec, src, dst)?;
        Err(error(ErrorKind::Timeout))
    }

    fn decompress(
        &self,
        codec: &mut dyn DecompressSession,
        spec: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        self.held.decompress(codec, spec, src, dst)?;
        Err(error(ErrorKind::Timeout))
    }
}
