//! What a list of versions cannot know is tried when the library is opened.

use compressor_api::{
    CompressorFactory, DecompressSession, Direction, Error, ErrorKind, Format, Spec, self_test,
};

/// More than ISA-L loads at once, 8 bytes.
const MOST_AFTER: usize = 9;

/// Whether the library does what this crate relies on.
///
/// # Errors
///
/// What it does instead.
pub(crate) fn probe(factory: &dyn CompressorFactory) -> Result<(), String> {
    for listed in factory.capabilities() {
        if listed.direction == Direction::Decompress {
            let mut session = factory
                .compressor(&Spec::new(listed.format))
                .and_then(|compressor| compressor.decompress_session())
                .map_err(|error| error.to_string())?;
            stops_where_the_stream_ends(&mut *session, listed.format)?;
        }
    }
    Ok(())
}

/// ISA-L loads input in words and gives back what it did not need. One that did not would take
/// bytes after a stream for part of it, and the bytes of a checksum for bytes before it.
fn stops_where_the_stream_ends(
    session: &mut dyn DecompressSession,
    format: Format,
) -> Result<(), String> {
    let mut src = self_test::unit(format).to_vec();
    let mut content = vec![0; self_test::CONTENT.len()];
    for after in 0..=MOST_AFTER {
        let found = session.decompress(&src, &mut content).map_err(Error::kind);
        let expected = match after {
            0 => Ok(self_test::CONTENT.len()),
            _ => Err(ErrorKind::CorruptInput),
        };
        if found != expected {
            return Err(format!(
                "a unit of {format} and {after} bytes after it give {found:?} instead of \
                 {expected:?}"
            ));
        }
        src.push(0);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use compressor_api::ProviderId;

    use super::*;

    /// zlib, but as many zeros after a unit are taken for part of it.
    struct Lax(Box<dyn DecompressSession>, usize);

    impl DecompressSession for Lax {
        fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
            let Self(zlib, more) = self;
            let end = src.len().saturating_sub(*more);
            match src.split_at(end) {
                (unit, tail) if tail.iter().all(|byte| *byte == 0) => zlib.decompress(unit, dst),
                _ => zlib.decompress(src, dst),
            }
        }

        fn provider(&self) -> ProviderId {
            self.0.provider()
        }
    }

    #[test]
    fn a_decoder_that_takes_more_than_the_stream_is_found() {
        for format in [Format::Zlib, Format::Gzip] {
            let zlib = compressor_deflate::factory().compressor(&Spec::new(format));
            let zlib = zlib.unwrap();
            let probe = |more| {
                let session = zlib.decompress_session().unwrap();
                stops_where_the_stream_ends(&mut Lax(session, more), format)
            };
            assert_eq!(probe(0), Ok(()));
            for more in 1..=8 {
                assert!(probe(more).is_err(), "{format}, {more}");
            }
        }
    }
}
