//! What an engine has around the provider: software behind it, guards that wait by a clock of the
//! test's, and a check of every result.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::Arc;
use std::time::Duration;

use compressor_api::{
    CompressSession, Compressor, CompressorFactory, DecompressSession, Direction, Format, Policy,
    Registry, Spec,
};
use compressor_decorator::{
    Accelerated, BreakerState, Counters, Guard, Guards, ManualClock, Options, Reason, Verify,
};
use provider_qat::PROVIDER;

use crate::sim::{Api, PATIENT, Sim};

/// Formats that are compressed on the device.
pub const FORMATS: [Format; 6] = [
    Format::Lz4Block,
    Format::Lz4Sized,
    Format::Zstd,
    Format::Zlib,
    Format::DeflateRaw,
    Format::Gzip,
];

/// What the simulated device counted.
pub fn counters(sim: &Sim) -> qat_sim::Counters {
    sim.counters()
}

/// A host with the simulated device, on which nothing goes wrong until it is told to.
pub struct Host {
    pub sim: Sim,
    pub clock: Arc<ManualClock>,
    registry: Registry,
    guards: Guards,
    options: Options,
}

impl Host {
    pub fn new(name: &str, api: Api, params: &[(&str, &str)], verify: Verify) -> Self {
        let sim = Sim::new(name, api, "");
        let clock = Arc::new(ManualClock::default());
        let registry = params.iter().fold(
            Registry::builder()
                .provider(&PROVIDER)
                .provider(&compressor_deflate::PROVIDER)
                .provider(&compressor_lz4::PROVIDER)
                .provider(&compressor_zstd::PROVIDER)
                .param("intel.qat", "library_path", &sim.path)
                .param("intel.qat", PATIENT.0, PATIENT.1),
            |builder, (name, value)| builder.param("intel.qat", *name, *value),
        );
        let registry = registry.build().unwrap();
        registry.open("intel.qat").unwrap();
        Self {
            sim,
            guards: Guards::with_clock(clock.clone()),
            clock,
            registry,
            options: Options::new().verify(verify),
        }
    }

    /// What an engine hands out for a format.
    pub fn compressor(&self, format: Format) -> Arc<Accelerated> {
        let spec = Spec::new(format);
        let selection = self.registry.select(&spec, &Policy::default()).unwrap();
        let made = Accelerated::from_selection(&selection, &self.guards, self.options).unwrap();
        let made = Arc::new(made);
        assert_eq!(made.unaccelerated(Direction::Compress), None, "{format}");
        made
    }

    pub fn guard(&self, direction: Direction) -> Arc<Guard> {
        self.guards.guard(PROVIDER.id, direction)
    }

    pub fn state(&self, direction: Direction) -> BreakerState {
        self.guard(direction).state()
    }

    /// Waits until the simulated device has written to all the buffers that it was given in calls
    /// that timed out.
    pub fn wait_for_late_writes(&self, calls: u64) {
        let meanwhile = || std::thread::sleep(Duration::from_millis(1));
        self.sim.wait_for_late_writes(calls, meanwhile);
    }
}

/// The software codec of a format.
pub fn software(format: Format) -> Arc<dyn Compressor> {
    let factory: Arc<dyn CompressorFactory> = match format {
        Format::Lz4Block | Format::Lz4Sized => compressor_lz4::factory(),
        Format::Zstd => compressor_zstd::factory(),
        _ => compressor_deflate::factory(),
    };
    factory.compressor(&Spec::new(format)).unwrap()
}

/// A session each way, and software's, which has the last word.
pub struct Rig {
    pub accelerated: Arc<Accelerated>,
    pub format: Format,
    compress: Box<dyn CompressSession>,
    decompress: Box<dyn DecompressSession>,
    written: Box<dyn CompressSession>,
    read: Box<dyn DecompressSession>,
    unit: Vec<u8>,
    back: Vec<u8>,
}

impl Rig {
    pub fn new(accelerated: Arc<Accelerated>, format: Format) -> Self {
        let software = software(format);
        Self {
            compress: accelerated.compress_session().unwrap(),
            decompress: accelerated.decompress_session().unwrap(),
            accelerated,
            format,
            written: software.compress_session().unwrap(),
            read: software.decompress_session().unwrap(),
            unit: Vec::new(),
            back: Vec::new(),
        }
    }

    fn make_room(&mut self, len: usize) {
        let bound = self.accelerated.max_compressed_len(len).unwrap();
        self.unit.resize(bound.max(self.unit.len()), 0);
        self.back.resize(len, 0);
    }

    /// Compresses a block; software reads it.
    pub fn write(&mut self, content: &[u8]) {
        self.make_room(content.len());
        let n = self.compress.compress(content, &mut self.unit).unwrap();
        let read = self.read.decompress_exact(&self.unit[..n], &mut self.back);
        assert!(read.is_ok() && self.back == content, "{}", self.format);
    }

    /// Decompresses what software wrote of a block.
    pub fn read(&mut self, content: &[u8]) {
        self.make_room(content.len());
        let n = self.written.compress(content, &mut self.unit).unwrap();
        let read = self.decompress.decompress(&self.unit[..n], &mut self.back);
        assert_eq!(read, Ok(content.len()), "{}", self.format);
        assert!(self.back == content, "{}", self.format);
    }

    pub fn counters(&self, direction: Direction) -> Counters {
        *self.accelerated.counters().direction(direction)
    }

    /// The reasons for software in one direction.
    pub fn reasons(&self, direction: Direction) -> Vec<Reason> {
        let counters = self.counters(direction);
        counters.reasons().map(|(reason, _)| reason).collect()
    }
}

/// SplitMix64: seeded, so that a failure can be run again.
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// Text that compresses, another one for each seed.
pub fn text(seed: u64, len: usize) -> Vec<u8> {
    const WORDS: [&str; 8] = [
        "sensor ",
        "machine ",
        "0.25 ",
        "valve open ",
        "2024-05-01T",
        "ok\n",
        "warning: ",
        "41 ",
    ];
    let mut chance = Chance(seed);
    let mut text = Vec::with_capacity(len + 16);
    while text.len() < len {
        text.extend_from_slice(WORDS[chance.below(8) as usize].as_bytes());
    }
    text.truncate(len);
    text
}
