//! Sessions run between guard bytes: nothing around `dst` may change, and nothing that was in it
//! may come back.

use compressor_api::{CompressSession, Compressor, DecompressSession, Error, ErrorKind};

const GUARD: usize = 64;

/// Compresses in a new session, with all the room it may need.
pub fn unit(compressor: &dyn Compressor, content: &[u8]) -> Vec<u8> {
    let bound = compressor.max_compressed_len(content.len()).unwrap();
    let mut session = compressor.compress_session().unwrap();
    compress(&mut *session, content, bound).unwrap()
}

/// Compresses into `room` bytes.
pub fn compress(
    session: &mut dyn CompressSession,
    content: &[u8],
    room: usize,
) -> Result<Vec<u8>, ErrorKind> {
    guarded(0xA5, room, |dst| session.compress(content, dst))
}

/// Compresses with all the room it may need, with each room that is `shorter` than the result,
/// where it must fail, and then with exactly enough, where it must give the same again.
pub fn fit_exactly(
    session: &mut dyn CompressSession,
    content: &[u8],
    bound: usize,
    shorter: impl IntoIterator<Item = usize>,
) -> Vec<u8> {
    let unit = compress(session, content, bound).unwrap();
    for room in shorter {
        let result = compress(session, content, room);
        assert_eq!(result, Err(ErrorKind::OutputTooSmall), "{room} bytes");
    }
    let exact = compress(session, content, unit.len());
    assert!(exact.as_ref() == Ok(&unit), "{} bytes", unit.len());
    unit
}

/// Decompresses into `room` bytes, twice, over different bytes that were there before.
pub fn decompress(
    session: &mut dyn DecompressSession,
    unit: &[u8],
    room: usize,
) -> Result<Vec<u8>, ErrorKind> {
    let first = guarded(0xAA, room, |dst| session.decompress(unit, dst));
    let second = guarded(0x55, room, |dst| session.decompress(unit, dst));
    assert!(first == second, "what was in dst before came back");
    first
}

/// Decompresses content of known length.
pub fn decompress_exact(
    session: &mut dyn DecompressSession,
    unit: &[u8],
    len: usize,
) -> Result<Vec<u8>, ErrorKind> {
    guarded(0xAA, len, |dst| {
        session.decompress_exact(unit, dst).map(|()| len)
    })
}

fn guarded(
    before: u8,
    room: usize,
    operation: impl FnOnce(&mut [u8]) -> Result<usize, Error>,
) -> Result<Vec<u8>, ErrorKind> {
    let mut buffer = vec![before; GUARD + room + GUARD];
    let result = operation(&mut buffer[GUARD..GUARD + room]);
    let (front, rest) = buffer.split_at(GUARD);
    let (dst, back) = rest.split_at(room);
    assert!(
        front.iter().chain(back).all(|byte| *byte == before),
        "bytes around dst changed"
    );
    result.map(|n| dst[..n].to_vec()).map_err(Error::kind)
}
