//! Units with known content, and broken ones with the error that each must give.

use compressor_api::{DecompressSession, Error, ErrorKind, Format};

use super::{as_zlib, guarded, readable, reader};
use ErrorKind::{CorruptInput, OutputTooSmall, Unsupported};

/// Which call is meant.
enum Call {
    /// `decompress` into a buffer of this length.
    Into(usize),
    /// `decompress_exact` into a buffer of this length.
    Exact(usize),
}
use Call::{Exact, Into};

/// A unit in hexadecimal digits, how it is read, and what must come of that.
struct Unit(&'static str, Call, Result<&'static [u8], ErrorKind>);

/// Written by zlib 1.2.13 (through Python 3.11), at level 6 unless it says otherwise, and changed
/// by hand where it says so.
#[rustfmt::skip]
const ZLIB: &[Unit] = &[
    Unit("789c4b4c4a0600024d0127", Exact(3), Ok(b"abc")),
    Unit("789c030000000001", Exact(0), Ok(b"")),
    // Level 0, and the same with the header of another level.
    Unit("789c010000ffff00000001", Exact(0), Ok(b"")),
    Unit("7801010000ffff00000001", Exact(0), Ok(b"")),
    Unit("789c33343236313533b7b03400000b2c020e", Exact(10), Ok(b"1234567890")),
    Unit("789c7374a40c0000107e1041", Exact(64), Ok(&[b'A'; 64])),
    // Windows of 512 bytes and of 4 KiB.
    Unit("18954b4c4a4e24050100c24f1261", Exact(48), Ok(b"abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc")),
    Unit("48894b4c4a4e24050100c24f1261", Exact(48), Ok(b"abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc")),
    // More room than content.
    Unit("789c4b4c4a0600024d0127", Into(4), Ok(b"abc")),
    Unit("789c4b4c4a0600024d0127", Exact(4), Err(CorruptInput)),
    Unit("789c4b4c4a0600024d0127", Exact(2), Err(CorruptInput)),
    Unit("789c4b4c4a0600024d0127", Into(2), Err(OutputTooSmall)),
    Unit("789c4b4c4a0600024d0127", Into(0), Err(OutputTooSmall)),
    // By hand: two bytes more, one byte more, the checksum missing, wrong, and byte-swapped.
    Unit("789c4b4c4a0600024d0127dead", Into(3), Err(CorruptInput)),
    Unit("789c4b4c4a0600024d012700", Into(3), Err(CorruptInput)),
    Unit("789c4b4c4a0600", Into(3), Err(CorruptInput)),
    Unit("789c4b4c4a0600024d0126", Into(3), Err(CorruptInput)),
    Unit("789c4b4c4a060027014d02", Into(3), Err(CorruptInput)),
    // By hand: twice the same stream.
    Unit("789c4b4c4a0600024d0127789c4b4c4a0600024d0127", Into(6), Err(CorruptInput)),
    // With the preset dictionary "hello "; and cut off within its checksum.
    Unit("78bb08610235cb40900019910449", Into(11), Err(Unsupported)),
    Unit("78bb086102", Into(11), Err(CorruptInput)),
    // A raw stream.
    Unit("f248cdc9c907000000ffff", Into(5), Err(CorruptInput)),
    // By hand: a window of 64 KiB, another method, check bits wrong.
    Unit("881c4b4c4a0600024d0127", Into(3), Err(CorruptInput)),
    Unit("791b4b4c4a0600024d0127", Into(3), Err(CorruptInput)),
    Unit("789d4b4c4a0600024d0127", Into(3), Err(CorruptInput)),
    Unit("78", Into(3), Err(CorruptInput)),
    Unit("", Into(3), Err(CorruptInput)),
    Unit("", Into(0), Err(CorruptInput)),
];

/// As [`ZLIB`].
#[rustfmt::skip]
const DEFLATE_RAW: &[Unit] = &[
    Unit("cb48cdc9c90700", Exact(5), Ok(b"hello")),
    Unit("0300", Exact(0), Ok(b"")),
    Unit("010500faff68656c6c6f", Exact(5), Ok(b"hello")),
    // Two stored blocks, by hand.
    Unit("000200fdff6865010300fcff6c6c6f", Exact(5), Ok(b"hello")),
    Unit("73741c05a360140c770000", Exact(1000), Ok(&[b'A'; 1000])),
    Unit("cb48cdc9c90700", Into(9), Ok(b"hello")),
    Unit("cb48cdc9c90700", Into(4), Err(OutputTooSmall)),
    Unit("010500faff68656c6c6f", Into(4), Err(OutputTooSmall)),
    // By hand: a byte more, a second stream, and cut off.
    Unit("cb48cdc9c9070000", Into(5), Err(CorruptInput)),
    Unit("03000300", Into(5), Err(CorruptInput)),
    Unit("cb48cdc9c907", Into(5), Err(CorruptInput)),
    Unit("010500faff68656c6c", Into(5), Err(CorruptInput)),
    // By hand: the reserved block type, a length that its complement contradicts.
    Unit("07", Into(5), Err(CorruptInput)),
    Unit("010500fbff68656c6c6f", Into(5), Err(CorruptInput)),
    // By hand: "h", then a match one byte before the content.
    Unit("cb004200", Into(5), Err(CorruptInput)),
    Unit("", Into(0), Err(CorruptInput)),
    Unit("", Into(3), Err(CorruptInput)),
];

/// As [`ZLIB`]; headers with optional fields are put together by hand.
#[rustfmt::skip]
const GZIP: &[Unit] = &[
    Unit("1f8b0800000000000003cb48cdc9c9070086a6103605000000", Exact(5), Ok(b"hello")),
    Unit("1f8b080000000000000303000000000000000000", Exact(0), Ok(b"")),
    Unit("1f8b080000000000000373741c05a360140c770000012ea051e8030000", Exact(1000), Ok(&[b'A'; 1000])),
    // FTEXT, FHCRC, FEXTRA, FNAME and FCOMMENT; then FHCRC alone.
    Unit("1f8b081f0000000000030400616200006e616d6500636f6d6d656e7400ddc1cb48cdc9c9070086a6103605000000", Exact(5), Ok(b"hello")),
    Unit("1f8b0802000000000003a777cb48cdc9c9070086a6103605000000", Exact(5), Ok(b"hello")),
    Unit("1f8b0800000000000003cb48cdc9c9070086a6103605000000", Into(4), Err(OutputTooSmall)),
    // FHCRC wrong, a reserved flag.
    Unit("1f8b0802000000000003a776cb48cdc9c9070086a6103605000000", Into(5), Err(CorruptInput)),
    Unit("1f8b0820000000000003cb48cdc9c9070086a6103605000000", Into(5), Err(CorruptInput)),
    // CRC-32 wrong, length wrong, length missing, a byte more.
    Unit("1f8b0800000000000003cb48cdc9c9070087a6103605000000", Into(5), Err(CorruptInput)),
    Unit("1f8b0800000000000003cb48cdc9c9070086a6103604000000", Into(5), Err(CorruptInput)),
    Unit("1f8b0800000000000003cb48cdc9c9070086a61036", Into(5), Err(CorruptInput)),
    Unit("1f8b0800000000000003cb48cdc9c9070086a610360500000000", Into(5), Err(CorruptInput)),
    // A second member; zeros after the first one, as tapes have them.
    Unit("1f8b0800000000000003cb48cdc9c9070086a61036050000001f8b080000000000000303000000000000000000", Into(5), Err(CorruptInput)),
    Unit("1f8b0800000000000003cb48cdc9c9070086a610360500000000000000000000000000", Into(5), Err(CorruptInput)),
    // A zlib stream.
    Unit("789c4b4c4a0600024d0127", Into(3), Err(CorruptInput)),
    Unit("", Into(3), Err(CorruptInput)),
];

#[test]
fn zlib_units_give_what_they_must() {
    check(Format::Zlib, ZLIB);
}

#[test]
fn raw_units_give_what_they_must() {
    if readable().contains(&Format::DeflateRaw) {
        check(Format::DeflateRaw, DEFLATE_RAW);
    }
}

#[test]
fn raw_units_in_the_frame_of_zlib_give_the_same() {
    check_framed(Format::Zlib, DEFLATE_RAW, as_zlib);
}

#[test]
fn gzip_units_give_what_they_must() {
    check(Format::Gzip, GZIP);
}

fn check(format: Format, vectors: &[Unit]) {
    check_framed(format, vectors, |unit, _| unit.to_vec());
}

/// With each unit put into a frame, which gets its content, or `b"hello"` where it has none.
fn check_framed(format: Format, vectors: &[Unit], frame: fn(&[u8], &[u8]) -> Vec<u8>) {
    // One session for all: none may leave a trace in the next.
    let mut session = reader(format).decompress_session().unwrap();
    for Unit(hex, call, expected) in vectors {
        let unit = frame(&bytes(hex), expected.unwrap_or(b"hello"));
        let found = match *call {
            Into(room) => guarded(room, |dst| session.decompress(&unit, dst)),
            Exact(room) => guarded(room, |dst| decompress_exact(&mut *session, &unit, dst)),
        };
        assert_eq!(
            found.as_deref().map_err(|kind| *kind),
            *expected,
            "{format} {hex}"
        );
    }
}

fn decompress_exact(
    session: &mut dyn DecompressSession,
    unit: &[u8],
    dst: &mut [u8],
) -> Result<usize, Error> {
    session.decompress_exact(unit, dst).map(|()| dst.len())
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}
