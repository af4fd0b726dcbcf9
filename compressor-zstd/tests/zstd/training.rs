//! Training a dictionary, and being refused one.

use compressor_api::ErrorKind;
use compressor_zstd::{TrainError, train};

use crate::common::content;

fn samples(count: u64, len: usize) -> Vec<Vec<u8>> {
    (0..count).map(|seed| content(0, seed, len)).collect()
}

#[test]
fn the_same_samples_give_the_same_dictionary() {
    let samples = samples(100, 500);
    let first = train(&samples, 4_096).unwrap();
    assert_eq!(train(&samples, 4_096), Ok(first.clone()));
    assert!(first.bytes().len() <= 4_096);
    assert!(first.id().is_some_and(|id| (32_768..1 << 31).contains(&id)));
}

#[test]
fn too_little_to_learn_from_is_refused() {
    let six = samples(6, 500);
    let short = samples(1_000, 7);
    let long_behind_short: Vec<_> = short.iter().chain(&six).cloned().collect();
    for samples in [&[][..], &six, &short, &long_behind_short] {
        assert_eq!(train(samples, 4_096), Err(TrainError::Samples));
    }
    assert!(
        TrainError::Samples
            .to_string()
            .contains("7 samples of 8 bytes")
    );
}

#[test]
fn a_dictionary_shorter_than_any_is_refused() {
    let samples = samples(50, 500);
    for max_len in [0, 1, 255] {
        let error = train(&samples, max_len).unwrap_err();
        assert_eq!(error, TrainError::LengthTooSmall { max_len });
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}

#[test]
fn samples_with_nothing_in_common_never_harm() {
    let alike = vec![vec![b'a'; 100]; 50];
    let shortest = vec![*b"12345678"; 7];
    let noise: Vec<_> = (1..50).map(|seed| content(2, seed * 7_919, 200)).collect();
    let usable = |result: Result<compressor_api::Dictionary, TrainError>| match result {
        Ok(dictionary) => assert!(dictionary.bytes().len() <= 1_024),
        Err(error) => assert!(matches!(error, TrainError::Library { .. }), "{error}"),
    };
    usable(train(&alike, 1_024));
    usable(train(&shortest, 1_024));
    usable(train(&noise, 1_024));
}

#[test]
fn threads_may_train_at_once() {
    let samples = samples(60, 300);
    let alone = train(&samples, 1_024).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(train(&samples, 1_024).as_ref(), Ok(&alone)));
        }
    });
}
