//! The exchanges can fail: parties that get something wrong are found out, and by name.

use std::sync::Arc;

use compressor_api::{
    Capabilities, CompressorFactory, Direction, Error, ErrorKind, Format, inspect,
};
use compressor_conformance::outside::{self, Detected, How, Outside, Side, Trouble};
use compressor_conformance::{Options, Outcome, Report, Reproduction, Subject, plain};

use crate::wrapper::{Compress, Decompress, Misbehaves, fail, misbehaving};

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

/// One of the workspace's own codecs, as if it were somebody else's.
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

fn parties(fault: Fault) -> [Detected; 2] {
    parties_of(Format::Gzip, compressor_deflate::factory(), fault)
}

fn parties_of(format: Format, codec: Arc<dyn CompressorFactory>, fault: Fault) -> [Detected; 2] {
    let levels = format.levels();
    let side = Side {
        format,
        levels: vec![levels.default_level(), levels.max()],
        windows: false,
        checksums: false,
        dictionaries: false,
    };
    [
        Detected::Found(Box::new(Other {
            fault,
            codec,
            sides: vec![side],
        })),
        Detected::Missing {
            name: "absent",
            why: "not installed".into(),
        },
    ]
}

fn exchange(fault: Fault, options: &Options) -> Report {
    let subject = Subject::new(provider_libdeflate::factory());
    outside::run_with(&mut parties(fault), "libdeflate", &subject, options)
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
            "and byte 4095 differs",
        ),
        (Fault::ReadsOtherContent, "compress", "and byte 9 differs"),
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
fn a_failure_runs_again_until_it_is_mended() {
    let options = Options::quick();
    let report = exchange(Fault::WritesOtherContent, &options);
    let (_, failure) = report.failures().next().unwrap();
    let line: Reproduction = failure.reproduction.parse().unwrap();
    assert_eq!(line.check(), "outside:other");

    let subject = Subject::new(provider_libdeflate::factory());
    let again = |fault| {
        let mut parties = parties(fault);
        outside::replay_with(&mut parties, "libdeflate", &subject, &options, &line).unwrap()
    };
    let wrong = again(Fault::WritesOtherContent);
    assert_eq!(wrong.failures().count(), 1, "{wrong}");
    assert!(again(Fault::None).conforms());

    let error = outside::replay("libdeflate", &subject, &options, &line).unwrap_err();
    assert!(error.contains("outside:other"), "{error}");
}

fn frozen(subject: &Subject) -> Report {
    let only = Options::quick().only("outside:frozen");
    outside::run_with(&mut [], "it", subject, &only)
}

#[test]
fn every_frozen_unit_is_read_and_a_provider_that_cannot_is_found_out() {
    for provider in [
        compressor_lz4::factory(),
        compressor_zstd::factory(),
        compressor_deflate::factory(),
        compressor_snappy::factory(),
        provider_libdeflate::factory(),
        plain::factory_of(&[Format::Zlib, Format::Gzip, Format::Snappy, Format::Lz4Block]),
    ] {
        let report = frozen(&Subject::new(provider));
        assert!(report.conforms(), "{report}");
    }
    // Reads frames with raw blocks alone, and no dictionary.
    let report = frozen(&Subject::new(misbehaving(
        plain::factory_of(&[Format::Zstd]),
        ListsWhatPlainDoesNotRead,
    )));
    let found: Vec<_> = report.failures().collect();
    assert_eq!(found.len(), Options::quick().max_failures, "{report}");
}

/// Lists Zstandard for reading, of which the plain provider reads a part.
#[derive(Debug)]
struct ListsWhatPlainDoesNotRead;

impl Misbehaves for ListsWhatPlainDoesNotRead {
    fn list(&self, mut listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listed.push(Capabilities::new(Format::Zstd, Direction::Decompress));
        listed
    }
}

/// Gets the unit of one line wrong.
#[derive(Debug)]
struct WrongInOneLine(Vec<u8>);

impl Misbehaves for WrongInOneLine {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let n = base.decompress(src, dst)?;
        if src == self.0 {
            dst[n / 2] ^= 1;
        }
        Ok(n)
    }
}

#[test]
fn a_frozen_unit_that_is_read_wrongly_is_run_again_by_its_line_alone() {
    let units = outside::frozen().unwrap();
    let unit = { units.iter() }
        .find(|unit| unit.dictionary.is_some())
        .unwrap();
    let wrong = || {
        let base = compressor_zstd::factory();
        Subject::new(misbehaving(base, WrongInOneLine(unit.unit.clone())))
    };
    let report = frozen(&wrong());
    let [(_, failure)] = *report.failures().collect::<Vec<_>>() else {
        panic!("{report}");
    };
    for part in [
        format!(" at={}", unit.line),
        " dictionary=trained ".to_owned(),
    ] {
        assert!(failure.reproduction.contains(&part), "{failure:?}");
    }
    let options = Options::quick();
    let again = |subject: &Subject, line: &str| {
        let line: Reproduction = line.parse().unwrap();
        outside::replay_with(&mut [], "it", subject, &options, &line)
    };
    let report = again(&wrong(), &failure.reproduction).unwrap();
    assert_eq!((report.failures().count(), report.rows[0].cases), (1, 1));
    // The line's dictionary counts: with another one the unit cannot be read.
    let right = Subject::new(compressor_zstd::factory());
    assert!(again(&right, &failure.reproduction).unwrap().conforms());
    let other = failure.reproduction.replace("=trained", "=other-trained");
    assert!(!again(&right, &other).unwrap().conforms());

    let nowhere = failure.reproduction.replace(" at=", " at=9");
    assert!(again(&right, &nowhere).unwrap_err().contains("outside.tsv"));
}

/// Reads nothing shorter than this many bytes, nor with a window of more than this, as a device may.
#[derive(Debug)]
struct ReadsNoShortUnits;

impl ReadsNoShortUnits {
    const LEAST: usize = 128;
    const MAX_OUTPUT: usize = 50_000;
    const WINDOW: u64 = 8 << 10;
}

impl Misbehaves for ReadsNoShortUnits {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        let narrow = |entry: Capabilities| match entry.direction {
            Direction::Compress => entry,
            Direction::Decompress => entry
                .with_input(Self::LEAST, 1 << 20)
                .with_max_output(Self::MAX_OUTPUT)
                .with_window(Self::WINDOW),
        };
        listed.into_iter().map(narrow).collect()
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let window = inspect::needed_window(Format::Snappy, src, dst.len());
        let beyond = src.len() < Self::LEAST
            || dst.len() > Self::MAX_OUTPUT
            || window.is_ok_and(|window| window > Self::WINDOW);
        match beyond {
            true => Err(fail(ErrorKind::Unsupported)),
            false => base.decompress(src, dst),
        }
    }
}

#[test]
fn what_lies_outside_the_limits_of_a_device_is_not_tried_and_no_fault() {
    let subject = Subject::new(misbehaving(crate::plain(Format::Snappy), ReadsNoShortUnits));
    let report = frozen(&subject);
    assert!(report.conforms(), "{report}");
    let why = "units outside the limits";
    assert!(report.rows[0].not_tried.contains(why), "{report:?}");
    assert!(report.rows[0].cases > 0);

    let mut parties = parties_of(Format::Snappy, compressor_snappy::factory(), Fault::None);
    let only = Options::quick().only("outside:other");
    let report = outside::run_with(&mut parties, "narrow", &subject, &only);
    assert!(report.conforms(), "{report}");
    let row = { report.rows.iter() }
        .find(|row| row.direction.as_deref() == Some("decompress"))
        .unwrap();
    assert_eq!(row.outcome, Outcome::Passed);
    assert!(row.not_tried.contains(why), "{row:?}");
}

/// Declines what it lists: within its window that is no excuse.
#[derive(Debug)]
struct DeclinesWhatItLists;

impl Misbehaves for DeclinesWhatItLists {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        ReadsNoShortUnits.list(listed)
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        match call.src.len() {
            4_096 => Err(fail(ErrorKind::Unsupported)),
            _ => call.base.compress(call.src, call.dst),
        }
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        match call.dst.len() {
            4_096 => Err(fail(ErrorKind::Unsupported)),
            _ => ReadsNoShortUnits.decompress(call),
        }
    }
}

#[test]
fn what_lies_within_the_limits_of_a_device_may_not_be_declined() {
    let subject = Subject::new(misbehaving(
        crate::plain(Format::Snappy),
        DeclinesWhatItLists,
    ));
    let mut parties = parties_of(Format::Snappy, compressor_snappy::factory(), Fault::None);
    let only = Options::quick().only("outside:other");
    let report = outside::run_with(&mut parties, "narrow", &subject, &only);
    for direction in ["compress", "decompress"] {
        let mut found = report.failures();
        let found = found.any(|(row, failure)| {
            row.direction.as_deref() == Some(direction) && failure.message.contains("Unsupported")
        });
        assert!(found, "{direction}: {report}");
    }
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
