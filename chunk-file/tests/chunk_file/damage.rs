//! Bytes that are not what was written.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use chunk_file::{Error, Pair, Params, Reader, ReaderOptions};

use crate::support::{CLASSES, ENGINE, made, open, params, random, read_all, rows};

pub fn flip(path: &Path, at: u64, mask: u8) {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    byte[0] ^= mask;
    file.write_all_at(&byte, at).unwrap();
}

/// Changes a chunk and makes its CRC fit.
pub fn forge(pair: &Pair, chunk: u64, change: impl FnOnce(&mut [u8])) {
    let chunk = open(pair).info().chunk(chunk).unwrap();
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(pair.data())
        .unwrap();
    let mut unit = vec![0; chunk.stored_len];
    file.read_exact_at(&mut unit, chunk.offset).unwrap();
    change(&mut unit);
    let crc = crc32fast::hash(&unit);
    file.write_all_at(&unit, chunk.offset).unwrap();
    file.write_all_at(&crc.to_be_bytes(), chunk.offset + unit.len() as u64)
        .unwrap();
}

fn read(pair: &Pair) -> Result<Vec<u8>, Error> {
    read_all(&Reader::open(pair, &ENGINE, ReaderOptions::default())?)
}

/// Flips each byte of a file by each mask; the places where nobody noticed, with whether the
/// content was right all the same.
fn unnoticed(path: &Path, pair: &Pair, masks: &[u8], content: &[u8]) -> BTreeSet<(usize, bool)> {
    let len = fs::metadata(path).unwrap().len();
    // One for all: an engine's compressors check themselves when they are made.
    let codec = open(pair).compressor().clone();
    let read = || {
        let reader = Reader::open_as(pair, codec.clone(), ReaderOptions::default())?;
        read_all(&reader)
    };
    let mut found = BTreeSet::new();
    for at in 0..len {
        for mask in masks {
            flip(path, at, *mask);
            match read() {
                Ok(back) => {
                    found.insert((at as usize, back == content));
                }
                Err(error) => assert!(error.is_corruption(), "{at}: {error}"),
            }
            flip(path, at, *mask);
        }
    }
    assert_eq!(read().unwrap(), content);
    found
}

/// Where the fields of a metadata file without options, or with one, begin.
fn fields(pair: &Pair) -> usize {
    let info = open(pair).info().clone();
    let texts = info.options().iter().map(|(k, v)| 4 + k.len() + v.len());
    2 + info.class().len() + 4 + texts.sum::<usize>()
}

fn every_mask() -> Vec<u8> {
    (1..=255).collect()
}

#[test]
fn every_flip_in_the_data_is_noticed() {
    let content = [rows(1024), random(1024), rows(300)].concat();
    for class in CLASSES {
        for ratio in ["0", "1.1"] {
            let params = params(class, 1, ratio);
            let (_dir, pair) = made(&params, &content);
            let found = unnoticed(pair.data(), &pair, &[0x01, 0x80, 0xff], &content);
            assert!(found.is_empty(), "{class:?} {ratio}: {found:?}");
        }
    }
}

#[test]
fn every_flip_in_the_metadata_is_noticed_or_harmless() {
    // A raw chunk in the middle, so that the max compressed length matters.
    let content = [rows(1024), random(1024), rows(300)].concat();
    for (class, ratio) in [
        (0, "1.1"),
        (2, "0"),
        (3, "1.1"),
        (4, "1.1"),
        (5, "2"),
        (6, "0"),
    ] {
        let params: Params = params(CLASSES[class], 1, ratio);
        let (_dir, pair) = made(&params, &content);
        let found = unnoticed(pair.info(), &pair, &every_mask(), &content);
        let fields = fields(&pair);
        let options = 2 + params.class().name.len() + 4..fields;
        let max_len = fields + 4..fields + 8;
        for (at, right) in found {
            assert!(right, "{class} {ratio}: wrong content after a flip at {at}");
            // An option's value binds the writer alone; a max length that parts raw chunks from
            // compressed ones at another place between them is as good.
            let harmless = options.contains(&at) || max_len.contains(&at);
            assert!(harmless, "{class} {ratio}: a flip at {at} went unnoticed");
        }
    }
}

#[test]
fn with_one_chunk_its_length_may_be_any_that_holds_the_content() {
    let content = rows(700);
    let (_dir, pair) = made(&params(CLASSES[0], 1, "0"), &content);
    let fields = fields(&pair);
    for (at, right) in unnoticed(pair.info(), &pair, &every_mask(), &content) {
        assert!(right && (fields..fields + 4).contains(&at), "{at}");
    }
}

#[test]
fn in_a_raw_chunk_that_is_filled_up_only_the_data_length_says_where_content_ends() {
    // What the layout cannot tell, stated so that nobody relies on it.
    let content = [random(1024), random(1020)].concat();
    let (_dir, pair) = made(&params(CLASSES[0], 1, "1"), &content);
    assert_eq!(open(&pair).info().chunk(1).unwrap().stored_len, 1024);
    let fields = fields(&pair);
    let data_len = fields + 8..fields + 16;
    let mut wrong = 0;
    for (at, right) in unnoticed(pair.info(), &pair, &every_mask(), &content) {
        wrong += usize::from(!right);
        assert!(data_len.contains(&at) && !right, "{at}");
    }
    assert!(wrong > 0);
    // Longer means zeros, which is what is there; shorter would leave content in the padding.
    let last = data_len.end as u64 - 1;
    let low = *content.len().to_be_bytes().last().unwrap();
    flip(pair.info(), last, low ^ 0xff);
    assert_eq!(read(&pair).unwrap(), [&content[..], &[0; 3]].concat());
    flip(pair.info(), last, 0xff ^ 0xf0);
    assert!(read(&pair).is_err());
}

#[test]
fn a_chunk_that_does_not_decode_is_never_read_as_raw() {
    let content = rows(3 * 1024);
    for class in [0, 2, 4, 5] {
        let (_dir, pair) = made(&params(CLASSES[class], 1, "1.1"), &content);
        forge(&pair, 1, |unit| unit.fill(0xff));
        let reader = open(&pair);
        let error = reader.read_at(1024, &mut [0; 1024]).unwrap_err();
        assert!(error.is_corruption(), "{error}");
        assert_eq!(reader.verify(|_| ()).bad.len(), 1);
    }
}

#[test]
fn padding_that_is_not_zero_is_noticed() {
    let (_dir, pair) = made(&params(CLASSES[0], 1, "1"), &random(1020));
    forge(&pair, 0, |unit| *unit.last_mut().unwrap() = 1);
    let error = read(&pair).unwrap_err();
    assert!(error.to_string().contains("zeros"), "{error}");
}

#[test]
fn metadata_of_another_data_file_is_refused() {
    let (_dir, pair) = made(&params(CLASSES[0], 1, "0"), &rows(5000));
    let (_other_dir, other) = made(&params(CLASSES[0], 1, "0"), &rows(50_000));
    fs::copy(other.info(), pair.info()).unwrap();
    assert!(matches!(read(&pair), Err(Error::Refused { .. })));
    fs::remove_file(pair.info()).unwrap();
    assert!(matches!(read(&pair), Err(Error::Io { .. })));
}
