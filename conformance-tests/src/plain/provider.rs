use std::sync::Arc;

use compressor_api::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession, Direction,
    Effective, EffectiveSide, Error, ErrorKind, Format, Health, ProviderId, Spec, inspect,
    self_test,
};

use super::Reading;

/// The name of the plain provider.
pub const ID: ProviderId = ProviderId::new("conformance.plain");

/// Room that a unit needs beyond its content, whatever the content is: headers, trailers, ends.
const SLACK: usize = 64;

/// A provider over the plain readers and writers: slow, independent of every codec.
///
/// Every format in both directions, but `zstd` for writing only. It allocates per operation, which
/// is the one line of the contract that it does not keep. What it is for: a second opinion where no
/// other codec is at hand, and a base for providers that misbehave.
#[must_use]
pub fn factory() -> Arc<dyn CompressorFactory> {
    factory_of(&Format::ALL)
}

/// The same for some of the formats.
#[must_use]
pub fn factory_of(formats: &[Format]) -> Arc<dyn CompressorFactory> {
    let listed = |format| {
        Direction::BOTH.map(|direction| {
            let all = Capabilities::new(format, direction);
            match (format, direction) {
                // Their headers name one window, whatever is asked for.
                (Format::Zlib, Direction::Compress) => all.with_window(32 << 10),
                (Format::Zstd, Direction::Compress) => all.with_window(1 << 32),
                _ => all,
            }
        })
    };
    let mut capabilities: Vec<_> = formats.iter().copied().flat_map(listed).collect();
    capabilities.retain(|c| (c.format, c.direction) != (Format::Zstd, Direction::Decompress));
    Arc::new(Factory { capabilities })
}

#[derive(Debug)]
struct Factory {
    capabilities: Vec<Capabilities>,
}

impl CompressorFactory for Factory {
    fn id(&self) -> ProviderId {
        ID
    }

    fn capabilities(&self) -> &[Capabilities] {
        &self.capabilities
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        let serves = |direction| {
            self.capabilities.iter().any(|c| {
                c.format == spec.format() && c.direction == direction && c.shortfall(spec).is_none()
            })
        };
        // One level serves for all of them.
        let side = Some(EffectiveSide::new(ID, 0, u64::MAX));
        let [compress, decompress] =
            Direction::BOTH.map(|direction| side.filter(|_| serves(direction)));
        if compress.is_none() {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        Ok(Arc::new(Plain {
            spec: spec.clone(),
            effective: Effective::new(compress, decompress),
        }))
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self) -> Result<(), Error> {
        self_test::known_answers(self)
    }
}

#[derive(Debug)]
struct Plain {
    spec: Spec,
    effective: Effective,
}

impl Compressor for Plain {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        // The most of any format: the 9-bit literals of Deflate's fixed code.
        src_len.checked_add(src_len / 8)?.checked_add(SLACK)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        inspect::header(self.spec.format(), src)
            .map(|header| header.declared_len)
            .map_err(|malformed| malformed.error(ID))
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        Ok(Box::new(Session(self.spec.clone())))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        match self.effective.decompress {
            Some(_) => Ok(Box::new(Session(self.spec.clone()))),
            None => Err(Error::new(ErrorKind::Unsupported, ID)),
        }
    }
}

struct Session(Spec);

impl CompressSession for Session {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let fail = |kind| Error::new(kind, ID);
        let window = 1_usize << self.0.window_log().unwrap_or(31);
        let unit = match self.0.format() {
            Format::Zstd => Some(super::zstd::write(src, self.0.checksum())),
            format => super::write_within(format, src, window),
        };
        copy(&unit.ok_or(fail(ErrorKind::Unsupported))?, dst)
    }
}

impl DecompressSession for Session {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let kind = match super::read(self.0.format(), src, dst.len()) {
            Reading::Unit(content) => return copy(&content.bytes, dst),
            Reading::TooLong => ErrorKind::OutputTooSmall,
            Reading::Lax(_) | Reading::Corrupt { .. } => ErrorKind::CorruptInput,
            Reading::NeedsDictionary | Reading::Unknown => ErrorKind::Unsupported,
        };
        Err(Error::new(kind, ID))
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

fn copy(bytes: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
    dst.get_mut(..bytes.len())
        .ok_or(Error::new(ErrorKind::OutputTooSmall, ID))?
        .copy_from_slice(bytes);
    Ok(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_passes_its_self_test() {
        assert_eq!(factory().self_test(), Ok(()));
    }

    #[test]
    fn the_bound_holds_for_what_does_not_compress() {
        let worst: Vec<u8> = (0..100_000_u64)
            .map(|i| 144 + (i * i % 107) as u8)
            .collect();
        for format in Format::ALL {
            for len in [0, 1, 15, 255, 256, 4_096, worst.len()] {
                let compressor = factory().compressor(&Spec::new(format)).unwrap();
                let mut dst = vec![0; compressor.max_compressed_len(len).unwrap()];
                let mut session = compressor.compress_session().unwrap();
                assert!(
                    session.compress(&worst[..len], &mut dst).is_ok(),
                    "{format}"
                );
            }
        }
    }
}
