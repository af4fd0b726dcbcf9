use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use compressor_api::{Compressor, DecompressSession, Direction, Error, ErrorKind, Format, Spec};
use compressor_decorator::{Accelerated, BreakerState, Guards, Options, Verify};

use super::misbehaving::{Behaves, Codec, ID, Misbehaviour, compressor, error, selected};
use super::support::{Process, software, text, unlimited};
use super::{PLAIN, rig};

const fn sampled(first: u32, one_in: u32) -> Options {
    PLAIN.verify(Verify::Sampled { first, one_in })
}

#[test]
fn the_first_are_verified_whichever_session_they_come_from() {
    let spec = Spec::new(Format::Lz4Block);
    let device = selected(
        Arc::new(Behaves),
        unlimited(Format::Lz4Block, Direction::Compress),
        software(&spec),
    );
    let rig = Process::new().rig(&spec, sampled(32, 0), [device]);
    let mut sessions: Vec<_> = (0..4)
        .map(|_| rig.accelerated.compress_session().unwrap())
        .collect();
    for _ in 0..20 {
        for session in &mut sessions {
            session.compress(b"abc", &mut [0; 64]).unwrap();
        }
    }
    let counters = rig.counters(Direction::Compress);
    assert_eq!((counters.accelerated.ops, counters.verified), (80, 32));
}

#[test]
fn then_one_in_so_many_by_chance() {
    let capabilities = unlimited(Format::None, Direction::Compress);
    let mut one_in_ten = rig(capabilities, sampled(0, 10), Arc::new(Behaves));
    for _ in 0..10_000 {
        one_in_ten.try_compress(b"abc", 3).unwrap();
    }
    let verified = one_in_ten.counters(Direction::Compress).verified;
    assert!((750..1_250).contains(&verified), "{verified}");
}

#[test]
fn a_device_that_verifies_itself_is_spared_the_sampling_and_nothing_else() {
    let capabilities = unlimited(Format::None, Direction::Compress).with_self_verified();
    for (options, expected) in [
        (sampled(32, 2), 32),
        (PLAIN.verify(Verify::Always), 1_000),
        (PLAIN, 0),
    ] {
        let mut rig = rig(capabilities, options, Arc::new(Behaves));
        for _ in 0..1_000 {
            rig.try_compress(b"abc", 3).unwrap();
        }
        assert_eq!(rig.counters(Direction::Compress).verified, expected);
    }
}

#[test]
fn after_a_recovery_the_first_are_verified_again() {
    let capabilities = unlimited(Format::None, Direction::Compress);
    let mut rig = rig(capabilities, sampled(8, 0), Arc::new(Behaves));
    for round in 1..=3 {
        for _ in 0..100 {
            rig.try_compress(b"abc", 3).unwrap();
        }
        assert_eq!(rig.counters(Direction::Compress).verified, 8 * round);
        let guard = rig.guard(Direction::Compress);
        guard.quarantine(compressor_decorator::Cause::ContractBroken);
        rig.try_compress(b"abc", 3).unwrap();
        guard.reset();
    }
}

#[test]
fn a_device_that_is_wrong_now_and_then_is_found_out_in_the_long_run() {
    /// Wrong on every 50th call, none of them among the first 32.
    #[derive(Debug, Default)]
    struct Rarely(AtomicU64);
    impl Misbehaviour for Rarely {
        fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
            let n = codec(dst)?;
            if self.0.fetch_add(1, Ordering::Relaxed) % 50 == 49 {
                dst[0] ^= 1;
            }
            Ok(n)
        }
    }
    let capabilities = unlimited(Format::None, Direction::Compress);
    let mut rig = rig(capabilities, sampled(32, 4), Arc::new(Rarely::default()));
    // Each of 100 wrong results slips through with 3 in 4: all of them with 3e-13.
    for _ in 0..5_000 {
        rig.try_compress(b"abc", 3).unwrap();
    }
    assert_eq!(rig.counters(Direction::Compress).mismatches, 1);
}

#[test]
fn the_room_for_verification_grows_with_the_content() {
    for direction in Direction::BOTH {
        let capabilities = unlimited(Format::Zlib, direction);
        let mut rig = rig(
            capabilities,
            PLAIN.verify(Verify::Always),
            Arc::new(Behaves),
        );
        for len in [0, 1, 70_000, 3, 200_000, 0] {
            rig.run(direction, &text(len as u64, len));
        }
        let counters = rig.counters(direction);
        assert_eq!(counters.verified, counters.accelerated.ops);
        assert_eq!(counters.software.ops, 0);
    }
}

#[test]
fn software_that_cannot_verify_for_a_reason_of_its_own_accuses_nobody() {
    #[derive(Debug)]
    struct CannotDecode;
    impl Misbehaviour for CannotDecode {
        fn decompress(
            &self,
            _: &mut dyn DecompressSession,
            _: &Spec,
            _: &[u8],
            _: &mut [u8],
        ) -> Result<usize, Error> {
            Err(error(ErrorKind::OutOfMemory))
        }
    }
    let spec = Spec::new(Format::Zlib);
    let capabilities = unlimited(Format::Zlib, Direction::Compress);
    let device = selected(Arc::new(Behaves), capabilities, software(&spec));
    let cannot_decode = compressor(Arc::new(CannotDecode), software(&spec));
    let guards = Guards::new();
    let accelerated = Accelerated::builder(cannot_decode, &guards)
        .options(PLAIN.verify(Verify::Always))
        .accelerator(device)
        .build()
        .unwrap();
    let mut session = accelerated.compress_session().unwrap();
    session.compress(b"abc", &mut [0; 64]).unwrap();
    let counters = accelerated.counters().compress;
    assert_eq!((counters.verified, counters.mismatches), (1, 0));
    assert_eq!(counters.software.ops, 1);
    let guard = guards.guard(ID, Direction::Compress);
    assert_eq!(guard.state(), BreakerState::Closed);
}
