//! Batches over worker threads: nothing is allocated per job, on any thread.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Effective, Error, Format, Job, ProviderId, Spec,
};
use compressor_conformance::alloc::{allocations, count};
use compressor_decorator::{Accelerated, Guards, Workers};

compressor_conformance::count_mallocs!();

const LEN: usize = 16 << 10;
const JOBS: usize = 64;
const BATCHES: usize = 200;

/// A codec that adds up what its operations allocate, on whatever thread they run.
#[derive(Debug)]
struct Counted(Arc<dyn Compressor>, Arc<AtomicU64>);

struct CountedSession<S: ?Sized>(Box<S>, Arc<AtomicU64>);

impl Compressor for Counted {
    fn spec(&self) -> &Spec {
        self.0.spec()
    }

    fn effective(&self) -> &Effective {
        self.0.effective()
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        self.0.max_compressed_len(src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        self.0.decompressed_len(src)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        let inner = self.0.compress_session()?;
        Ok(Box::new(CountedSession(inner, self.1.clone())))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        let inner = self.0.decompress_session()?;
        Ok(Box::new(CountedSession(inner, self.1.clone())))
    }
}

impl<S: ?Sized> CountedSession<S> {
    fn counted<T>(&mut self, run: impl FnOnce(&mut S) -> T) -> T {
        let before = count();
        let result = run(&mut self.0);
        self.1.fetch_add(count() - before, Ordering::Relaxed);
        result
    }
}

impl CompressSession for CountedSession<dyn CompressSession> {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.counted(|session| session.compress(src, dst))
    }
}

impl DecompressSession for CountedSession<dyn DecompressSession> {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.counted(|session| session.decompress(src, dst))
    }

    fn provider(&self) -> ProviderId {
        self.0.provider()
    }
}

#[test]
fn a_batch_allocates_nothing_for_its_jobs() {
    let spec = Spec::new(Format::Lz4Block);
    let codec = compressor_lz4::factory().compressor(&spec).unwrap();
    let in_jobs = Arc::new(AtomicU64::new(0));
    let software = Arc::new(Counted(codec, in_jobs.clone()));
    let accelerated = Accelerated::builder(software, &Guards::default())
        .workers(Workers::new(NonZeroUsize::new(3).unwrap()).unwrap())
        .build()
        .unwrap();

    let content: Vec<u8> = b"some content of a block, ".repeat(LEN / 25);
    let mut units = vec![vec![0; 2 * LEN]; JOBS];
    let mut writer = accelerated.compress_session().unwrap();
    let lens = allocates_nothing(&content, &mut units, &in_jobs, |jobs| {
        writer.compress_many(jobs);
    });
    for (unit, len) in units.iter_mut().zip(lens) {
        unit.truncate(len);
    }

    let mut reader = accelerated.decompress_session().unwrap();
    let mut back = vec![vec![0; content.len()]; JOBS];
    let lens = allocates_nothing(&units[0], &mut back, &in_jobs, |jobs| {
        reader.decompress_many(jobs);
    });
    assert_eq!(lens, [content.len(); JOBS]);
    assert!(back.iter().all(|back| *back == content));
}

/// Runs batches of `src` into each of `all`, and returns the lengths of what came out.
fn allocates_nothing(
    src: &[u8],
    all: &mut [Vec<u8>],
    in_jobs: &AtomicU64,
    mut run: impl FnMut(&mut [Job<'_>]),
) -> Vec<usize> {
    let mut jobs: Vec<Job<'_>> = all.iter_mut().map(|dst| Job::new(src, dst)).collect();
    run(&mut jobs);
    in_jobs.store(0, Ordering::Relaxed);
    let (_, by_caller) = allocations(|| {
        for _ in 0..BATCHES {
            run(&mut jobs);
        }
    });
    assert_eq!(in_jobs.load(Ordering::Relaxed), 0);
    // The queue that hands a batch to the workers grows by a block for every 63 of them.
    assert!(by_caller <= BATCHES as u64 / 32, "{by_caller}");
    jobs.into_iter().map(|job| job.result.unwrap()).collect()
}
