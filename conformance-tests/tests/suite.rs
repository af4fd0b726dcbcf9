//! The suite on providers that keep the contract.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use compressor_api::{Format, stored};
use compressor_conformance::{Options, Subject, plain, run};

compressor_conformance::count_mallocs!();

#[test]
fn the_format_that_copies_conforms() {
    compressor_conformance::assert_conforms(stored::factory());
}

#[test]
fn the_plain_provider_breaks_the_one_line_that_it_says_it_breaks() {
    // The others are these with a frame around them, or the other way round.
    let formats = [Format::Lz4Block, Format::Zlib, Format::Zstd, Format::Snappy];
    let subject = Subject::new(plain::factory_of(&formats));
    let report = run(&subject, &Options::quick(), |_| {});
    let failed: Vec<_> = report.failed_checks().into_iter().collect();
    assert_eq!(failed, ["allocates-nothing"], "{report}");
}
