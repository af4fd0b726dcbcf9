//! What the device writes and reads.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::{BOTH_WAYS, Session, Sim, Stream, noise, text};
use compressor_api::{CompressorFactory, Format, Spec};
use proptest::prelude::*;

/// What the reference decoder makes of a unit.
fn reference(format: Format, unit: &[u8], len: usize) -> Vec<u8> {
    let factory = match format {
        Format::Lz4Block => compressor_lz4::factory(),
        _ => compressor_deflate::factory(),
    };
    let mut content = vec![0; len];
    let compressor = CompressorFactory::compressor(&*factory, &Spec::new(format)).unwrap();
    let mut session = compressor.decompress_session().unwrap();
    let n = session.decompress(unit, &mut content).unwrap();
    content.truncate(n);
    content
}

/// The content of LZ4s, by the description of the format; `None` if it is none.
fn lz4s(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let length = |nibble: u8, bytes: &mut &[u8]| {
        let mut length = usize::from(nibble);
        let mut more = if nibble == 15 { 255 } else { 0 };
        while more == 255 {
            more = *bytes.split_off_first()?;
            length += usize::from(more);
        }
        Some(length)
    };
    while let Some(token) = bytes.split_off_first() {
        let literals = length(token >> 4, &mut bytes)?;
        content.extend_from_slice(bytes.split_off(..literals)?);
        if bytes.is_empty() {
            break;
        }
        let offset = u16::from_le_bytes(bytes.split_off(..2)?.try_into().ok()?);
        let matched = length(token & 15, &mut bytes)?;
        if matched > 0 {
            let from = content.len().checked_sub(offset.into())?;
            (offset > 0 && offset <= 32 << 10).then_some(())?;
            for at in from..from + matched + 2 {
                content.push(content[at]);
            }
        }
    }
    Some(content)
}

fn contents() -> Vec<Vec<u8>> {
    let mut contents: Vec<Vec<u8>> = [128, 500, 4_096, 20_000, 65_536].map(text).into();
    contents.extend([noise(5_000), vec![0; 65_536]]);
    contents
}

#[test]
fn the_reference_reads_what_the_device_writes() {
    for script in ["work=fast", "work=stored"] {
        let _sim = Sim::new(script);
        for content in contents() {
            for (stream, format) in [
                (Stream::Zlib, Format::Zlib),
                (Stream::Gzip, Format::Gzip),
                (Stream::Raw, Format::DeflateRaw),
                (Stream::Lz4Block, Format::Lz4Block),
            ] {
                let unit = Session::new(stream, true).unit(&content);
                assert!(
                    reference(format, &unit, content.len()) == content,
                    "{stream:?}"
                );
            }
            let unit = Session::new(Stream::Lz4s, true).unit(&content);
            let (header, block) = unit.split_first_chunk().unwrap();
            assert_eq!(u32::from_le_bytes(*header) as usize, block.len());
            assert!(lz4s(block).unwrap() == content);
        }
    }
}

#[test]
fn the_device_reads_what_it_writes() {
    for script in ["work=fast", "work=stored"] {
        let sim = Sim::new(script);
        for content in contents() {
            for stream in BOTH_WAYS {
                let mut unit = Session::new(stream, true).unit(&content);
                let len = unit.len();
                // What follows a unit is left alone, where its end can be seen.
                if matches!(stream, Stream::Zlib | Stream::Gzip | Stream::Lz4Frame) {
                    unit.extend([1; 30]);
                }
                let mut session = Session::new(stream, false);
                let mut back = vec![0; content.len()];
                let result = session.decompress(&unit, &mut back);
                assert_eq!(result, (0, len, content.len()), "{stream:?}");
                assert!(back == content && session.ended(), "{stream:?}");
            }
        }
        let units = (contents().len() * BOTH_WAYS.len()) as u64;
        assert_eq!(sim.counted(|c| c.compressed), units);
        assert_eq!(sim.counted(|c| c.decompressed), units);
        assert_eq!(sim.counted(|c| c.software), 0);
    }
}

/// The first session of the process says how large buffers may be.
fn largest_first() {
    drop(Session::new(Stream::Zlib, true));
}

#[test]
fn what_is_longer_than_a_buffer_becomes_several_units() {
    let _sim = Sim::new("");
    largest_first();
    let content = text(40_000);
    let unit = |stream, buffer| {
        let session = Session::try_new(stream, true, |common| common.hw_buff_sz = buffer);
        session.unwrap().unit(&content)
    };
    let (first, second) = content.split_at(32_768);
    for stream in [Stream::Zlib, Stream::Gzip, Stream::Lz4Frame, Stream::Zstd] {
        let mut session = Session::new(stream, true);
        let both = [session.unit(first), session.unit(second)].concat();
        assert_eq!(unit(stream, 32_768), both, "{stream:?}");
    }
    // Raw Deflate is one stream.
    let raw = unit(Stream::Raw, 32_768);
    assert_eq!(raw, unit(Stream::Raw, 65_536));
    assert!(reference(Format::DeflateRaw, &raw, content.len()) == content);
}

#[test]
fn content_that_is_longer_than_a_buffer_is_not_read() {
    let _sim = Sim::new("");
    largest_first();
    let content = text(40_000);
    for stream in BOTH_WAYS {
        let unit = Session::new(stream, true).unit(&content);
        let session = Session::try_new(stream, false, |common| common.hw_buff_sz = 32_768);
        let (code, _, produced) = session.unwrap().decompress(&unit, &mut vec![0; 50_000]);
        assert!(code < 0 && produced == 0, "{stream:?}: {code}");
    }
}

#[test]
fn zstd_is_read_with_the_window_of_a_device() {
    let _sim = Sim::new("");
    // One raw block, in a frame with a window of 64 KiB and with the next one.
    let frame = |window| {
        let block = (500_u32 << 3 | 1).to_le_bytes();
        [
            &[0x28, 0xB5, 0x2F, 0xFD, 0, window],
            &block[..3],
            &text(500),
        ]
        .concat()
    };
    for (window, code) in [(0x30, 0), (0x31, -4)] {
        let mut session = Session::new(Stream::Zstd, false);
        assert_eq!(session.decompress(&frame(window), &mut [0; 600]).0, code);
    }
}

#[test]
fn lz4_reaches_back_as_far_as_a_device_does() {
    let _sim = Sim::new("");
    let lz4_block = |distance: usize| {
        // Literals, and a match with the first of them.
        let literals = noise(distance);
        let mut block = vec![0xF0];
        let mut rest = literals.len() - 15;
        while rest >= 255 {
            block.push(255);
            rest -= 255;
        }
        block.push(rest as u8);
        block.extend_from_slice(&literals);
        block.extend_from_slice(&(distance as u16).to_le_bytes());
        block.extend_from_slice(b"\x50abcde");
        block
    };
    let read = |distance| {
        let mut back = vec![0; 65_536];
        Session::new(Stream::Lz4Block, false).decompress(&lz4_block(distance), &mut back)
    };
    let (code, _, produced) = read(32 << 10);
    assert_eq!((code, produced), (0, (32 << 10) + 4 + 5));
    assert_eq!(read((32 << 10) + 1).0, -4);
    // What repeats beyond it is not found by the device either.
    let far = [noise(40_000), noise(20_000)].concat();
    assert!(Session::new(Stream::Lz4Block, true).unit(&far).len() > 60_000);
    let near = [noise(20_000), noise(20_000)].concat();
    assert!(Session::new(Stream::Lz4Block, true).unit(&near).len() < 21_000);
}

#[test]
fn lz4_frames_without_length_or_checksum_are_not_for_the_device() {
    let _sim = Sim::new("");
    let unit = Session::new(Stream::Lz4Frame, true).unit(&text(1_000));
    assert_eq!(&unit[..6], b"\x04\x22\x4D\x18\x4C\x40");
    let mut back = vec![0; 1_000];
    let mut read = |frame: &[u8]| {
        Session::new(Stream::Lz4Frame, false)
            .decompress(frame, &mut back)
            .0
    };
    assert_eq!(read(&unit), 0);
    let block = &unit[15..unit.len() - 4];
    // Independent blocks, nothing else; with the content's length; with its checksum.
    for header in [
        &b"\x04\x22\x4D\x18\x60\x40\x82"[..],
        b"\x04\x22\x4D\x18\x68\x40\xe8\x03\x00\x00\x00\x00\x00\x00\x38",
        b"\x04\x22\x4D\x18\x64\x40\xa7",
    ] {
        assert_eq!(read(&[header, block, &unit[unit.len() - 4..]].concat()), -2);
    }
    let mut corrupt = unit.clone();
    *corrupt.last_mut().unwrap() ^= 1;
    assert_eq!(read(&corrupt), -4);
    assert_eq!(read(&unit[..unit.len() - 1]), -2);
}

#[test]
fn gzip_members_with_flags_are_not_for_the_device() {
    let _sim = Sim::new("");
    let mut unit = Session::new(Stream::Gzip, true).unit(&text(1_000));
    unit[3] = 8;
    unit.splice(10..10, *b"name\0");
    let mut back = vec![0; 1_000];
    let result = Session::new(Stream::Gzip, false).decompress(&unit, &mut back);
    assert_eq!(result, (-2, 0, 0));
}

#[test]
fn what_is_cut_off_is_a_success_that_did_not_end() {
    let sim = Sim::new("misuse=fail");
    let unit = Session::new(Stream::Zlib, true).unit(&text(5_000));
    let mut back = vec![0; 5_000];
    let mut session = Session::new(Stream::Zlib, false);
    let (code, consumed, produced) = session.decompress(&unit[..unit.len() - 6], &mut back);
    assert_eq!((code, consumed), (0, unit.len() - 6));
    assert!(produced > 0 && !session.ended());
    // As is an output that is too short.
    let mut session = Session::new(Stream::Zlib, false);
    let (code, _, produced) = session.decompress(&unit, &mut back[..4_999]);
    assert!(code == 0 && produced > 0 && !session.ended());
    assert_eq!(sim.counted(|c| c.misuses), 0);
    assert_eq!(session.decompress(&unit, &mut back).0, -2);
    assert_eq!(sim.counted(|c| c.misuses), 1);
}

#[test]
fn corrupt_units_are_told() {
    let _sim = Sim::new("");
    for stream in BOTH_WAYS {
        let mut unit = Session::new(stream, true).unit(&text(5_000));
        let trailer = unit.len() - 1;
        unit[trailer] ^= 0x40;
        let mut back = vec![0; 5_000];
        let (code, ..) = Session::new(stream, false).decompress(&unit, &mut back);
        // A raw block has nothing to tell by.
        assert_eq!(
            code,
            if stream == Stream::Lz4Block { 0 } else { -4 },
            "{stream:?}"
        );
    }
}

#[test]
fn an_output_that_is_too_short_fails() {
    let _sim = Sim::new("");
    for stream in [
        Stream::Gzip,
        Stream::Lz4Frame,
        Stream::Lz4Block,
        Stream::Zstd,
    ] {
        let unit = Session::new(stream, true).unit(&text(5_000));
        let mut back = vec![0; 4_999];
        let result = Session::new(stream, false).decompress(&unit, &mut back);
        assert_eq!(result, (-3, 0, 0), "{stream:?}");
    }
    for stream in [
        Stream::Zlib,
        Stream::Raw,
        Stream::Lz4Frame,
        Stream::Lz4s,
        Stream::Zstd,
    ] {
        let mut short = [0; 500];
        let result = Session::new(stream, true).compress(&noise(600), &mut short);
        assert_eq!(result, (-2, 0, 0), "{stream:?}");
    }
    // What fails in the second buffer is told apart.
    largest_first();
    let mut session = Session::try_new(Stream::Zlib, true, |common| common.hw_buff_sz = 1_024);
    let (code, consumed, produced) = session
        .as_mut()
        .unwrap()
        .compress(&noise(2_048), &mut [0; 1_500]);
    assert!(code == -3 && consumed == 1_024 && produced > 1_024);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_input_makes_the_device_panic(
        bytes in prop::collection::vec(any::<u8>(), 20..300),
        cut in 0..40_usize,
    ) {
        let _sim = Sim::new("");
        for stream in BOTH_WAYS {
            let mut back = vec![0; 600];
            Session::new(stream, false).decompress(&bytes, &mut back);
            // A unit that begins right.
            let mut unit = Session::new(stream, true).unit(&text(600));
            let keep = unit.len().saturating_sub(cut).max(20);
            unit.truncate(keep);
            let at = usize::from(bytes[0]) % unit.len();
            unit[at] ^= bytes[1];
            Session::new(stream, false).decompress(&unit, &mut back);
        }
    }

    #[test]
    fn whatever_is_written_is_read(
        words in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..9), 1..8),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 130..600),
    ) {
        let _sim = Sim::new("");
        let content: Vec<u8> = picks.iter().flat_map(|pick| pick.get(&words).clone()).collect();
        for stream in BOTH_WAYS {
            let unit = Session::new(stream, true).unit(&content);
            if unit.len() < 20 {
                continue;
            }
            let mut back = vec![0; content.len()];
            let result = Session::new(stream, false).decompress(&unit, &mut back);
            prop_assert_eq!(result, (0, unit.len(), content.len()));
            prop_assert!(back == content);
        }
        let unit = Session::new(Stream::Lz4s, true).unit(&content);
        prop_assert_eq!(lz4s(&unit[4..]), Some(content));
    }
}
