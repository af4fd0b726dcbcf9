//! Values of arguments, in the grammar that parameters of providers have too.

use std::num::NonZeroUsize;
use std::time::Duration;

use compressor::{Effort, Format, ParamError, ParamKind, ParamSpec, Params};

/// The greatest size that an argument may ask for.
const MOST_BYTES: u64 = 64 << 30;

/// The most threads that an argument may ask for.
const MOST_THREADS: usize = 1024;

/// A number of bytes, at least 1: `65536`, `64KiB`, `1MiB`.
pub fn size(text: &str) -> Result<NonZeroUsize, String> {
    let kind = ParamKind::Bytes {
        min: 1,
        max: MOST_BYTES,
    };
    parse(kind, text, |params| {
        let bytes = usize::try_from(params.bytes(NAME)?).ok()?;
        NonZeroUsize::new(bytes)
    })
}

/// A number of bytes, or none: `0`, `64KiB`.
pub fn len(text: &str) -> Result<usize, String> {
    let kind = ParamKind::Bytes {
        min: 0,
        max: MOST_BYTES,
    };
    parse(kind, text, |params| {
        usize::try_from(params.bytes(NAME)?).ok()
    })
}

/// A time: `250ms`, `2s`.
pub fn time(text: &str) -> Result<Duration, String> {
    let kind = ParamKind::Duration {
        min: Duration::from_millis(1),
        max: Duration::from_secs(3600),
    };
    parse(kind, text, |params| params.duration(NAME))
}

/// A number of threads.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = text.parse().ok();
    threads
        .filter(|threads: &NonZeroUsize| threads.get() <= MOST_THREADS)
        .ok_or_else(|| format!("it takes a number from 1 to {MOST_THREADS}"))
}

/// `KEY=VALUE`.
pub fn option(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("an option is KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// A format's name.
pub fn format(text: &str) -> Result<Format, String> {
    text.parse::<Format>().map_err(|error| error.to_string())
}

/// An effort's name.
pub fn effort(text: &str) -> Result<Effort, String> {
    text.parse::<Effort>().map_err(|error| error.to_string())
}

/// The values in their order, without those that came before.
pub fn each_once<T: Clone + PartialEq>(values: &[T]) -> Vec<T> {
    let mut once: Vec<T> = Vec::new();
    for value in values {
        if !once.contains(value) {
            once.push(value.clone());
        }
    }
    once
}

const NAME: &str = "value";

fn parse<T>(
    kind: ParamKind,
    text: &str,
    value: impl FnOnce(&Params) -> Option<T>,
) -> Result<T, String> {
    let spec = ParamSpec {
        name: NAME,
        kind,
        default: "",
        doc: "",
    };
    let takes = || format!("it takes {kind}");
    let params = Params::parse(&[spec], [(NAME, text)]).map_err(|error| match error {
        ParamError::BadValue { .. } => takes(),
        other => other.to_string(),
    })?;
    value(&params).ok_or_else(takes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_and_are_never_0() {
        assert_eq!(size("4096").unwrap().get(), 4096);
        assert_eq!(size("4KiB").unwrap().get(), 4096);
        assert_eq!(len("0"), Ok(0));
        for refused in [
            "0",
            "",
            "-1",
            "4KB",
            "4 kib",
            "1e3",
            "65GiB",
            "18446744073709551616",
        ] {
            let error = size(refused).unwrap_err();
            assert!(error.contains("as in 64KiB"), "{refused}: {error}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(time("2s"), Ok(Duration::from_secs(2)));
        for refused in ["2", "0s", "2h", "", "3601s"] {
            assert!(time(refused).unwrap_err().contains("250ms"), "{refused}");
        }
    }

    #[test]
    fn threads_are_at_least_one_and_not_too_many() {
        assert_eq!(threads("4").unwrap().get(), 4);
        for refused in ["0", "-1", "1025", "", "two"] {
            assert!(
                threads(refused).unwrap_err().contains("1 to 1024"),
                "{refused}"
            );
        }
    }

    #[test]
    fn options_are_split_at_the_first_equals_sign() {
        assert_eq!(option("a=b=c"), Ok(("a".into(), "b=c".into())));
        assert_eq!(option("a="), Ok(("a".into(), String::new())));
        assert!(option("a").is_err());
    }
}
