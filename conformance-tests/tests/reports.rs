//! What a run reports: rows, filters, reproductions, and the same again as JSON.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeSet;

use compressor_api::{Format, stored};
use compressor_conformance::{
    Options, Outcome, Report, Reproduction, Subject, checks, plain, replay, run,
};

fn stored() -> Subject {
    Subject::new(stored::factory())
}

#[test]
fn names_of_checks_are_unique_and_in_kebab_case() {
    let mut names = BTreeSet::new();
    for check in checks() {
        let name = check.name();
        assert!(names.insert(name), "{name}");
        assert!(
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-'),
            "{name}"
        );
        assert!(check.proves().ends_with('.'), "{name}");
        // A filter that names a check must not name a group.
        assert!(checks().all(|other| other.group().name() != name), "{name}");
    }
}

#[test]
fn a_filter_takes_checks_and_groups() {
    let rows = |options: Options| -> BTreeSet<String> {
        let report = run(&stored(), &options, |_| {});
        report.rows.into_iter().map(|row| row.check).collect()
    };
    let one = rows(Options::quick().only("unit-not-empty"));
    assert_eq!(one, BTreeSet::from(["unit-not-empty".to_owned()]));
    let more = rows(Options::quick().only("unit-not-empty").only("room"));
    let room = checks()
        .filter(|check| check.group().name() == "room")
        .count();
    assert_eq!(more.len(), room + 1);
}

#[test]
fn nothing_run_is_no_proof() {
    let report = run(&stored(), &Options::quick().only("no-such-check"), |_| {});
    assert!(!report.conforms());
}

#[test]
fn every_check_of_a_listed_format_has_a_row_each_way() {
    let writes = plain::factory_of(&[Format::Zstd]);
    let report = run(
        &Subject::new(writes),
        &Options::quick().only("limits"),
        |_| {},
    );
    let row = |direction: &str| {
        let of = |row: &&compressor_conformance::Row| {
            row.check == "input-limits" && row.direction.as_deref() == Some(direction)
        };
        report.rows.iter().find(of).unwrap().outcome.clone()
    };
    assert_eq!(row("compress"), Outcome::Passed);
    let Outcome::Skipped { reason } = row("decompress") else {
        panic!("{report}");
    };
    assert_eq!(reason, "does not decompress zstd");
}

#[test]
fn progress_counts_the_rows() {
    let mut seen = Vec::new();
    let options = Options::quick().only("room");
    let report = run(&stored(), &options, |progress| seen.push(progress));
    assert_eq!(seen.len(), report.rows.len());
    assert!(
        seen.iter()
            .enumerate()
            .all(|(at, progress)| progress.done == at)
    );
    assert!(seen.iter().all(|progress| progress.total == seen.len()));
}

#[test]
fn a_report_survives_json() {
    let report = run(&stored(), &Options::quick().only("sessions"), |_| {});
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
}

#[test]
fn a_line_runs_one_case_again() {
    let line = "check=round-trip format=none direction=compress data=text size=100 seed=3";
    let reproduction: Reproduction = line.parse().unwrap();
    assert_eq!(reproduction.check(), "round-trip");
    let report = replay(&stored(), &Options::quick(), &reproduction).unwrap();
    assert_eq!((report.rows.len(), report.rows[0].cases), (1, 1));
    assert!(report.conforms());
}

#[test]
fn a_line_for_something_else_is_refused() {
    for (line, named) in [
        ("check=no-such-check", "no-such-check"),
        ("check=round-trip format=zlib direction=compress", "zlib"),
        ("check=round-trip", "format"),
    ] {
        let refused = replay(&stored(), &Options::quick(), &line.parse().unwrap()).unwrap_err();
        assert!(refused.contains(named), "{refused}");
    }
}
