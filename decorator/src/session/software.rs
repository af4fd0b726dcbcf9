use compressor_api::{DecompressSession, Error};

use super::op::{Op, Side};
use crate::Reason;
use crate::counters::Tally;
use crate::dice::Dice;

/// The software half of a session: it can always serve, and has what checking needs.
pub(crate) struct Software<S: Side + ?Sized> {
    pub session: Box<S>,
    /// Decodes what an accelerator compressed; `None` where `session` does.
    pub checker: Option<Box<dyn DecompressSession>>,
    pub scratch: Scratch,
    pub tally: Tally,
    pub dice: Dice,
}

impl<S: Side + ?Sized> Software<S> {
    /// Runs the operation, and counts it.
    pub fn serve<O: Op<Session = S>>(
        &mut self,
        reason: Reason,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let result = O::run(&mut self.session, src, dst);
        self.tally.software(reason, src.len(), result.unwrap_or(0));
        result
    }
}

/// Room for a result that is decoded to be compared. It only grows, so that after warm-up nothing
/// is allocated.
#[derive(Debug, Default)]
pub(crate) struct Scratch(Vec<u8>);

impl Scratch {
    /// Makes room for `len` bytes, if there never was that much.
    #[inline]
    pub fn prepare(&mut self, len: usize) {
        if self.0.len() < len {
            self.grow(len);
        }
    }

    #[cold]
    fn grow(&mut self, len: usize) {
        self.0.resize(len, 0);
    }

    /// `len` bytes, of any content.
    pub fn take(&mut self, len: usize) -> &mut [u8] {
        self.prepare(len);
        self.0.get_mut(..len).unwrap_or_default()
    }
}
