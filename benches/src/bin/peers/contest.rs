//! Who is compared with whom.

use std::error::Error;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use compressor::{Accelerated, Compressor, Direction, Effort, Engine, Format, Spec};
use compressor_benches::measure::{Contender, MeasureError, Measured, Pace, SideBySide};

use crate::crates::{Flate2ZlibNg, Libdeflater, Lz4Flex, Snap, ZlibRs, Zstd};
use crate::peer::compressor as peer;

/// What the caller asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A level.
    Level,
    /// Speed: units may be longer than at the level by as much as that effort allows.
    Speed,
}

/// The framework, and the peers that write the same format.
pub struct Contest {
    asked: Asked,
    pub spec: Spec,
    ours: Arc<Accelerated>,
    peers: Vec<Arc<dyn Compressor>>,
}

/// What was measured on one data set in blocks of one size: a number for each peer.
pub struct Outcome {
    /// The framework's speed through the peer's.
    pub compress: Vec<f64>,
    /// Length of the framework's units through the peer's.
    pub length: Vec<f64>,
    /// The framework's speed through the peer's.
    pub decompress: Vec<f64>,
}

/// The peers' fastest level of the deflate formats that compresses.
const FASTEST: i32 = 1;

impl Contest {
    /// All formats that peers write.
    pub fn all(asked: Asked) -> Result<Vec<Self>, Box<dyn Error>> {
        let formats = match asked {
            Asked::Level => &[
                Format::Zlib,
                Format::DeflateRaw,
                Format::Gzip,
                Format::Zstd,
                Format::Lz4Block,
                Format::Snappy,
            ][..],
            Asked::Speed => &[Format::Zlib, Format::DeflateRaw, Format::Gzip],
        };
        formats
            .iter()
            .map(|format| Self::of(asked, *format))
            .collect()
    }

    fn of(asked: Asked, format: Format) -> Result<Self, Box<dyn Error>> {
        let spec = Spec::new(format);
        let (ours, theirs) = match asked {
            Asked::Level => (spec.clone(), spec.clone()),
            Asked::Speed => (
                spec.clone().with_effort(Effort::Speed),
                spec.clone().with_level(FASTEST)?,
            ),
        };
        let mut peers = match format {
            Format::Zlib | Format::DeflateRaw => vec![
                peer::<ZlibRs>(&theirs),
                peer::<Flate2ZlibNg>(&theirs),
                peer::<Libdeflater>(&theirs),
            ],
            Format::Gzip => vec![peer::<Libdeflater>(&theirs)],
            Format::Zstd => vec![peer::<Zstd>(&theirs)],
            Format::Lz4Block => vec![peer::<Lz4Flex>(&theirs)],
            _ => vec![peer::<Snap>(&theirs)],
        };
        if cfg!(feature = "peers-isal") && matches!(format, Format::Zlib | Format::Gzip) {
            peers.extend(isal(asked, &spec)?);
        }
        Ok(Self {
            asked,
            spec,
            ours: Engine::new()?.compressor(&ours)?,
            peers,
        })
    }

    /// Measures both directions on `data` in blocks of `size`.
    pub fn run(
        &self,
        data: &[u8],
        size: NonZeroUsize,
        time: Duration,
    ) -> Result<Outcome, MeasureError> {
        let ours = Contender::new("the framework", self.ours.clone());
        let names = self.peers().into_iter().map(str::to_owned);
        let peers = names.zip(&self.peers);
        let peers = peers.map(|(name, peer)| Contender::new(name, peer.clone()));
        let mut bench = SideBySide::prepare(ours, peers, data, size, &mut |_| {})?;
        let mut measure = |direction| bench.measure(direction, &Pace::new(time), &mut |_| {});
        let speeds = |measured: &[Measured]| {
            let peers = measured.iter().skip(1);
            peers.map(|peer| 1.0 / peer.cpu_speedup).collect()
        };
        let compress = measure(Direction::Compress)?;
        let ours = compress.first().map_or(0.0, |ours| ours.ratio);
        Ok(Outcome {
            compress: speeds(&compress),
            length: compress
                .iter()
                .skip(1)
                .map(|peer| ours / peer.ratio)
                .collect(),
            decompress: speeds(&measure(Direction::Decompress)?),
        })
    }

    /// What was asked for.
    pub fn asked(&self) -> String {
        match self.asked {
            Asked::Level => format!("level {}", self.spec.level()),
            Asked::Speed => "speed".to_owned(),
        }
    }

    /// What the peers are called.
    pub fn peers(&self) -> Vec<&'static str> {
        let sides = self.peers.iter().map(|peer| peer.effective().compress);
        sides
            .map(|side| side.map_or("", |side| side.provider.as_str()))
            .collect()
    }

    /// Who serves the framework in one direction, in blocks of `size`.
    pub fn served_by(&self, direction: Direction, size: NonZeroUsize) -> &'static str {
        let side = self.ours.serving(direction, size.get());
        side.map_or("", |side| side.provider.as_str())
    }
}

#[cfg(feature = "peers-isal")]
fn isal(asked: Asked, spec: &Spec) -> Result<Option<Arc<dyn Compressor>>, Box<dyn Error>> {
    use crate::crates::IsalRs;

    // Its best, at which the framework calls it too.
    Ok((asked == Asked::Speed).then(|| peer::<IsalRs>(spec)))
}

#[cfg(not(feature = "peers-isal"))]
fn isal(_: Asked, _: &Spec) -> Result<Option<Arc<dyn Compressor>>, Box<dyn Error>> {
    Ok(None)
}
