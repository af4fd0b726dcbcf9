//! A million blocks of every format through a provider that fails in every way at random, on eight
//! threads: not one wrong byte.
//!
//! `COMPRESSOR_STORM_BLOCKS` sets another number of blocks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

mod misbehaving;
mod support;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Direction, Error, ErrorKind, Format, Job, Spec,
};
use compressor_decorator::{Accelerated, BreakerState, Counters, Options, Reason, Verify};

use misbehaving::{Codec, ID, Misbehaviour, error, selected};
use support::{Chance, Process, software, text, unlimited};

const THREADS: usize = 8;

/// Blocks of a million.
fn blocks() -> usize {
    std::env::var("COMPRESSOR_STORM_BLOCKS")
        .ok()
        .map_or(1_000_000, |blocks| blocks.parse().unwrap())
}

/// Fails once in ten calls, and now and then many times in a row.
#[derive(Debug)]
struct Storm {
    calls: AtomicU64,
    /// Calls to go of a run of failures.
    run: AtomicU64,
    /// Also says OK to what only a look at every byte can tell from right.
    lies: bool,
}

impl Storm {
    fn new(lies: bool) -> Self {
        Self {
            calls: AtomicU64::new(0),
            run: AtomicU64::new(0),
            lies,
        }
    }

    /// What becomes of a result that is in `dst`.
    fn strike(&self, result: Result<usize, Error>, dst: &mut [u8]) -> Result<usize, Error> {
        let mut chance = Chance(self.calls.fetch_add(1, Ordering::Relaxed) << 20);
        if chance.below(20_000) == 0 {
            self.run.store(16, Ordering::Relaxed);
        }
        let one_less = |run: u64| run.checked_sub(1);
        if self
            .run
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less)
            .is_ok()
        {
            return Err(error(ErrorKind::Device));
        }
        if chance.below(10) != 0 {
            return result;
        }
        if self.lies && chance.below(2) == 0 {
            return result.map(|n| lie(&mut chance, n, dst));
        }
        if chance.below(2) == 0 {
            dst.fill(0xAA);
        }
        let kinds = ErrorKind::ALL.len() as u64;
        match chance.below(kinds + 5) {
            at if at < kinds => Err(error(ErrorKind::ALL[at as usize])),
            at if at == kinds => Ok(0),
            at if at == kinds + 1 => Ok(dst.len() + 1),
            at if at == kinds + 2 => Ok(usize::MAX),
            at if at == kinds + 3 => Err(Error::with_native(ErrorKind::Device, ID, -4_242)),
            // Without the message that a panic prints.
            _ => std::panic::resume_unwind(Box::new("storm")),
        }
    }
}

/// Makes a right result of `n` bytes wrong.
fn lie(chance: &mut Chance, n: usize, dst: &mut [u8]) -> usize {
    match chance.below(4) {
        0 => n.saturating_sub(1),
        1 => n / 2,
        2 if n > 0 => {
            dst[chance.below(n as u64) as usize] = 0;
            n
        }
        _ if n > 0 => {
            dst[chance.below(n as u64) as usize] ^= 1 << chance.below(8);
            n
        }
        _ => n,
    }
}

impl Misbehaviour for Storm {
    fn open(&self, _: Direction) -> Result<(), Error> {
        let mut chance = Chance(self.calls.fetch_add(1, Ordering::Relaxed) << 20);
        if chance.below(10) == 0 {
            return Err(error(ErrorKind::ALL[chance.below(11) as usize]));
        }
        Ok(())
    }

    fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
        let result = codec(dst);
        self.strike(result, dst)
    }
}

/// One format's compressor, and blocks that are known good.
struct Arena {
    accelerated: Accelerated,
    software: Arc<dyn Compressor>,
    /// Content and unit.
    blocks: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Arena {
    fn new(format: Format, process: &Process, storm: &Arc<Storm>, verify: Verify) -> Self {
        let spec = Spec::new(format);
        let software = software(&spec);
        let mut builder = Accelerated::builder(software.clone(), &process.guards)
            .options(Options::new().without_self_check().verify(verify));
        for direction in Direction::BOTH {
            let capabilities = unlimited(format, direction)
                .with_input(1, 2_000)
                .with_in_flight(NonZeroU32::new(6).unwrap());
            builder = builder.accelerator(selected(storm.clone(), capabilities, software.clone()));
        }
        let mut chance = Chance(format.id().into());
        let blocks = (0..64).map(|seed| {
            // Most are short: 256 bytes and up, a few beyond what the provider takes.
            let len = 256 >> (seed % 9 * (seed % 2)) | chance.below(256) as usize;
            let len = if seed == 0 {
                0
            } else {
                len << (seed % 16 / 12)
            };
            let len = if seed == 63 { 2_100 } else { len };
            let content = text(chance.next(), len);
            let mut unit = vec![0; software.max_compressed_len(len).unwrap()];
            let n = software
                .compress_session()
                .unwrap()
                .compress(&content, &mut unit)
                .unwrap();
            unit.truncate(n);
            (content, unit)
        });
        Self {
            blocks: blocks.collect(),
            accelerated: builder.build().unwrap(),
            software,
        }
    }
}

/// One thread's sessions of one arena.
struct Fighter<'a> {
    arena: &'a Arena,
    compress: Box<dyn CompressSession>,
    decompress: Box<dyn DecompressSession>,
    reference: Box<dyn DecompressSession>,
    out: Vec<u8>,
    decoded: Vec<u8>,
}

impl<'a> Fighter<'a> {
    fn new(arena: &'a Arena) -> Self {
        Self {
            compress: arena.accelerated.compress_session().unwrap(),
            decompress: arena.accelerated.decompress_session().unwrap(),
            reference: arena.software.decompress_session().unwrap(),
            out: vec![0; 4_096],
            decoded: vec![0; 4_096],
            arena,
        }
    }

    /// Runs some blocks, and says how many.
    fn fight(&mut self, chance: &mut Chance) -> usize {
        let blocks = &self.arena.blocks;
        let at = chance.below(blocks.len() as u64) as usize;
        let (content, unit) = &blocks[at];
        match chance.below(32) {
            0..16 => {
                let room = self.room(content.len());
                let n = self.compress.compress(content, &mut self.out[..room]);
                Self::check_unit(
                    &mut *self.reference,
                    &self.out[..n.unwrap()],
                    content,
                    &mut self.decoded,
                );
                1
            }
            16..24 => {
                let n = self.decompress.decompress(unit, &mut self.out);
                assert!(self.out[..n.unwrap()] == **content);
                1
            }
            24..31 => {
                let out = &mut self.out[..content.len()];
                self.decompress.decompress_exact(unit, out).unwrap();
                assert!(*out == **content);
                1
            }
            _ => self.fight_a_batch(at),
        }
    }

    fn fight_a_batch(&mut self, at: usize) -> usize {
        let blocks = &self.arena.blocks[at..(at + 8).min(self.arena.blocks.len())];
        let mut outputs: Vec<Vec<u8>> = blocks
            .iter()
            .map(|(content, _)| vec![0; self.room(content.len())])
            .collect();
        let jobs = |outputs: &mut Vec<Vec<u8>>, run: &mut dyn FnMut(&mut [Job<'_>]), compress| {
            let mut jobs: Vec<Job<'_>> = blocks
                .iter()
                .zip(outputs)
                .map(|((content, unit), out)| Job::new(if compress { content } else { unit }, out))
                .collect();
            run(&mut jobs);
            jobs.iter()
                .map(|job| job.result.unwrap())
                .collect::<Vec<usize>>()
        };
        let lens = jobs(
            &mut outputs,
            &mut |jobs| self.compress.compress_many(jobs),
            true,
        );
        for (((content, _), out), n) in blocks.iter().zip(&outputs).zip(lens) {
            Self::check_unit(&mut *self.reference, &out[..n], content, &mut self.decoded);
        }
        let lens = jobs(
            &mut outputs,
            &mut |jobs| self.decompress.decompress_many(jobs),
            false,
        );
        for (((content, _), out), n) in blocks.iter().zip(&outputs).zip(lens) {
            assert!(out[..n] == **content);
        }
        2 * blocks.len()
    }

    fn room(&self, len: usize) -> usize {
        self.arena.accelerated.max_compressed_len(len).unwrap()
    }

    fn check_unit(
        reference: &mut dyn DecompressSession,
        unit: &[u8],
        content: &[u8],
        decoded: &mut [u8],
    ) {
        let decoded = &mut decoded[..content.len()];
        reference.decompress_exact(unit, decoded).unwrap();
        assert!(decoded == content, "other bytes");
    }
}

/// Half of the blocks against one provider. Gives the compressors, for their counters.
fn weather(lies: bool, verify: Verify) -> Vec<Arena> {
    let process = Process::new();
    let storm = Arc::new(Storm::new(lies));
    let arenas: Vec<Arena> = Format::ALL
        .into_iter()
        .map(|format| Arena::new(format, &process, &storm, verify))
        .collect();
    let done = AtomicUsize::new(0);
    let guards = &process.guards.all();
    let (process, arenas_ref, done_ref) = (&process, &arenas, &done);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let mut chance = Chance(thread as u64 + 1_000);
                let mut fighters: Vec<Fighter<'_>> = arenas_ref.iter().map(Fighter::new).collect();
                let mut since = 0;
                while done_ref.load(Ordering::Relaxed) < blocks() / 2 {
                    let at = chance.below(fighters.len() as u64) as usize;
                    since += fighters[at].fight(&mut chance);
                    // An operator who never sleeps.
                    for guard in guards {
                        if guard.state() == BreakerState::Quarantined {
                            guard.reset();
                        }
                    }
                    if since >= 64 {
                        done_ref.fetch_add(since, Ordering::Relaxed);
                        since = 0;
                        // Time passes; sessions come and go.
                        process.clock.turn(Duration::from_secs(1));
                        fighters[at] = Fighter::new(&arenas_ref[at]);
                    }
                }
            });
        }
    });
    assert!(guards.iter().all(|guard| guard.in_flight() == 0));
    arenas
}

/// How many operations of all formats ran in software for a reason.
fn ran_in_software(arenas: &[Arena], reason: Reason) -> u64 {
    let both = arenas.iter().flat_map(|arena| {
        let counters = arena.accelerated.counters();
        [counters.compress, counters.decompress]
    });
    both.map(|counters| counters.software_ops(reason)).sum()
}

fn assert_every_way_was_taken(arenas: &[Arena], reasons: &[Reason]) {
    for reason in reasons {
        assert!(ran_in_software(arenas, *reason) > 0, "{reason}");
    }
    for direction in Direction::BOTH {
        let all: Vec<Counters> = arenas
            .iter()
            .map(|arena| *arena.accelerated.counters().direction(direction))
            .collect();
        for kind in ErrorKind::ALL {
            let errors = all.iter().map(|counters| counters.accelerator_errors(kind));
            assert!(errors.sum::<u64>() > 0, "{direction} {kind}");
        }
        for counters in all {
            // Whoever leaves most of it to software has not been in the storm.
            assert!(
                counters.accelerated.ops > counters.software.ops,
                "{counters:?}"
            );
            assert!(counters.implausible > 0);
            assert!(counters.verified > 0);
        }
    }
}

const REASONS: [Reason; 12] = [
    Reason::AboveMax,
    Reason::BelowMin,
    Reason::BreakerOpen,
    Reason::DeviceError,
    Reason::OutputShort,
    Reason::Quarantined,
    Reason::Rejected,
    Reason::Saturated,
    Reason::SessionLost,
    Reason::Timeout,
    Reason::Saturated,
    Reason::DeviceError,
];

#[test]
fn faults_that_show_are_survived_with_few_results_verified() {
    // The breaker changes all the time here, and each time the first are verified again: were they
    // 32, hardly any would not be.
    let few = Verify::Sampled {
        first: 1,
        one_in: 1024,
    };
    let arenas = weather(false, few);
    for arena in &arenas {
        let counters = arena.accelerated.counters().compress;
        assert!(counters.verified * 4 < counters.accelerated.ops);
    }
    assert_eq!(ran_in_software(&arenas, Reason::Mismatch), 0);
    assert_every_way_was_taken(&arenas, &REASONS);
}

#[test]
fn faults_that_do_not_show_are_survived_when_everything_is_verified() {
    let arenas = weather(true, Verify::Always);
    assert!(ran_in_software(&arenas, Reason::Mismatch) > 0);
    assert_every_way_was_taken(&arenas, &REASONS);
}
