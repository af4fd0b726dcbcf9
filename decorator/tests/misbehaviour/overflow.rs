use std::sync::Arc;

use compressor_api::{Direction, ErrorKind, Format};
use compressor_decorator::{BreakerState, Reason};

use super::misbehaving::{Behaves, OverflowAlways};
use super::support::{Chance, text};
use super::{BLIND, BOTH, NO_LOOK, assert_all_in_software, rig};

#[test]
fn overflow_always_leaves_the_breaker_closed() {
    for format in Format::ALL {
        let (_process, mut rig) = rig(format, BLIND, Arc::new(OverflowAlways));
        let content = text(1, 3_000);
        let unit = rig.unit(&content);
        for _ in 0..100 {
            // A hundred times the room does not impress it.
            assert_eq!(rig.try_compress(&content, 300_000).unwrap(), unit);
            let mut decoded = vec![0x55; 300_000];
            let n = rig.decompress.decompress(&unit, &mut decoded);
            assert_eq!(n, Ok(content.len()));
            assert!(decoded.starts_with(&content));
        }
        for direction in BOTH {
            assert_all_in_software(&rig, direction, Reason::OutputShort);
            assert_eq!(rig.state(direction), BreakerState::Closed);
        }
    }
}

#[test]
fn a_result_that_does_not_fit_a_short_buffer_is_the_callers_answer() {
    let (_process, mut rig) = rig(Format::Zlib, NO_LOOK, Arc::new(Behaves));
    let noise: Vec<u8> = {
        let mut chance = Chance(7);
        (0..3_000).map(|_| chance.next() as u8).collect()
    };
    let error = rig.try_compress(&noise, noise.len() - 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutputTooSmall);
    let counters = rig.counters(Direction::Compress);
    assert_eq!((counters.accelerated.ops, counters.software.ops), (1, 0));
}

#[test]
fn room_for_any_result_is_room_enough_whatever_the_accelerator_says() {
    let (_process, mut rig) = rig(Format::Zlib, NO_LOOK, Arc::new(OverflowAlways));
    let content = text(1, 3_000);
    let bound = rig.software.max_compressed_len(content.len()).unwrap();
    let unit = rig.unit(&content);
    assert_eq!(rig.try_compress(&content, bound).unwrap(), unit);
    let error = rig.try_compress(&content, bound - 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutputTooSmall);
}

#[test]
fn output_that_is_short_for_software_too_is_not_bad_input() {
    let (_process, mut rig) = rig(Format::Zlib, NO_LOOK, Arc::new(OverflowAlways));
    let unit = rig.unit(&text(1, 3_000));
    let error = rig.decompress.decompress(&unit, &mut [0; 2_999]);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::OutputTooSmall);
    assert_all_in_software(&rig, Direction::Decompress, Reason::OutputShort);
}
