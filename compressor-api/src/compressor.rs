use std::fmt::Debug;
use std::sync::Arc;

use crate::{Capabilities, Error, ErrorKind, Health, ProviderId, Spec};

/// An opened provider: makes compressors.
///
/// Made by [`Open::open`](crate::Open::open); shared by every thread of the process. All methods
/// may be called from any thread at any time.
pub trait CompressorFactory: Send + Sync + Debug {
    /// The provider's name, the same as in its [`ProviderEntry`](crate::ProviderEntry).
    fn id(&self) -> ProviderId;

    /// What it can do, an entry per format and direction. Never changes after opening.
    fn capabilities(&self) -> &[Capabilities];

    /// A compressor for `spec`.
    ///
    /// # Errors
    ///
    /// - [`Unsupported`](ErrorKind::Unsupported): the spec lies outside [`capabilities`].
    /// - [`InvalidArgument`](ErrorKind::InvalidArgument): the dictionary cannot be loaded.
    /// - [`OutOfMemory`](ErrorKind::OutOfMemory), [`Device`](ErrorKind::Device),
    ///   [`Lost`](ErrorKind::Lost): the provider failed.
    ///
    /// [`capabilities`]: Self::capabilities
    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error>;

    /// The version of whatever does the work, where that is not fixed when the program is built: a
    /// library that was found, a driver. Empty otherwise. Measurements are kept with it.
    fn version(&self) -> String {
        String::new()
    }

    /// How the provider is. Cached: no I/O, no lock that is held during I/O.
    fn health(&self) -> Health;

    /// Runs known answers through the provider; may take milliseconds. Called when the provider is
    /// opened; [`self_test::known_answers`](crate::self_test::known_answers) does the work for
    /// most.
    ///
    /// # Errors
    ///
    /// The error of the first answer that was wrong; [`Device`](ErrorKind::Device) if an operation
    /// succeeded with wrong bytes.
    fn self_test(&self) -> Result<(), Error>;
}

/// A provider at work on one [`Spec`]: immutable, shared by [`Arc`], usable from every thread.
pub trait Compressor: Send + Sync + Debug {
    /// The spec it was made for.
    fn spec(&self) -> &Spec;

    /// What really serves the spec, per direction; `None` where this compressor cannot go.
    fn effective(&self) -> &Effective;

    /// The `dst` length with which compressing `src_len` bytes never fails for want of room.
    ///
    /// `None` if `src_len` is more than the provider takes. Never 0, never wrapped.
    fn max_compressed_len(&self, src_len: usize) -> Option<usize>;

    /// The decompressed length that the header of `src` declares, `None` if the format has none.
    ///
    /// Whoever wrote the bytes chose the number: check it against what you know before you allocate
    /// from it.
    ///
    /// # Errors
    ///
    /// [`CorruptInput`](ErrorKind::CorruptInput) if the header is not one of this format, or
    /// declares more than so short a unit can hold.
    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error>;

    /// A working area to compress with.
    ///
    /// # Errors
    ///
    /// [`Unsupported`](ErrorKind::Unsupported) if this compressor only decompresses,
    /// [`OutOfMemory`](ErrorKind::OutOfMemory), or what the device says.
    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error>;

    /// A working area to decompress with.
    ///
    /// # Errors
    ///
    /// As [`compress_session`](Self::compress_session), the other way round.
    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error>;
}

/// What really serves a [`Spec`], per direction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effective {
    /// Who compresses, and how; `None` if nobody does.
    pub compress: Option<EffectiveSide>,
    /// Who decompresses; `None` if nobody does.
    pub decompress: Option<EffectiveSide>,
}

impl Effective {
    /// From what serves each direction.
    #[must_use]
    pub const fn new(compress: Option<EffectiveSide>, decompress: Option<EffectiveSide>) -> Self {
        Self {
            compress,
            decompress,
        }
    }

    /// One provider for both directions.
    #[must_use]
    pub const fn both(side: EffectiveSide) -> Self {
        Self::new(Some(side), Some(side))
    }
}

/// What really serves one direction of a [`Spec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EffectiveSide {
    /// The provider.
    pub provider: ProviderId,
    /// The level really used, on the provider's own scale; where it depends on the length of the
    /// input, the one for short inputs.
    pub level: i32,
    /// The largest match distance in bytes that it emits or resolves.
    pub window: u64,
}

impl EffectiveSide {
    /// From its parts.
    #[must_use]
    pub const fn new(provider: ProviderId, level: i32, window: u64) -> Self {
        Self {
            provider,
            level,
            window,
        }
    }
}

/// A working area to compress with: exclusive while in use, free to move between threads.
///
/// The contract of every call, which the conformance suite tests line by line:
///
/// 1. `Ok(n)`: all of `src` was consumed, and `dst[..n]` is one complete unit of the format that
///    any conforming decoder accepts alone.
/// 2. `Err`: `src` is untouched, the contents of `dst` are unspecified, and the session is reusable
///    unless the kind is [`Poisoned`](ErrorKind::Poisoned).
/// 3. After the return nobody holds a pointer into `src` or `dst`, time-outs included.
/// 4. Empty `src` is legal, and so is any length of `dst`. A `dst` of at least
///    [`max_compressed_len`](Compressor::max_compressed_len) never gives
///    [`OutputTooSmall`](ErrorKind::OutputTooSmall); an exact fit succeeds.
/// 5. A shorter `dst` means "only if it shrinks". An implementation that needs the bound keeps
///    scratch of its own.
/// 6. After warm-up nothing is allocated on success, `OutputTooSmall`, `Busy` or `CorruptInput`.
/// 7. No panic on any input, no unbounded wait, no lock held while a device works.
/// 8. A call leaves no trace in the next one on the same session, whether it failed or finished.
pub trait CompressSession: Send {
    /// Compresses `src` into one unit at the start of `dst`; returns the unit's length.
    ///
    /// # Errors
    ///
    /// - [`OutputTooSmall`](ErrorKind::OutputTooSmall): the unit does not fit `dst`.
    /// - [`Unsupported`](ErrorKind::Unsupported): `src` is longer than the provider takes.
    /// - [`Busy`](ErrorKind::Busy), [`Timeout`](ErrorKind::Timeout),
    ///   [`Device`](ErrorKind::Device), [`Lost`](ErrorKind::Lost),
    ///   [`OutOfMemory`](ErrorKind::OutOfMemory), [`Poisoned`](ErrorKind::Poisoned): the provider
    ///   failed; another one can serve the same call.
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error>;

    /// Compresses each job, as [`compress`](Self::compress) would, and leaves a result in each.
    ///
    /// In any order; one job's failure does not touch another.
    fn compress_many(&mut self, jobs: &mut [Job<'_>]) {
        for job in jobs {
            job.result = self.compress(job.src, job.dst);
        }
    }
}

/// A working area to decompress with: exclusive while in use, free to move between threads.
///
/// The contract is [`CompressSession`]'s, and:
///
/// - `src` is exactly one unit: bytes after it, a second unit, a skippable frame before it, a
///   missing or wrong checksum, a truncated unit and a declared length that lies are
///   [`CorruptInput`](ErrorKind::CorruptInput), found before anything is allocated from a declared
///   length.
/// - Nothing is written beyond `dst`; nothing that was in memory before comes back as content.
/// - Formats are not guessed, and nothing is returned raw because it failed to decode.
pub trait DecompressSession: Send {
    /// Decompresses the one unit in `src` to the start of `dst`; returns the content's length.
    ///
    /// # Errors
    ///
    /// - [`OutputTooSmall`](ErrorKind::OutputTooSmall): the content is longer than `dst`.
    /// - [`CorruptInput`](ErrorKind::CorruptInput): `src` is not exactly one intact unit.
    /// - [`WrongDictionary`](ErrorKind::WrongDictionary): the unit names another dictionary than
    ///   the spec holds.
    /// - [`Unsupported`](ErrorKind::Unsupported): a unit that the provider cannot read, though it
    ///   may be intact.
    /// - The provider's failures, as in [`CompressSession::compress`].
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error>;

    /// Decompresses the one unit in `src`, whose content must fill `dst` exactly.
    ///
    /// For callers that keep the length beside the unit, as engines do.
    ///
    /// # Errors
    ///
    /// As [`decompress`](Self::decompress), but content that is shorter *or longer* than `dst` is
    /// [`CorruptInput`](ErrorKind::CorruptInput): a larger buffer would not help.
    fn decompress_exact(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(), Error> {
        match self.decompress(src, dst) {
            Ok(n) if n == dst.len() => Ok(()),
            Ok(_) => Err(Error::new(ErrorKind::CorruptInput, self.provider())),
            Err(error) if error.kind() == ErrorKind::OutputTooSmall => Err(Error::with_native(
                ErrorKind::CorruptInput,
                error.provider(),
                error.native(),
            )),
            Err(error) => Err(error),
        }
    }

    /// Decompresses each job, as [`decompress`](Self::decompress) would, and leaves a result in
    /// each.
    ///
    /// In any order; one job's failure does not touch another.
    fn decompress_many(&mut self, jobs: &mut [Job<'_>]) {
        for job in jobs {
            job.result = self.decompress(job.src, job.dst);
        }
    }

    /// Whose session this is, for errors that the provided methods make.
    fn provider(&self) -> ProviderId;
}

/// One operation of a batch: its buffers, and its result once it was run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Job<'a> {
    /// What to compress or decompress.
    pub src: &'a [u8],
    /// Where the result goes.
    pub dst: &'a mut [u8],
    /// The length of the result, or why there is none. A job that was not run says
    /// [`InvalidArgument`](ErrorKind::InvalidArgument).
    pub result: Result<usize, Error>,
}

impl<'a> Job<'a> {
    /// A job that was not run yet.
    #[must_use]
    pub fn new(src: &'a [u8], dst: &'a mut [u8]) -> Self {
        let not_run = Error::new(ErrorKind::InvalidArgument, ProviderId::new("not run"));
        Self {
            src,
            dst,
            result: Err(not_run),
        }
    }
}
