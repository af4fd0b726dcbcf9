//! What the device is like and what goes wrong, as text.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::fault::{Back, Fault, Kind, On, When};
use crate::setup::Stream;

/// A device and its faults. The grammar is in the documentation of the crate.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) model: Model,
    pub(crate) faults: Vec<Fault>,
}

/// What the device is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    /// What `qzInit` answers first: 0, or why there is no device.
    pub(crate) init: i32,
    /// How many calls may be on the device at once; the next one gets −103.
    pub(crate) instances: u32,
    /// How many of them it serves at once; the others wait inside of it.
    pub(crate) engines: u32,
    /// How many may wait inside of it; the next one gets −103.
    pub(crate) queue: u32,
    /// Time that the device takes for a buffer, and for each KiB of it.
    pub(crate) service: Duration,
    pub(crate) per_kib: Duration,
    pub(crate) work: Work,
    pub(crate) misuse: OnMisuse,
    /// What instances there are for; for anything else none is found.
    pub(crate) formats: Vec<Stream>,
}

/// How well the device compresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// As fast levels of the software codecs do.
    Fast,
    /// Not at all, so that next to nothing but the service time takes time.
    Stored,
}

/// What comes of a call that QATzip's documentation, or what was measured of it, rules out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnMisuse {
    /// The process ends, so that no test can overlook it.
    Abort,
    /// The call fails, and is counted.
    Fail,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            init: 0,
            instances: 16,
            engines: u32::MAX,
            queue: u32::MAX,
            service: Duration::ZERO,
            per_kib: Duration::ZERO,
            work: Work::Fast,
            misuse: OnMisuse::Abort,
            formats: Stream::NAMED.map(|(_, stream)| stream).into(),
        }
    }
}

/// A statement that is none, or that says what cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    NoStatement(String),
    /// A fault that would do nothing on one of the calls that it is to strike.
    Idle {
        statement: String,
        call: &'static str,
    },
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStatement(statement) => write!(f, "not a statement: {statement:?}"),
            Self::Idle { statement, call } => {
                write!(
                    f,
                    "a fault of this kind does nothing on {call}: {statement:?}"
                )
            }
        }
    }
}

impl FromStr for Script {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let mut script = Self::default();
        let statements = text.split([';', '\n']).map(str::trim);
        for statement in statements.filter(|statement| !statement.is_empty()) {
            script
                .statement(statement)
                .ok_or_else(|| Malformed::NoStatement(statement.into()))?;
            if let Some(call) = script.faults.last().and_then(Fault::idle_on) {
                let statement = statement.into();
                return Err(Malformed::Idle { statement, call });
            }
        }
        Ok(script)
    }
}

impl Script {
    fn statement(&mut self, statement: &str) -> Option<()> {
        if let Some(words) = statement.strip_prefix("fault ") {
            self.faults.push(fault(words.split_whitespace())?);
            return Some(());
        }
        let (name, value) = statement.split_once('=')?;
        let model = &mut self.model;
        match name.trim() {
            "init" => model.init = value.trim().parse().ok()?,
            "instances" => model.instances = value.trim().parse().ok()?,
            "engines" => model.engines = value.trim().parse().ok().filter(|n| *n > 0)?,
            "queue" => model.queue = value.trim().parse().ok()?,
            "service" => model.service = time(value.trim())?,
            "per-kib" => model.per_kib = time(value.trim())?,
            "work" => {
                model.work = match value.trim() {
                    "fast" => Work::Fast,
                    "stored" => Work::Stored,
                    _ => return None,
                }
            }
            "formats" => {
                let streams = value.split(',').map(|name| Stream::named(name.trim()));
                model.formats = streams.collect::<Option<_>>()?;
            }
            "misuse" => {
                model.misuse = match value.trim() {
                    "abort" => OnMisuse::Abort,
                    "fail" => OnMisuse::Fail,
                    _ => return None,
                }
            }
            _ => return None,
        }
        Some(())
    }
}

fn fault<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Fault> {
    let kind = words.next()?;
    let mut kind = match kind.split_once('=') {
        Some(("code", code)) => Kind::Code(code.parse().ok().filter(|code| *code != 0)?),
        Some(_) => return None,
        None => Kind::named(kind)?,
    };
    let (mut on, mut when, mut times, mut delay) =
        (On::OPERATIONS, When::Always, u64::MAX, Duration::ZERO);
    for word in words {
        let (name, value) = word.split_once('=')?;
        match name {
            "on" => on = On::parse(value)?,
            "nth" => when = When::Nth(value.parse().ok().filter(|n| *n > 0)?),
            "every" => when = When::Every(value.parse().ok().filter(|n| *n > 0)?),
            "rate" => {
                let rate: f64 = value.parse().ok()?;
                when = (0.0..=1.0).contains(&rate).then_some(When::Rate(rate))?;
            }
            "times" => times = value.parse().ok()?,
            "delay" => delay = time(value)?,
            "code" => match &mut kind {
                Kind::Lost(code, _) | Kind::LateWrite(code) => {
                    *code = value.parse().ok().filter(|code| *code != 0)?;
                }
                _ => return None,
            },
            "back" => match &mut kind {
                Kind::Lost(_, back) => {
                    *back = match value.strip_suffix("calls") {
                        Some(calls) => Back::Calls(calls.parse().ok()?),
                        None => Back::Time(time(value)?),
                    };
                }
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(Fault::new(kind, on, when, times, delay))
}

/// A whole number and a unit, as in `20us`.
fn time(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    Some(match unit {
        "ns" => Duration::from_nanos(number),
        "us" => Duration::from_micros(number),
        "ms" => Duration::from_millis(number),
        "s" => Duration::from_secs(number),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_whole() {
        let script: Script = "instances=2; engines=1; queue=8\nservice=20us; per-kib=500ns;\
                              work=stored; misuse=fail; init=-101; formats=zlib, lz4s;"
            .parse()
            .unwrap();
        let model = Model {
            init: -101,
            instances: 2,
            engines: 1,
            queue: 8,
            service: Duration::from_micros(20),
            per_kib: Duration::from_nanos(500),
            work: Work::Stored,
            misuse: OnMisuse::Fail,
            formats: vec![Stream::Zlib, Stream::Lz4s],
        };
        assert_eq!(script.model, model);
        assert!(script.faults.is_empty());
        assert_eq!("".parse::<Script>().unwrap().model, Model::default());
    }

    #[test]
    fn what_is_no_statement_is_refused() {
        for text in [
            "instances",
            "instances=many",
            "engines=0",
            "service=20",
            "service=us",
            "work=hard",
            "misuse=never",
            "speed=1",
            "fault",
            "fault nonsense",
            "fault code=0",
            "fault code=x",
            "fault other=1",
            "fault delay rate=2",
            "fault delay every=0",
            "fault delay nth=0",
            "fault delay on=nothing",
            "fault delay back=1ms",
            "fault lost back=soon",
            "fault lost code=0",
            "fault late-write code=0",
            "formats=",
            "formats=zip",
            "fault delay code=-2",
        ] {
            let refused = Malformed::NoStatement(text.into());
            assert_eq!(text.parse::<Script>().unwrap_err(), refused);
        }
    }

    #[test]
    fn a_fault_that_would_do_nothing_is_refused() {
        for (text, call) in [
            ("fault flips-bit on=setup", "setup"),
            ("fault lost on=setup,compress", "setup"),
            ("fault late-write on=init", "init"),
            ("fault silent-software on=compress,init", "init"),
        ] {
            let why = text.parse::<Script>().unwrap_err().to_string();
            assert!(why.contains(call) && why.contains(text), "{why}");
        }
        for text in [
            "fault code=-1 on=init,setup,compress",
            "fault delay on=init,setup delay=1ms",
            "fault lost on=init,decompress",
            "fault flips-bit",
        ] {
            assert!(text.parse::<Script>().is_ok(), "{text}");
        }
    }
}
