//! No heap allocation per operation after warm-up, whichever way an operation goes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

mod misbehaving;
mod support;

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use compressor_api::{Direction, Error, ErrorKind, Format, Job, Spec};
use compressor_conformance::alloc::allocations;
use compressor_decorator::{Options, Reason, Verify};

use misbehaving::*;
use support::{Process, Rig, software, text, unlimited};

compressor_conformance::count_mallocs!();

const LEN: usize = 4_096;

/// Buffers that are made once.
struct Buffers {
    content: Vec<u8>,
    unit: Vec<u8>,
    corrupt: Vec<u8>,
    compressed: Vec<u8>,
    decompressed: Vec<u8>,
}

impl Buffers {
    fn new(rig: &Rig) -> Self {
        let content = text(1, LEN);
        let unit = rig.unit(&content);
        Self {
            corrupt: unit[..unit.len() - 1].to_vec(),
            compressed: vec![0; rig.software.max_compressed_len(LEN).unwrap()],
            decompressed: vec![0; LEN],
            content,
            unit,
        }
    }
}

fn rig(format: Format, options: Options, behaviour: Arc<dyn Misbehaviour>) -> Rig {
    let spec = Spec::new(format);
    let accelerators = Direction::BOTH.map(|direction| {
        selected(
            behaviour.clone(),
            unlimited(format, direction),
            software(&spec),
        )
    });
    Process::new().rig(&spec, options.without_self_check(), accelerators)
}

/// One operation each way that succeeds, exact or not.
fn succeed(rig: &mut Rig, buffers: &mut Buffers) {
    let Buffers {
        content,
        unit,
        compressed,
        decompressed,
        ..
    } = buffers;
    rig.compress.compress(content, compressed).unwrap();
    rig.decompress.decompress(unit, decompressed).unwrap();
    rig.decompress.decompress_exact(unit, decompressed).unwrap();
}

/// One operation each way that fails: no room, and corrupt.
fn fail(rig: &mut Rig, buffers: &mut Buffers) {
    let kind = |result: Result<usize, Error>| result.unwrap_err().kind();
    let Buffers {
        content,
        unit,
        corrupt,
        compressed,
        decompressed,
    } = buffers;
    let short = rig.compress.compress(content, &mut compressed[..9]);
    assert_eq!(kind(short), ErrorKind::OutputTooSmall);
    let short = rig.decompress.decompress(unit, &mut decompressed[..9]);
    assert_eq!(kind(short), ErrorKind::OutputTooSmall);
    if rig.software.spec().format() != Format::None {
        let bad = rig.decompress.decompress(corrupt, decompressed);
        assert_eq!(kind(bad), ErrorKind::CorruptInput);
    }
}

/// Warms up, then requires that `operation` allocates nothing.
#[track_caller]
fn assert_allocates_nothing(rig: &mut Rig, what: &str, operation: fn(&mut Rig, &mut Buffers)) {
    let mut buffers = Buffers::new(rig);
    // Long enough for a lost session to be made again, and lost for good.
    for _ in 0..40 {
        operation(rig, &mut buffers);
    }
    let ((), count) = allocations(|| {
        for _ in 0..100 {
            operation(rig, &mut buffers);
        }
    });
    let format = rig.software.spec().format();
    assert_eq!(count, 0, "{format}, {what}");
}

#[test]
fn the_counter_counts() {
    let (_, count) = allocations(|| black_box(Box::new(black_box(7))));
    assert_eq!(count, 1);
    let (_, count) = allocations(|| black_box(Vec::<u128>::with_capacity(black_box(100))));
    assert_eq!(count, 1);
    let (_, count) = allocations(|| black_box(7));
    assert_eq!(count, 0);
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn the_counter_counts_what_c_code_allocates() {
    // zlib allocates its state and four tables by itself.
    let zlib = software(&Spec::new(Format::Zlib));
    let (session, count) = allocations(|| zlib.compress_session().unwrap());
    assert!(count > 4, "{count}");
    drop(session);
}

#[test]
fn an_operation_that_is_first_drawn_long_after_warm_up_allocates_nothing() {
    let seldom = Verify::Sampled {
        first: 0,
        one_in: 50,
    };
    for format in Format::ALL {
        // In some of these nothing is drawn while warming up, and something is later.
        for _ in 0..16 {
            let mut rig = rig(format, Options::new().verify(seldom), Arc::new(Behaves));
            assert_allocates_nothing(&mut rig, "seldom verified", succeed);
        }
    }
}

#[test]
fn an_accelerated_operation_allocates_nothing() {
    for format in Format::ALL {
        for verify in [Verify::Never, Verify::Always] {
            let mut rig = rig(format, Options::new().verify(verify), Arc::new(Behaves));
            assert_allocates_nothing(&mut rig, "accelerated", succeed);
            assert_allocates_nothing(&mut rig, "failing", fail);
            for direction in Direction::BOTH {
                assert!(rig.counters(direction).accelerated.ops > 100);
            }
        }
    }
}

#[test]
fn an_operation_without_an_accelerator_allocates_nothing() {
    for format in Format::ALL {
        let mut rig = Process::new().rig(&Spec::new(format), Options::new(), []);
        assert_allocates_nothing(&mut rig, "software alone", succeed);
        assert_allocates_nothing(&mut rig, "software alone, failing", fail);
    }
}

/// A provider for each way to leave everything to software, and the reason for it.
fn ways_to_fail() -> [(&'static str, Arc<dyn Misbehaviour>, Reason); 5] {
    let always = |kind| Arc::new(PermanentError::new(error(kind)));
    [
        ("busy", Arc::new(BusyForever::default()), Reason::Saturated),
        ("broken", Arc::new(ScribblesThenFails), Reason::BreakerOpen),
        ("lost", always(ErrorKind::Poisoned), Reason::BreakerOpen),
        ("refusing", always(ErrorKind::Unsupported), Reason::Rejected),
        ("lying", Arc::new(PrivateFormat), Reason::Quarantined),
    ]
}

#[test]
fn falling_back_allocates_nothing() {
    for format in Format::ALL {
        for (what, behaviour, reason) in ways_to_fail() {
            let options = Options::new().verify(Verify::Always);
            let mut rig = rig(format, options, behaviour);
            assert_allocates_nothing(&mut rig, what, succeed);
            let counters = rig.counters(Direction::Compress);
            assert_eq!(counters.accelerated.ops, 0, "{format} {what}");
            // What is not even plausible opens the breaker before it is verified.
            let used = [reason, Reason::BreakerOpen].map(|reason| counters.software_ops(reason));
            assert!(used.iter().sum::<u64>() > 50, "{format} {what} {used:?}");
        }
    }
}

#[test]
fn a_failure_that_is_redone_allocates_nothing() {
    /// Fails every fourth time: the breaker stays closed.
    #[derive(Debug, Default)]
    struct EveryFourth(AtomicU64);
    impl Misbehaviour for EveryFourth {
        fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
            if self.0.fetch_add(1, Ordering::Relaxed) % 4 == 3 {
                ScribblesThenFails.operate(codec, dst)
            } else {
                codec(dst)
            }
        }
    }
    for format in Format::ALL {
        let mut rig = rig(
            format,
            Options::new().verify(Verify::Never),
            Arc::new(EveryFourth::default()),
        );
        assert_allocates_nothing(&mut rig, "redone", succeed);
        let redone = Direction::BOTH
            .map(|direction| rig.counters(direction).software_ops(Reason::DeviceError));
        assert!(redone.iter().sum::<u64>() > 70, "{redone:?}");
    }
}

#[test]
fn a_batch_allocates_nothing() {
    for format in Format::ALL {
        let mut rig = rig(
            format,
            Options::new().verify(Verify::Never),
            Arc::new(Behaves),
        );
        assert_allocates_nothing(&mut rig, "batch", |rig, buffers| {
            let mut room = [0; 40 * 64];
            let content = &buffers.content[..16];
            let mut room = room.chunks_mut(64);
            let mut jobs: [Job<'_>; 40] =
                std::array::from_fn(|_| Job::new(content, room.next().unwrap()));
            rig.compress.compress_many(&mut jobs);
            assert!(jobs.iter().all(|job| job.result.is_ok()));
        });
        assert!(rig.counters(Direction::Compress).accelerated.ops > 1_000);
    }
}
