//! The `intel.qat` accelerator: Deflate, LZ4 and Zstandard on Intel QAT devices, through QATzip.
//!
//! QATzip (1.3 or 2.0) is found at run time; nothing is linked. Without the library, or without a
//! device, the provider is [`Absent`](OpenError::Absent). `docs/qat.md` tells an operator the rest.
//!
//! **None of this was run on a device.** It was run over the real library without one, and over
//! a stand-in that is stricter than what Intel documents.
//!
//! # Formats
//!
//! | format | compression | decompression | with |
//! | --- | --- | --- | --- |
//! | `zlib`, `gzip` | yes | yes | any device |
//! | `deflate-raw` | yes | no: nothing would tell corrupt content | any device |
//! | `lz4-block`, and so `lz4-sized` | yes | if the device does it | devices from the fourth generation on |
//! | `zstd` | yes | with QATzip 2.0, from the sixth generation on | devices from the fourth generation on |
//!
//! What of this a host's device does is tried when the provider is opened, with one operation for
//! each format and direction, and only that is listed. What QATzip would do in software is not.
//!
//! QATzip writes and reads LZ4 frames; the block that engines keep is taken out and put in here,
//! unless QATzip has sessions for blocks (2.0). A device reads a frame only with a checksum over the
//! content, which a block does not have, so that before 2.0 blocks are expected to be read in
//! software.
//!
//! Zstandard frames come from the first of these that works: QATzip 2.0 itself; the sequences of
//! Intel's producer for zstd (`libqatseqprod.so`); the sequences in QATzip's LZ4s. Sequences are
//! checked down to the bytes of every match before libzstd makes a frame of them.
//!
//! # Limits
//!
//! Content of `min_input` to `hw_buffer_size` bytes: below, the device does not pay, and beyond,
//! it writes several units in a row. The size of a process is the first that it opens the device
//! with, or less. Frames made of sequences hold 128 KiB at most, and LZ4's before QATzip 2.0 64 KiB. LZ4 history is
//! 32 KiB in both directions, so that blocks with longer content, whoever wrote them, are read in
//! software. No dictionaries, no windows below 32 KiB, no long-distance matching, no workers.
//!
//! Levels 1–9 for Deflate, up to 9 for LZ4 (all that are fast are one), 1–12 for Zstandard.
//! [`Compressor::effective`](compressor_api::Compressor::effective) says which level of its own the
//! device has for them.
//!
//! # What is done against what is known to go wrong
//!
//! - One question whether there is a device. If not, the library is not called again in this process
//!   until the kernel shows other devices than before.
//! - Each session of ours owns one of QATzip. It is torn down after anything but a complete success,
//!   and one whose set-up failed is never used.
//! - Work that QATzip did in software is an error ([`Error::silent_software`](compressor_api::Error)),
//!   told by the session's status and totals.
//! - The device works on buffers of our own. Those of a request that was given up, which QATzip 1.3.1
//!   does not tell from other failures, are kept for a minute; while 64 are, no new session is made.
//! - After OK: all of the input taken, the stream at its end, the header and the checksum of the
//!   format right. Checksums of `zlib`, `gzip` and `zstd` are computed here, in both directions.
//! - In a process that forked, sessions made before are [`Poisoned`](compressor_api::ErrorKind), and
//!   none are made.
//!
//! # Waiting
//!
//! A call of QATzip returns when the device has answered, or when QATzip gives the device up; it
//! cannot be called off. So no more callers wait than `max_in_flight` says, and an operation that
//! took longer than `deadline` counts as timed out.
//!
//! # Memory
//!
//! A session has an input and an output buffer of about `hw_buffer_size` each, and for frames made of
//! sequences those and libzstd's, about ten times as much. Nothing is allocated per operation here.
//! QATzip allocates when a session is made anew, after an operation that failed.
#![deny(unsafe_code)]

mod codes;
mod compress;
mod compressor;
mod decompress;
mod device;
mod factory;
mod ffi;
mod finder;
mod hardware;
mod lz4_frame;
mod parked;
mod plan;
mod probe;
mod sequences;
mod settings;
mod stopwatch;
mod trailer;
mod ways;
mod worker;
mod zstd_frame;

use std::sync::Arc;

use compressor_api::{
    CompressorFactory, Open, OpenError, Params, ProviderClass, ProviderEntry, ProviderId,
};

use device::{Device, NAMES};
use factory::Factory;
use ffi::Software;
use settings::{LIBRARY_PATH, PARAMS, Settings};

const ID: ProviderId = ProviderId::new("intel.qat");

/// The provider as listed.
pub static PROVIDER: ProviderEntry = ProviderEntry::new(
    ID,
    ProviderClass::Accelerator,
    "Intel QAT devices through QATzip: Deflate, LZ4 and Zstandard off the CPU",
    &ways::FORMATS,
    &Opener,
)
// Before accelerators on the CPU, which it leaves to others.
.with_priority(1)
.with_params(&PARAMS);

compressor_api::submit_provider!(PROVIDER);

struct Opener;

impl Open for Opener {
    fn open(&self, params: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        open(params, Settings::new(params)?)
    }
}

/// Opens the provider with leave for QATzip to work in software, where there is no device: for tests
/// with the real library. Each operation costs the process a pthread key.
///
/// Where that work `counts` as a device's, it shows what QATzip writes and reads; where it does not,
/// how it is told from a device's.
///
/// # Errors
///
/// As [`Open::open`].
#[doc(hidden)]
pub fn open_in_software(
    params: &Params,
    counts: bool,
) -> Result<Arc<dyn CompressorFactory>, OpenError> {
    let settings = Settings {
        software: if counts {
            Software::Counts
        } else {
            Software::FoundOut
        },
        ..Settings::new(params)?
    };
    open(params, settings)
}

fn open(params: &Params, settings: Settings) -> Result<Arc<dyn CompressorFactory>, OpenError> {
    let device = match params.text(LIBRARY_PATH.name) {
        None | Some("") => Device::by_name(NAMES, &settings)?,
        Some(path) => Device::by_path(path, &settings)?,
    };
    Ok(Arc::new(Factory::new(device, settings)?))
}
