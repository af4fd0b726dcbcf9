//! Proves any provider against the contract, and catches those that lie.
#![deny(unsafe_code)]

pub mod alloc;
pub mod data;
pub mod plain;

mod answer;
mod bench;
mod buffer;
mod call;
mod case;
mod check;
mod checks;
mod hex;
mod judge;
mod options;
mod random;
mod report;
mod reproduction;
mod run;
mod sizes;
mod stop;
mod subject;
mod target;
mod vectors;

use std::sync::Arc;

use compressor_api::CompressorFactory;

pub use check::{Check, Group};
pub use checks::all as checks;
pub use options::Options;
pub use report::{Failure, Outcome, Report, Row};
pub use reproduction::Reproduction;
pub use run::{Progress, replay, run};
pub use subject::{Served, Subject};

/// Runs the suite on a provider alone, as its own tests do.
///
/// Quick, unless the environment says otherwise ([`Options::from_env`]).
///
/// # Panics
///
/// With the report, unless the provider conforms.
pub fn assert_conforms(factory: Arc<dyn CompressorFactory>) {
    assert_subject_conforms(&Subject::new(factory), &Options::from_env());
}

/// Runs the suite on a subject.
///
/// # Panics
///
/// With the report, unless the subject conforms.
pub fn assert_subject_conforms(subject: &Subject, options: &Options) {
    let report = run(subject, options, |_| {});
    assert!(report.conforms(), "{report}");
}
