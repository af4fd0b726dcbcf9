use std::fs;
use std::io::Write;
use std::sync::Arc;

use chunk_file::{Error, Inspected, Pair, Writer, WriterOptions};

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
    assert!(exists(create().map(drop)));
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

#[test]
fn a_thread_that_dies_is_an_error_and_leaves_nothing() {
    use crate::misbehaving::{self, PanicsIn, Place};
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    let codec = ENGINE.compressor(lz4(4).spec()).unwrap();
    // Bare: the decorator would catch it.
    let panics = misbehaving::compressor(Arc::new(PanicsIn::new(Place::Compress)), codec);
    let mut writer =
        Writer::create(&pair, lz4(4), panics, WriterOptions::new().threads(2)).unwrap();
    let error = writer.append(&rows(100_000)).unwrap_err();
    assert!(matches!(error, Error::Broken { .. }), "{error}");
    assert!(matches!(writer.finish(), Err(Error::Broken { .. })));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
