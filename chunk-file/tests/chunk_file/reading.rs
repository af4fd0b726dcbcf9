use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use chunk_file::{CompressionInfo, Damage, Error, Reader, ReaderOptions, Sequential};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::{CLASSES, ENGINE, made, mixed, open, params};

#[test]
fn any_range_is_read() {
    let content = mixed(50_000);
    let (_dir, pair) = made(&params(CLASSES[2], 4, "1.1"), &content);
    let plain = open(&pair);
    let options = ReaderOptions::default().cache_bytes(3 * 4096);
    let cached = Reader::open(&pair, &ENGINE, options).unwrap();
    for reader in [&plain, &cached] {
        for start in (0..50_000).step_by(1237) {
            for len in [0, 1, 100, 4096, 10_000] {
                let mut buf = vec![0xaa; len];
                let n = reader.read_at(start as u64, &mut buf).unwrap();
                assert_eq!(n, len.min(50_000 - start));
                assert!(buf[..n] == content[start..start + n], "{start} {len}");
                assert!(buf[n..].iter().all(|byte| *byte == 0xaa));
            }
        }
        for position in [50_000, 50_001, u64::MAX] {
            assert_eq!(reader.read_at(position, &mut [0; 9]).unwrap(), 0);
        }
    }
}

#[test]
fn the_sequence_is_the_content() {
    let content = mixed(700_001);
    let (_dir, pair) = made(&params(CLASSES[0], 16, "0"), &content);
    let reader = Arc::new(open(&pair));
    let mut sequence = Sequential::new(reader);
    let mut back = Vec::new();
    sequence.read_to_end(&mut back).unwrap();
    assert!(back == content);

    assert_eq!(sequence.seek(SeekFrom::Start(300_000)).unwrap(), 300_000);
    let mut some = [0; 50_000];
    sequence.read_exact(&mut some).unwrap();
    assert!(some == content[300_000..350_000]);
    sequence.seek(SeekFrom::Current(-50_000)).unwrap();
    sequence.read_exact(&mut some).unwrap();
    assert!(some == content[300_000..350_000]);
    sequence.seek(SeekFrom::End(-1)).unwrap();
    assert_eq!(sequence.read(&mut some).unwrap(), 1);
    assert_eq!(sequence.read(&mut some).unwrap(), 0);
    assert!(sequence.seek(SeekFrom::Current(i64::MIN)).is_err());
}

#[test]
fn a_sequence_gives_what_comes_before_a_bad_chunk_and_then_stops() {
    let content = mixed(40_000);
    let (_dir, pair) = made(&params(CLASSES[0], 4, "0"), &content);
    let offset = open(&pair).info().chunk(5).unwrap().offset;
    crate::damage::flip(pair.data(), offset + 9, 0x10);
    let reader = open(&pair);
    let mut sequence = reader.sequential();
    let mut back = Vec::new();
    for _ in 0..2 {
        let error = sequence.read_to_end(&mut back).unwrap_err();
        assert!(error.to_string().contains("chunk 5 at offset"), "{error}");
        assert!(back == content[..5 * 4096]);
    }
}

#[test]
fn a_read_that_fails_leaves_no_bytes() {
    let content = mixed(20_000);
    let (_dir, pair) = made(&params(CLASSES[0], 4, "0"), &content);
    let offset = open(&pair).info().chunk(2).unwrap().offset;
    crate::damage::flip(pair.data(), offset, 0xff);
    let mut buf = vec![0xaa; 20_000];
    let error = open(&pair).read_at(0, &mut buf).unwrap_err();
    match error {
        Error::Corrupt {
            chunk: 2,
            damage: Damage::Crc { .. },
            ..
        } => {}
        other => panic!("{other}"),
    }
    assert!(buf.iter().all(|byte| *byte == 0));
}

#[test]
fn a_file_that_shrinks_under_a_reader_is_an_error() {
    let content = mixed(40_000);
    let (_dir, pair) = made(&params(CLASSES[0], 4, "0"), &content);
    let reader = open(&pair);
    let offset = reader.info().chunk(5).unwrap().offset;
    let file = OpenOptions::new().write(true).open(pair.data()).unwrap();
    file.set_len(offset + 3).unwrap();
    let mut buf = [0; 100];
    let error = reader.read_at(5 * 4096, &mut buf).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Corrupt {
                chunk: 5,
                damage: Damage::Cut,
                ..
            }
        ),
        "{error}"
    );
    // Together with chunks that are still there, too.
    let results = reader.read_many(&[0..10, 4096 * 5..4096 * 5 + 1, 4096 * 4..4096 * 5]);
    let outcomes: Vec<_> = results.iter().map(Result::is_ok).collect();
    assert_eq!(outcomes, [true, false, true]);
}

#[test]
fn without_the_crc_what_a_format_notices_itself_is_still_found() {
    let content = mixed(20_000);
    for class in [2, 4] {
        let (_dir, pair) = made(&params(CLASSES[class], 4, "0"), &content);
        let offset = open(&pair).info().chunk(2).unwrap().offset;
        crate::damage::flip(pair.data(), offset + 700, 0x01);
        let options = ReaderOptions::default().crc_check_chance(0.0);
        let reader = Reader::open(&pair, &ENGINE, options).unwrap();
        let error = reader.read_at(2 * 4096, &mut [0; 4096]).unwrap_err();
        assert!(
            error.is_corruption() && error.to_string().contains("CRC32"),
            "{error}"
        );
    }
}

#[test]
fn bad_bytes_with_a_fitting_crc_are_bad_and_not_the_devices_fault() {
    use compressor::{Direction, Spec};
    let content = mixed(20_000);
    let params = params(CLASSES[4], 4, "0");
    let (_dir, pair) = made(&params, &content);
    crate::damage::forge(&pair, 2, |unit| unit[100] ^= 1);
    let engine = compressor::Engine::new().unwrap();
    let zlib = engine
        .compressor(&Spec::new(compressor::Format::Zlib))
        .unwrap();
    let reader = Reader::open_as(&pair, zlib.clone(), ReaderOptions::default()).unwrap();
    for _ in 0..100 {
        let error = reader.read_at(2 * 4096, &mut [0; 4096]).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Corrupt {
                    damage: Damage::Decode(_),
                    ..
                }
            ),
            "{error}"
        );
    }
    let before = zlib.counters().decompress.accelerated.ops;
    reader.read_at(0, &mut [0; 4096]).unwrap();
    let effective = compressor::Compressor::effective(&*zlib)
        .decompress
        .unwrap();
    assert_eq!(effective.provider.as_str(), "libdeflate");
    assert_eq!(zlib.counters().decompress.accelerated.ops, before + 1);
    let guard = engine
        .guards()
        .guard(effective.provider, Direction::Decompress);
    assert_eq!(guard.health(), compressor::Health::Ready);
}

#[test]
fn what_is_no_regular_file_is_refused_without_waiting() {
    let content = mixed(10_000);
    for info in [true, false] {
        for pipe in [true, false] {
            let (_dir, pair) = made(&params(CLASSES[0], 4, "0"), &content);
            let path = if info { pair.info() } else { pair.data() };
            fs::remove_file(path).unwrap();
            if pipe {
                // Nobody will ever write to it.
                mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            } else {
                fs::create_dir(path).unwrap();
            }
            let errors = [
                Reader::open(&pair, &ENGINE, ReaderOptions::default()).unwrap_err(),
                CompressionInfo::of(&pair).unwrap_err(),
            ];
            for error in errors {
                let says = format!("{}: cannot open: it is not a regular file", path.display());
                assert_eq!(error.to_string(), format!("Io: {says}"));
                assert_eq!(io::Error::from(error).kind(), io::ErrorKind::InvalidInput);
            }
        }
    }
}
