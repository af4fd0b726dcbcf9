//! What a provider says about itself.

use compressor_api::{Direction, ErrorKind, Format, Health, Spec};

use crate::bench::Bench;
use crate::check::{Check, Group, Proof};
use crate::sizes::LONGEST;
use crate::stop::{Stop, ensure};

/// Asks a provider for its name.
pub(crate) const NAME: &str = "name-well-formed";

/// Asks a provider what it does.
pub(crate) const CAPABILITIES: &str = "capabilities-consistent";

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: NAME,
        group: Group::Listing,
        proves: "A provider's name is lower-case letters, digits, '.' and '-'.",
        proof: Proof::Provider(name),
    },
    Check {
        name: CAPABILITIES,
        group: Group::Listing,
        proves: "What is listed is one entry per format and direction, within the format, with no \
                 range that is empty, or out of reach.",
        proof: Proof::Provider(consistent),
    },
    Check {
        name: "capabilities-constant",
        group: Group::Listing,
        proves: "What is listed never changes after opening.",
        proof: Proof::Provider(constant),
    },
    Check {
        name: "self-test-passes",
        group: Group::Listing,
        proves: "The provider passes its own known answers.",
        proof: Proof::Provider(self_test),
    },
    Check {
        name: "health-serves",
        group: Group::Listing,
        proves: "An opened provider is ready, or degraded and says why.",
        proof: Proof::Provider(health),
    },
    Check {
        name: "refuses-unlisted-formats",
        group: Group::Listing,
        proves: "A spec of a format that is not listed is Unsupported.",
        proof: Proof::Provider(unlisted_formats),
    },
];

fn name(bench: &Bench) -> Result<(), Stop> {
    let id = bench.subject.factory().id();
    let name = id.as_str();
    let may_have = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'.' || byte == b'-'
    };
    ensure(!name.is_empty() && name.bytes().all(may_have), || {
        format!("is called {name:?}")
    })
}

fn consistent(bench: &Bench) -> Result<(), Stop> {
    let listed = bench.subject.factory().capabilities();
    ensure(!listed.is_empty(), || "lists nothing")?;
    for (at, entry) in listed.iter().enumerate() {
        let what = format!("{} {}", entry.direction, entry.format);
        let key = (entry.format, entry.direction);
        let twice = listed
            .iter()
            .skip(at + 1)
            .any(|other| (other.format, other.direction) == key);
        ensure(!twice, || format!("{what}: is listed twice"))?;
        ensure(entry.min_input <= entry.max_input, || {
            format!(
                "{what}: input of {} to {} bytes",
                entry.min_input, entry.max_input
            )
        })?;
        ensure(entry.min_input <= LONGEST, || {
            let least = entry.min_input;
            format!("{what}: input of {least} bytes and more, which nobody brings")
        })?;
        ensure(entry.max_input > 0 && entry.max_output > 0, || {
            format!("{what}: takes or gives nothing")
        })?;
        ensure(entry.window > 0 || entry.format == Format::None, || {
            format!("{what}: a window of 0 bytes")
        })?;
        let (levels, scale) = (entry.levels, entry.format.levels());
        let in_order = levels.min() <= levels.max() && levels.contains(levels.default_level());
        ensure(in_order || entry.direction == Direction::Decompress, || {
            format!(
                "{what}: levels {levels} with default {}",
                levels.default_level()
            )
        })?;
        let within = scale.contains(levels.min()) && scale.contains(levels.max());
        ensure(within || entry.direction == Direction::Decompress, || {
            format!("{what}: levels {levels}, and the format has {scale}")
        })?;
    }
    Ok(())
}

fn constant(bench: &Bench) -> Result<(), Stop> {
    let factory = bench.subject.factory();
    let before = factory.capabilities().to_vec();
    for format in bench.formats() {
        // Making things may not change what is listed.
        if let Ok(compressor) = factory.compressor(&Spec::new(format)) {
            let compressor = bench.subject.watched(compressor);
            let _ = compressor.compress_session();
            let _ = compressor.decompress_session();
        }
    }
    ensure(
        factory.capabilities() == before,
        || "lists other capabilities than a moment ago",
    )
}

fn self_test(bench: &Bench) -> Result<(), Stop> {
    let tested = bench.subject.factory().self_test();
    tested.map_err(|error| Stop::fault(format!("fails its self-test: {error}")))
}

fn health(bench: &Bench) -> Result<(), Stop> {
    let health = bench.subject.factory().health();
    let serves = match &health {
        Health::Ready => true,
        Health::Degraded { why } => !why.is_empty(),
        _ => false,
    };
    ensure(serves, || format!("is {health}"))
}

fn unlisted_formats(bench: &Bench) -> Result<(), Stop> {
    let listed = bench.formats();
    for format in Format::ALL {
        if listed.contains(&format) {
            continue;
        }
        let made = bench.subject.factory().compressor(&Spec::new(format));
        let kind = made.err().map(|error| error.kind());
        ensure(kind == Some(ErrorKind::Unsupported), || match kind {
            Some(kind) => format!("says {kind} of {format}, which it does not list"),
            None => format!("makes a compressor for {format}, which it does not list"),
        })?;
    }
    Ok(())
}
