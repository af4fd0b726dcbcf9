//! What a device writes as a Zstandard frame, and what the format asks for: content size and, if the
//! spec says so, a checksum.

use compressor_api::inspect::{Malformed, zstd};
use xxhash_rust::xxh64::xxh64;

/// Where the descriptor of a frame is.
const DESCRIPTOR: usize = 4;

/// The bit of the descriptor that says that a checksum follows.
const CHECKSUM: u8 = 1 << 2;

/// Length of the checksum, in bytes.
const CHECKSUM_LEN: usize = 4;

/// Copies a frame to `dst`, with or without its checksum as `checksum` says: one that the device
/// left out is added. Its length; `None` if it does not fit.
///
/// # Errors
///
/// How it is not exactly one frame of `content` with a window of `window` bytes at most.
pub(crate) fn deliver(
    frame: &[u8],
    content: &[u8],
    checksum: bool,
    window: u64,
    dst: &mut [u8],
) -> Result<Option<usize>, Malformed> {
    let header = zstd::walk(frame)?.header;
    if header.window.is_none_or(|needed| needed > window) {
        return Err(Malformed::OutOfBounds);
    }
    if header.declared_len != Some(content.len() as u64) {
        return Err(Malformed::Length);
    }
    if header.dictionary_id.is_some() {
        return Err(Malformed::Reserved);
    }
    let sum = (header.checksum || checksum).then(|| sum(content));
    if header.checksum && !sum.is_some_and(|sum| frame.ends_with(&sum)) {
        return Err(Malformed::Checksum);
    }
    let body_len = frame.len() - if header.checksum { CHECKSUM_LEN } else { 0 };
    let body = frame.get(..body_len).ok_or(Malformed::Truncated)?;
    let len = body_len + if checksum { CHECKSUM_LEN } else { 0 };
    let Some((place, trailer)) = dst
        .get_mut(..len)
        .and_then(|dst| dst.split_at_mut_checked(body_len))
    else {
        return Ok(None);
    };
    place.copy_from_slice(body);
    if let Some(descriptor) = place.get_mut(DESCRIPTOR) {
        *descriptor = *descriptor & !CHECKSUM | if checksum { CHECKSUM } else { 0 };
    }
    if let (true, Some(sum)) = (checksum, sum) {
        trailer.copy_from_slice(&sum);
    }
    Ok(Some(len))
}

/// Whether the frame, which has a checksum, ends with that of `content`.
pub(crate) fn vouches(frame: &[u8], content: &[u8]) -> bool {
    frame.ends_with(&sum(content))
}

/// The low half of the xxHash of the content.
fn sum(content: &[u8]) -> [u8; CHECKSUM_LEN] {
    (xxh64(content, 0) as u32).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use compressor_api::Format;
    use compressor_api::self_test::{CONTENT, unit};

    use super::*;

    const WINDOW: u64 = CONTENT.len() as u64;

    fn delivered(frame: &[u8], checksum: bool) -> Result<Vec<u8>, Malformed> {
        let mut dst = vec![0; frame.len() + CHECKSUM_LEN];
        let n = deliver(frame, CONTENT, checksum, WINDOW, &mut dst)?.unwrap();
        dst.truncate(n);
        Ok(dst)
    }

    #[test]
    fn a_checksum_is_added_and_taken_off_as_the_spec_says() {
        let with = unit(Format::Zstd);
        assert_eq!(delivered(with, true).as_deref(), Ok(with));
        let without = delivered(with, false).unwrap();
        assert_eq!(without.len() + CHECKSUM_LEN, with.len());
        assert!(!zstd::walk(&without).unwrap().header.checksum);
        assert_eq!(delivered(&without, true).as_deref(), Ok(with));
        assert_eq!(delivered(&without, false), Ok(without));
    }

    #[test]
    fn a_frame_of_something_else_is_refused() {
        let good = unit(Format::Zstd);
        let mut wrong = good.to_vec();
        *wrong.last_mut().unwrap() ^= 1;
        assert_eq!(delivered(&wrong, true), Err(Malformed::Checksum));
        assert_eq!(delivered(&good[..4], true), Err(Malformed::Truncated));
        let mut dst = vec![0; good.len()];
        let other = deliver(good, &CONTENT[1..], true, WINDOW, &mut dst);
        assert_eq!(other, Err(Malformed::Length));
        let short = deliver(good, CONTENT, true, WINDOW, &mut dst[1..]);
        assert_eq!(short, Ok(None));
        let wide = deliver(good, CONTENT, true, WINDOW - 1, &mut dst);
        assert_eq!(wide, Err(Malformed::OutOfBounds));
        let twice = [good, good].concat();
        assert_eq!(delivered(&twice, true), Err(Malformed::OutOfBounds));
    }
}
