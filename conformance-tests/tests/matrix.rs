//! Every encoder against every decoder, over all providers of the workspace and the decorator.
//!
//! Quick unless `COMPRESSOR_CONFORMANCE=full` is set.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeSet;
use std::panic::panic_any;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use compressor::Config;
use compressor_api::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession, Effective,
    Error, Format, Health, ProviderId, Spec,
};
use compressor_conformance::host::{Listed, Opened};
use compressor_conformance::matrix::{self, Party};
use compressor_conformance::{Options, Outcome, Report, plain};

fn linked() -> Vec<Party> {
    let listed = Listed::linked().unwrap();
    let opened = Opened::all(&listed, &Config::default(), Duration::from_secs(60));
    for one in &opened {
        if let Some(error) = one.error() {
            eprintln!("skipped: {}: {error}", one.listed().name());
        }
    }
    { opened.iter() }
        .flat_map(Opened::ways)
        .map(|way| way.party())
        .collect()
}

#[test]
fn every_provider_and_the_decorator_read_each_other() {
    let parties = linked();
    let reports = matrix::run(&parties, &Options::from_env(), |_| {});
    let failed: Vec<&Report> = reports.iter().filter(|r| r.counts()[1] > 0).collect();
    assert!(failed.is_empty(), "{}", failed[0]);

    // Written by the accelerator, read with it removed; and the reverse.
    for pair in [
        "decorated:libdeflate to decorated:software.deflate",
        "decorated:software.deflate to decorated:libdeflate",
        "libdeflate to software.deflate",
        "software.zstd to decorated:software.zstd",
    ] {
        let report = reports.iter().find(|report| report.provider == pair);
        let report = report.unwrap_or_else(|| panic!("no {pair}"));
        assert!(report.conforms(), "{report}");
        let more = report.rows.iter().all(|row| row.cases > 20);
        assert!(more, "{report}");
    }
    // Nobody is left out.
    let formats: BTreeSet<&str> = { reports.iter() }
        .flat_map(|report| &report.rows)
        .filter(|row| row.outcome == Outcome::Passed)
        .filter_map(|row| row.format.as_deref())
        .collect();
    assert_eq!(formats, Format::ALL.iter().map(|f| f.name()).collect());
}

/// Content that nobody but this one would write: its units hold other bytes than it was given.
#[derive(Debug)]
struct Misbehaves {
    base: Arc<dyn CompressorFactory>,
    how: How,
}

#[derive(Clone, Copy, Debug)]
enum How {
    WritesOtherContent,
    ReadsOtherContent,
    PanicsWhenItReads,
    NeverReturnsWhenItReads,
    ThrowsWhenItsReaderIsDropped,
    NeverSaysWhatItDoes,
}

#[derive(Debug)]
struct Made(Arc<dyn Compressor>, How);

struct Writer(Box<dyn CompressSession>);

struct Reader(Box<dyn DecompressSession>, How);

impl CompressorFactory for Misbehaves {
    fn id(&self) -> ProviderId {
        self.base.id()
    }

    fn capabilities(&self) -> &[Capabilities] {
        if matches!(self.how, How::NeverSaysWhatItDoes) {
            // Long after the test has ended, and the process with it.
            thread::sleep(Duration::from_secs(600));
        }
        self.base.capabilities()
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        Ok(Arc::new(Made(self.base.compressor(spec)?, self.how)))
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl Compressor for Made {
    fn spec(&self) -> &Spec {
        self.0.spec()
    }

    fn effective(&self) -> &Effective {
        self.0.effective()
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        self.0.max_compressed_len(src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        self.0.decompressed_len(src)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        let right = self.0.compress_session()?;
        Ok(match self.1 {
            How::WritesOtherContent => Box::new(Writer(right)),
            _ => right,
        })
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        Ok(Box::new(Reader(self.0.decompress_session()?, self.1)))
    }
}

impl CompressSession for Writer {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let mut other = src.to_vec();
        if let Some(last) = other.last_mut() {
            *last ^= 1;
        }
        self.0.compress(&other, dst)
    }
}

/// Panics again when it is dropped, with another one.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic_any(Self);
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if matches!(self.1, How::ThrowsWhenItsReaderIsDropped) {
            panic_any(Bomb);
        }
    }
}

impl DecompressSession for Reader {
    fn provider(&self) -> ProviderId {
        self.0.provider()
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let n = self.0.decompress(src, dst)?;
        match self.1 {
            How::WritesOtherContent
            | How::ThrowsWhenItsReaderIsDropped
            | How::NeverSaysWhatItDoes => {}
            How::ReadsOtherContent if n > 0 => dst[n - 1] ^= 1,
            How::ReadsOtherContent => {}
            How::PanicsWhenItReads => panic!("on purpose"),
            How::NeverReturnsWhenItReads => loop {
                thread::sleep(Duration::from_secs(1));
            },
        }
        Ok(n)
    }
}

/// Two that keep the contract, and one in the middle that does not.
fn with(how: How) -> Vec<Party> {
    let right = || plain::factory_of(&[Format::Lz4Block]);
    let wrong = Misbehaves { base: right(), how };
    vec![
        Party::new("first", right()),
        Party::new("wrong", Arc::new(wrong)),
        Party::new("last", right()),
    ]
}

/// The pairs that fail, and that the lines they print fail again alone.
fn failing(how: How, deadline: Duration) -> Vec<String> {
    let options = Options::quick().with_deadline(deadline);
    let reports = matrix::run(&with(how), &options, |_| {});
    assert_eq!(reports.len(), 9);
    let failed = reports.into_iter().filter(|r| r.counts()[1] > 0);
    failed
        .map(|report| {
            let (_, failure) = report.failures().next().unwrap();
            let again = matrix::replay(&with(how), &options, &failure.reproduction).unwrap();
            assert_eq!(again.provider, report.provider);
            assert_eq!(again.counts(), [0, 1, 0], "{again}");
            report.provider
        })
        .collect()
}

const SOON: Duration = Duration::from_secs(60);

#[test]
fn whoever_writes_other_content_fails_with_every_reader() {
    let failed = failing(How::WritesOtherContent, SOON);
    assert_eq!(
        failed,
        ["wrong to first", "wrong to wrong", "wrong to last"]
    );
}

#[test]
fn whoever_reads_other_content_or_panics_fails_with_every_writer() {
    for how in [
        How::ReadsOtherContent,
        How::PanicsWhenItReads,
        How::ThrowsWhenItsReaderIsDropped,
    ] {
        let failed = failing(how, SOON);
        assert_eq!(
            failed,
            ["first to wrong", "wrong to wrong", "last to wrong"]
        );
    }
}

#[test]
fn whoever_never_returns_is_left_behind_and_the_others_go_on() {
    let options = Options::quick().with_deadline(Duration::from_millis(500));
    let reports = matrix::run(&with(How::NeverReturnsWhenItReads), &options, |_| {});
    let outcome = |pair: &str| {
        let report = reports.iter().find(|report| report.provider == pair);
        report.unwrap().rows[0].outcome.clone()
    };
    assert!(matches!(outcome("first to wrong"), Outcome::Failed { .. }));
    let Outcome::Skipped { reason } = outcome("last to wrong") else {
        panic!("{:?}", outcome("last to wrong"));
    };
    assert_eq!(reason, "an earlier call never returned");
    assert_eq!(outcome("last to first"), Outcome::Passed);
}

#[test]
fn whoever_never_says_what_it_does_is_reported_and_the_others_go_on() {
    let options = Options::quick().with_deadline(Duration::from_millis(500));
    let reports = matrix::run(&with(How::NeverSaysWhatItDoes), &options, |_| {});
    let (wrong, others): (Vec<_>, Vec<_>) = reports
        .iter()
        .partition(|report| report.provider == "wrong");
    assert_eq!((wrong.len(), others.len()), (1, 4));
    assert!(wrong[0].failed_checks().contains("returns-in-time"));
    assert!(others.iter().all(|report| report.conforms()));
}

#[test]
fn a_line_about_somebody_else_is_refused() {
    let parties = with(How::ReadsOtherContent);
    let case = "check=cross-read format=lz4-block direction=compress data=text size=9 seed=1";
    for (rest, named) in [
        ("from=first", "says no to"),
        ("from=first to=nobody", "nobody"),
        ("to=first", "says no from"),
    ] {
        let line = format!("{case} {rest}");
        let refused = matrix::replay(&parties, &Options::quick(), &line).unwrap_err();
        assert!(refused.contains(named), "{refused}");
    }
}
