//! Sessions used over and over, from many threads, and through the registry.

use compressor_api::ErrorKind::{CorruptInput, OutputTooSmall, Unsupported, WrongDictionary};
use compressor_api::{
    CompressSession, DecompressSession, Dictionary, Direction, Health, Job, Policy, Registry,
    SessionPool, Verdict,
};

use crate::common::{KINDS, compress, compressor, content, spec};

#[test]
fn a_compress_session_is_as_new_after_a_failure() {
    let dictionary = Dictionary::raw(content(0, 40, 4_000)).unwrap();
    let with = spec(3).with_dictionary(dictionary).unwrap();
    for spec in [spec(-5), spec(3), spec(6), with] {
        let compressor = compressor(&spec);
        let mut session = compressor.compress_session().unwrap();
        for (kind, len) in [(0, 3_000), (2, 5_000), (0, 200_000), (0, 0), (0, 700)] {
            for room in [0, 1, 10, 100, 690] {
                let content = content(2, 41, 700 + len);
                let error = session.compress(&content, &mut vec![0; room]).unwrap_err();
                assert_eq!(error.kind(), OutputTooSmall);
            }
            let content = content(kind, 42, len);
            let expected = compress(&*compressor, &content);
            let mut unit = vec![0; expected.len()];
            assert_eq!(session.compress(&content, &mut unit), Ok(expected.len()));
            assert_eq!(unit, expected);
        }
    }
}

#[test]
fn a_decompress_session_is_as_new_after_each_kind_of_failure() {
    let compressor = compressor(&spec(3));
    let block = content(0, 43, 200_000);
    let unit = compress(&*compressor, &block);
    let mut session = compressor.decompress_session().unwrap();
    let mut dst = vec![0; block.len()];

    let mut damaged_block = unit.clone();
    damaged_block[unit.len() / 2] ^= 0x10;
    let mut damaged_checksum = unit.clone();
    *damaged_checksum.last_mut().unwrap() ^= 1;
    let named = b"\x28\xb5\x2f\xfd\x21\x07\x05\x29\0\0hello";
    let too_wide = b"\x28\xb5\x2f\xfd\x00\xb0\x29\0\0hello";
    for (failing, room, kind) in [
        (&unit[..], block.len() - 1, OutputTooSmall),
        (&unit, 0, OutputTooSmall),
        (&unit[..unit.len() - 1], block.len(), CorruptInput),
        (&damaged_block, block.len(), CorruptInput),
        (&damaged_checksum, block.len(), CorruptInput),
        (named, block.len(), WrongDictionary),
        (too_wide, block.len(), Unsupported),
        (b"", block.len(), CorruptInput),
    ] {
        let error = session.decompress(failing, &mut dst[..room]).unwrap_err();
        assert_eq!(error.kind(), kind);
        dst.fill(0xC5);
        assert_eq!(session.decompress(&unit, &mut dst), Ok(block.len()));
        assert!(dst == block);
    }
}

#[test]
fn sizes_and_kinds_in_any_order_leave_no_trace() {
    let compressor = compressor(&spec(3));
    let mut session = compressor.compress_session().unwrap();
    let mut unit = vec![0; 200_000];
    for round in 0..4 {
        for kind in 0..KINDS {
            for len in [0, 65_536, 17, 16_384, 150_000, 1] {
                let content = content(kind, 44 + round, len);
                let n = session.compress(&content, &mut unit).unwrap();
                assert!(unit[..n] == compress(&*compressor, &content));
            }
        }
    }
}

#[test]
fn the_jobs_of_a_batch_do_not_touch_each_other() {
    let compressor = compressor(&spec(3));
    let blocks: Vec<_> = (0..KINDS).map(|kind| content(kind, 48, 3_000)).collect();
    let mut units = vec![vec![0; 4_000]; blocks.len()];
    units[1].truncate(3);
    let mut jobs: Vec<_> = { blocks.iter().zip(&mut units) }
        .map(|(block, unit)| Job::new(block, unit))
        .collect();
    compressor
        .compress_session()
        .unwrap()
        .compress_many(&mut jobs);
    let results: Vec<_> = jobs.iter().map(|job| job.result).collect();
    for (at, (block, result)) in blocks.iter().zip(results).enumerate() {
        match result {
            Ok(n) => assert_eq!(units[at][..n], compress(&*compressor, block)),
            Err(error) => assert_eq!((at, error.kind()), (1, OutputTooSmall)),
        }
    }
}

#[test]
fn threads_share_a_compressor_and_its_dictionary() {
    let samples: Vec<_> = (0..100).map(|seed| content(0, seed, 500)).collect();
    let dictionary = compressor_zstd::train(&samples, 4_000).unwrap();
    let compressor = compressor(&spec(1).with_dictionary(dictionary).unwrap());
    let pool = SessionPool::new(compressor, 2);
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let pool = &pool;
            scope.spawn(move || {
                for round in 0..30 {
                    let block = content(0, thread * 100 + round, 1_500);
                    let (mut unit, mut back) = (vec![0; 2_000], vec![0; block.len()]);
                    let n = pool.compress(&block, &mut unit).unwrap();
                    pool.decompress_exact(&unit[..n], &mut back).unwrap();
                    assert_eq!(back, block);
                }
            });
        }
    });
}

#[test]
fn sessions_move_between_threads() {
    let compressor = compressor(&spec(3));
    let mut compress: Box<dyn CompressSession> = compressor.compress_session().unwrap();
    let mut decompress: Box<dyn DecompressSession> = compressor.decompress_session().unwrap();
    for seed in 0..3 {
        (compress, decompress) = std::thread::spawn(move || {
            let block = content(0, 49 + seed, 20_000);
            let (mut unit, mut back) = (vec![0; 21_000], vec![0; block.len()]);
            let n = compress.compress(&block, &mut unit).unwrap();
            decompress.decompress_exact(&unit[..n], &mut back).unwrap();
            assert_eq!(back, block);
            (compress, decompress)
        })
        .join()
        .unwrap();
    }
}

#[test]
fn the_registry_opens_tests_and_chooses_it() {
    for builder in [
        Registry::builder().provider(&compressor_zstd::PROVIDER),
        Registry::builder().submitted(),
    ] {
        let registry = builder.build().unwrap();
        let spec = spec(5);
        let selection = registry.select(&spec, &Policy::default()).unwrap();
        assert!(selection.accelerator(Direction::Compress).is_none());
        assert_eq!(selection.considered.len(), 2);
        for considered in &selection.considered {
            assert_eq!(considered.provider, compressor_zstd::PROVIDER.id);
            assert_eq!(considered.verdict, Verdict::Chosen);
        }
        assert_eq!(registry.health("software.zstd"), Some(Health::Ready));

        let software = selection.software;
        assert_eq!(software.spec(), &spec);
        for side in [
            software.effective().compress,
            software.effective().decompress,
        ] {
            assert_eq!(side.unwrap().provider, compressor_zstd::PROVIDER.id);
            assert_eq!(side.unwrap().level, 5);
        }
        let block = content(0, 60, 10_000);
        let pool = SessionPool::new(software, 1);
        let (mut unit, mut back) = (vec![0; 11_000], vec![0; block.len()]);
        let n = pool.compress(&block, &mut unit).unwrap();
        assert_eq!(pool.decompress_exact(&unit[..n], &mut back), Ok(()));
        assert_eq!(back, block);
    }
}
