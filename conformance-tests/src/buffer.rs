use crate::stop::{Stop, ensure};

/// Bytes on each side of a buffer that nobody may touch.
const GUARD: usize = 64;

/// A `dst` with guards on both sides, full of bytes that must not come back as content.
#[derive(Clone, Debug)]
pub(crate) struct Guarded {
    bytes: Vec<u8>,
}

impl Guarded {
    /// A `dst` of `room` bytes, each `poison`.
    ///
    /// Not tried, where there is no memory for it.
    pub(crate) fn new(room: usize, poison: u8) -> Result<Self, Stop> {
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(room.saturating_add(2 * GUARD))
            .map_err(|_| Stop::NotTried(format!("no memory for a dst of {room} bytes")))?;
        bytes.extend_from_slice(&GUARDS);
        bytes.resize(GUARD + room, poison);
        bytes.extend_from_slice(&GUARDS);
        Ok(Self { bytes })
    }

    /// The `dst`.
    pub(crate) fn dst(&mut self) -> &mut [u8] {
        let end = self.bytes.len() - GUARD;
        self.bytes.get_mut(GUARD..end).unwrap_or_default()
    }

    /// The first `n` bytes of it; `None` if there are fewer.
    pub(crate) fn start(&self, n: usize) -> Option<&[u8]> {
        self.bytes
            .get(GUARD..self.bytes.len() - GUARD)
            .and_then(|dst| dst.get(..n))
    }

    /// Whether the guards are as they were.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        let after = self.bytes.len() - GUARD;
        for (side, from) in [("before", 0), ("after", after)] {
            let guard = self.bytes.get(from..from + GUARD);
            ensure(guard == Some(&GUARDS), || {
                format!("wrote outside dst: the bytes {side} it have changed")
            })?;
        }
        Ok(())
    }
}

/// Differ from place to place, so that bytes moved along are seen too.
const GUARDS: [u8; GUARD] = {
    let mut guards = [0xC3; GUARD];
    let mut rest: &mut [u8] = &mut guards;
    while let [first, after @ ..] = rest {
        *first ^= (after.len() as u8).wrapping_mul(37);
        rest = after;
    }
    guards
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guards_see_each_side() {
        let mut guarded = Guarded::new(3, 0xAA).unwrap();
        assert_eq!(guarded.dst(), [0xAA; 3]);
        assert_eq!(guarded.start(4), None);
        assert!(guarded.check().is_ok());
        for at in [0, GUARD - 1, GUARD + 3, 2 * GUARD + 2] {
            let mut touched = guarded.clone();
            touched.bytes[at] ^= 1;
            assert!(touched.check().is_err(), "{at}");
        }
    }

    #[test]
    fn more_than_there_is_memory_for_is_not_tried() {
        for room in [1 << 62, usize::MAX] {
            let stop = Guarded::new(room, 0).unwrap_err();
            assert!(matches!(stop, Stop::NotTried(why) if why.contains("no memory")));
        }
    }
}
