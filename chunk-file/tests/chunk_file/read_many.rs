use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chunk_file::{Damage, Error, Reader, ReaderOptions};
use compressor_api::{Compressor, DecompressSession, Spec};

use crate::misbehaving::{self, Misbehaviour};
use crate::support::{CLASSES, ENGINE, lz4, made, mixed, open, params, read_all};

#[test]
fn results_come_in_the_callers_order() {
    let content = mixed(100_000);
    let (_dir, pair) = made(&params(CLASSES[0], 4, "1.1"), &content);
    let ranges = [
        90_000..90_010,
        0..0,
        5..15,
        4090..4100,
        5..15,
        0..100_000,
        99_999..100_000,
        100_000..100_000,
        5..15,
        8192..12_288,
    ];
    for options in [
        ReaderOptions::default(),
        ReaderOptions::default().cache_bytes(5 * 4096),
    ] {
        let reader = Reader::open(&pair, &ENGINE, options).unwrap();
        for _ in 0..3 {
            let results = reader.read_many(&ranges);
            assert_eq!(results.len(), ranges.len());
            for (range, result) in ranges.iter().zip(results) {
                let expected = &content[range.start as usize..range.end as usize];
                assert!(result.unwrap() == expected, "{range:?}");
            }
        }
    }
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
fn ranges_that_lie_outside_fail_alone() {
    let content = mixed(10_000);
    let (_dir, pair) = made(&params(CLASSES[0], 4, "0"), &content);
    let results = open(&pair).read_many(&[0..1, 0..10_001, 9..3, u64::MAX - 1..u64::MAX, 3..9]);
    for (at, result) in results.iter().enumerate() {
        match (at, result) {
            (0 | 4, Ok(_)) => {}
            (1..=3, Err(Error::OutOfRange { data_len, .. })) => assert_eq!(*data_len, 10_000),
            other => panic!("{other:?}"),
        }
    }
    assert!(open(&pair).read_many(&[]).is_empty());
}

#[test]
fn a_bad_chunk_fails_those_who_need_it() {
    let content = mixed(40_000);
    let (_dir, pair) = made(&params(CLASSES[0], 4, "0"), &content);
    let offset = open(&pair).info().chunk(3).unwrap().offset;
    crate::damage::flip(pair.data(), offset + 20, 4);
    let at = 3 * 4096;
    let results = open(&pair).read_many(&[0..at, at - 1..at + 1, at..at + 1, at + 4096..at + 4100]);
    let bad: Vec<_> = results
        .iter()
        .map(|result| match result {
            Ok(_) => None,
            Err(Error::Corrupt { chunk, .. }) => Some(*chunk),
            Err(other) => panic!("{other}"),
        })
        .collect();
    assert_eq!(bad, [None, Some(3), Some(3), None]);
    assert!(results[3].as_ref().unwrap()[..] == content[at as usize + 4096..at as usize + 4100]);
}

/// Counts what reaches the codec.
#[derive(Debug, Default)]
struct Counts(AtomicU64);

impl Misbehaviour for Counts {
    fn decompress(
        &self,
        codec: &mut dyn DecompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, compressor_api::Error> {
        self.0.fetch_add(1, Ordering::Relaxed);
        codec.decompress(src, dst)
    }
}

#[test]
fn a_chunk_is_decoded_once_however_many_want_it() {
    let content = mixed(100_000);
    let params = params(CLASSES[2], 4, "0");
    let (_dir, pair) = made(&params, &content);
    let counts = Arc::new(Counts::default());
    let codec = ENGINE.compressor(params.spec()).unwrap();
    let counted: Arc<dyn Compressor> = misbehaving::compressor(counts.clone(), codec);
    for (cache, expected) in [(0, 8), (1 << 20, 4)] {
        let options = ReaderOptions::default().cache_bytes(cache);
        let reader = Reader::open_as(&pair, counted.clone(), options).unwrap();
        let requests: Vec<_> = (0..200_u64)
            .map(|i| (i % 4) * 20_480 + i..(i % 4) * 20_480 + i + 50)
            .collect();
        for _ in 0..2 {
            assert!(reader.read_many(&requests).iter().all(Result::is_ok));
        }
        assert_eq!(counts.0.swap(0, Ordering::Relaxed), expected);
    }
}

#[test]
fn chunks_of_one_byte_are_read_as_any_others() {
    let content = mixed(5000);
    let params = lz4(1).with_chunk_len(1).unwrap();
    let (_dir, pair) = made(&params, &content);
    let reader = open(&pair);
    assert_eq!(reader.info().chunk_count(), 5000);
    let ranges = [4000..5000, 0..5000, 7..8, 0..1, 1000..3000];
    for (range, result) in ranges.iter().zip(reader.read_many(&ranges)) {
        let expected = &content[range.start as usize..range.end as usize];
        assert!(result.unwrap() == expected, "{range:?}");
    }
    let mut back = Vec::new();
    std::io::Read::read_to_end(&mut reader.sequential(), &mut back).unwrap();
    assert!(back == content);
    assert!(read_all(&reader).unwrap() == content);
}

/// A pair whose metadata claims 16 MiB of content for each of a million chunks of no byte: 16 TiB
/// in a data file of 4 MiB.
#[test]
fn content_that_the_files_do_not_bear_out_costs_no_memory() {
    const CHUNKS: u32 = 1 << 20;
    const CHUNK_LEN: u64 = 16 << 20;
    let (_dir, pair) = made(&lz4(16), b"");
    let mut info = fs::read(pair.info()).unwrap();
    info.truncate(2 + "LZ4Compressor".len() + 4);
    info.extend((CHUNK_LEN as u32).to_be_bytes());
    info.extend(i32::MAX.to_be_bytes());
    info.extend((u64::from(CHUNKS) * CHUNK_LEN).to_be_bytes());
    info.extend(CHUNKS.to_be_bytes());
    info.extend((0..u64::from(CHUNKS)).flat_map(|chunk| (4 * chunk).to_be_bytes()));
    fs::write(pair.info(), &info).unwrap();
    fs::write(pair.data(), vec![0; 4 * CHUNKS as usize]).unwrap();

    let reader = open(&pair);
    let all = 0..reader.info().data_len();
    let results = reader.read_many(&[all.clone(), all, 3 * CHUNK_LEN..3 * CHUNK_LEN + 1]);
    let first_bad: Vec<_> = results
        .into_iter()
        .map(|result| match result.unwrap_err() {
            Error::Corrupt {
                chunk,
                damage: Damage::TooMuchContent { .. },
                ..
            } => chunk,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(first_bad, [0, 0, 3]);
}
