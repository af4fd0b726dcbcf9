//! What a decompressor has to say of any bytes at all.

use compressor_api::{ErrorKind, inspect};

use crate::call::Called;
use crate::judge::same;
use crate::plain::{self, Reading};
use crate::stop::{Stop, ensure};
use crate::target::Target;

/// Content that is read of a unit at the most, in bytes.
const MOST: usize = 4 << 20;

/// A window that every decoder has memory for, in bytes (RFC 8878, section 3.1.1.1.2).
const USUAL_WINDOW: u64 = 8 << 20;

/// How a unit was damaged, where nothing but that tells what to expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage<'a> {
    /// Bits of it were changed: it may still hold this content, and nothing else.
    Changed(&'a [u8]),
    /// Something is missing or too many: it can hold nothing.
    Resized,
}

/// What is due of a unit, damaged or not.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    target: &'a Target,
    unit: &'a [u8],
    damage: Option<Damage<'a>>,
    reading: Reading,
}

/// Which call is answered: for an exact length there is no such thing as too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Decompress,
    Exact,
}

impl<'a> Answer<'a> {
    /// By what the plain readers make of the unit; `damage` tells where they cannot read it.
    pub(crate) fn due(target: &'a Target, unit: &'a [u8], damage: Option<Damage<'a>>) -> Self {
        Self {
            target,
            unit,
            damage,
            reading: plain::read(target.format, unit, MOST),
        }
    }

    /// A fault unless `decompress` into `room` bytes came out right.
    pub(crate) fn check(&self, room: usize, called: &Called) -> Result<(), Stop> {
        self.judge(Call::Decompress, room, called)
            .map_err(|stop| stop.unit(self.unit).room(room))
    }

    /// A fault unless `decompress_exact` of `room` bytes came out right.
    pub(crate) fn check_exact(&self, room: usize, called: &Called) -> Result<(), Stop> {
        self.judge(Call::Exact, room, called)
            .map_err(|stop| Stop::prefixed("decompress_exact: ", stop))
            .map_err(|stop| stop.unit(self.unit).room(room))
    }

    fn judge(&self, call: Call, room: usize, called: &Called) -> Result<(), Stop> {
        let kind = called.kind();
        if kind == Some(ErrorKind::Unsupported) && self.target.is_beyond_limits(self.unit, room) {
            return Ok(());
        }
        match &self.reading {
            Reading::Lax(_) if kind == Some(ErrorKind::CorruptInput) => Ok(()),
            Reading::Unit(read) | Reading::Lax(read) => match (read.bytes.len().cmp(&room), call) {
                (std::cmp::Ordering::Equal, _) | (std::cmp::Ordering::Less, Call::Decompress) => {
                    same(&read.bytes, called.bytes()?)
                }
                (_, Call::Exact) => called.must_fail(ErrorKind::CorruptInput),
                (_, Call::Decompress) => called.must_fail(ErrorKind::OutputTooSmall),
            },
            // With less room than came out before it showed, want of room may have come first.
            Reading::Corrupt { produced } => corrupt(call, *produced > room, called),
            Reading::TooLong => corrupt(call, true, called),
            Reading::NeedsDictionary => {
                let fine = matches!(
                    kind,
                    Some(
                        ErrorKind::Unsupported
                            | ErrorKind::WrongDictionary
                            | ErrorKind::CorruptInput
                    )
                );
                ensure(fine, || {
                    format!("it needs a dictionary, and it says {}", called.outcome())
                })
            }
            Reading::Unknown => self.judge_by_damage(call, room, called),
        }
    }

    /// Of what the plain readers cannot read.
    fn judge_by_damage(&self, call: Call, room: usize, called: &Called) -> Result<(), Stop> {
        let header = inspect::header(self.target.format, self.unit).ok();
        match (called.kind(), self.damage) {
            (None, Some(Damage::Changed(content))) => same(content, called.bytes()?),
            (None, None) => Ok(()),
            (Some(ErrorKind::OutputTooSmall), _) => {
                let declared = header.and_then(|header| header.declared_len);
                let too_small = declared.is_none_or(|declared| declared > room as u64);
                corrupt(call, too_small, called)
            }
            (Some(ErrorKind::Unsupported | ErrorKind::WrongDictionary), _)
                if header.is_some_and(|header| {
                    header.dictionary_id.is_some()
                        || header.window.is_some_and(|window| window > USUAL_WINDOW)
                }) =>
            {
                Ok(())
            }
            _ => corrupt(call, false, called),
        }
    }
}

fn corrupt(call: Call, or_too_small: bool, called: &Called) -> Result<(), Stop> {
    let fine = match called.kind() {
        Some(ErrorKind::CorruptInput) => true,
        Some(ErrorKind::OutputTooSmall) => or_too_small && call == Call::Decompress,
        _ => false,
    };
    ensure(fine, || {
        format!("CorruptInput is due, and it says {}", called.outcome())
    })
}
