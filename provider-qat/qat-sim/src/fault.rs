//! What goes wrong, where and how often.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A fault, and how often it struck.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// How much longer the call takes that it strikes.
    pub(crate) delay: Duration,
    on: On,
    when: When,
    /// How often it strikes at most.
    times: u64,
    seen: AtomicU64,
    struck: AtomicU64,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The call returns this, having done nothing.
    Code(i32),
    /// The call takes longer, and is right.
    Delay,
    /// The device is gone, for a while: calls return this code. What was set up before never works
    /// again.
    Lost(i32, Back),
    /// Success, but the end of the input is not in the output.
    ConsumesLess,
    /// Success, nothing consumed, nothing produced.
    OkWithZero,
    /// The whole output is overwritten, then the call fails with −2.
    Scribbles,
    /// Success, with a bit of the output flipped.
    FlipsBit,
    /// Success, with two units in a row instead of one.
    MultiStream,
    /// Success, with a checksum that is none.
    WrongChecksum,
    /// Success, without the checksum (`zstd`).
    NoChecksum,
    /// Success and right, but done on the CPU.
    SilentSoftware,
    /// Success with the output cut short: as a truncated stream decompresses.
    Truncates,
    /// The call is given up and returns this, and the output is written to after the delay all the
    /// same.
    LateWrite(i32),
    /// A match that begins where it is to be written (LZ4s).
    ZeroOffset,
    /// A match that begins before the block (LZ4s).
    FarOffset,
    /// Matches and literals that sum up to less than the block (LZ4s).
    WrongSum,
    /// A frame where a raw block was asked for (`lz4-block`).
    FrameForBlock,
}

/// When a device that was lost is there again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Back {
    /// Never.
    Never,
    /// After so many calls.
    Calls(u64),
    /// After this time.
    Time(Duration),
}

/// The calls that a fault may strike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct On(u8);

/// Which of them it strikes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum When {
    Always,
    /// The n-th alone, from 1 on.
    Nth(u64),
    /// Each n-th.
    Every(u64),
    /// A share of them, drawn at random.
    Rate(f64),
}

const KINDS: [(&str, Kind); 16] = [
    ("delay", Kind::Delay),
    ("lost", Kind::Lost(-2, Back::Never)),
    ("consumes-less", Kind::ConsumesLess),
    ("ok-with-zero", Kind::OkWithZero),
    ("scribbles", Kind::Scribbles),
    ("flips-bit", Kind::FlipsBit),
    ("multi-stream", Kind::MultiStream),
    ("wrong-checksum", Kind::WrongChecksum),
    ("no-checksum", Kind::NoChecksum),
    ("silent-software", Kind::SilentSoftware),
    ("truncates", Kind::Truncates),
    ("late-write", Kind::LateWrite(-2)),
    ("zero-offset", Kind::ZeroOffset),
    ("far-offset", Kind::FarOffset),
    ("wrong-sum", Kind::WrongSum),
    ("frame-for-block", Kind::FrameForBlock),
];

impl Kind {
    /// The kind of this name, as scripts have it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let known = KINDS.into_iter().find(|(known, _)| *known == name);
        known.map(|(_, kind)| kind)
    }
}

impl On {
    pub(crate) const INIT: Self = Self(1);
    pub(crate) const SETUP: Self = Self(2);
    pub(crate) const COMPRESS: Self = Self(4);
    pub(crate) const DECOMPRESS: Self = Self(8);
    /// Compressing and decompressing.
    pub(crate) const OPERATIONS: Self = Self(Self::COMPRESS.0 | Self::DECOMPRESS.0);

    /// Names with commas between them.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut all = 0;
        for name in text.split(',') {
            all |= match name {
                "init" => Self::INIT,
                "setup" => Self::SETUP,
                "compress" => Self::COMPRESS,
                "decompress" => Self::DECOMPRESS,
                _ => return None,
            }
            .0;
        }
        Some(Self(all))
    }

    const fn has(self, call: Self) -> bool {
        self.0 & call.0 != 0
    }
}

impl Fault {
    pub(crate) const fn new(kind: Kind, on: On, when: When, times: u64, delay: Duration) -> Self {
        Self {
            kind,
            delay,
            on,
            when,
            times,
            seen: AtomicU64::new(0),
            struck: AtomicU64::new(0),
        }
    }

    /// A call that it is to strike, and on which its kind does nothing.
    pub(crate) fn idle_on(&self) -> Option<&'static str> {
        let idle = |call, name, acts: bool| (self.on.has(call) && !acts).then_some(name);
        let anywhere = matches!(self.kind, Kind::Code(_) | Kind::Delay);
        let lost = matches!(self.kind, Kind::Lost(..));
        idle(On::INIT, "init", anywhere || lost).or_else(|| idle(On::SETUP, "setup", anywhere))
    }

    /// Whether it strikes this call.
    pub(crate) fn strikes(&self, call: On) -> bool {
        if !self.on.has(call) {
            return false;
        }
        let seen = self.seen.fetch_add(1, Ordering::Relaxed);
        let due = match self.when {
            When::Always => true,
            When::Nth(n) => seen + 1 == n,
            When::Every(n) => (seen + 1).is_multiple_of(n),
            When::Rate(rate) => drawn(seen) < rate,
        };
        due && self.struck.fetch_add(1, Ordering::Relaxed) < self.times
    }
}

/// A number from 0 to 1, always the same one for the n-th call: SplitMix64.
fn drawn(n: u64) -> f64 {
    let mut z = n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strikes(when: When, times: u64) -> Vec<u64> {
        let fault = Fault::new(Kind::Delay, On::COMPRESS, when, times, Duration::ZERO);
        let calls = (1..=10).filter(|_| fault.strikes(On::COMPRESS) || fault.strikes(On::INIT));
        calls.collect()
    }

    #[test]
    fn faults_strike_when_they_are_due() {
        assert_eq!(strikes(When::Always, 3), [1, 2, 3]);
        assert_eq!(strikes(When::Nth(4), u64::MAX), [4]);
        assert_eq!(strikes(When::Every(3), u64::MAX), [3, 6, 9]);
        assert_eq!(strikes(When::Every(3), 2), [3, 6]);
        assert_eq!(strikes(When::Rate(0.0), u64::MAX), [0; 0]);
        assert_eq!(strikes(When::Rate(1.0), u64::MAX).len(), 10);
    }

    #[test]
    fn a_rate_is_that_share() {
        let fault = Fault::new(
            Kind::Delay,
            On::DECOMPRESS,
            When::Rate(0.1),
            u64::MAX,
            Duration::ZERO,
        );
        let struck = (0..10_000)
            .filter(|_| fault.strikes(On::DECOMPRESS))
            .count();
        assert!((900..1_100).contains(&struck), "{struck}");
    }
}
