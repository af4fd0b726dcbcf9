//! Proves any provider against the contract, and catches those that lie.
//!
//! The contract is written at the traits of [`compressor_api`]; each of its lines is a [`Check`]
//! here, with a name that never changes. A provider's own tests run all of them in one line:
//!
//! ```
//! # fn main() {
//! compressor_conformance::assert_conforms(compressor_api::stored::factory());
//! # }
//! ```
//!
//! or say more about what is proved:
//!
//! ```
//! use compressor_conformance::{Options, Subject, plain, run};
//!
//! let subject = Subject::new(compressor_api::stored::factory())
//!     .with_reference(plain::factory());
//! let report = run(&subject, &Options::quick().only("room"), |_| {});
//! assert!(report.conforms(), "{report}");
//! ```
//!
//! # What judges
//!
//! For all formats but Zstandard the suite has readers and writers of its own ([`plain`]), which
//! share no code with any codec: they know of any bytes at all what a decoder has to say about
//! them, so that a changed bit in a format without checksum is judged as strictly as one in a
//! format with. Zstandard is judged by a reference codec, if the subject has one
//! ([`Subject::with_reference`]), by the provider itself otherwise, and by how a unit was damaged.
//! Decoded data is compared, never compressed bytes.
//!
//! Lengths are compared where a provider lists [efforts](compressor_api::Effort), which are promises
//! about them: with those of the software codec among the references, or of the provider itself at
//! the level alone, if it is that codec.
//!
//! # What comes out
//!
//! A [`Report`] with a row per check, format and direction: passed, failed, or skipped and why;
//! nothing is passed over in silence. A failure carries a line that runs its case again alone, see
//! [`replay`]. Panics of the provider are caught and reported by the check that met them and by
//! `never-panics`; a call that never returns is given up after [`Options::deadline`] and reported
//! by `returns-in-time`, its thread left behind.
//!
//! # What is checked in vain in safe Rust
//!
//! A provider in safe Rust cannot write outside `dst`, change `src` or read past it. C libraries,
//! devices and plugins can, and what they touch is watched in every call: guards on both sides of
//! `dst`, a checksum of `src`; checks put other bytes around it, and look at both after the call. Reading
//! past a buffer that ends where its
//! memory does is for a sanitizer to find. Allocations are counted, those of C as well, in a program
//! that says [`count_mallocs!`].
#![deny(unsafe_code)]

pub mod alloc;
pub mod data;
#[cfg(feature = "cli")]
pub mod host;
pub mod matrix;
pub mod outside;
pub mod plain;

mod answer;
mod bench;
mod buffer;
mod call;
mod case;
mod check;
mod checks;
mod contain;
mod damage;
#[cfg(unix)]
mod fork;
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
mod tally;
mod target;
mod vectors;
mod watched;
mod work;

use std::sync::Arc;

use compressor_api::CompressorFactory;

pub use check::{Check, Group};
pub use checks::{NEVER_PANICS, RETURNS_IN_TIME, all as checks};
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
