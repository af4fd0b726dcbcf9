//! Serves another spec than the one it was given.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, Direction, Effective, EffectiveSide, Error,
    ErrorKind, Format, LevelRange, ProviderId, Spec,
};

use crate::wrapper::{Memory, Misbehaves, Wrapped, fail};

/// Says that each level is at work, and has one.
#[derive(Debug)]
struct IgnoresLevel;

impl Misbehaves for IgnoresLevel {
    fn effective(&self, spec: &Spec, right: Effective) -> Effective {
        let side =
            |side: EffectiveSide| EffectiveSide::new(side.provider, spec.level(), side.window);
        Effective::new(right.compress.map(side), right.decompress.map(side))
    }
}

/// What was opened makes nothing for the first few times, and works later.
#[derive(Debug, Default)]
struct InitFailsNTimes(AtomicUsize);

impl Misbehaves for InitFailsNTimes {
    fn make(
        &self,
        base: &dyn CompressorFactory,
        spec: &Spec,
    ) -> Result<Arc<dyn Compressor>, Error> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            ..3 => Err(fail(ErrorKind::Device)),
            _ => base.compressor(spec),
        }
    }
}

/// Lists some levels, and takes all.
#[derive(Debug)]
struct TakesUnlistedLevel;

impl Misbehaves for TakesUnlistedLevel {
    fn list(&self, mut listed: Vec<Capabilities>) -> Vec<Capabilities> {
        let levels = LevelRange::new(1, 6, 6);
        listed.iter_mut().for_each(|entry| entry.levels = levels);
        listed
    }
}

/// Cannot keep to small windows, says so, and takes them.
#[derive(Debug)]
struct TakesUnlistedWindow;

impl Misbehaves for TakesUnlistedWindow {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listed
            .into_iter()
            .map(|entry| entry.with_window(32 << 10))
            .collect()
    }
}

/// Drops the dictionary, and serves without.
#[derive(Debug)]
struct DropsDictionary;

impl Misbehaves for DropsDictionary {
    fn make(
        &self,
        base: &dyn CompressorFactory,
        spec: &Spec,
    ) -> Result<Arc<dyn Compressor>, Error> {
        base.compressor(&Spec::new(spec.format()))
    }
}

/// Says that it was made for the default spec.
#[derive(Debug)]
struct ForgetsSpec(Spec);

impl Misbehaves for ForgetsSpec {
    fn spec<'a>(&'a self, _: &'a Spec) -> &'a Spec {
        &self.0
    }
}

/// Says that somebody else is at work.
#[derive(Debug)]
struct NamesAnother;

impl Misbehaves for NamesAnother {
    fn effective(&self, _: &Spec, _: Effective) -> Effective {
        Effective::both(EffectiveSide::new(
            ProviderId::new("intel.qat"),
            6,
            32 << 10,
        ))
    }
}

/// Lists a direction, and has no side for it.
#[derive(Debug)]
struct LacksSide;

impl Misbehaves for LacksSide {
    fn effective(&self, _: &Spec, right: Effective) -> Effective {
        Effective::new(right.compress, None)
    }
}

/// Does not list a direction, and goes there.
#[derive(Debug)]
struct GoesWhereItDoesNotList;

impl Misbehaves for GoesWhereItDoesNotList {
    fn list(&self, mut listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listed.retain(|entry| entry.direction == Direction::Compress);
        listed
    }
}

/// Reads only what has its own default level in the spec.
#[derive(Debug)]
struct ReadsAtOneLevel;

impl Misbehaves for ReadsAtOneLevel {
    fn open(&self, direction: Direction, compressor: &Arc<Wrapped>) -> Result<Memory, Error> {
        match direction == Direction::Decompress && compressor.spec().level() == 9 {
            true => Err(fail(ErrorKind::Unsupported)),
            false => Ok(Memory::default()),
        }
    }
}

crate::each_caught! {
    init_fails_n_times: InitFailsNTimes::default(), Snappy => "serves-every-level";
    ignores_level: IgnoresLevel, Zlib => "effective-levels";
    takes_unlisted_level: TakesUnlistedLevel, Zlib => "refuses-unlisted-levels";
    takes_unlisted_window: TakesUnlistedWindow, DeflateRaw => "refuses-unlisted-windows";
    drops_dictionary: DropsDictionary, Zstd => "refuses-unlisted-dictionaries";
    forgets_spec: ForgetsSpec(Spec::new(Format::Zlib)), Zlib => "keeps-its-spec";
    names_another: NamesAnother, Snappy => "effective-sides";
    lacks_side: LacksSide, Snappy => "effective-sides";
    goes_where_it_does_not_list: GoesWhereItDoesNotList, Snappy => "effective-sides";
    reads_at_one_level: ReadsAtOneLevel, Zlib => "reads-at-every-level";
}
