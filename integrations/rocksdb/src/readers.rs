//! Sessions to read with.

use std::sync::{Arc, Mutex, TryLockError};

use compressor::{Accelerated, Compressor, DecompressSession, Error, ErrorKind};

/// Base-2 logarithm of the number of places: more than threads read at once.
const PLACES_LOG: u32 = 6;

/// Sessions to read with, each in a place of its own, made when it is first needed.
///
/// A [`SessionPool`](compressor::SessionPool) lends sessions out and takes them back, which costs
/// two locks and two hashes for each block; beside LZ4, which reads a block in a microsecond, that
/// can be measured. Here a session is used where it lies: a thread begins at a place that few
/// others begin at, takes the first that is free, and never waits.
#[derive(Debug)]
pub(crate) struct Readers {
    compressor: Arc<Accelerated>,
    places: Box<[Place]>,
}

/// On cache lines of its own, two at a time as some CPUs fetch them. Locked while its session
/// works; nobody waits for it.
#[derive(Default)]
#[repr(align(128))]
struct Place(Mutex<Option<Box<dyn DecompressSession>>>);

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").finish_non_exhaustive()
    }
}

impl Readers {
    pub(crate) fn new(compressor: Arc<Accelerated>) -> Self {
        let places = std::iter::repeat_with(Place::default).take(1 << PLACES_LOG);
        Self {
            compressor,
            places: places.collect(),
        }
    }

    /// Decompresses content that must fill `dst` exactly.
    ///
    /// # Errors
    ///
    /// As [`DecompressSession::decompress_exact`] and [`Compressor::decompress_session`].
    pub(crate) fn decompress_exact(&self, src: &[u8], dst: &mut [u8]) -> Result<(), Error> {
        let (before, after) = self.places.split_at(own_place().min(self.places.len()));
        for Place(place) in after.iter().chain(before) {
            let mut kept = match place.try_lock() {
                Ok(kept) => kept,
                // What panicked is not used again; another is made.
                Err(TryLockError::Poisoned(poison)) => {
                    place.clear_poison();
                    let mut kept = poison.into_inner();
                    *kept = None;
                    kept
                }
                Err(TryLockError::WouldBlock) => continue,
            };
            let session = match &mut *kept {
                Some(session) => session,
                none => none.insert(self.compressor.decompress_session()?),
            };
            let result = session.decompress_exact(src, dst);
            if matches!(result, Err(error) if error.kind() == ErrorKind::Poisoned) {
                *kept = None;
            }
            return result;
        }
        // More threads than places: one for this block.
        self.compressor
            .decompress_session()?
            .decompress_exact(src, dst)
    }
}

/// Where the calling thread begins: the same place each time, another one than most threads.
fn own_place() -> usize {
    thread_local! {
        static HERE: u8 = const { 0 };
    }
    let here = HERE.with(|here| std::ptr::from_ref(here).addr() as u64);
    // Fibonacci hashing: the addresses of two threads differ by multiples of a power of two.
    (here.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - PLACES_LOG)) as usize
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use compressor::{Engine, Format, Spec};

    use super::*;

    fn readers() -> (Readers, Vec<u8>, Vec<u8>) {
        let engine = Engine::new().unwrap();
        let compressor = engine.compressor(&Spec::new(Format::DeflateRaw)).unwrap();
        let content = b"what is read back".repeat(50);
        let mut unit = vec![0; 4096];
        let mut writer = compressor.compress_session().unwrap();
        let n = writer.compress(&content, &mut unit).unwrap();
        unit.truncate(n);
        (Readers::new(compressor), content, unit)
    }

    fn made(readers: &Readers) -> usize {
        let places = readers.places.iter();
        places
            .filter(|place| place.0.lock().unwrap().is_some())
            .count()
    }

    #[test]
    fn a_thread_uses_one_session_again_and_again() {
        let (readers, content, unit) = readers();
        for _ in 0..100 {
            let mut back = vec![0; content.len()];
            readers.decompress_exact(&unit, &mut back).unwrap();
            assert_eq!(back, content);
            let error = readers.decompress_exact(&unit[1..], &mut back).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CorruptInput);
        }
        assert_eq!(made(&readers), 1);
    }

    #[test]
    fn who_finds_every_place_taken_reads_all_the_same() {
        let (readers, content, unit) = readers();
        let taken: Vec<_> = readers
            .places
            .iter()
            .map(|place| place.0.lock().unwrap())
            .collect();
        let mut back = vec![0; content.len()];
        readers.decompress_exact(&unit, &mut back).unwrap();
        assert_eq!(back, content);
        drop(taken);
        assert_eq!(made(&readers), 0);
    }

    #[test]
    fn a_place_where_a_thread_panicked_is_used_again() {
        let (readers, content, unit) = readers();
        for place in &readers.places {
            let result = std::thread::scope(|scope| {
                scope
                    .spawn(|| {
                        let _kept = place.0.lock().unwrap();
                        panic!("as it was asked to");
                    })
                    .join()
            });
            assert!(result.is_err());
        }
        let mut back = vec![0; content.len()];
        readers.decompress_exact(&unit, &mut back).unwrap();
        assert_eq!(back, content);
        assert_eq!(
            readers
                .places
                .iter()
                .filter(|place| !place.0.is_poisoned())
                .count(),
            1
        );
    }

    #[test]
    fn many_threads_read_at_once() {
        let (readers, content, unit) = readers();
        let start = Barrier::new(100);
        std::thread::scope(|scope| {
            for _ in 0..100 {
                scope.spawn(|| {
                    start.wait();
                    for _ in 0..50 {
                        let mut back = vec![0; content.len()];
                        readers.decompress_exact(&unit, &mut back).unwrap();
                        assert_eq!(back, content);
                    }
                });
            }
        });
        assert!(made(&readers) > 0);
    }
}
