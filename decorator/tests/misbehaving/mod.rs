//! Providers that misbehave as real ones were seen to, each around a codec that works.
//!
//! A [`Misbehaviour`] says what is done instead of what the codec would do. It fits any format,
//! unless it says otherwise, and any place where a provider fits: alone ([`factory`]), or in front
//! of software ([`selected`]).
#![allow(
    dead_code,
    unused_imports,
    reason = "each test binary uses some of them"
)]

mod busy_forever;
mod consumes_less;
mod flips_bit;
mod forked_child;
mod frame_instead_of_block;
mod ignores_level;
mod init_fails_n_times;
mod late_device;
mod multi_stream;
mod n_contexts;
mod never_completes;
mod no_checksum;
mod ok_with_zero;
mod open_ok_first_op_fails;
mod overflow_always;
mod panics_in;
mod permanent_error;
mod private_format;
mod scribbles_then_fails;
mod unknown_error_code;
mod wrong_checksum;

use std::fmt::Debug;
use std::sync::Arc;

use compressor_api::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession, Direction,
    Effective, EffectiveSide, Error, ErrorKind, Format, Health, ProviderId, Selected, Spec,
    self_test,
};

pub use self::busy_forever::BusyForever;
pub use self::consumes_less::ConsumesLess;
pub use self::flips_bit::FlipsBit;
pub use self::forked_child::ForkedChild;
pub use self::frame_instead_of_block::FrameInsteadOfBlock;
pub use self::ignores_level::IgnoresLevel;
pub use self::init_fails_n_times::InitFailsNTimes;
pub use self::late_device::LateDevice;
pub use self::multi_stream::MultiStream;
pub use self::n_contexts::NContexts;
pub use self::never_completes::NeverCompletes;
pub use self::no_checksum::NoChecksum;
pub use self::ok_with_zero::OkWithZero;
pub use self::open_ok_first_op_fails::OpenOkFirstOpFails;
pub use self::overflow_always::OverflowAlways;
pub use self::panics_in::{PanicsIn, Place};
pub use self::permanent_error::PermanentError;
pub use self::private_format::PrivateFormat;
pub use self::scribbles_then_fails::ScribblesThenFails;
pub use self::unknown_error_code::UnknownErrorCode;
pub use self::wrong_checksum::WrongChecksum;

/// The name of every provider that misbehaves.
pub const ID: ProviderId = ProviderId::new("misbehaving");

/// One operation of a codec, with its input: it needs a buffer for the result.
pub type Codec<'a> = &'a mut dyn FnMut(&mut [u8]) -> Result<usize, Error>;

/// What a provider does instead of what its codec would. By default it behaves.
pub trait Misbehaviour: Debug + Send + Sync + 'static {
    /// Before a session is made.
    fn open(&self, _: Direction) -> Result<(), Error> {
        Ok(())
    }

    /// Instead of an operation, whichever way: `codec` is what would put the right result into the
    /// buffer.
    fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
        codec(dst)
    }

    /// Instead of compressing.
    fn compress(
        &self,
        codec: &mut dyn CompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        self.operate(&mut |dst| codec.compress(src, dst), dst)
    }

    /// Instead of decompressing.
    fn decompress(
        &self,
        codec: &mut dyn DecompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        self.operate(&mut |dst| codec.decompress(src, dst), dst)
    }

    /// The output room that it asks for, where the codec asks for `codec`.
    fn bound(&self, codec: Option<usize>) -> Option<usize> {
        codec
    }

    /// When a session is dropped.
    fn drop_session(&self) {}

    /// When a compressor is dropped.
    fn drop_compressor(&self) {}

    /// When asked for its name.
    fn name(&self) {}

    /// When asked for its health.
    fn health(&self) -> Health {
        Health::Ready
    }
}

/// Behaves: what all others differ from.
#[derive(Debug)]
pub struct Behaves;

impl Misbehaviour for Behaves {}

/// A provider that misbehaves, opened. It lists `capabilities`, or all that the codec's own say.
pub fn factory(
    behaviour: Arc<dyn Misbehaviour>,
    codec: Arc<dyn CompressorFactory>,
    capabilities: Option<Vec<Capabilities>>,
) -> Arc<dyn CompressorFactory> {
    let capabilities = capabilities.unwrap_or_else(|| codec.capabilities().to_vec());
    Arc::new(Factory {
        behaviour,
        codec,
        capabilities,
    })
}

/// A compressor that misbehaves.
pub fn compressor(
    behaviour: Arc<dyn Misbehaviour>,
    codec: Arc<dyn Compressor>,
) -> Arc<dyn Compressor> {
    let side = |side: Option<EffectiveSide>| {
        side.map(|side| EffectiveSide::new(ID, side.level, side.window))
    };
    let effective = codec.effective();
    let effective = Effective::new(side(effective.compress), side(effective.decompress));
    Arc::new(Misbehaving {
        behaviour,
        codec,
        effective,
    })
}

/// A compressor that misbehaves, as chosen for a direction.
pub fn selected(
    behaviour: Arc<dyn Misbehaviour>,
    capabilities: Capabilities,
    codec: Arc<dyn Compressor>,
) -> Selected {
    Selected::new(ID, capabilities, compressor(behaviour, codec))
}

/// An error of a provider that misbehaves.
pub fn error(kind: ErrorKind) -> Error {
    Error::new(kind, ID)
}

#[derive(Debug)]
struct Factory {
    behaviour: Arc<dyn Misbehaviour>,
    codec: Arc<dyn CompressorFactory>,
    capabilities: Vec<Capabilities>,
}

impl CompressorFactory for Factory {
    fn id(&self) -> ProviderId {
        self.behaviour.name();
        ID
    }

    fn capabilities(&self) -> &[Capabilities] {
        &self.capabilities
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        Ok(compressor(
            self.behaviour.clone(),
            self.codec.compressor(spec)?,
        ))
    }

    fn health(&self) -> Health {
        self.behaviour.health()
    }

    fn self_test(&self) -> Result<(), Error> {
        self_test::known_answers(self)
    }
}

#[derive(Debug)]
struct Misbehaving {
    behaviour: Arc<dyn Misbehaviour>,
    codec: Arc<dyn Compressor>,
    effective: Effective,
}

impl Compressor for Misbehaving {
    fn spec(&self) -> &Spec {
        self.codec.spec()
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        self.behaviour.bound(self.codec.max_compressed_len(src_len))
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        self.codec.decompressed_len(src)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        self.behaviour.open(Direction::Compress)?;
        let codec = self.codec.compress_session()?;
        Ok(Box::new(Session::new(self, codec)))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        self.behaviour.open(Direction::Decompress)?;
        let codec = self.codec.decompress_session()?;
        Ok(Box::new(Session::new(self, codec)))
    }
}

impl Drop for Misbehaving {
    fn drop(&mut self) {
        self.behaviour.drop_compressor();
    }
}

struct Session<S> {
    behaviour: Arc<dyn Misbehaviour>,
    spec: Spec,
    codec: S,
}

impl<S> Session<S> {
    fn new(of: &Misbehaving, codec: S) -> Self {
        Self {
            behaviour: of.behaviour.clone(),
            spec: of.codec.spec().clone(),
            codec,
        }
    }
}

impl CompressSession for Session<Box<dyn CompressSession>> {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.behaviour
            .compress(&mut *self.codec, &self.spec, src, dst)
    }
}

impl DecompressSession for Session<Box<dyn DecompressSession>> {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.behaviour
            .decompress(&mut *self.codec, &self.spec, src, dst)
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

impl<S> Drop for Session<S> {
    fn drop(&mut self) {
        self.behaviour.drop_session();
    }
}

/// Whether a format's header tells the decompressed length of every unit.
pub fn declares_length(format: Format) -> bool {
    !matches!(format, Format::Lz4Block | Format::Zlib | Format::DeflateRaw)
}
