use std::sync::{Condvar, Mutex};

use compressor_api::Error;

use super::{Codec, Misbehaviour};

/// Holds every operation until it is told to let go; counts how many it holds, and the most.
#[derive(Debug, Default)]
pub struct NContexts {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    inside: usize,
    most: usize,
    open: bool,
}

impl NContexts {
    /// Waits until `count` operations are held.
    pub fn wait_for(&self, count: usize) {
        let state = self.state.lock().unwrap();
        drop(
            self.changed
                .wait_while(state, |state| state.inside < count)
                .unwrap(),
        );
    }

    /// Lets every operation go, those to come included.
    pub fn let_go(&self) {
        self.state.lock().unwrap().open = true;
        self.changed.notify_all();
    }

    /// The most operations that were held at once.
    pub fn most(&self) -> usize {
        self.state.lock().unwrap().most
    }
}

impl Misbehaviour for NContexts {
    fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
        let mut state = self.state.lock().unwrap();
        state.inside += 1;
        state.most = state.most.max(state.inside);
        self.changed.notify_all();
        let mut state = self.changed.wait_while(state, |state| !state.open).unwrap();
        state.inside -= 1;
        drop(state);
        codec(dst)
    }
}
