//! The published limits, at each value and one past it.

use compressor_api::{Capabilities, Direction, Format};

use crate::{compressor, factory};

fn capabilities(direction: Direction) -> Capabilities {
    let factory = factory();
    let mut all = factory.capabilities().iter();
    *all.find(|c| c.direction == direction).unwrap()
}

#[test]
fn the_format_is_listed_in_both_directions() {
    assert_eq!(factory().capabilities().len(), 2);
    for direction in Direction::BOTH {
        let listed = capabilities(direction);
        assert_eq!((listed.format, listed.min_input), (Format::Snappy, 0));
    }
    assert_eq!(capabilities(Direction::Compress).window, 65_535);
    assert_eq!(capabilities(Direction::Decompress).window, 4_294_967_295);
    assert_eq!(
        capabilities(Direction::Decompress).max_output,
        4_294_967_295
    );
}

#[test]
fn the_bound_ends_at_the_limit() {
    let limit = capabilities(Direction::Compress).max_input;
    let compressor = compressor();
    assert!(compressor.max_compressed_len(limit).is_some());
    for beyond in [limit + 1, u32::MAX as usize, usize::MAX] {
        assert_eq!(compressor.max_compressed_len(beyond), None);
    }
}

/// Large slices are zero pages of which 64 KiB are read.
#[cfg(not(miri))]
#[test]
fn content_is_taken_up_to_the_limit_and_refused_beyond() {
    use compressor_api::ErrorKind;

    let limit = capabilities(Direction::Compress).max_input;
    let content = vec![0; limit + 1];
    let mut session = compressor().compress_session().unwrap();
    for room in [0, 3, 64] {
        let mut dst = vec![0; room];
        let beyond = session.compress(&content, &mut dst).unwrap_err();
        assert_eq!(beyond.kind(), ErrorKind::Unsupported);
        let within = session.compress(&content[..limit], &mut dst).unwrap_err();
        assert_eq!(within.kind(), ErrorKind::OutputTooSmall);
    }
}
