//! Every codec of the workspace against every implementation outside that is found here.
//!
//! What is not found is skipped with the reason. With `REQUIRE_OUTSIDE=all` that is a failure,
//! except for the names in `ALLOW_OUTSIDE_MISSING`, separated by commas; CI sets the first.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::env;
use std::sync::Arc;

use compressor_api::{CompressorFactory, Params, stored};
use compressor_conformance::outside::{self, Detected};
use compressor_conformance::{Options, Report, Subject};

/// Whatever of the workspace reads and writes here.
fn providers() -> Vec<Arc<dyn CompressorFactory>> {
    let mut all = vec![
        stored::factory(),
        compressor_lz4::factory(),
        compressor_zstd::factory(),
        compressor_deflate::factory(),
        compressor_snappy::factory(),
        provider_libdeflate::factory(),
    ];
    match provider_isal::PROVIDER.opener.open(&Params::default()) {
        Ok(isal) => all.push(isal),
        Err(why) if env::var_os("REQUIRE_ISAL").is_some() => panic!("isal: {why}"),
        Err(why) => println!("isal: skipped: {why}"),
    }
    all
}

#[test]
fn what_we_write_they_read_and_the_other_way_round() {
    let options = Options::from_env();
    let mut detected = outside::detect();
    let reports: Vec<Report> = providers()
        .iter()
        .map(|provider| {
            let name = provider.id().to_string();
            let subject = Subject::new(Arc::clone(provider));
            outside::run_with(&mut detected, &name, &subject, &options)
        })
        .collect();

    let mut exchanges: BTreeMap<&str, usize> = BTreeMap::new();
    for row in reports.iter().flat_map(|report| &report.rows) {
        *exchanges.entry(&row.check).or_default() += row.cases;
    }
    let mut idle = Vec::new();
    for one in &detected {
        let check = format!("{}:{}", outside::GROUP, one.name());
        let count = exchanges.get(&*check).copied().unwrap_or_default();
        match one {
            Detected::Found(_) => println!("{one}: run: {count} exchanges"),
            Detected::Missing { .. } => println!("{one}"),
        }
        if matches!(one, Detected::Found(_)) && count == 0 {
            idle.push(one.name());
        }
    }
    for report in &reports {
        assert!(report.failures().next().is_none(), "{report}");
    }
    assert!(
        idle.is_empty(),
        "found, and nothing was exchanged: {idle:?}"
    );
    assert!(exchanges["outside:frozen"] >= outside::frozen().unwrap().len());
    require(&detected);
}

#[test]
fn a_line_of_a_report_runs_its_case_again() {
    let line =
        "check=outside:gzip format=gzip direction=compress level=9 data=text size=100 seed=7";
    let line = line.parse().unwrap();
    let subject = Subject::new(compressor_deflate::factory());
    let again = outside::replay("software.deflate", &subject, &Options::quick(), &line);
    match again {
        Ok(report) => assert_eq!((report.conforms(), report.rows[0].cases), (true, 1)),
        Err(why) => assert!(why.starts_with("gzip: skipped: "), "{why}"),
    }
}

/// A failure if one is missing that has to be there.
fn require(detected: &[Detected]) {
    if env::var("REQUIRE_OUTSIDE").as_deref() != Ok("all") {
        return;
    }
    let allowed = env::var("ALLOW_OUTSIDE_MISSING").unwrap_or_default();
    let allowed: Vec<&str> = allowed.split(',').map(str::trim).collect();
    let missing: Vec<String> = detected
        .iter()
        .filter(|one| matches!(one, Detected::Missing { .. }) && !allowed.contains(&one.name()))
        .map(ToString::to_string)
        .collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
