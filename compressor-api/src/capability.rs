use std::fmt;
use std::num::NonZeroU32;

use crate::{Effort, Format, LevelRange, Spec};

/// Which way an operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From content to a unit.
    Compress,
    /// From a unit to content.
    Decompress,
}

impl Direction {
    /// Both, in the order they are printed.
    pub const BOTH: [Self; 2] = [Self::Compress, Self::Decompress];

    /// The name to print and to label metrics with.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compress => "compress",
            Self::Decompress => "decompress",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Which dictionaries a provider takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DictionarySupport {
    /// None.
    None,
    /// Every kind the format knows.
    Any,
}

/// How much output room a provider needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutputNeed {
    /// Any `dst` will do; the result is tried against it.
    Exact,
    /// Less than [`max_compressed_len`](crate::Compressor::max_compressed_len) is not worth
    /// offering: the provider would say that it does not fit.
    Bound,
}

/// Where the work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Placement {
    /// On the calling CPU.
    Cpu,
    /// On a device, while the calling CPU waits or does other work.
    Offload,
}

/// Which efforts a provider serves when compressing, and how it ranks for each.
///
/// An effort that is not listed is not served: nothing is promised about length that was not
/// measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Efforts {
    priorities: [Option<i16>; 3],
    losses: Option<&'static [Loss]>,
}

impl Efforts {
    /// None.
    pub const NONE: Self = Self {
        priorities: [None; 3],
        losses: None,
    };

    /// All, each with this priority.
    #[must_use]
    pub const fn all(priority: i16) -> Self {
        Self {
            priorities: [Some(priority); 3],
            losses: None,
        }
    }

    /// The same with an effort served, at this priority among the providers that serve it: greater is
    /// tried first, ties go by name, and software codecs have −1.
    #[must_use]
    pub const fn with(mut self, effort: Effort, priority: i16) -> Self {
        let [ratio, balanced, speed] = &mut self.priorities;
        let place = match effort {
            Effort::Ratio => ratio,
            Effort::Balanced => balanced,
            Effort::Speed => speed,
        };
        *place = Some(priority);
        self
    }

    /// The same, served only where one of these rows says that the length is kept to. Without rows
    /// every length of input is served at any loss.
    #[must_use]
    pub const fn within(mut self, losses: &'static [Loss]) -> Self {
        self.losses = Some(losses);
        self
    }

    /// The priority for an effort; `None` if it is not served.
    #[must_use]
    pub const fn priority(self, effort: Effort) -> Option<i16> {
        let [ratio, balanced, speed] = self.priorities;
        match effort {
            Effort::Ratio => ratio,
            Effort::Balanced => balanced,
            Effort::Speed => speed,
        }
    }

    /// The rows that limit what is served; `None` for no limit.
    #[must_use]
    pub const fn losses(self) -> Option<&'static [Loss]> {
        self.losses
    }

    /// The longest input that comes out within the loss that `spec` allows; `None` if there is none.
    fn max_input(self, spec: &Spec) -> Option<usize> {
        match self.losses {
            None => Some(usize::MAX),
            Some(losses) => losses
                .iter()
                .filter(|row| spec.level() <= row.max_level && row.percent <= spec.max_loss())
                .map(|row| row.max_input)
                .max(),
        }
    }
}

/// How much longer than the software codec's a provider's units come out, at most: as measured on
/// the data sets of `compressor-benches`, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Loss {
    /// The greatest level of the spec that it holds for.
    pub max_level: i32,
    /// The longest input that it holds for, in bytes.
    pub max_input: usize,
    /// By how many percent.
    pub percent: u8,
}

impl Loss {
    /// From its parts.
    #[must_use]
    pub const fn new(max_level: i32, max_input: usize, percent: u8) -> Self {
        Self {
            max_level,
            max_input,
            percent,
        }
    }
}

/// What a provider can do for one format in one direction.
///
/// Data, not promises in prose: `compressor list` prints it, callers are gated by it, and each
/// limit is tested at its value and one past it. Within the limits a provider may not answer
/// [`Unsupported`](crate::ErrorKind::Unsupported).
///
/// Made as a `const`, from everything-goes downwards; efforts alone are listed one by one:
///
/// ```
/// use compressor_api::{Capabilities, Direction, Format, LevelRange};
///
/// const COMPRESS: Capabilities = Capabilities::new(Format::Zlib, Direction::Compress)
///     .with_input(20, 512 << 10)
///     .with_levels(LevelRange::new(1, 9, 6))
///     .with_window(32 << 10);
/// assert_eq!(COMPRESS.max_input, 512 << 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Capabilities {
    /// The format.
    pub format: Format,
    /// The direction.
    pub direction: Direction,
    /// Least length of `src`, in bytes.
    pub min_input: usize,
    /// Greatest length of `src`, in bytes.
    pub max_input: usize,
    /// When decompressing: the greatest decompressed length, in bytes.
    pub max_output: usize,
    /// Largest match distance in bytes: that it may emit when compressing, that it can resolve
    /// when decompressing. `u64::MAX`: whatever the format allows.
    pub window: u64,
    /// When compressing: the levels it serves, on the format's scale.
    pub levels: LevelRange,
    /// When compressing: the efforts it serves.
    pub efforts: Efforts,
    /// Which dictionaries it takes.
    pub dictionary: DictionarySupport,
    /// How much room it needs in `dst`.
    pub output: OutputNeed,
    /// How many operations it takes at once; `None`: as many as there are sessions.
    pub in_flight: Option<NonZeroU32>,
    /// Where the work is done.
    pub placement: Placement,
    /// Whether the provider itself decodes each result and compares it before it says OK.
    pub self_verified: bool,
}

impl Capabilities {
    /// Everything the format allows, on the CPU, and no effort.
    #[must_use]
    pub const fn new(format: Format, direction: Direction) -> Self {
        Self {
            format,
            direction,
            min_input: 0,
            max_input: usize::MAX,
            max_output: usize::MAX,
            window: u64::MAX,
            levels: format.levels(),
            efforts: Efforts::NONE,
            dictionary: DictionarySupport::None,
            output: OutputNeed::Exact,
            in_flight: None,
            placement: Placement::Cpu,
            self_verified: false,
        }
    }

    /// Limits the length of `src`, in bytes, both ends included.
    #[must_use]
    pub const fn with_input(mut self, min: usize, max: usize) -> Self {
        self.min_input = min;
        self.max_input = max;
        self
    }

    /// Limits the decompressed length, in bytes.
    #[must_use]
    pub const fn with_max_output(mut self, max: usize) -> Self {
        self.max_output = max;
        self
    }

    /// Limits the match distance, in bytes.
    #[must_use]
    pub const fn with_window(mut self, window: u64) -> Self {
        self.window = window;
        self
    }

    /// Limits the levels.
    #[must_use]
    pub const fn with_levels(mut self, levels: LevelRange) -> Self {
        self.levels = levels;
        self
    }

    /// Says which efforts are served.
    #[must_use]
    pub const fn with_efforts(mut self, efforts: Efforts) -> Self {
        self.efforts = efforts;
        self
    }

    /// Says which dictionaries are taken.
    #[must_use]
    pub const fn with_dictionary(mut self, dictionary: DictionarySupport) -> Self {
        self.dictionary = dictionary;
        self
    }

    /// Says how much output room is needed.
    #[must_use]
    pub const fn with_output(mut self, output: OutputNeed) -> Self {
        self.output = output;
        self
    }

    /// Limits the operations at once.
    #[must_use]
    pub const fn with_in_flight(mut self, in_flight: NonZeroU32) -> Self {
        self.in_flight = Some(in_flight);
        self
    }

    /// Says where the work is done.
    #[must_use]
    pub const fn with_placement(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    /// Says that the provider checks its own results.
    #[must_use]
    pub const fn with_self_verified(mut self) -> Self {
        self.self_verified = true;
        self
    }

    /// Why these capabilities do not cover `spec`; `None` if they do.
    ///
    /// Looks at what the spec fixes (level, effort, window, dictionary). Lengths are known per operation
    /// only, and gated there.
    #[must_use]
    pub fn shortfall(&self, spec: &Spec) -> Option<Shortfall> {
        if spec.dictionary().is_some() && self.dictionary == DictionarySupport::None {
            return Some(Shortfall::Dictionary);
        }
        if self.direction == Direction::Compress {
            if !self.levels.contains(spec.level()) {
                return Some(Shortfall::Level);
            }
            if let Some(effort) = spec.effort() {
                if self.efforts.priority(effort).is_none() {
                    return Some(Shortfall::Effort);
                }
                if self.efforts.max_input(spec).is_none() {
                    return Some(Shortfall::Loss);
                }
            }
            // A writer that cannot be held to a smaller window would emit distances that the
            // reader of this spec was promised never to meet.
            if spec
                .window_log()
                .is_some_and(|log| self.window > 1_u64 << log)
                && self.window != u64::MAX
            {
                return Some(Shortfall::Window);
            }
        }
        None
    }

    /// These capabilities as far as they serve the effort of `spec`: no input longer than what is
    /// kept within its loss.
    #[must_use]
    pub fn for_effort(self, spec: &Spec) -> Self {
        let limit = match (self.direction, spec.effort()) {
            (Direction::Compress, Some(_)) => self.efforts.max_input(spec).unwrap_or(0),
            _ => usize::MAX,
        };
        Self {
            max_input: self.max_input.min(limit),
            ..self
        }
    }

    /// These capabilities for the format that frames this one, with `overhead` bytes of frame.
    pub(crate) fn framed(self, format: Format, overhead: usize) -> Self {
        let (min_input, max_input) = match self.direction {
            Direction::Compress => (self.min_input, self.max_input),
            Direction::Decompress => (
                self.min_input.saturating_add(overhead),
                self.max_input.saturating_add(overhead),
            ),
        };
        Self {
            format,
            min_input,
            max_input,
            ..self
        }
    }
}

/// What a spec asks for that [`Capabilities`] do not cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shortfall {
    /// The level is not served.
    Level,
    /// The effort is not served.
    Effort,
    /// Units would come out longer than the effort allows.
    Loss,
    /// The window cannot be kept.
    Window,
    /// Dictionaries are not taken.
    Dictionary,
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Level => "does not serve the level",
            Self::Effort => "does not serve the effort",
            Self::Loss => "cannot keep to the loss",
            Self::Window => "cannot keep to the window",
            Self::Dictionary => "takes no dictionary",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dictionary;

    #[test]
    fn what_the_spec_fixes_is_compared() {
        let all = Capabilities::new(Format::Zlib, Direction::Compress);
        let spec = Spec::new(Format::Zlib);
        assert_eq!(all.shortfall(&spec), None);

        let fast = all.with_levels(LevelRange::new(1, 3, 1));
        assert_eq!(fast.shortfall(&spec), Some(Shortfall::Level));

        let small = spec.clone().with_window_log(12).unwrap();
        assert_eq!(all.shortfall(&small), None);
        assert_eq!(
            all.with_window(32 << 10).shortfall(&small),
            Some(Shortfall::Window)
        );
        assert_eq!(all.with_window(4 << 10).shortfall(&small), None);

        let zstd = Spec::new(Format::Zstd)
            .with_dictionary(Dictionary::raw(&b"content of it"[..]).unwrap())
            .unwrap();
        let caps = Capabilities::new(Format::Zstd, Direction::Decompress);
        assert_eq!(caps.shortfall(&zstd), Some(Shortfall::Dictionary));
        assert_eq!(
            caps.with_dictionary(DictionarySupport::Any)
                .shortfall(&zstd),
            None
        );
    }

    #[test]
    fn an_effort_is_served_where_its_loss_is_kept_to() {
        const LOSSES: &[Loss] = &[
            Loss::new(6, 4 << 10, 7),
            Loss::new(6, 16 << 10, 10),
            Loss::new(9, 4 << 10, 8),
        ];
        let caps = Capabilities::new(Format::Zlib, Direction::Compress)
            .with_efforts(Efforts::NONE.with(Effort::Speed, 10).within(LOSSES));
        let limit = |level: i32, percent: u8| {
            let spec = Spec::new(Format::Zlib)
                .with_level(level)
                .and_then(|spec| spec.with_max_loss(percent))
                .unwrap()
                .with_effort(Effort::Speed);
            match caps.shortfall(&spec) {
                None => Ok(caps.for_effort(&spec).max_input),
                Some(shortfall) => Err(shortfall),
            }
        };
        assert_eq!(limit(6, 100), Ok(16 << 10));
        assert_eq!(limit(6, 10), Ok(16 << 10));
        assert_eq!(limit(6, 9), Ok(4 << 10));
        assert_eq!(limit(7, 100), Ok(4 << 10));
        assert_eq!(limit(6, 6), Err(Shortfall::Loss));
        assert_eq!(limit(9, 7), Err(Shortfall::Loss));

        let spec = Spec::new(Format::Zlib);
        assert_eq!(caps.shortfall(&spec), None);
        assert_eq!(caps.for_effort(&spec), caps);
        for effort in [Effort::Ratio, Effort::Balanced] {
            let spec = spec.clone().with_effort(effort);
            assert_eq!(caps.shortfall(&spec), Some(Shortfall::Effort));
        }
        let reader = Capabilities::new(Format::Zlib, Direction::Decompress);
        let spec = spec.with_effort(Effort::Ratio);
        assert_eq!(reader.shortfall(&spec), None);
        assert_eq!(reader.for_effort(&spec), reader);
    }

    #[test]
    fn efforts_have_priorities_of_their_own() {
        let efforts = Efforts::all(-1).with(Effort::Speed, 7);
        assert_eq!(
            Effort::ALL.map(|effort| efforts.priority(effort)),
            [Some(-1), Some(-1), Some(7)]
        );
        let none = Effort::ALL.map(|effort| Efforts::NONE.priority(effort));
        assert_eq!(none, [None; 3]);
    }

    #[test]
    fn levels_and_windows_bind_writers_only() {
        let caps = Capabilities::new(Format::Zlib, Direction::Decompress)
            .with_levels(LevelRange::new(1, 3, 1))
            .with_window(32 << 10);
        let spec = Spec::new(Format::Zlib).with_window_log(12).unwrap();
        assert_eq!(caps.shortfall(&spec), None);
    }
}
