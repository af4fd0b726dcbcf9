//! Whether a unit that was written is right.

use compressor_api::{Capabilities, Format, inspect};

use crate::case::Case;
use crate::plain::{self, Reading};
use crate::stop::{Stop, ensure};
use crate::target::{Target, read_with};

impl Target {
    /// A fault unless `unit` is one unit that holds `content`. Returns the largest distance in it,
    /// where the plain readers see that.
    pub(crate) fn check_unit(
        &self,
        case: &Case,
        content: &[u8],
        unit: &[u8],
    ) -> Result<Option<usize>, Stop> {
        ensure(!unit.is_empty() || self.format == Format::None, || {
            format!("says Ok with 0 bytes for {} of content", content.len())
        })?;
        inspect::header(self.format, unit)
            .map_err(|malformed| Stop::fault(format!("its unit {malformed}")).unit(unit))?;
        // More than is expected, so that content which is too long is seen as such.
        let limit = content.len() + 1_024;
        match plain::read(self.format, unit, limit) {
            Reading::Unit(read) => {
                same(content, &read.bytes).map_err(|stop| stop.unit(unit))?;
                Ok(Some(read.distance))
            }
            Reading::Lax(_) => {
                let message = "its unit breaks a rule of the format that strict decoders enforce";
                Err(Stop::fault(message).unit(unit))
            }
            Reading::Corrupt { produced } => {
                let message = format!(
                    "its unit is not one of {}: a decoder gets {produced} bytes of {} and then fails",
                    self.format,
                    content.len()
                );
                Err(Stop::fault(message).unit(unit))
            }
            Reading::TooLong => {
                Err(Stop::fault("its unit holds more than it was given").unit(unit))
            }
            Reading::NeedsDictionary | Reading::Unknown => {
                let read = self.read_elsewhere(case, unit, limit)?;
                same(content, &read).map_err(|stop| stop.unit(unit))?;
                Ok(None)
            }
        }
    }

    /// Reads a unit that the plain readers cannot: with the reference codec, or else with the
    /// provider itself.
    fn read_elsewhere(&self, case: &Case, unit: &[u8], room: usize) -> Result<Vec<u8>, Stop> {
        if let Ok(reference) = self.reference() {
            let spec = self.spec(case)?;
            return read_with(reference, &spec, unit, room).map_err(|error| {
                Stop::fault(format!(
                    "its unit is not read by the reference codec: {error}"
                ))
                .unit(unit)
            });
        }
        if self.decompressing().is_none() {
            let why = format!("nothing here reads {} to check it", self.format);
            return Err(Stop::NotTried(why));
        }
        let mut session = self.decompress_session(case)?;
        let called = self.decompress(&mut *session, unit, room)?;
        called.bytes().map(<[u8]>::to_vec).map_err(|_| {
            let message = format!("does not read its own unit: {}", called.outcome());
            Stop::fault(message).unit(unit)
        })
    }

    /// Whether a unit lies outside what the provider says it decompresses.
    pub(crate) fn is_beyond_limits(&self, unit: &[u8], room: usize) -> bool {
        self.decompressing()
            .is_none_or(|listed| is_beyond(&listed, unit, room))
    }

    /// Not tried, if it lies outside.
    pub(crate) fn within_limits(&self, unit: &[u8], room: usize) -> Result<(), Stop> {
        match self.is_beyond_limits(unit, room) {
            true => Err(Stop::NotTried("units outside the limits".into())),
            false => Ok(()),
        }
    }
}

/// Whether a unit lies outside what is listed for decompressing.
pub(crate) fn is_beyond(listed: &Capabilities, unit: &[u8], room: usize) -> bool {
    let window = inspect::needed_window(listed.format, unit, room);
    !(listed.min_input..=listed.max_input).contains(&unit.len())
        || room > listed.max_output
        || window.is_ok_and(|window| window > listed.window)
}

/// A fault unless both are the same, which says how they differ.
pub(crate) fn same(right: &[u8], given: &[u8]) -> Result<(), Stop> {
    if right == given {
        return Ok(());
    }
    let at = right
        .iter()
        .zip(given)
        .position(|(right, given)| right != given);
    Err(Stop::fault(match at {
        Some(at) => format!(
            "wrong content: {} bytes instead of {}, and byte {at} differs",
            given.len(),
            right.len()
        ),
        None if given.len() < right.len() => format!(
            "wrong content: only the first {} bytes of {}",
            given.len(),
            right.len()
        ),
        None => format!(
            "wrong content: {} bytes after the {} that are right",
            given.len() - right.len(),
            right.len()
        ),
    }))
}
