use std::fs;
use std::io::{self, Read};
use std::path::Path;

use chunk_file::{Error, Inspected, Pair, WriterOptions, pack, recompress, unpack};

use crate::support::{CLASSES, ENGINE, lz4, made, mixed, open, params, read_all};

#[test]
fn a_file_goes_in_and_comes_out() {
    let content = mixed(1_000_000);
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    let compressor = ENGINE.compressor(lz4(16).spec()).unwrap();
    let mut seen = Vec::new();
    let written = pack(
        &content[..],
        Path::new("input"),
        &pair,
        lz4(16),
        compressor,
        WriterOptions::new().threads(2),
        |done| seen.push(done),
    )
    .unwrap();
    assert_eq!((written.data_len, written.chunks), (1_000_000, 62));
    assert_eq!(seen.last(), Some(&1_000_000));
    assert!(seen.is_sorted());

    let mut back = Vec::new();
    let n = unpack(&open(&pair), &mut back, Path::new("output"), |_| ()).unwrap();
    assert_eq!(n, 1_000_000);
    assert!(back == content);
}

#[test]
fn any_spec_becomes_any_other() {
    let content = mixed(200_000);
    for from in CLASSES {
        let (dir, pair) = made(&params(from, 4, "1.1"), &content);
        for (at, to) in CLASSES.iter().enumerate() {
            let target = Pair::new(dir.path(), &format!("nb-{}-big", at + 2));
            let params = params(to, 32, "0");
            let compressor = ENGINE.compressor(params.spec()).unwrap();
            let mut last = 0;
            let options = WriterOptions::new();
            let reader = open(&pair);
            recompress(&reader, &target, params, compressor, options, |done| {
                last = done
            })
            .unwrap();
            assert_eq!(last, 200_000);
            assert!(
                read_all(&open(&target)).unwrap() == content,
                "{from:?} {to:?}"
            );
        }
    }
}

#[test]
fn a_bad_chunk_ends_a_rewrite_and_leaves_no_pair() {
    let (dir, pair) = made(&lz4(4), &mixed(100_000));
    crate::damage::flip(pair.data(), 30_000, 1);
    let target = Pair::new(dir.path(), "nb-2-big");
    let compressor = ENGINE.compressor(lz4(4).spec()).unwrap();
    let options = WriterOptions::new().threads(3);
    let reader = open(&pair);
    let error = recompress(&reader, &target, lz4(4), compressor, options, |_| ()).unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn an_input_that_fails_is_named_and_leaves_no_pair() {
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("gone"))
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    let compressor = ENGINE.compressor(lz4(4).spec()).unwrap();
    let input = b"some".chain(Fails);
    let name = Path::new("the input");
    let packed = pack(
        input,
        name,
        &pair,
        lz4(4),
        compressor,
        WriterOptions::new(),
        |_| (),
    );
    assert_eq!(
        packed.unwrap_err().to_string(),
        "Io: the input: cannot read: gone"
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn inspecting_tells_how_well_chunks_compressed() {
    let content = mixed(9 * 4096);
    let (_dir, pair) = made(&params(CLASSES[3], 4, "1.1"), &content);
    let inspected = Inspected::new(open(&pair).info());
    assert_eq!((inspected.chunks, inspected.raw_chunks), (9, 3));
    assert_eq!(inspected.max_compressed_len, Some(3724));
    assert_eq!(
        inspected.options,
        [("compression_level".into(), "-5".into())]
    );
    assert_eq!(inspected.histogram.iter().map(|b| b.chunks).sum::<u64>(), 9);
    assert_eq!(inspected.histogram.last().unwrap().chunks, 3);
    let json = serde_json::to_value(&inspected).unwrap();
    assert_eq!(json["class"], "ZstdCompressor");
    assert_eq!(json["data_len"], 36_864);
}
