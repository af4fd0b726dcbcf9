//! Content to unit.

use compressor::{Compressor, ErrorKind};

use super::STDIN;
use crate::failure::Failure;
use crate::room;

/// The unit of `src`.
pub fn compress(compressor: &dyn Compressor, src: &[u8]) -> Result<Vec<u8>, Failure> {
    let failed = |error| Failure::operation(STDIN, error);
    let Some(bound) = compressor.max_compressed_len(src.len()) else {
        let len = src.len();
        let message = format_args!("{STDIN}: {len} bytes are too many for one unit of the format");
        return Err(Failure::data(ErrorKind::Unsupported, message));
    };
    let mut dst = room::zeroed(bound, STDIN)?;
    let mut session = compressor.compress_session().map_err(failed)?;
    let len = session.compress(src, &mut dst).map_err(failed)?;
    dst.truncate(len);
    Ok(dst)
}
