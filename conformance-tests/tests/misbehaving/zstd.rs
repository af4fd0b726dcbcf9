//! What only Zstandard has.

use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, Direction, Error, ErrorKind, Format, Spec, inspect,
};
use compressor_conformance::Subject;

use crate::wrapper::{Compress, Decompress, Misbehaves, fail, misbehaving};

/// A frame without the checksum that the spec asked for.
#[derive(Debug)]
struct NoChecksum;

impl Misbehaves for NoChecksum {
    fn make(
        &self,
        base: &dyn CompressorFactory,
        spec: &Spec,
    ) -> Result<Arc<dyn Compressor>, Error> {
        base.compressor(&spec.clone().with_checksum(false).unwrap())
    }
}

/// A frame of one raw block without its content size, as streams are written.
#[derive(Debug)]
struct NoContentSize;

impl Misbehaves for NoContentSize {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        // Magic, descriptor, eight bytes of content size: the size goes, a window of 1 MiB comes.
        let n = base.compress(src, dst)?;
        dst[4] &= 0b0000_0100;
        dst[5] = 10 << 3;
        dst.copy_within(13..n, 6);
        Ok(n - 7)
    }
}

/// Skips what is in front, as decoders of streams do.
#[derive(Debug)]
struct AcceptsSkippable;

impl Misbehaves for AcceptsSkippable {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        match src.strip_prefix(b"\x50\x2a\x4d\x18\x04\0\0\0\xaa\xbb\xcc\xdd") {
            Some(rest) => base.decompress(rest, dst),
            None => base.decompress(src, dst),
        }
    }
}

/// Lists dictionaries, and goes without.
#[derive(Debug)]
struct DropsDictionary;

impl Misbehaves for DropsDictionary {
    fn make(
        &self,
        base: &dyn CompressorFactory,
        spec: &Spec,
    ) -> Result<Arc<dyn Compressor>, Error> {
        let without = Spec::new(spec.format()).with_level(spec.level()).unwrap();
        base.compressor(&without.with_checksum(spec.checksum()).unwrap())
    }
}

/// A wrong dictionary is called corrupt data: nobody goes looking for the right one.
#[derive(Debug)]
struct CallsWrongDictionaryCorrupt;

impl Misbehaves for CallsWrongDictionaryCorrupt {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        base.decompress(src, dst)
            .map_err(|error| match error.kind() {
                ErrorKind::WrongDictionary => fail(ErrorKind::CorruptInput),
                _ => error,
            })
    }
}

/// Lists a window of 64 KiB, and has a byte less; or has it, and garbles what asks for more.
#[derive(Debug)]
struct WindowOf64KiB {
    lacks: bool,
}

impl Misbehaves for WindowOf64KiB {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        let narrow = |entry: Capabilities| match entry.direction {
            Direction::Compress => entry,
            Direction::Decompress => entry.with_window(64 << 10),
        };
        listed.into_iter().map(narrow).collect()
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let window = inspect::needed_window(Format::Zstd, src, dst.len()).unwrap_or(0);
        let n = base.decompress(src, dst)?;
        match self.lacks {
            true if window >= 64 << 10 => return Err(fail(ErrorKind::Unsupported)),
            false if window > 64 << 10 => dst[0] ^= 1,
            _ => {}
        }
        Ok(n)
    }
}

macro_rules! caught_over_zstd {
    ($($name:ident: $misbehaviour:expr => $check:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let base = || Subject::new(compressor_zstd::factory());
                let subject = || Subject::new(misbehaving(compressor_zstd::factory(), $misbehaviour));
                crate::caught($check, &base, &subject);
            }
        )*

        pub(crate) const CHECKS: &[&str] = &[$($check),*];
    };
}

caught_over_zstd! {
    accepts_skippable: AcceptsSkippable => "skippable-frame";
    lacks_a_byte_of_its_window: WindowOf64KiB { lacks: true } => "window-resolved";
    garbles_what_asks_for_more: WindowOf64KiB { lacks: false } => "window-resolved";
    drops_dictionary: DropsDictionary => "dictionary-round-trip";
    drops_dictionary_without_a_word: DropsDictionary => "dictionary-named";
    calls_wrong_dictionary_corrupt: CallsWrongDictionaryCorrupt => "wrong-dictionary";
    no_checksum_of_the_real_codec: NoChecksum => "checksum-as-asked";
}

/// Over the plain writer, which has frames of raw blocks.
pub(crate) mod plain {
    use super::{NoChecksum, NoContentSize};

    crate::each_caught! {
        no_checksum: NoChecksum, Zstd => "checksum-as-asked";
        no_content_size: NoContentSize, Zstd => "content-size-written";
    }
}
