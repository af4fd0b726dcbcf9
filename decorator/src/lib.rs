//! The accelerated path with software behind it.
//!
//! [`Accelerated`] is one [`Compressor`](compressor_api::Compressor) that puts an accelerator per
//! direction before a software codec. Callers see one compressor whose results are always those of
//! a working codec, whether the device is there, busy, broken or lying.
//!
//! # One operation
//!
//! Length, output and window gates → breaker (one relaxed load) → permit (where the device limits
//! operations at once) → the accelerator → a glance at its result → verification, if the operation
//! is drawn for it → counters. Where any of these says no, software runs the operation from byte 0
//! of the source, and a [`Reason`] is counted. On this path there is no lock, no clock, no
//! allocation after warm-up, and no log event.
//!
//! # Who is trusted with what
//!
//! - A [`Guard`] belongs to a provider and direction, whatever formats and levels it serves: when a
//!   device fails often its breaker opens, and when it lies it is quarantined until an operator
//!   [resets](Guard::reset) it. [`Guards`] holds those of a process.
//! - An accelerator that refuses one format and level which it published loses that one only.
//! - Input is never evidence against a device unless software could read it.
//! - A panic in a provider is caught (in programs that unwind), and quarantines.
//!
//! # Several accelerators, several threads
//!
//! - A direction may have [several](Builder::routes) accelerators, by the length of the content. Each
//!   has software behind it, and a session holds one of each: all are made together, and the length
//!   is compared once per operation.
//! - With [`Workers`], `compress_many` and `decompress_many` run on more threads than the caller's.
//!   Each worker has a session of its own and jobs that lie in a row; a panic there is the result of
//!   the jobs that it kept from being run. Nothing is allocated per job; the queue that wakes the
//!   workers takes a block of memory about every sixtieth batch.
//!
//! # What it costs to be sure
//!
//! By default the first 32 results of each format and level and then one in 1,024 are decoded in
//! software and compared: [`Verify`]. [`Accelerated::counters`] tells how many operations ran
//! where, and why.
#![forbid(unsafe_code)]

mod accelerated;
mod accelerator;
mod clock;
mod contain;
mod counters;
mod dice;
mod events;
mod gate;
mod guard;
mod lane;
mod options;
mod reason;
mod route;
mod self_check;
mod session;
mod sync;
mod workers;

// The model checker's tests look inside.
#[cfg(loom)]
pub mod breaker;
#[cfg(not(loom))]
mod breaker;
#[cfg(loom)]
pub mod permits;
#[cfg(not(loom))]
mod permits;

pub use accelerated::{Accelerated, Builder};
pub use breaker::BreakerState;
pub use clock::{Clock, ManualClock};
pub use counters::{Counters, Served, Snapshot};
pub use guard::{Cause, Guard, Guards};
pub use options::{Options, Verify};
pub use reason::Reason;
pub use route::{Route, Routed};
pub use self_check::self_check;
pub use workers::Workers;
