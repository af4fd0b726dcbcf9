use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use compressor_api::{
    Capabilities, CompressSession, Compressor, DecompressSession, Direction, Effective, Error,
    ErrorKind, Format, Job, ProviderId, Selected, Spec,
};
use compressor_decorator::{BreakerState, Options, Reason, Verify};

use super::PLAIN;
use super::misbehaving::{FlipsBit, ID, PanicsIn, PermanentError, Place, error, selected};
use super::support::{Process, Rig, software, text, unlimited};

/// A provider that takes batches, and notes how many jobs came in each call.
#[derive(Debug)]
struct Batches {
    codec: Arc<dyn Compressor>,
    calls: Arc<Calls>,
    then: Then,
}

/// What is done to a batch after its jobs were run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Nothing,
    /// Jobs change places, as a device that completes out of order may do by mistake.
    Swap,
    /// The last one is left out.
    LeaveOne,
    /// Every third fails.
    FailThird,
    Panic,
    /// Every second is wrong, and said to be right.
    FlipSecond,
}

#[derive(Debug, Default)]
struct Calls {
    batches: AtomicUsize,
    jobs: AtomicUsize,
}

impl Compressor for Batches {
    fn spec(&self) -> &Spec {
        self.codec.spec()
    }

    fn effective(&self) -> &Effective {
        self.codec.effective()
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        self.codec.max_compressed_len(src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        self.codec.decompressed_len(src)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        Ok(Box::new(Session {
            codec: self.codec.compress_session()?,
            calls: self.calls.clone(),
            then: self.then,
        }))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        Ok(Box::new(Session {
            codec: self.codec.decompress_session()?,
            calls: self.calls.clone(),
            then: self.then,
        }))
    }
}

struct Session<S> {
    codec: S,
    calls: Arc<Calls>,
    then: Then,
}

impl<S> Session<S> {
    fn run(&self, jobs: &mut [Job<'_>]) {
        self.calls.batches.fetch_add(1, Ordering::Relaxed);
        self.calls.jobs.fetch_add(jobs.len(), Ordering::Relaxed);
        match self.then {
            Then::Nothing => {}
            Then::Swap => jobs.swap(0, 1),
            Then::LeaveOne => jobs.last_mut().unwrap().result = Err(error(ErrorKind::Busy)),
            Then::FailThird => jobs
                .iter_mut()
                .skip(2)
                .step_by(3)
                .for_each(|job| job.result = Err(error(ErrorKind::Device))),
            Then::Panic => panic!("in a batch"),
            Then::FlipSecond => jobs.iter_mut().step_by(2).for_each(|job| {
                let n = job.result.unwrap();
                job.dst[n / 2] ^= 1;
            }),
        }
    }
}

impl CompressSession for Session<Box<dyn CompressSession>> {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.codec.compress(src, dst)
    }

    fn compress_many(&mut self, jobs: &mut [Job<'_>]) {
        self.codec.compress_many(jobs);
        self.run(jobs);
    }
}

impl DecompressSession for Session<Box<dyn DecompressSession>> {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.codec.decompress(src, dst)
    }

    fn decompress_many(&mut self, jobs: &mut [Job<'_>]) {
        self.codec.decompress_many(jobs);
        self.run(jobs);
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

fn device(capabilities: Capabilities, then: Then) -> (Selected, Arc<Calls>) {
    let calls = Arc::new(Calls::default());
    let compressor = Batches {
        codec: software(&Spec::new(capabilities.format)),
        calls: calls.clone(),
        then,
    };
    (Selected::new(ID, capabilities, Arc::new(compressor)), calls)
}

fn rig(options: Options, capabilities: Capabilities, device: Selected) -> Rig {
    Process::new().rig(&Spec::new(capabilities.format), options, [device])
}

/// Runs a batch of contents through the rig; each result must be right.
fn run(rig: &mut Rig, direction: Direction, contents: &[Vec<u8>]) {
    let outputs = outputs(rig, direction, contents);
    check(rig, direction, contents, &outputs);
}

/// What comes of a batch of contents.
fn outputs(rig: &mut Rig, direction: Direction, contents: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let units: Vec<Vec<u8>> = contents.iter().map(|content| rig.unit(content)).collect();
    let (sources, rooms): (_, Vec<usize>) = match direction {
        Direction::Compress => (
            contents,
            contents
                .iter()
                .map(|content| rig.software.max_compressed_len(content.len()).unwrap())
                .collect(),
        ),
        Direction::Decompress => (&units[..], contents.iter().map(Vec::len).collect()),
    };
    let mut outputs: Vec<Vec<u8>> = rooms.iter().map(|room| vec![0x55; *room]).collect();
    let mut jobs: Vec<Job<'_>> = sources
        .iter()
        .zip(&mut outputs)
        .map(|(src, dst)| Job::new(src, dst))
        .collect();
    match direction {
        Direction::Compress => rig.compress.compress_many(&mut jobs),
        Direction::Decompress => rig.decompress.decompress_many(&mut jobs),
    }
    let lens: Vec<usize> = jobs.iter().map(|job| job.result.unwrap()).collect();
    for (output, len) in outputs.iter_mut().zip(lens) {
        output.truncate(len);
    }
    outputs
}

fn check(rig: &Rig, direction: Direction, contents: &[Vec<u8>], outputs: &[Vec<u8>]) {
    for (content, output) in contents.iter().zip(outputs) {
        let mut decoded = vec![0; content.len()];
        match direction {
            Direction::Compress => rig
                .software
                .decompress_session()
                .unwrap()
                .decompress_exact(output, &mut decoded)
                .unwrap(),
            Direction::Decompress => decoded.copy_from_slice(output),
        }
        assert!(decoded == *content, "other bytes");
    }
}

fn contents(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|n| text(n as u64, 500 + n)).collect()
}

#[test]
fn jobs_are_handed_on_together() {
    for direction in Direction::BOTH {
        for (count, batches) in [(0, 0), (1, 0), (2, 1), (32, 1), (33, 1), (100, 4)] {
            let capabilities = unlimited(Format::Lz4Sized, direction);
            let (device, calls) = device(capabilities, Then::Nothing);
            let mut rig = rig(PLAIN, capabilities, device);
            run(&mut rig, direction, &contents(count));
            assert_eq!(calls.batches.load(Ordering::Relaxed), batches, "{count}");
            let counters = rig.counters(direction);
            assert_eq!(counters.accelerated.ops, count as u64);
            assert_eq!(counters.software.ops, 0);
        }
    }
}

#[test]
fn jobs_outside_the_limits_go_to_software_and_the_others_together() {
    for direction in Direction::BOTH {
        let capabilities = unlimited(Format::None, direction).with_input(510, 519);
        let (device, calls) = device(capabilities, Then::Nothing);
        let mut rig = rig(PLAIN, capabilities, device);
        run(&mut rig, direction, &contents(30));
        assert_eq!(calls.batches.load(Ordering::Relaxed), 1);
        assert_eq!(calls.jobs.load(Ordering::Relaxed), 10);
        let counters = rig.counters(direction);
        assert_eq!(counters.accelerated.ops, 10);
        assert_eq!(counters.software_ops(Reason::BelowMin), 10);
        assert_eq!(counters.software_ops(Reason::AboveMax), 10);
    }
}

#[test]
fn a_batch_needs_a_permit_for_each_job() {
    let limited = |limit| {
        unlimited(Format::None, Direction::Compress).with_in_flight(NonZeroU32::new(limit).unwrap())
    };
    for (limit, batches) in [(32, 1), (31, 0)] {
        let (device, calls) = device(limited(limit), Then::Nothing);
        let mut rig = rig(PLAIN, limited(limit), device);
        run(&mut rig, Direction::Compress, &contents(32));
        assert_eq!(calls.batches.load(Ordering::Relaxed), batches);
        // Short of permits the jobs go one by one, and there is one for each.
        assert_eq!(rig.counters(Direction::Compress).accelerated.ops, 32);
        assert_eq!(rig.guard(Direction::Compress).in_flight(), 0);
    }
}

#[test]
fn jobs_that_fail_are_redone_alone() {
    for direction in Direction::BOTH {
        for (then, reason, redone) in [
            (Then::FailThird, Reason::DeviceError, 10),
            (Then::LeaveOne, Reason::Saturated, 1),
        ] {
            let capabilities = unlimited(Format::Lz4Sized, direction);
            let (device, _) = device(capabilities, then);
            let mut rig = rig(PLAIN, capabilities, device);
            run(&mut rig, direction, &contents(30));
            let counters = rig.counters(direction);
            assert_eq!(counters.software_ops(reason), redone);
            assert_eq!(counters.accelerated.ops, 30 - redone);
            assert_eq!(rig.state(direction), BreakerState::Closed);
        }
    }
}

#[test]
fn jobs_that_change_places_are_found_by_verification() {
    for direction in Direction::BOTH {
        let capabilities = unlimited(Format::Lz4Block, direction);
        let (device, _) = device(capabilities, Then::Swap);
        let mut rig = rig(PLAIN.verify(Verify::Always), capabilities, device);
        run(&mut rig, direction, &contents(30));
        assert!(rig.counters(direction).software_ops(Reason::Mismatch) >= 1);
        assert_eq!(rig.state(direction), BreakerState::Quarantined);
    }
}

#[test]
fn one_lie_found_in_a_batch_and_none_of_its_results_is_handed_out() {
    for direction in Direction::BOTH {
        let capabilities = unlimited(Format::Lz4Block, direction);
        let mut found = 0;
        for _ in 0..50 {
            let (device, _) = device(capabilities, Then::FlipSecond);
            let verify = Verify::Sampled {
                first: 0,
                one_in: 4,
            };
            let mut rig = rig(PLAIN.verify(verify), capabilities, device);
            let outputs = outputs(&mut rig, direction, &contents(32));
            let counters = rig.counters(direction);
            if rig.state(direction) == BreakerState::Quarantined {
                found += 1;
                check(&rig, direction, &contents(32), &outputs);
                assert_eq!(counters.accelerated.ops, 0);
                assert!(counters.software_ops(Reason::Quarantined) >= 16);
            }
        }
        assert!(found > 25, "{found} of 50, where 49 are expected");
    }
}

#[test]
fn a_panic_in_a_batch_leaves_every_job_to_software() {
    for direction in Direction::BOTH {
        let capabilities = unlimited(Format::Lz4Sized, direction);
        let (device, _) = device(capabilities, Then::Panic);
        let mut rig = rig(PLAIN, capabilities, device);
        run(&mut rig, direction, &contents(30));
        run(&mut rig, direction, &contents(30));
        let counters = rig.counters(direction);
        assert_eq!(counters.software_ops(Reason::DeviceError), 30);
        assert_eq!(counters.software_ops(Reason::Quarantined), 30);
        assert_eq!(rig.state(direction), BreakerState::Quarantined);
    }
}

#[test]
fn misbehaviour_in_a_batch_is_survived_as_anywhere() {
    for direction in Direction::BOTH {
        let capabilities = unlimited(Format::Zlib, direction);
        let behaviours: [Arc<dyn super::misbehaving::Misbehaviour>; 4] = [
            Arc::new(FlipsBit::default()),
            Arc::new(PermanentError::new(error(ErrorKind::Poisoned))),
            Arc::new(PermanentError::new(error(ErrorKind::Unsupported))),
            Arc::new(PanicsIn::new(match direction {
                Direction::Compress => Place::Compress,
                Direction::Decompress => Place::Decompress,
            })),
        ];
        for behaviour in behaviours {
            let device = selected(behaviour, capabilities, software(&Spec::new(Format::Zlib)));
            let mut rig = rig(PLAIN.verify(Verify::Always), capabilities, device);
            for _ in 0..3 {
                run(&mut rig, direction, &contents(70));
            }
        }
    }
}

#[test]
fn without_an_accelerator_a_batch_runs_in_software() {
    let mut rig = Process::new().rig(&Spec::new(Format::Zlib), PLAIN, []);
    for direction in Direction::BOTH {
        run(&mut rig, direction, &contents(40));
        let counters = rig.counters(direction);
        assert_eq!(counters.software_ops(Reason::Absent), 40);
    }
}
