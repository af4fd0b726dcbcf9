use std::sync::Arc;
use std::time::Duration;

use compressor_api::{Direction, ErrorKind, Format, Spec};
use compressor_decorator::{BreakerState, Cause, Options, Reason, self_check};

use super::misbehaving::{
    Behaves, ConsumesLess, FlipsBit, FrameInsteadOfBlock, MultiStream, NoChecksum, OkWithZero,
    PrivateFormat, WrongChecksum, declares_length, selected,
};
use super::support::{Process, codec, software, text, unlimited};
use super::{ALWAYS, BLIND, BOTH, NO_LOOK, assert_all_in_software, rig};

#[test]
fn a_provider_that_behaves_is_used() {
    for format in Format::ALL {
        let (_process, mut rig) = rig(format, Options::new(), Arc::new(Behaves));
        for direction in BOTH {
            rig.run_times(direction, 50);
            let counters = rig.counters(direction);
            assert_eq!(counters.software.ops, 0, "{format}");
            assert!(counters.accelerated.ops >= 50);
            assert!(counters.verified >= 32);
            assert_eq!(counters.mismatches + counters.implausible, 0);
            assert_eq!(rig.state(direction), BreakerState::Closed);
        }
    }
}

#[test]
fn consumes_less_is_redone_where_the_format_tells_the_length() {
    for format in [Format::Lz4Sized, Format::Zstd, Format::Gzip, Format::Snappy] {
        let (_process, mut rig) = rig(format, NO_LOOK, Arc::new(ConsumesLess));
        for direction in BOTH {
            rig.run_times(direction, 4);
            assert_all_in_software(&rig, direction, Reason::DeviceError);
            let counters = rig.counters(direction);
            // Where the exact length is asked for, the answer is that the unit is corrupt.
            let found = counters.implausible + counters.accelerator_errors(ErrorKind::CorruptInput);
            assert_eq!(found, counters.software.ops, "{format}");
            assert!(counters.implausible >= 4);
            rig.run_times(direction, 4);
            assert_eq!(rig.state(direction), BreakerState::Open, "{format}");
        }
    }
}

#[test]
fn consumes_less_is_found_by_verification_where_the_format_does_not() {
    for format in [Format::Lz4Block, Format::Zlib, Format::DeflateRaw] {
        let (_process, mut rig) = rig(format, BLIND, Arc::new(ConsumesLess));
        // Decompressing into exact room, the short answer is another length than was asked for.
        for direction in BOTH {
            rig.run(direction, &text(1, 3_000));
            let counters = rig.counters(direction);
            assert_eq!(counters.mismatches, 1, "{format} {direction}");
            assert_eq!(counters.software_ops(Reason::Mismatch), 1);
            assert_eq!(rig.state(direction), BreakerState::Quarantined);
        }
    }
}

#[test]
fn ok_with_zero_is_a_failure_of_the_attempt() {
    for format in Format::ALL {
        let (_process, mut rig) = rig(format, NO_LOOK, Arc::new(OkWithZero));
        rig.run_times(Direction::Compress, 8);
        assert_all_in_software(&rig, Direction::Compress, Reason::DeviceError);
        assert_eq!(rig.counters(Direction::Compress).implausible, 8);
        assert_eq!(rig.state(Direction::Compress), BreakerState::Open);
    }
    for format in Format::ALL.into_iter().filter(|f| declares_length(*f)) {
        let (_process, mut rig) = rig(format, NO_LOOK, Arc::new(OkWithZero));
        rig.run(Direction::Decompress, &text(1, 3_000));
        assert_all_in_software(&rig, Direction::Decompress, Reason::DeviceError);
    }
}

#[test]
fn ok_with_zero_is_no_content_of_a_unit_that_needs_a_byte() {
    for format in [Format::Lz4Block, Format::Zlib, Format::DeflateRaw] {
        let (_process, mut rig) = rig(format, NO_LOOK, Arc::new(OkWithZero));
        let (content, mut decoded) = (text(1, 3_000), vec![0; 3_000]);
        let unit = rig.unit(&content);
        for _ in 0..8 {
            let n = rig.decompress.decompress(&unit, &mut decoded);
            assert_eq!((n, &decoded), (Ok(3_000), &content));
        }
        assert_all_in_software(&rig, Direction::Decompress, Reason::DeviceError);
        assert_eq!(rig.state(Direction::Decompress), BreakerState::Open);

        // Where there is nothing, nothing is the answer.
        let (_process, mut rig) = super::rig(format, NO_LOOK, Arc::new(OkWithZero));
        let unit = rig.unit(b"");
        assert_eq!(rig.decompress.decompress(&unit, &mut decoded), Ok(0));
        assert_eq!(rig.counters(Direction::Decompress).accelerated.ops, 1);
    }
}

#[test]
fn flips_bit_is_found_by_verification_before_a_bad_block_is_returned() {
    for format in Format::ALL {
        let (process, mut rig) = rig(format, BLIND, Arc::new(FlipsBit::default()));
        for direction in BOTH {
            rig.run_times(direction, 20);
            let counters = rig.counters(direction);
            assert_eq!(rig.state(direction), BreakerState::Quarantined, "{format}");
            assert_eq!(rig.guard(direction).cause(), Some(Cause::WrongBytes));
            assert_eq!(counters.mismatches, 1);
            assert_eq!(counters.software_ops(Reason::Mismatch), 1);
            assert_ne!(counters.software_ops(Reason::Quarantined), 0);
            // Time does not heal it. An operator does, and the next bad block is found again.
            process.clock.turn(Duration::from_secs(3_600));
            rig.run_times(direction, 40);
            assert_eq!(rig.counters(direction).mismatches, 1);
            rig.guard(direction).reset();
            rig.run_times(direction, 20);
            assert_eq!(rig.counters(direction).mismatches, 2);
            assert_eq!(rig.state(direction), BreakerState::Quarantined);
        }
    }
}

#[test]
fn flips_bit_is_never_returned_when_everything_is_verified() {
    let (_process, mut rig) = rig(Format::Lz4Block, ALWAYS, Arc::new(FlipsBit::default()));
    for direction in BOTH {
        for _ in 0..30 {
            rig.run_times(direction, 10);
            rig.guard(direction).reset();
        }
        assert!(rig.counters(direction).mismatches >= 30);
    }
}

#[test]
fn private_format_is_refused_by_the_self_check() {
    for format in Format::ALL {
        let (_process, mut rig) = rig(format, Options::new(), Arc::new(PrivateFormat));
        for direction in BOTH {
            assert_eq!(
                rig.accelerated.unaccelerated(direction),
                Some(Reason::Rejected)
            );
            rig.run_times(direction, 3);
            assert_all_in_software(&rig, direction, Reason::Rejected);
            // The other formats of the provider may be right.
            assert_eq!(rig.state(direction), BreakerState::Closed);
        }
    }
}

#[test]
fn private_format_is_caught_without_a_self_check_too() {
    for format in Format::ALL {
        let (_process, mut rig) = rig(format, BLIND, Arc::new(PrivateFormat));
        for direction in BOTH {
            rig.run_times(direction, 10);
            assert_eq!(rig.counters(direction).accelerated.ops, 0, "{format}");
        }
    }
}

#[test]
fn frame_instead_of_block_is_refused_by_the_self_check() {
    let spec = Spec::new(Format::Lz4Block);
    let device = selected(
        Arc::new(FrameInsteadOfBlock),
        unlimited(Format::Lz4Block, Direction::Compress),
        software(&spec),
    );
    let refused = self_check(&device, &*software(&spec)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Device);

    let mut rig = Process::new().rig(&spec, Options::new(), [device]);
    rig.run_times(Direction::Compress, 3);
    assert_all_in_software(&rig, Direction::Compress, Reason::Rejected);
}

#[test]
fn multi_stream_is_never_offered_more_than_its_buffer() {
    let spec = Spec::new(Format::Zlib);
    let capabilities = unlimited(Format::Zlib, Direction::Compress).with_input(0, 64 << 10);
    let device = selected(
        Arc::new(MultiStream { buffer: 64 << 10 }),
        capabilities,
        software(&spec),
    );
    let mut rig = Process::new().rig(&spec, Options::new(), [device]);
    rig.run(Direction::Compress, &text(1, 64 << 10));
    rig.run(Direction::Compress, &text(1, (64 << 10) + 1));
    let counters = rig.counters(Direction::Compress);
    assert_eq!(counters.accelerated.ops, 1);
    assert_eq!(counters.software_ops(Reason::AboveMax), 1);
    assert_eq!(counters.software.ops, 1);
}

#[test]
fn multi_stream_is_caught_where_it_promised_more() {
    let spec = Spec::new(Format::Zlib);
    let device = || {
        selected(
            Arc::new(MultiStream { buffer: 64 << 10 }),
            unlimited(Format::Zlib, Direction::Compress),
            software(&spec),
        )
    };
    assert!(self_check(&device(), &*software(&spec)).is_err());

    let mut rig = Process::new().rig(&spec, ALWAYS, [device()]);
    rig.run(Direction::Compress, &text(1, 100 << 10));
    assert_all_in_software(&rig, Direction::Compress, Reason::Mismatch);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Quarantined);
}

#[test]
fn no_checksum_is_seen_at_a_glance() {
    let spec = Spec::new(Format::Zstd);
    let behaviour = Arc::new(NoChecksum::new(&*codec(Format::Zstd), &spec));
    let (_process, mut rig) = rig(Format::Zstd, NO_LOOK, behaviour);
    rig.run_times(Direction::Compress, 8);
    assert_all_in_software(&rig, Direction::Compress, Reason::DeviceError);
    assert_eq!(rig.counters(Direction::Compress).implausible, 8);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Open);
}

#[test]
fn wrong_checksum_is_caught() {
    for behaviour in [WrongChecksum::Zero, WrongChecksum::ByteSwapped] {
        let (_process, mut rig) = rig(Format::Zlib, BLIND, Arc::new(behaviour));
        rig.run(Direction::Compress, &text(1, 3_000));
        assert_all_in_software(&rig, Direction::Compress, Reason::Mismatch);
        assert_eq!(rig.state(Direction::Compress), BreakerState::Quarantined);
    }
}
