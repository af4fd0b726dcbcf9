use compressor_api::{
    CompressSession, Compressor, DecompressSession, Direction, Error, ErrorKind, OutputNeed,
    Selected, Spec, self_test,
};

use crate::contain::contain;
use crate::gate;

/// The longest content that is tried, in bytes: beyond the 64 KiB from which some devices write
/// several streams in a row.
const LONGEST: usize = 128 << 10;

/// Exchanges known answers between an accelerator and software, in the accelerator's direction and
/// within its limits.
///
/// Compressing: software must decode what the accelerator wrote, to the same bytes. Decompressing:
/// the accelerator must decode what software wrote and the frozen unit of
/// [`self_test`](compressor_api::self_test), and must not say OK to a unit that software finds
/// corrupt. A device that reads back only its own output, or writes another format than it was
/// asked for, fails here.
///
/// Takes milliseconds, and allocates. A panic is caught. A device that is busy passes.
///
/// # Errors
///
/// - [`Device`](ErrorKind::Device): an operation succeeded with a wrong result, or the accelerator
///   asks for absurdly more output room than software.
/// - [`Panic`](ErrorKind::Panic): the accelerator panicked.
/// - The error of an operation that should have succeeded, of the accelerator or of software.
pub fn self_check(accelerator: &Selected, software: &dyn Compressor) -> Result<(), Error> {
    let checked = contain(|| match accelerator.capabilities.direction {
        Direction::Compress => compresses(accelerator, software),
        Direction::Decompress => decompresses(accelerator, software),
    });
    match checked {
        None => Err(Error::new(ErrorKind::Panic, accelerator.provider)),
        Some(Err(error)) if error.kind() == ErrorKind::Busy => Ok(()),
        Some(result) => result,
    }
}

fn compresses(accelerator: &Selected, software: &dyn Compressor) -> Result<(), Error> {
    let wrong = Error::new(ErrorKind::Device, accelerator.provider);
    let capabilities = &accelerator.capabilities;
    let compressor = &accelerator.compressor;
    let check = |session: &mut (dyn CompressSession + 'static)| {
        let mut decoder = software.decompress_session()?;
        for len in lengths(capabilities.min_input, capabilities.max_input) {
            let content = content(len);
            let bound = software.max_compressed_len(len).ok_or(wrong)?;
            let room = match (capabilities.output, compressor.max_compressed_len(len)) {
                (OutputNeed::Bound, None) => return Err(wrong),
                (_, own) => bound.max(own.unwrap_or(bound)),
            };
            if !gate::plausible_bound(bound, room) {
                return Err(wrong);
            }
            let mut unit = vec![0; room];
            let n = session.compress(&content, &mut unit)?;
            let unit = unit.get(..n).ok_or(wrong)?;
            let mut decoded = vec![0; len];
            if !gate::plausible_unit(software.spec(), len, unit)
                || decoder.decompress_exact(unit, &mut decoded).is_err()
                || decoded != content
            {
                return Err(wrong);
            }
        }
        Ok(())
    };
    in_session(accelerator, || compressor.compress_session(), check)
}

fn decompresses(accelerator: &Selected, software: &dyn Compressor) -> Result<(), Error> {
    let capabilities = &accelerator.capabilities;
    let frozen = self_test::unit(capabilities.format);
    decodes(accelerator, software, frozen, self_test::CONTENT)?;
    for len in lengths(0, capabilities.max_output) {
        let content = content(len);
        let Some(bound) = software.max_compressed_len(len) else {
            continue;
        };
        let mut unit = vec![0; bound];
        let n = software.compress_session()?.compress(&content, &mut unit)?;
        let unit = unit.get(..n).unwrap_or_default();
        decodes(accelerator, software, unit, &content)?;
    }
    Ok(())
}

/// The accelerator says of a unit, and of two corruptions of it, what software says.
fn decodes(
    accelerator: &Selected,
    software: &dyn Compressor,
    unit: &[u8],
    content: &[u8],
) -> Result<(), Error> {
    let wrong = Error::new(ErrorKind::Device, accelerator.provider);
    let spec: &Spec = software.spec();
    let check = |session: &mut (dyn DecompressSession + 'static)| {
        let mut reference = software.decompress_session()?;
        let mut decoded = vec![0; content.len()];

        if gate::unit(&accelerator.capabilities, spec, unit, content.len()).is_ok()
            // With a dictionary, software need not read the frozen unit.
            && reference.decompress(unit, &mut decoded) == Ok(content.len())
        {
            decoded.fill(0xAA);
            let n = session.decompress(unit, &mut decoded)?;
            if decoded.get(..n) != Some(content) {
                return Err(wrong);
            }
        }

        let flipped = flipped(unit);
        let truncated = unit.split_last().map_or(unit, |(_, most)| most);
        for corrupt in [&flipped[..], truncated] {
            let offered =
                gate::unit(&accelerator.capabilities, spec, corrupt, content.len()).is_ok();
            if offered
                && reference.decompress(corrupt, &mut decoded).is_err()
                && session.decompress(corrupt, &mut decoded).is_ok()
            {
                return Err(wrong);
            }
        }
        Ok(())
    };
    let open = || accelerator.compressor.decompress_session();
    in_session(accelerator, open, check)
}

/// The unit with one bit of its last byte flipped.
fn flipped(unit: &[u8]) -> Vec<u8> {
    let mut flipped = unit.to_vec();
    if let Some(last) = flipped.last_mut() {
        *last ^= 1;
    }
    flipped
}

/// Makes a session, checks with it and drops it. A panic is caught before the session is dropped:
/// should the drop panic as well while the first one unwinds, the process would abort.
fn in_session<S: ?Sized>(
    accelerator: &Selected,
    open: impl FnOnce() -> Result<Box<S>, Error>,
    check: impl FnOnce(&mut S) -> Result<(), Error>,
) -> Result<(), Error> {
    let panicked = Error::new(ErrorKind::Panic, accelerator.provider);
    let mut session = contain(open).ok_or(panicked)??;
    let checked = contain(|| check(&mut session));
    let dropped = contain(|| drop(session));
    checked.zip(dropped).ok_or(panicked)?.0
}

/// The ends of a range, as far as they are tried, and the length of the known content.
fn lengths(min: usize, max: usize) -> impl Iterator<Item = usize> {
    let known = self_test::CONTENT.len();
    [min, known, LONGEST]
        .into_iter()
        .map(move |len| len.min(max).max(min))
        .filter(|len| *len <= LONGEST)
}

/// The known content, over and over.
fn content(len: usize) -> Vec<u8> {
    self_test::CONTENT
        .iter()
        .copied()
        .cycle()
        .take(len)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit_of_the_last_byte_is_flipped() {
        for (unit, expected) in [(&[][..], &[][..]), (&[7, 2], &[7, 3]), (&[7, 3], &[7, 2])] {
            assert_eq!(flipped(unit), expected);
        }
    }

    #[test]
    fn the_ends_of_a_range_are_tried_as_far_as_they_are_not_too_long() {
        let known = self_test::CONTENT.len();
        for (min, max, tried) in [
            (0, usize::MAX, &[0, known, 128 << 10][..]),
            (known + 1, known + 2, &[known + 1, known + 1, known + 2]),
            (10, 20, &[10, 20, 20]),
            (128 << 10, usize::MAX, &[128 << 10; 3]),
            ((128 << 10) + 1, usize::MAX, &[]),
        ] {
            assert!(lengths(min, max).eq(tried.iter().copied()), "{min} {max}");
        }
    }
}
