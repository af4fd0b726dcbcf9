//! The one place that calls QATzip, Intel's sequence producer for zstd, and libzstd.
#![allow(
    unsafe_code,
    reason = "foreign functions are called here, and nowhere else"
)]

mod frames;
mod library;
mod process;
mod producer;
mod session;

pub(crate) use frames::{Frames, bound as frame_bound, sequence_bound};
pub(crate) use library::{Library, Refusal};
pub(crate) use process::Process;
pub(crate) use producer::{Producer, ProducerState};
pub(crate) use session::{Outcome, QzSession, Setup, Software, Spare, Stream, initialise};
pub(crate) use zstd_sys::ZSTD_Sequence;
