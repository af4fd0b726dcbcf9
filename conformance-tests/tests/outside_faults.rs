//! The exchanges can fail: parties that get something wrong are found out, and by name.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::sync::Arc;

use compressor_api::{CompressorFactory, Format};
use compressor_conformance::outside::{self, Detected, How, Outside, Side, Trouble};
use compressor_conformance::{Options, Report, plain};

/// What an implementation does wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    WritesOtherContent,
    ReadsOtherContent,
    RefusesWhatIsIntact,
    ReadsWhatIsDamaged,
    Crashes,
    NeverTried,
}

/// The workspace's own Deflate, as if it were somebody else's.
#[derive(Debug)]
struct Other {
    fault: Fault,
    codec: Arc<dyn CompressorFactory>,
    sides: Vec<Side>,
}

impl Outside for Other {
    fn name(&self) -> &'static str {
        "other"
    }

    fn version(&self) -> &str {
        "1"
    }

    fn sides(&self) -> &[Side] {
        &self.sides
    }

    fn is_slow(&self) -> bool {
        false
    }

    fn compress(&mut self, how: &How<'_>, content: &[u8]) -> Result<Vec<u8>, Trouble> {
        match self.fault {
            Fault::Crashes => return Err(Trouble::Broken("gone".into())),
            Fault::NeverTried => return Err(Trouble::NotTried("no writer".into())),
            _ => {}
        }
        let mut content = content.to_vec();
        if self.fault == Fault::WritesOtherContent && content.len() == 4_096 {
            content[4_095] ^= 1;
        }
        let compressor = self.codec.compressor(&spec(how)).unwrap();
        let mut unit = vec![0; compressor.max_compressed_len(content.len()).unwrap()];
        let mut session = compressor.compress_session().unwrap();
        let n = session.compress(&content, &mut unit).unwrap();
        unit.truncate(n);
        Ok(unit)
    }

    fn decompress(
        &mut self,
        how: &How<'_>,
        unit: &[u8],
        content_len: usize,
    ) -> Result<Vec<u8>, Trouble> {
        match self.fault {
            Fault::RefusesWhatIsIntact => return Err(Trouble::Refused("no".into())),
            Fault::NeverTried => return Err(Trouble::NotTried("no reader".into())),
            _ => {}
        }
        let mut content = vec![0; content_len];
        let compressor = self.codec.compressor(&spec(how)).unwrap();
        let mut session = compressor.decompress_session().unwrap();
        let read = session.decompress(unit, &mut content);
        match (self.fault, read) {
            (Fault::ReadsOtherContent, Ok(_)) if content_len == 65_537 => content[9] ^= 1,
            (Fault::ReadsWhatIsDamaged, Err(_)) => {}
            (_, Ok(n)) => content.truncate(n),
            (_, Err(error)) => return Err(Trouble::Refused(error.to_string())),
        }
        Ok(content)
    }
}

fn spec(how: &How<'_>) -> compressor_api::Spec {
    let spec = compressor_api::Spec::new(how.format);
    spec.with_level(how.level).unwrap()
}

fn exchange(fault: Fault, options: &Options) -> Report {
    let side = Side {
        format: Format::Gzip,
        levels: vec![6, 9],
        windows: false,
        checksums: false,
        dictionaries: false,
    };
    let mut detected = [
        Detected::Found(Box::new(Other {
            fault,
            codec: compressor_deflate::factory(),
            sides: vec![side],
        })),
        Detected::Missing {
            name: "absent",
            why: "not installed".into(),
        },
    ];
    let provider = provider_libdeflate::factory();
    outside::run_with(&mut detected, "plain", &*provider, options)
}

#[test]
fn parties_that_agree_pass_and_one_that_is_missing_is_named_with_the_reason() {
    let report = exchange(Fault::None, &Options::quick());
    assert!(report.conforms(), "{report}");
    let text = report.to_string();
    assert!(
        text.contains("skipped, not installed: outside:absent"),
        "{text}"
    );
    let other = report
        .rows
        .iter()
        .filter(|row| row.check == "outside:other");
    assert!(other.map(|row| row.cases).sum::<usize>() > 500);
}

#[test]
fn each_fault_is_found_in_the_direction_where_it_is() {
    for (fault, direction, says) in [
        (
            Fault::WritesOtherContent,
            "decompress",
            "other from 4095 on",
        ),
        (Fault::ReadsOtherContent, "compress", "other from 9 on"),
        (Fault::RefusesWhatIsIntact, "compress", "other refused: no"),
        // Gzip's header has bits that say nothing a reader needs.
        (
            Fault::RefusesWhatIsIntact,
            "decompress",
            "reads what other refuses",
        ),
        (Fault::Crashes, "decompress", "other broke: gone"),
    ] {
        let report = exchange(fault, &Options::quick());
        let found: Vec<_> = report.failures().collect();
        let expected = found.iter().any(|(row, failure)| {
            row.check == "outside:other"
                && row.direction.as_deref() == Some(direction)
                && failure.message.contains(says)
        });
        assert!(expected, "{fault:?}: {report}");
    }
}

#[test]
fn reading_what_is_damaged_counts_against_who_does_it() {
    // The provider refuses with the rules on its side.
    let report = exchange(Fault::ReadsWhatIsDamaged, &Options::quick());
    assert!(report.conforms(), "{report}");
}

#[test]
fn what_was_never_tried_is_skipped_with_the_reason_and_does_not_conform() {
    let report = exchange(Fault::NeverTried, &Options::quick().only("outside:other"));
    assert!(!report.conforms());
    assert!(report.to_string().contains("no reader"), "{report}");
}

#[test]
fn a_failure_says_how_to_run_it_again() {
    let report = exchange(Fault::WritesOtherContent, &Options::quick());
    let (_, failure) = report.failures().next().unwrap();
    let line: compressor_conformance::Reproduction = failure.reproduction.parse().unwrap();
    assert_eq!(line.check(), "outside:other");

    let provider = provider_libdeflate::factory();
    let error = outside::replay("plain", &*provider, &Options::quick(), &line).unwrap_err();
    assert!(error.contains("outside:other"), "{error}");
}

#[test]
fn every_frozen_unit_is_read_and_a_provider_that_cannot_is_found_out() {
    let only = Options::quick().only("outside:frozen");
    for provider in [
        compressor_lz4::factory(),
        compressor_zstd::factory(),
        compressor_deflate::factory(),
        compressor_snappy::factory(),
        provider_libdeflate::factory(),
        plain::factory_of(&[Format::Zlib, Format::Gzip, Format::Snappy, Format::Lz4Block]),
    ] {
        let report = outside::run_with(&mut [], "it", &*provider, &only);
        assert!(report.conforms(), "{report}");
    }
    // Reads frames with raw blocks alone, and no dictionary.
    let provider = plain::factory_of(&[Format::Zstd]);
    let report = outside::run_with(&mut [], "plain", &*provider, &only);
    assert!(!report.conforms(), "{report}");
}

#[test]
fn frozen_units_are_of_every_format_and_name_who_made_them() {
    let units = outside::frozen().unwrap();
    for format in Format::ALL {
        let mut of_format = units.iter().filter(|unit| unit.format == format);
        assert!(of_format.any(|unit| !unit.content.is_empty()), "{format}");
    }
    assert!(units.iter().all(|unit| unit.made_by.contains(", level ")));
    assert!(units.iter().any(|unit| unit.dictionary.is_some()));
    assert!(
        units
            .iter()
            .any(|unit| unit.made_by.starts_with("cassandra:"))
    );
}
