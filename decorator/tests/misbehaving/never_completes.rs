use compressor_api::{Error, ErrorKind};

use super::{Codec, Misbehaviour, NContexts, error};

/// Does not return: not within its deadline, nor within anyone's patience. Once a test lets go of
/// it, it answers that it timed out.
#[derive(Debug, Default)]
pub struct NeverCompletes {
    pub held: NContexts,
}

impl Misbehaviour for NeverCompletes {
    fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
        self.held.operate(codec, dst)?;
        Err(error(ErrorKind::Timeout))
    }
}
