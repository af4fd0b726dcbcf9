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
    CompressSession, Compressor, DecompressSession, Effective, Error, Format, Job, Spec,
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

struct CountedSession(Box<dyn CompressSession>, Arc<AtomicU64>);

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
        self.0.decompress_session()
    }
}

impl CompressSession for CountedSession {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let before = count();
        let result = self.0.compress(src, dst);
        self.1.fetch_add(count() - before, Ordering::Relaxed);
        result
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
    let mut session = accelerated.compress_session().unwrap();
    let mut jobs: Vec<Job<'_>> = units
        .iter_mut()
        .map(|unit| Job::new(&content, unit))
        .collect();
    session.compress_many(&mut jobs);
    in_jobs.store(0, Ordering::Relaxed);
    let (_, by_caller) = allocations(|| {
        for _ in 0..BATCHES {
            session.compress_many(&mut jobs);
        }
    });
    assert!(jobs.iter().all(|job| job.result.is_ok()));
    assert_eq!(in_jobs.load(Ordering::Relaxed), 0);
    // The queue that hands a batch to the workers grows by a block for every 63 of them.
    assert!(by_caller <= BATCHES as u64 / 32, "{by_caller}");
}
