//! What the tests share: codecs by format, content, a clock that they turn, and a rig that checks
//! each result against software.
#![allow(dead_code, reason = "each test binary uses some of it")]

use std::sync::Arc;

use compressor_api::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession, Direction,
    Error, Format, Selected, Spec, stored,
};
use compressor_decorator::{
    Accelerated, BreakerState, Counters, Guard, Guards, ManualClock, Options,
};

/// The software codec of a format.
pub fn codec(format: Format) -> Arc<dyn CompressorFactory> {
    match format {
        Format::None => stored::factory(),
        Format::Lz4Block | Format::Lz4Sized => compressor_lz4::factory(),
        Format::Zstd => compressor_zstd::factory(),
        Format::Zlib | Format::DeflateRaw | Format::Gzip => compressor_deflate::factory(),
        Format::Snappy => compressor_snappy::factory(),
        _ => panic!("{format} has no codec here"),
    }
}

/// Software for a spec.
pub fn software(spec: &Spec) -> Arc<dyn Compressor> {
    codec(spec.format()).compressor(spec).unwrap()
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
        text.extend_from_slice(WORDS[(chance.next() % 8) as usize].as_bytes());
    }
    text.truncate(len);
    text
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

/// Guards that wait by a clock of their own.
pub struct Process {
    pub guards: Guards,
    pub clock: Arc<ManualClock>,
}

impl Process {
    pub fn new() -> Self {
        let clock = Arc::new(ManualClock::default());
        Self {
            guards: Guards::with_clock(clock.clone()),
            clock,
        }
    }

    /// Accelerators before the software of `spec`, with a session each way.
    pub fn rig(
        &self,
        spec: &Spec,
        options: Options,
        accelerators: impl IntoIterator<Item = Selected>,
    ) -> Rig {
        let mut builder = Accelerated::builder(software(spec), &self.guards).options(options);
        for selected in accelerators {
            builder = builder.accelerator(selected);
        }
        Rig::of(Arc::new(builder.build().unwrap()), self.guards.clone())
    }
}

/// An [`Accelerated`] with a session each way, and software to check them by.
pub struct Rig {
    pub accelerated: Arc<Accelerated>,
    pub compress: Box<dyn CompressSession>,
    pub decompress: Box<dyn DecompressSession>,
    pub software: Arc<dyn Compressor>,
    guards: Guards,
}

impl Rig {
    pub fn of(accelerated: Arc<Accelerated>, guards: Guards) -> Self {
        Self {
            compress: accelerated.compress_session().unwrap(),
            decompress: accelerated.decompress_session().unwrap(),
            software: software(accelerated.spec()),
            accelerated,
            guards,
        }
    }

    /// A unit of `content` from the software codec.
    pub fn unit(&self, content: &[u8]) -> Vec<u8> {
        let mut unit = vec![0; self.software.max_compressed_len(content.len()).unwrap()];
        let mut session = self.software.compress_session().unwrap();
        let n = session.compress(content, &mut unit).unwrap();
        unit.truncate(n);
        unit
    }

    /// Runs an operation of `content` through the rig, with all the room it may need, and requires
    /// that software finds the result right.
    pub fn run(&mut self, direction: Direction, content: &[u8]) {
        match direction {
            Direction::Compress => {
                let room = self.accelerated.max_compressed_len(content.len()).unwrap();
                let mut unit = vec![0x55; room];
                let n = self.compress.compress(content, &mut unit).unwrap();
                let mut decoded = vec![0; content.len()];
                self.software
                    .decompress_session()
                    .unwrap()
                    .decompress_exact(&unit[..n], &mut decoded)
                    .unwrap();
                assert!(decoded == content, "other bytes");
            }
            Direction::Decompress => {
                let unit = self.unit(content);
                let mut decoded = vec![0x55; content.len()];
                let n = self.decompress.decompress(&unit, &mut decoded).unwrap();
                assert_eq!(n, content.len());
                assert!(decoded == content, "other bytes");
                decoded.fill(0x55);
                self.decompress
                    .decompress_exact(&unit, &mut decoded)
                    .unwrap();
                assert!(decoded == content, "other bytes");
            }
        }
    }

    /// As [`run`](Self::run), so many times.
    pub fn run_times(&mut self, direction: Direction, times: usize) {
        for seed in 0..times {
            self.run(direction, &text(seed as u64, 3_000));
        }
    }

    /// An operation that may fail; only compression.
    pub fn try_compress(&mut self, content: &[u8], room: usize) -> Result<Vec<u8>, Error> {
        let mut unit = vec![0x55; room];
        let n = self.compress.compress(content, &mut unit)?;
        unit.truncate(n);
        Ok(unit)
    }

    pub fn counters(&self, direction: Direction) -> Counters {
        *self.accelerated.counters().direction(direction)
    }

    pub fn guard(&self, direction: Direction) -> Arc<Guard> {
        self.guards.guard(super::misbehaving::ID, direction)
    }

    pub fn state(&self, direction: Direction) -> BreakerState {
        self.guard(direction).state()
    }
}

/// Capabilities without a limit.
pub fn unlimited(format: Format, direction: Direction) -> Capabilities {
    Capabilities::new(format, direction)
}
