//! What one operation goes through, gate by gate, with providers that behave unless the test is
//! about one that does not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

#[path = "../misbehaving/mod.rs"]
mod misbehaving;
#[path = "../support/mod.rs"]
mod support;

mod attaching;
mod batches;
mod counters;
mod gates;
mod on_failure;
mod round_trips;
mod routes;
mod selection;
mod spread;
mod verification;

use std::sync::Arc;

use compressor_api::{Capabilities, Format, Spec};
use compressor_decorator::Options;

use misbehaving::{Misbehaviour, selected};
use support::{Process, Rig, software};

/// No self-check and no verification: counts are those of the operations alone.
const PLAIN: Options = Options::new()
    .without_self_check()
    .verify(compressor_decorator::Verify::Never);

/// A rig with one provider in the direction of `capabilities`.
fn rig(capabilities: Capabilities, options: Options, behaviour: Arc<dyn Misbehaviour>) -> Rig {
    let spec = Spec::new(capabilities.format);
    let device = selected(behaviour, capabilities, software(&spec));
    Process::new().rig(&spec, options, [device])
}

/// The formats whose units have a header that says how far they reach back.
const FORMATS_WITH_WINDOW: [Format; 2] = [Format::Zlib, Format::Zstd];
