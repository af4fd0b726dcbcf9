use std::sync::atomic::{AtomicBool, Ordering};

use compressor_api::{CompressSession, DecompressSession, Direction, Error, Health, Spec};

use super::Misbehaviour;

/// Where it panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Open,
    Compress,
    Decompress,
    Health,
    Name,
    DropSession,
    DropCompressor,
}

/// Panics in one place, once it is armed.
#[derive(Debug)]
pub struct PanicsIn {
    place: Place,
    pub armed: AtomicBool,
}

impl PanicsIn {
    pub fn new(place: Place) -> Self {
        Self {
            place,
            armed: AtomicBool::new(true),
        }
    }

    fn at(&self, place: Place) {
        if self.place == place && self.armed.load(Ordering::Relaxed) {
            // A payload whose drop panics too: whoever catches the one must survive the other.
            std::panic::panic_any(PanicsWhenDropped);
        }
    }
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("in the drop of what was thrown");
    }
}

impl Misbehaviour for PanicsIn {
    fn open(&self, _: Direction) -> Result<(), Error> {
        self.at(Place::Open);
        Ok(())
    }

    fn compress(
        &self,
        codec: &mut dyn CompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        self.at(Place::Compress);
        codec.compress(src, dst)
    }

    fn decompress(
        &self,
        codec: &mut dyn DecompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        self.at(Place::Decompress);
        codec.decompress(src, dst)
    }

    fn drop_session(&self) {
        self.at(Place::DropSession);
    }

    fn drop_compressor(&self) {
        self.at(Place::DropCompressor);
    }

    fn name(&self) {
        self.at(Place::Name);
    }

    fn health(&self) -> Health {
        self.at(Place::Health);
        Health::Ready
    }
}
