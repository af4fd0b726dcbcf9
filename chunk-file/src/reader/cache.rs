use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Decoded chunks, a bounded number of them; the one that goes is one that was not used since the
/// hand last passed it (CLOCK).
#[derive(Debug)]
pub(super) struct Cache {
    slots: usize,
    shelf: Mutex<Shelf>,
}

#[derive(Debug, Default)]
struct Shelf {
    places: HashMap<u64, usize>,
    slots: Vec<Slot>,
    hand: usize,
}

#[derive(Debug)]
struct Slot {
    chunk: u64,
    content: Arc<[u8]>,
    used: bool,
}

impl Cache {
    pub(super) fn new(slots: usize) -> Self {
        Self {
            slots,
            shelf: Mutex::default(),
        }
    }

    pub(super) fn find(&self, chunk: u64) -> Option<Arc<[u8]>> {
        let mut shelf = self.lock();
        let place = *shelf.places.get(&chunk)?;
        let slot = shelf.slots.get_mut(place)?;
        slot.used = true;
        Some(slot.content.clone())
    }

    pub(super) fn keep(&self, chunk: u64, content: &[u8]) {
        // Copied before the lock is taken.
        let slot = Slot {
            chunk,
            content: content.into(),
            used: false,
        };
        let mut shelf = self.lock();
        if shelf.places.contains_key(&chunk) {
            return;
        }
        let place = if shelf.slots.len() < self.slots {
            shelf.slots.push(slot);
            shelf.slots.len() - 1
        } else {
            let place = shelf.free();
            if let Some(old) = shelf.slots.get_mut(place) {
                let old = std::mem::replace(old, slot);
                shelf.places.remove(&old.chunk);
            }
            place
        };
        shelf.places.insert(chunk, place);
    }

    fn lock(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    /// The place whose chunk goes. Ends: each place that is passed is unused the next time.
    fn free(&mut self) -> usize {
        loop {
            let place = self.hand;
            self.hand = (place + 1) % self.slots.len().max(1);
            match self.slots.get_mut(place) {
                Some(slot) if slot.used => slot.used = false,
                _ => return place,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_are_kept_than_there_are_slots() {
        let cache = Cache::new(3);
        for chunk in 0..100 {
            cache.keep(chunk, &[chunk as u8]);
            cache.keep(chunk, b"not taken twice");
            assert_eq!(cache.find(chunk).as_deref(), Some(&[chunk as u8][..]));
        }
        let shelf = cache.lock();
        assert_eq!((shelf.slots.len(), shelf.places.len()), (3, 3));
    }

    #[test]
    fn what_is_used_stays_longest() {
        let cache = Cache::new(2);
        cache.keep(0, b"0");
        cache.keep(1, b"1");
        for chunk in 2..10 {
            assert!(cache.find(0).is_some(), "{chunk}");
            cache.keep(chunk, b"x");
        }
        assert!(cache.find(1).is_none());
    }
}
