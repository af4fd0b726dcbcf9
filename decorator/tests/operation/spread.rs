//! Batches over worker threads.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Effective, Error, ErrorKind, Format, Job,
    ProviderId, Spec,
};
use compressor_decorator::{Accelerated, Guards, Workers};

use super::support::{software, text};

fn workers(count: usize) -> Workers {
    Workers::new(NonZeroUsize::new(count).unwrap()).unwrap()
}

fn spread(software: Arc<dyn Compressor>, count: usize) -> Accelerated {
    Accelerated::builder(software, &Guards::default())
        .workers(workers(count))
        .build()
        .unwrap()
}

/// Blocks of many lengths, none of them alike.
fn blocks() -> Vec<Vec<u8>> {
    (0..60_usize)
        .map(|at| {
            let mut block = text(at as u64, 1 + at * 997 % 20_000);
            block[0] = at as u8;
            block
        })
        .collect()
}

/// Compresses as a batch, then decompresses as a batch, and compares each with its own.
fn round_trip(accelerated: &Accelerated, blocks: &[Vec<u8>]) {
    let bound = accelerated.max_compressed_len(20_000).unwrap();
    let mut units = vec![vec![0; bound]; blocks.len()];
    let mut jobs: Vec<Job<'_>> = blocks
        .iter()
        .zip(&mut units)
        .map(|(block, unit)| Job::new(block, unit))
        .collect();
    accelerated
        .compress_session()
        .unwrap()
        .compress_many(&mut jobs);
    let lens: Vec<usize> = jobs.into_iter().map(|job| job.result.unwrap()).collect();

    let mut backs: Vec<Vec<u8>> = blocks.iter().map(|block| vec![0; block.len()]).collect();
    let mut jobs: Vec<Job<'_>> = units
        .iter()
        .zip(&lens)
        .zip(&mut backs)
        .map(|((unit, len), back)| Job::new(&unit[..*len], back))
        .collect();
    accelerated
        .decompress_session()
        .unwrap()
        .decompress_many(&mut jobs);
    for (job, block) in jobs.into_iter().zip(blocks) {
        assert_eq!(job.result, Ok(block.len()));
    }
    assert_eq!(backs, blocks);
}

#[test]
fn each_job_keeps_its_place_whatever_the_number_of_threads() {
    let blocks = blocks();
    for count in [1, 2, 3, 8] {
        round_trip(&spread(software(&Spec::new(Format::Zlib)), count), &blocks);
    }
}

#[test]
fn a_call_that_is_no_batch_is_served_as_well() {
    let accelerated = spread(software(&Spec::new(Format::Zlib)), 2);
    let content = text(1, 3_000);
    let mut unit = vec![0; 4_000];
    let mut session = accelerated.compress_session().unwrap();
    let n = session.compress(&content, &mut unit).unwrap();
    let mut session = accelerated.decompress_session().unwrap();
    let mut back = vec![0; content.len()];
    assert_eq!(session.decompress(&unit[..n], &mut back), Ok(3_000));
    assert_eq!(back, content);
    back.fill(0);
    session.decompress_exact(&unit[..n], &mut back).unwrap();
    assert_eq!(back, content);
}

#[test]
fn no_batch_is_too_small_or_too_uneven() {
    let accelerated = spread(software(&Spec::new(Format::Lz4Block)), 4);
    for lens in [
        &[][..],
        &[0],
        &[0; 100],
        &[20_000; 2],
        &[1; 300],
        &[20_000, 1, 1, 1, 20_000],
    ] {
        let blocks: Vec<Vec<u8>> = lens.iter().map(|len| text(2, *len)).collect();
        round_trip(&accelerated, &blocks);
    }
}

#[test]
fn a_job_that_fails_fails_alone() {
    let accelerated = spread(software(&Spec::new(Format::Zlib)), 3);
    let blocks = vec![text(1, 20_000); 30];
    let mut units = vec![vec![0; 30_000]; blocks.len()];
    let mut jobs: Vec<Job<'_>> = blocks
        .iter()
        .zip(&mut units)
        .enumerate()
        .map(|(at, (block, unit))| {
            let room = if at % 3 == 0 { 10 } else { unit.len() };
            Job::new(block, &mut unit[..room])
        })
        .collect();
    accelerated
        .compress_session()
        .unwrap()
        .compress_many(&mut jobs);
    for (at, job) in jobs.iter().enumerate() {
        let kind = job.result.map_err(Error::kind).err();
        let expected = (at % 3 == 0).then_some(ErrorKind::OutputTooSmall);
        assert_eq!(kind, expected, "job {at}");
    }
}

#[test]
fn threads_at_once_share_the_workers() {
    let accelerated = spread(software(&Spec::new(Format::Zlib)), 2);
    let blocks = blocks();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| round_trip(&accelerated, &blocks));
        }
    });
}

/// A codec whose sessions note on which threads they run, and panic once for a block that begins
/// with 0xFF. As software, nobody else catches that.
#[derive(Debug)]
struct Panics {
    codec: Arc<dyn Compressor>,
    armed: Arc<AtomicBool>,
    opened: Arc<AtomicUsize>,
}

struct PanicsSession {
    inner: Box<dyn CompressSession>,
    armed: Arc<AtomicBool>,
}

impl Compressor for Panics {
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
        self.opened.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(PanicsSession {
            inner: self.codec.compress_session()?,
            armed: self.armed.clone(),
        }))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        self.codec.decompress_session()
    }
}

impl CompressSession for PanicsSession {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let hit = src.first() == Some(&0xFF) && self.armed.swap(false, Ordering::Relaxed);
        assert!(!hit, "a panic that was asked for");
        self.inner.compress(src, dst)
    }
}

#[test]
fn a_panic_in_a_worker_costs_its_jobs_and_its_session_only() {
    let codec = software(&Spec::new(Format::Zlib));
    let (armed, opened) = (Arc::new(AtomicBool::new(true)), Arc::default());
    let panics = Panics {
        codec,
        armed: armed.clone(),
        opened: Arc::clone(&opened),
    };
    let accelerated = spread(Arc::new(panics), 4);
    let mut blocks = vec![text(1, 20_000); 40];
    // In the middle of the last quarter.
    blocks[35][0] = 0xFF;
    let mut units = vec![vec![0; 30_000]; blocks.len()];
    let mut session = accelerated.compress_session().unwrap();
    let mut run = || -> Vec<Option<ErrorKind>> {
        let mut jobs: Vec<Job<'_>> = blocks
            .iter()
            .zip(&mut units)
            .map(|(block, unit)| Job::new(block, unit))
            .collect();
        session.compress_many(&mut jobs);
        let results = jobs.into_iter().map(|job| job.result);
        results
            .map(|result| result.map_err(Error::kind).err())
            .collect()
    };
    let first = run();
    let expected: Vec<Option<ErrorKind>> = (0..40)
        .map(|at| (at >= 35).then_some(ErrorKind::Panic))
        .collect();
    assert_eq!(first, expected);
    assert_eq!(opened.load(Ordering::Relaxed), 4);

    // The session that panicked was not used again.
    assert_eq!(run(), [None; 40]);
    assert_eq!(opened.load(Ordering::Relaxed), 5);
}

#[test]
fn a_session_names_whom_it_would_name_alone() {
    let accelerated = spread(software(&Spec::new(Format::Zlib)), 2);
    let session = accelerated.decompress_session().unwrap();
    assert_eq!(session.provider(), ProviderId::new("software.deflate"));
}
