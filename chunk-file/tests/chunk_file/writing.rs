use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use chunk_file::{Error, Inspected, Pair, Params, Writer, WriterOptions, clean};
use compressor_api::{CompressSession, ErrorKind, Spec};
use tempfile::TempDir;

use crate::misbehaving::{self, Misbehaviour, PanicsIn, Place};
use crate::support::{
    CLASSES, ENGINE, lz4, made, mixed, open, params, random, read_all, rows, write,
};

#[test]
fn every_class_comes_back_at_every_length_around_a_chunk() {
    let content = mixed(3 * 8192 + 1);
    for class in CLASSES {
        for ratio in ["0", "1.1"] {
            let params = params(class, 8, ratio);
            for len in [0, 1, 8191, 8192, 8193, 24_577] {
                let (_dir, pair) = made(&params, &content[..len]);
                let back = read_all(&open(&pair)).unwrap();
                assert!(back == content[..len], "{class:?} {ratio} {len}");
            }
        }
    }
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let content = mixed(300_000);
    let params = params(CLASSES[0], 4, "1.1");
    let dir = tempfile::tempdir().unwrap();
    let files: Vec<_> = [0, 1, 2, 3, 7]
        .into_iter()
        .map(|threads| {
            let pair = Pair::new(dir.path(), &format!("nb-{threads}-big"));
            let written = write(&pair, &params, threads, &content).unwrap();
            assert_eq!(written.chunks, 74);
            (
                written,
                fs::read(pair.data()).unwrap(),
                fs::read(pair.info()).unwrap(),
            )
        })
        .collect();
    assert!(files.windows(2).all(|two| two[0] == two[1]));
    assert_eq!(files[0].0.file_len, files[0].1.len() as u64);
}

#[test]
fn what_does_not_shrink_enough_is_raw() {
    let content = [rows(4096), random(4096), random(1020)].concat();
    for (ratio, raw, last_len) in [("0", 0, None), ("1", 1, None), ("4", 3, Some(1024))] {
        let (_dir, pair) = made(&params(CLASSES[4], 4, ratio), &content);
        let reader = open(&pair);
        assert_eq!(Inspected::new(reader.info()).raw_chunks, raw, "{ratio}");
        if let Some(len) = last_len {
            // Filled up to the max compressed length, which tells that it is raw.
            assert_eq!(reader.info().chunk(2).unwrap().stored_len, len);
        }
        assert_eq!(read_all(&reader).unwrap(), content, "{ratio}");
    }
}

#[test]
fn an_empty_file_has_one_chunk() {
    for (class, bytes) in [(0, &[0, 0, 0, 0, 0][..]), (4, &[]), (6, &[])] {
        let (_dir, pair) = made(&params(CLASSES[class], 16, "0"), b"");
        let mut expected = bytes.to_vec();
        expected.extend(crc32fast::hash(bytes).to_be_bytes());
        assert_eq!(
            fs::read(pair.data()).unwrap(),
            expected,
            "{:?}",
            CLASSES[class]
        );
        assert_eq!(open(&pair).info().chunk_count(), 1);
    }
}

#[test]
fn nothing_is_seen_before_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    let lz4_compressor = ENGINE.compressor(lz4(4).spec()).unwrap();
    let mut writer = Writer::create(
        &pair,
        lz4(4),
        lz4_compressor,
        WriterOptions::new().threads(2),
    )
    .unwrap();
    writer.write_all(&rows(100_000)).unwrap();
    assert_eq!(writer.len(), 100_000);
    assert!(!pair.data().exists() && !pair.info().exists());
    drop(writer);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_name_is_taken_once() {
    let (dir, pair) = made(&lz4(4), b"first");
    let exists = |result: Result<_, Error>| matches!(result, Err(Error::Exists { .. }));
    assert!(exists(write(&pair, &lz4(4), 1, b"second").map(drop)));
    assert_eq!(read_all(&open(&pair)).unwrap(), b"first");

    let other = Pair::new(dir.path(), "nb-2-big");
    let create = || {
        let compressor = ENGINE.compressor(lz4(4).spec()).unwrap();
        Writer::create(&other, lz4(4), compressor, WriterOptions::new())
    };
    let writer = create().unwrap();
    let error = create().unwrap_err();
    assert!(matches!(error, Error::Busy { .. }), "{error}");
    assert!(error.to_string().contains("wait until it has ended"));
    writer.finish().unwrap();
    assert!(exists(create().map(drop)));
}

#[test]
fn a_pair_that_turned_up_meanwhile_stays() {
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    let compressor = ENGINE.compressor(lz4(4).spec()).unwrap();
    let writer = Writer::create(&pair, lz4(4), compressor, WriterOptions::new()).unwrap();
    fs::write(pair.data(), b"somebody else's").unwrap();
    assert!(matches!(writer.finish(), Err(Error::Exists { .. })));
    assert_eq!(fs::read(pair.data()).unwrap(), b"somebody else's");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_directory_that_is_not_there_is_an_error_with_its_name() {
    let pair = Pair::new("/nowhere/at/all", "nb-1-big");
    let error = write(&pair, &lz4(4), 1, b"x").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("Io: /nowhere/at/all/nb-1-big-Data.db"),
        "{error}"
    );
}

#[test]
fn a_compressor_of_another_format_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    let zlib = ENGINE
        .compressor(params(CLASSES[4], 4, "0").spec())
        .unwrap();
    let refused = Writer::create(&pair, lz4(4), zlib, WriterOptions::new());
    assert!(matches!(refused, Err(Error::Unavailable { .. })));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// A writer whose compressor misbehaves. Bare: the decorator would catch it.
fn misbehaving_writer(
    behaviour: impl Misbehaviour,
    params: Params,
    threads: usize,
) -> (TempDir, Result<Writer, Error>) {
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    let codec = ENGINE.compressor(params.spec()).unwrap();
    let codec = misbehaving::compressor(Arc::new(behaviour), codec);
    let writer = Writer::create(&pair, params, codec, WriterOptions::new().threads(threads));
    (dir, writer)
}

fn files(dir: &TempDir) -> usize {
    fs::read_dir(dir.path()).unwrap().count()
}

#[test]
fn a_thread_that_dies_is_an_error_and_leaves_nothing() {
    let (dir, writer) = misbehaving_writer(PanicsIn::new(Place::Compress), lz4(4), 2);
    let mut writer = writer.unwrap();
    let error = writer.append(&rows(100_000)).unwrap_err();
    assert!(matches!(error, Error::Broken { .. }), "{error}");
    assert!(matches!(writer.finish(), Err(Error::Broken { .. })));
    assert_eq!(files(&dir), 0);
}

#[test]
fn a_writer_out_of_which_a_panic_came_never_publishes() {
    let (dir, writer) = misbehaving_writer(PanicsIn::new(Place::Compress), lz4(4), 1);
    let mut writer = writer.unwrap();
    let payload = catch_unwind(AssertUnwindSafe(|| writer.append(&rows(10_000)))).unwrap_err();
    // It panics when it is dropped.
    std::mem::forget(payload);
    assert!(matches!(writer.append(b"more"), Err(Error::Broken { .. })));
    assert!(writer.flush().is_err());
    assert!(matches!(writer.finish(), Err(Error::Broken { .. })));
    assert_eq!(files(&dir), 0);
}

/// Says OK and that length, whatever it was given.
#[derive(Debug)]
struct Claims(usize);

impl Misbehaviour for Claims {
    fn compress(
        &self,
        _: &mut dyn CompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, compressor_api::Error> {
        Ok(self.0)
    }
}

#[test]
fn a_length_that_no_unit_can_have_is_an_error_and_never_a_raw_chunk() {
    let room = |params: &Params| {
        let codec = ENGINE.compressor(params.spec()).unwrap();
        compressor_api::Compressor::max_compressed_len(&*codec, 4096).unwrap()
    };
    for ratio in ["0", "1.1"] {
        let params = params(CLASSES[0], 4, ratio);
        let too_long = room(&params) + 1;
        for claim in [0, 1, 16, too_long, i32::MAX as usize, 1 << 31, usize::MAX] {
            for threads in [1, 2] {
                let (dir, writer) = misbehaving_writer(Claims(claim), params.clone(), threads);
                let mut writer = writer.unwrap();
                writer.append(&rows(4096)).unwrap();
                match writer.finish().unwrap_err() {
                    Error::Codec {
                        chunk: 0, error, ..
                    } => {
                        assert_eq!(error.kind(), ErrorKind::Device, "{claim}");
                    }
                    other => panic!("{claim}: {other}"),
                }
                assert_eq!(files(&dir), 0);
            }
        }
    }
}

/// Asks for that much room.
#[derive(Debug)]
struct Asks(usize);

impl Misbehaviour for Asks {
    fn bound(&self, _: Option<usize>) -> Option<usize> {
        Some(self.0)
    }
}

#[test]
fn a_compressor_that_asks_for_absurd_room_is_refused() {
    for bound in [2 * 4096 + 65_537, 1 << 46, usize::MAX] {
        let (dir, writer) = misbehaving_writer(Asks(bound), lz4(4), 1);
        let error = writer.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error}");
        let says = format!("asks for {bound} bytes of room to compress a chunk of 4096");
        assert!(error.to_string().ends_with(&says), "{error}");
        assert_eq!(files(&dir), 0);
    }
    let (_dir, writer) = misbehaving_writer(Asks(2 * 4096 + 65_536), lz4(4), 1);
    let mut writer = writer.unwrap();
    writer.append(&rows(10_000)).unwrap();
    assert_eq!(writer.finish().unwrap().chunks, 3);
}

#[test]
fn no_depth_is_too_great() {
    let content = rows(100_000);
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    let compressor = ENGINE.compressor(lz4(4).spec()).unwrap();
    let options = WriterOptions::new().threads(2).depth(usize::MAX);
    let mut writer = Writer::create(&pair, lz4(4), compressor, options).unwrap();
    writer.append(&content).unwrap();
    writer.finish().unwrap();
    assert!(read_all(&open(&pair)).unwrap() == content);
}

#[test]
fn what_a_dead_writer_left_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    for (file, content) in [
        (
            "nb-1-big-Data.db.tmp",
            "more than half of a pair that never was",
        ),
        ("nb-1-big-CompressionInfo.db.tmp", "half of its metadata"),
        (
            "nb-1-big-CompressionInfo.db",
            "metadata whose data never came",
        ),
    ] {
        fs::write(dir.path().join(file), content).unwrap();
    }
    write(&pair, &lz4(4), 1, b"content").unwrap();
    assert_eq!(read_all(&open(&pair)).unwrap(), b"content");
    assert_eq!(files(&dir), 2);
}

#[test]
fn files_that_are_left_over_are_not_those_of_a_writer_that_lives() {
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    let compressor = ENGINE.compressor(lz4(4).spec()).unwrap();
    let mut writer = Writer::create(&pair, lz4(4), compressor, WriterOptions::new()).unwrap();
    writer.append(b"content").unwrap();
    let left = dir.path().join("nb-2-big-Data.db.tmp");
    fs::write(&left, b"half").unwrap();
    assert_eq!(clean(dir.path()).unwrap(), [left]);
    writer.finish().unwrap();
    assert_eq!(read_all(&open(&pair)).unwrap(), b"content");
}

#[test]
fn a_file_that_another_put_in_the_place_of_a_writers_is_never_published() {
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    let compressor = ENGINE.compressor(lz4(4).spec()).unwrap();
    let writer = Writer::create(&pair, lz4(4), compressor, WriterOptions::new()).unwrap();
    let unfinished = dir.path().join("nb-1-big-Data.db.tmp");
    fs::remove_file(&unfinished).unwrap();
    fs::write(&unfinished, b"half of another").unwrap();
    let error = writer.finish().unwrap_err();
    assert!(matches!(error, Error::Busy { .. }), "{error}");
    assert!(!pair.data().exists() && !pair.info().exists());
}

#[test]
fn a_link_that_leads_nowhere_is_a_name_that_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    symlink("/nowhere/nb-1-big-Data.db", pair.data()).unwrap();
    fs::write(pair.info(), b"of data on another disk").unwrap();
    let error = write(&pair, &lz4(4), 1, b"content").unwrap_err();
    assert!(matches!(error, Error::Exists { .. }), "{error}");
    assert!(pair.data().is_symlink());
    assert_eq!(fs::read(pair.info()).unwrap(), b"of data on another disk");
    assert_eq!(files(&dir), 2);
}

/// As [`Claims`], with room for it.
#[derive(Debug)]
struct ClaimsInRoom(usize);

impl Misbehaviour for ClaimsInRoom {
    fn bound(&self, _: Option<usize>) -> Option<usize> {
        Some(3 * 4096)
    }

    fn compress(
        &self,
        _: &mut dyn CompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, compressor_api::Error> {
        Ok(self.0)
    }
}

#[test]
fn what_is_not_compressed_at_all_has_the_length_of_its_content() {
    for ratio in ["0", "1"] {
        for claim in [0, 4095, 4097, 5000, 2 * 4096] {
            let params = params(CLASSES[6], 4, ratio);
            let (dir, writer) = misbehaving_writer(ClaimsInRoom(claim), params, 1);
            let mut writer = writer.unwrap();
            writer.append(&rows(4096)).unwrap();
            let error = writer.finish().unwrap_err();
            assert!(
                matches!(&error, Error::Codec { error, .. } if error.kind() == ErrorKind::Device),
                "{claim}: {error}"
            );
            assert_eq!(files(&dir), 0);
        }
    }
}
