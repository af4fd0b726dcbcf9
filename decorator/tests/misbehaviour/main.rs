//! How accelerators fail in the field, one test a way: the right bytes, the right reason, the
//! right state of the breaker.
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

mod absurd_bound;
mod bad_data;
mod capacity;
mod errors;
mod opening;
mod overflow;
mod panics;
mod refusals;
mod wrong_results;

use std::sync::Arc;

use compressor_api::{
    CompressorFactory, Direction, Format, Open, OpenError, Params, Policy, ProviderClass,
    ProviderEntry, Registry, Spec,
};
use compressor_decorator::{Accelerated, Options, Reason, Verify};

use misbehaving::{ID, Misbehaviour, factory, selected};
use support::{Process, Rig, software, unlimited};

/// Trusts at first sight: what is found is found in operation.
const BLIND: Options = Options::new().without_self_check();

/// Blind, and never verifies: only what shows at a glance is found.
const NO_LOOK: Options = BLIND.verify(Verify::Never);

/// Blind, and verifies everything.
const ALWAYS: Options = BLIND.verify(Verify::Always);

const BOTH: [Direction; 2] = Direction::BOTH;

/// A rig with one misbehaving provider in both directions.
fn rig(format: Format, options: Options, behaviour: Arc<dyn Misbehaviour>) -> (Process, Rig) {
    let process = Process::new();
    let rig = rig_in(&process, &Spec::new(format), options, behaviour);
    (process, rig)
}

fn rig_in(
    process: &Process,
    spec: &Spec,
    options: Options,
    behaviour: Arc<dyn Misbehaviour>,
) -> Rig {
    let accelerators = BOTH.map(|direction| {
        let capabilities = unlimited(spec.format(), direction);
        selected(behaviour.clone(), capabilities, software(spec))
    });
    process.rig(spec, options, accelerators)
}

/// Every operation of a direction ended in software, for this reason.
#[track_caller]
fn assert_all_in_software(rig: &Rig, direction: Direction, reason: Reason) {
    let counters = rig.counters(direction);
    assert_eq!(counters.accelerated.ops, 0, "{counters:?}");
    assert_ne!(counters.software.ops, 0);
    assert_eq!(
        counters.software_ops(reason),
        counters.software.ops,
        "{:?}",
        counters.reasons().collect::<Vec<_>>()
    );
}

/// A registry of the software codec and one provider that misbehaves.
fn registry(opener: &'static dyn Open) -> Registry {
    let entry = ProviderEntry::new(
        ID,
        ProviderClass::Accelerator,
        "Misbehaves",
        &[Format::Zlib],
        opener,
    );
    Registry::builder()
        .provider(&compressor_deflate::PROVIDER)
        .provider(Box::leak(Box::new(entry)))
        .build()
        .unwrap()
}

fn rig_from(registry: &Registry, process: &Process) -> Rig {
    let selection = registry
        .select(&Spec::new(Format::Zlib), &Policy::default())
        .unwrap();
    let accelerated =
        Accelerated::from_selection(&selection, &process.guards, Options::new()).unwrap();
    Rig::of(Arc::new(accelerated), process.guards.clone())
}

/// An opener for a behaviour around the deflate codec.
#[derive(Debug)]
struct Opens(Arc<dyn Misbehaviour>);

impl Open for Opens {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        Ok(factory(self.0.clone(), compressor_deflate::factory(), None))
    }
}
