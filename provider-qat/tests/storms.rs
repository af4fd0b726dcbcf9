//! The provider, decorated, over a simulated device on which everything goes wrong: not one wrong
//! byte, and the reasons that there should be.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

mod sim;
mod storm;

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use compressor_api::{Direction, Format};
use compressor_decorator::{BreakerState, Reason, Verify};

use sim::{APIS, Api};
use storm::{FORMATS, Host, Rig, counters, text};

/// The codes of QATzip, and why software runs after them: compressing, and decompressing.
///
/// Without −5 and codes that nobody documented, whose buffers are kept for a while in any case:
/// see `calls_that_were_given_up_write_to_nobody`.
const CODES: [(i32, Reason, Reason); 24] = {
    use Reason::{DeviceError, OutputShort, Rejected, Saturated, SilentSoftware};
    [
        (1, DeviceError, DeviceError),
        (2, SilentSoftware, SilentSoftware),
        (-1, DeviceError, DeviceError),
        (-2, DeviceError, DeviceError),
        (-3, OutputShort, DeviceError),
        (-4, DeviceError, DeviceError),
        (-100, DeviceError, DeviceError),
        (11, SilentSoftware, SilentSoftware),
        (12, SilentSoftware, SilentSoftware),
        (13, SilentSoftware, SilentSoftware),
        (14, SilentSoftware, SilentSoftware),
        (15, SilentSoftware, SilentSoftware),
        (16, SilentSoftware, SilentSoftware),
        (100, DeviceError, DeviceError),
        (-101, DeviceError, DeviceError),
        (-102, DeviceError, DeviceError),
        (-103, Saturated, Saturated),
        (-104, DeviceError, DeviceError),
        (-105, SilentSoftware, SilentSoftware),
        (-116, Rejected, Rejected),
        (-117, DeviceError, DeviceError),
        (-118, DeviceError, DeviceError),
        (-119, DeviceError, DeviceError),
        (-200, Rejected, Rejected),
    ]
};

/// One in ten calls fails, with each code in turn.
fn every_code(api: Api) {
    const BLOCKS: u64 = 24;
    let host = Host::new("codes", api, &[], Verify::Never);
    for format in FORMATS {
        for (code, compress, decompress) in CODES {
            host.sim.configure("");
            let mut rig = Rig::new(host.compressor(format), format);
            host.sim.configure(&format!("fault code={code} rate=0.1"));
            let reads = rig
                .accelerated
                .unaccelerated(Direction::Decompress)
                .is_none();
            for seed in 0..BLOCKS {
                let content = text(seed, 2_048 + seed as usize);
                rig.write(&content);
                rig.read(&content);
            }
            for (direction, reason) in [
                (Direction::Compress, compress),
                (Direction::Decompress, decompress),
            ] {
                if direction == Direction::Decompress && !reads {
                    continue;
                }
                let counted = rig.counters(direction);
                let failed = counted.software_ops(reason);
                let context = format!("{format} {direction} {code}: {counted:?}");
                assert_eq!(counted.software.ops, failed, "{context}");
                assert!(
                    counted.accelerated.ops > 0 || reason == Reason::Rejected,
                    "{context}"
                );
                assert_eq!(host.state(direction), BreakerState::Closed, "{context}");
            }
            let struck = [Direction::Compress, Direction::Decompress];
            let struck = struck.map(|direction| rig.counters(direction).software.ops);
            assert!(struck.iter().sum::<u64>() > 0, "{format} {code}");
        }
    }
    // Whatever failed was torn down, and nothing is left of it.
    assert_eq!(counters(&host.sim).sessions, 0);
}

#[test]
fn every_code_of_api_2_5_leaves_right_bytes_and_its_reason() {
    every_code(Api::V2_5);
}

#[test]
fn every_code_of_api_2_6_leaves_right_bytes_and_its_reason() {
    every_code(Api::V2_6);
}

#[test]
fn lies_get_through_to_nobody() {
    let lies = [
        "consumes-less",
        "ok-with-zero",
        "truncates",
        "scribbles",
        "multi-stream",
        "wrong-checksum",
        "no-checksum",
        "silent-software",
        "frame-for-block",
        "zero-offset",
        "far-offset",
        "wrong-sum",
        "flips-bit",
    ];
    for api in APIS {
        let host = Host::new("lies", api, &[], Verify::Always);
        for format in FORMATS {
            for lie in lies {
                host.sim.configure("");
                let mut rig = Rig::new(host.compressor(format), format);
                host.sim.configure(&format!("fault {lie} rate=0.1"));
                for seed in 0..40 {
                    let content = text(seed, 3_000);
                    rig.write(&content);
                    rig.read(&content);
                }
                if lie == "flips-bit" {
                    // A bit within a match or a literal: only a look at every byte finds it.
                    let state = host.state(Direction::Compress);
                    let sequences = format == Format::Zstd && api == Api::V2_5;
                    assert_eq!(state == BreakerState::Quarantined, !sequences, "{format}");
                }
                for direction in [Direction::Compress, Direction::Decompress] {
                    host.guard(direction).reset();
                }
            }
        }
        assert_eq!(counters(&host.sim).sessions, 0);
    }
}

#[test]
fn a_device_that_is_lost_serves_again_when_it_is_back() {
    for (api, format) in [
        (Api::V2_5, Format::Zlib),
        (Api::V2_5, Format::Zstd),
        (Api::V2_6, Format::Lz4Block),
    ] {
        let host = Host::new("lost", api, &[], Verify::default());
        let mut rig = Rig::new(host.compressor(format), format);
        let content = text(1, 4_096);
        let compress = Direction::Compress;
        rig.write(&content);
        host.sim.configure("fault lost nth=1 back=9calls");
        for _ in 0..8 {
            rig.write(&content);
        }
        assert_eq!(host.state(compress), BreakerState::Open);
        assert_eq!(rig.reasons(compress), [Reason::DeviceError]);
        for _ in 0..8 {
            rig.write(&content);
        }
        assert_eq!(rig.counters(compress).software_ops(Reason::BreakerOpen), 8);
        assert_eq!(rig.counters(compress).accelerated.ops, 1);

        // Not back yet, then back: four successes close the breaker.
        let mut rounds = 0;
        while host.state(compress) != BreakerState::Closed {
            host.clock.turn(Duration::from_secs(60));
            for _ in 0..8 {
                rig.write(&content);
            }
            rounds += 1;
            assert!(rounds < 100, "{format}: {:?}", rig.counters(compress));
        }
        let before = rig.counters(compress).accelerated.ops;
        for _ in 0..8 {
            rig.write(&content);
        }
        assert_eq!(rig.counters(compress).accelerated.ops, before + 8);
        assert_eq!(rig.counters(compress).mismatches, 0);
    }
}

#[test]
fn a_device_without_an_instance_is_busy_and_not_broken() {
    let host = Host::new("no-instance", Api::V2_5, &[], Verify::default());
    let mut rig = Rig::new(host.compressor(Format::Zlib), Format::Zlib);
    let content = text(1, 4_096);
    host.sim
        .configure("fault lost nth=1 code=-103 back=50calls");
    for _ in 0..50 {
        rig.write(&content);
    }
    // As a driver that resets a device: nobody's failure, and tried again each time.
    assert_eq!(
        rig.counters(Direction::Compress)
            .software_ops(Reason::Saturated),
        50
    );
    assert_eq!(host.state(Direction::Compress), BreakerState::Closed);
    // The session of before fails once, and a new one takes its place.
    for _ in 0..5 {
        rig.write(&content);
    }
    let counted = rig.counters(Direction::Compress);
    assert_eq!(
        (
            counted.accelerated.ops,
            counted.software_ops(Reason::DeviceError)
        ),
        (3, 1)
    );
}

#[test]
fn many_threads_share_few_instances() {
    const THREADS: usize = 64;
    const BLOCKS: u64 = 20;
    // By permits of the decorator; by the device itself, which has fewer than it was said to have.
    for (name, in_flight) in [("permits", "16"), ("instances", "64")] {
        let params = [("max_in_flight", in_flight), ("polling", "periodical")];
        let host = Host::new(name, Api::V2_6, &params, Verify::default());
        host.sim.configure("instances=16; service=200us");
        let compressors = FORMATS.map(|format| (format, host.compressor(format)));
        let barrier = Barrier::new(THREADS);
        thread::scope(|scope| {
            for n in 0..THREADS {
                let (format, compressor) = &compressors[n % compressors.len()];
                let barrier = &barrier;
                scope.spawn(move || {
                    let mut rig = Rig::new(compressor.clone(), *format);
                    barrier.wait();
                    for seed in 0..BLOCKS {
                        let content = text(seed, 4_096);
                        rig.write(&content);
                        rig.read(&content);
                    }
                });
            }
        });
        assert!(counters(&host.sim).peak <= 16);
        assert_eq!(counters(&host.sim).sessions, 0);
        let mut ops = 0;
        for (format, compressor) in &compressors {
            let counted = compressor.counters();
            for direction in [Direction::Compress, Direction::Decompress] {
                let counted = counted.direction(direction);
                ops += counted.accelerated.ops + counted.software.ops;
                for (reason, _) in counted.reasons() {
                    let expected = [Reason::Saturated, Reason::Absent];
                    assert!(
                        expected.contains(&reason),
                        "{format} {direction}: {counted:?}"
                    );
                }
                assert_eq!(host.state(direction), BreakerState::Closed);
            }
        }
        assert_eq!(ops, THREADS as u64 * BLOCKS * 2);
    }
}

/// The simulated device ends the process when a buffer is used that it may still write to.
#[test]
fn calls_that_were_given_up_write_to_nobody() {
    // As QATzip 1.3.1 answers, and as its header has it.
    for (code, reason) in [(-2, Reason::DeviceError), (-5, Reason::Timeout)] {
        let name = format!("given-up{code}");
        let host = Host::new(&name, Api::V2_5, &[], Verify::Always);
        let mut rig = Rig::new(host.compressor(Format::Zlib), Format::Zlib);
        host.sim.configure(&format!(
            "fault late-write code={code} on=compress rate=0.1 delay=20ms"
        ));
        for seed in 0..300 {
            let content = text(seed, 2_048);
            rig.write(&content);
            rig.read(&content);
        }
        let given_up = rig.counters(Direction::Compress).software_ops(reason);
        assert!((1..48).contains(&given_up), "{given_up}");
        assert_eq!(rig.reasons(Direction::Compress), [reason]);
        assert_eq!(host.state(Direction::Compress), BreakerState::Closed);
        // The device writes after the calls, to buffers that nobody else has.
        host.wait_for_late_writes(given_up);
        let content = text(1, 2_048);
        rig.write(&content);

        // Nothing else: the breaker opens, and no more buffers are kept than that.
        host.sim
            .configure(&format!("fault late-write code={code} delay=20ms"));
        for _ in 0..200 {
            rig.write(&content);
        }
        assert_eq!(host.state(Direction::Compress), BreakerState::Open);
        let all = rig.counters(Direction::Compress).software_ops(reason);
        assert_eq!(all, given_up + 8);
        host.wait_for_late_writes(all);
    }
}

#[test]
fn codes_that_nobody_documented_are_failures() {
    for code in [3, 77, -6, i32::MIN + 1, i32::MAX] {
        let host = Host::new("undocumented", Api::V2_6, &[], Verify::Never);
        let mut rig = Rig::new(host.compressor(Format::Zstd), Format::Zstd);
        host.sim.configure(&format!("fault code={code} rate=0.1"));
        for seed in 0..60 {
            rig.write(&text(seed, 2_048));
        }
        assert_eq!(
            rig.reasons(Direction::Compress),
            [Reason::DeviceError],
            "{code}"
        );
    }
}
