//! Measuring side by side, with compressors whose speed, ratio and honesty are known.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Direction, Effective, Error, ErrorKind, Format,
    ProviderId, Spec,
};
use compressor_benches::measure::{Contender, MeasureError, Pace, Progress, SideBySide};

const ID: ProviderId = ProviderId::new("toy");

/// Writes a block as its own bytes and `pad` bytes after them.
#[derive(Clone, Debug)]
struct Toy {
    spec: Spec,
    effective: Effective,
    /// Added to each unit.
    pad: usize,
    /// What an operation takes in CPU time, and what it waits.
    spin: Duration,
    sleep: Duration,
    lie: Lie,
    sessions: Arc<AtomicUsize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    None,
    /// Decompressing says OK and writes nothing.
    WritesNothing,
    /// Compressing changes the last byte of blocks that start with this one.
    ChangesByte(u8),
    /// Compressing changes the first byte, and decompressing changes it back where a pad says so.
    PrivateFormat,
    /// Compressing says that the unit is longer than the buffer.
    LongerThanRoom,
    /// Compressing fails for blocks that start with this byte.
    Fails(u8),
    /// There is no bound, so blocks are too long.
    TakesNothing,
    /// There are no sessions to compress with.
    ReadsOnly,
    /// There is one session for each direction, and no other.
    OneSession,
}

impl Toy {
    fn new() -> Self {
        Self {
            spec: Spec::new(Format::None),
            effective: Effective::new(None, None),
            pad: 0,
            spin: Duration::ZERO,
            sleep: Duration::ZERO,
            lie: Lie::None,
            sessions: Arc::default(),
        }
    }

    fn lying(lie: Lie) -> Self {
        Self { lie, ..Self::new() }
    }

    fn contender(&self, name: &str) -> Contender {
        Contender::new(name, Arc::new(self.clone()))
    }

    fn work(&self) {
        std::thread::sleep(self.sleep);
        let start = Instant::now();
        while start.elapsed() < self.spin {}
    }
}

impl Compressor for Toy {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        (self.lie != Lie::TakesNothing).then_some(src_len + self.pad)
    }

    fn decompressed_len(&self, _: &[u8]) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        if self.lie == Lie::ReadsOnly {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        if self.lie == Lie::OneSession && self.sessions.load(Ordering::Relaxed) >= 2 {
            return Err(Error::new(ErrorKind::Busy, ID));
        }
        self.sessions.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(self.clone()))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        self.sessions.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(self.clone()))
    }
}

impl CompressSession for Toy {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.work();
        let n = src.len() + self.pad;
        dst[..src.len()].copy_from_slice(src);
        match self.lie {
            Lie::ChangesByte(first) if src[0] == first => dst[src.len() - 1] ^= 1,
            Lie::Fails(first) if src[0] == first => {
                return Err(Error::with_native(ErrorKind::Device, ID, -7));
            }
            Lie::PrivateFormat => dst[0] ^= 1,
            Lie::LongerThanRoom => return Ok(dst.len() + 1),
            _ => {}
        }
        Ok(n)
    }
}

impl DecompressSession for Toy {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.work();
        let n = src.len().min(dst.len());
        if self.lie != Lie::WritesNothing {
            dst[..n].copy_from_slice(&src[..n]);
        }
        if self.lie == Lie::PrivateFormat && src.len() > dst.len() {
            dst[0] ^= 1;
        }
        Ok(n)
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

fn block_size(len: usize) -> NonZeroUsize {
    NonZeroUsize::new(len).unwrap()
}

/// 40 blocks of 100 bytes that start with their number, and a short one.
fn data() -> Vec<u8> {
    let mut data: Vec<u8> = (0..40).flat_map(|number| [number; 100]).collect();
    data.extend([40; 10]);
    data
}

fn prepare<'a>(
    baseline: &Toy,
    other: &Toy,
    data: &'a [u8],
) -> Result<SideBySide<'a>, MeasureError> {
    SideBySide::prepare(
        baseline.contender("baseline"),
        [other.contender("other")],
        data,
        block_size(100),
        &mut |_| {},
    )
}

fn pace() -> Pace {
    Pace {
        budget: Duration::from_millis(60),
        round: Duration::from_millis(1),
        min_rounds: 5,
    }
}

#[test]
fn who_takes_less_time_is_faster() {
    // Sleeping, for a busy machine keeps a sleeper waiting less than one that wants the CPU; and
    // far apart, for it may well sleep some milliseconds too long.
    let sleeping = |ms| Toy {
        sleep: Duration::from_millis(ms),
        ..Toy::new()
    };
    let data = [&[1; 100][..], &[2; 10]].concat();
    let mut bench = prepare(&sleeping(20), &sleeping(1), &data).unwrap();
    for direction in Direction::BOTH {
        let measured = bench.measure(direction, &pace(), &mut |_| {}).unwrap();
        let [slow, fast] = measured[..] else {
            panic!("{measured:?}")
        };
        assert_eq!(slow.speedup, 1.0);
        assert!(
            fast.speedup > 1.5 && fast.mb_per_s > 1.5 * slow.mb_per_s,
            "{measured:?}"
        );
        // 110 bytes in two times 20 ms are 0.00275 MB/s, and sleeping is never shorter than asked.
        assert!((1e-5..0.0028).contains(&slow.mb_per_s), "{measured:?}");
        assert!(slow.ops == fast.ops && slow.ops > 10, "{measured:?}");
        // Of 5 rounds, some may have been interrupted.
        assert!(
            slow.rounds == fast.rounds && slow.rounds >= 2,
            "{measured:?}"
        );
    }
}

#[test]
fn waiting_is_no_cpu_time() {
    let sleeping = Toy {
        sleep: Duration::from_millis(1),
        ..Toy::new()
    };
    let spinning = Toy {
        spin: Duration::from_millis(1),
        ..Toy::new()
    };
    let data = vec![1; 4000];
    let mut bench = prepare(&spinning, &sleeping, &data).unwrap();
    let measured = bench
        .measure(Direction::Compress, &pace(), &mut |_| {})
        .unwrap();
    let [spinning, sleeping] = measured[..] else {
        panic!("{measured:?}")
    };
    // 1 ms over 100 bytes are 10,000 ns a byte, all of it CPU time only on a machine that is idle.
    assert!(
        (1000.0..11_000.0).contains(&spinning.cpu_ns_per_byte),
        "{measured:?}"
    );
    assert!(
        sleeping.cpu_ns_per_byte < spinning.cpu_ns_per_byte / 2.0,
        "{measured:?}"
    );
}

#[test]
fn the_ratio_is_compressed_through_original() {
    // Readers drop whatever follows the content that they need.
    let padding = Toy {
        pad: 50,
        ..Toy::new()
    };
    let data = data();
    let mut bench = prepare(&padding, &Toy::new(), &data).unwrap();
    assert_eq!(bench.blocks(), 41);
    let measured = bench
        .measure(Direction::Decompress, &pace(), &mut |_| {})
        .unwrap();
    assert_eq!(measured[0].ratio, (4010.0 + 41.0 * 50.0) / 4010.0);
    assert_eq!(measured[1].ratio, 1.0);
}

#[test]
fn wrong_bytes_are_an_error_before_anything_is_measured() {
    let data = data();
    for (baseline, other, expected) in [
        (Lie::None, Lie::WritesNothing, ("baseline", "other", 0, 0)),
        (Lie::None, Lie::ChangesByte(7), ("other", "other", 7, 99)),
        (
            Lie::ChangesByte(40),
            Lie::None,
            ("baseline", "baseline", 40, 9),
        ),
    ] {
        let error = prepare(&Toy::lying(baseline), &Toy::lying(other), &data)
            .err()
            .unwrap();
        let (writer, reader, block, at) = expected;
        let mismatch = MeasureError::Mismatch {
            writer: writer.into(),
            reader: reader.into(),
            block,
            at,
        };
        assert_eq!(error, mismatch);
        assert_eq!(error.kind(), ErrorKind::Device);
    }
}

#[test]
fn units_that_only_their_writer_can_read_are_an_error() {
    let private = Toy {
        pad: 1,
        ..Toy::lying(Lie::PrivateFormat)
    };
    let data = data();
    let error = prepare(&Toy::new(), &private, &data)
        .err()
        .unwrap()
        .to_string();
    assert_eq!(
        error,
        "block 0, compressed by other, comes back from baseline with another byte 0"
    );
}

#[test]
fn failures_say_who_which_way_and_where() {
    let data = data();
    let error = prepare(&Toy::new(), &Toy::lying(Lie::Fails(12)), &data)
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "other cannot compress block 12: Device: the device or library failed (toy, native code -7)"
    );
    let error = prepare(&Toy::new(), &Toy::lying(Lie::LongerThanRoom), &data)
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Device);
    let error = prepare(&Toy::lying(Lie::TakesNothing), &Toy::new(), &data)
        .err()
        .unwrap();
    assert_eq!(
        error,
        MeasureError::TooLong {
            contender: "baseline".into(),
            len: 100
        }
    );
    let error = prepare(&Toy::new(), &Toy::lying(Lie::ReadsOnly), &data)
        .err()
        .unwrap();
    assert!(matches!(
        error,
        MeasureError::NoSession {
            direction: Direction::Compress,
            ..
        }
    ));
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

#[test]
fn no_data_is_an_error_and_little_data_is_one_block() {
    assert_eq!(
        prepare(&Toy::new(), &Toy::new(), b"").err(),
        Some(MeasureError::Empty)
    );
    let mut bench = prepare(&Toy::new(), &Toy::new(), b"x").unwrap();
    assert_eq!(bench.blocks(), 1);
    let measured = bench
        .measure(Direction::Compress, &pace(), &mut |_| {})
        .unwrap();
    assert!(
        measured.iter().all(|m| m.mb_per_s > 0.0 && m.ratio == 1.0),
        "{measured:?}"
    );
}

#[test]
fn sessions_are_made_once() {
    let (one, other) = (Toy::new(), Toy::new());
    let data = data();
    let mut bench = prepare(&one, &other, &data).unwrap();
    for direction in Direction::BOTH {
        bench.measure(direction, &pace(), &mut |_| {}).unwrap();
    }
    for toy in [one, other] {
        assert_eq!(toy.sessions.load(Ordering::Relaxed), 2);
    }
}

#[test]
fn progress_counts_the_blocks_and_then_the_time() {
    let data = data();
    let mut checked = Vec::new();
    let mut bench = SideBySide::prepare(
        Toy::new().contender("only"),
        [],
        &data,
        block_size(100),
        &mut |progress| checked.push(progress),
    )
    .unwrap();
    assert_eq!(checked.len(), 41);
    assert_eq!(checked[40], Progress::Checked { blocks: 41, of: 41 });

    let mut last = Duration::ZERO;
    let measured = bench.measure(Direction::Decompress, &pace(), &mut |progress| {
        let Progress::Measured {
            direction,
            spent,
            of,
        } = progress
        else {
            panic!("{progress:?}")
        };
        assert_eq!((direction, of), (Direction::Decompress, pace().budget));
        assert!(spent >= last);
        last = spent;
    });
    assert!(last >= pace().budget);
    assert_eq!(measured.unwrap().len(), 1);
}

#[test]
fn latency_is_of_as_many_threads_as_were_asked_for() {
    let sleeping = Toy {
        sleep: Duration::from_millis(2),
        ..Toy::new()
    };
    let (quick, data) = (Toy::new(), vec![1; 1000]);
    let bench = prepare(&quick, &sleeping, &data).unwrap();
    let threads = NonZeroUsize::new(3).unwrap();
    for direction in Direction::BOTH {
        let mut spent = Vec::new();
        let latencies = bench.latency(direction, threads, pace().budget, &mut |progress| {
            spent.push(progress);
        });
        let latencies = latencies.unwrap();
        assert_eq!(latencies.len(), 2);
        for latency in &latencies {
            assert_eq!(latency.threads, threads);
            // At least one of each thread.
            assert!(latency.ops >= 3 && latency.mb_per_s > 0.0, "{latency:?}");
            assert!(
                latency.p50 <= latency.p99
                    && latency.p99 <= latency.p999
                    && latency.p999 <= latency.max,
                "{latency:?}"
            );
        }
        // Sleeping is never shorter than asked; three threads of 100 bytes in 2 ms are 0.15 MB/s.
        let slow = &latencies[1];
        assert!(slow.p50 >= sleeping.sleep.mul_f64(0.999), "{slow:?}");
        assert!(slow.mb_per_s < 0.151, "{slow:?}");
        assert!(spent.len() >= 2, "{spent:?}");
    }
    // Two in the beginning, then two for each thread and direction.
    for toy in [quick, sleeping] {
        assert_eq!(toy.sessions.load(Ordering::Relaxed), 2 + 2 * 3 * 2);
    }
}

#[test]
fn a_thread_that_gets_no_session_ends_the_measurement() {
    let (one, data) = (Toy::lying(Lie::OneSession), data());
    let bench = prepare(&Toy::new(), &one, &data).unwrap();
    let error = bench
        .latency(
            Direction::Compress,
            NonZeroUsize::MIN,
            pace().budget,
            &mut |_| {},
        )
        .unwrap_err();
    assert!(matches!(error, MeasureError::NoSession { .. }), "{error:?}");
    assert_eq!(error.kind(), ErrorKind::Busy);
}
