//! Unit to content, of a length that nobody vouches for.

use compressor::{Compressor, ErrorKind};

use super::STDIN;
use crate::failure::Failure;
use crate::room;

/// Memory that is taken without a reason, in bytes: more than the content of most units.
const FIRST: usize = 1 << 20;

/// The content of the unit `src`, if it is no longer than `max_len`.
///
/// Starts with room for what is declared if that is little, or in proportion to `src`; grows
/// fourfold while the content does not fit. So memory is in proportion to the content that is
/// really there, whatever the unit declares.
pub fn decompress(
    compressor: &dyn Compressor,
    src: &[u8],
    max_len: usize,
) -> Result<Vec<u8>, Failure> {
    let failed = |error| Failure::operation(STDIN, error);
    let declared = match compressor.decompressed_len(src).map_err(failed)? {
        Some(len) => usize::try_from(len).unwrap_or(usize::MAX),
        None => max_len,
    };
    if declared > max_len {
        return Err(too_long(max_len));
    }
    let mut session = compressor.decompress_session().map_err(failed)?;
    let mut len = declared.min(src.len().saturating_mul(4).max(FIRST));
    loop {
        let mut dst = room::zeroed(len, STDIN)?;
        match session.decompress(src, &mut dst) {
            Ok(written) => {
                dst.truncate(written);
                return Ok(dst);
            }
            Err(error) if error.kind() != ErrorKind::OutputTooSmall => return Err(failed(error)),
            Err(_) if len >= max_len => return Err(too_long(max_len)),
            Err(_) => len = len.saturating_mul(4).max(FIRST).min(max_len),
        }
    }
}

fn too_long(max_len: usize) -> Failure {
    let message = format_args!("{STDIN}: the content is longer than {max_len} bytes (--max-len)");
    Failure::data(ErrorKind::OutputTooSmall, message)
}
