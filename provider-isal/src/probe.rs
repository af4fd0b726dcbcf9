//! What a list of versions cannot know is tried when the library is opened.

use compressor_api::{
    Capabilities, CompressorFactory, Direction, Error, ErrorKind, OpenError, Spec, self_test,
};

use crate::factory::Factory;

/// More than ISA-L loads at once, 8 bytes.
const MOST_AFTER: usize = 9;

/// Whether the library does what this crate relies on.
///
/// # Errors
///
/// [`OpenError::Broken`], with the version.
pub(crate) fn probe(factory: &Factory) -> Result<(), OpenError> {
    let decompresses = |listed: &&Capabilities| listed.direction == Direction::Decompress;
    for listed in factory.capabilities().iter().filter(decompresses) {
        decoder_stops_where_the_stream_ends(factory, listed).map_err(|what| OpenError::Broken {
            why: format!("{}: {}, {what}", factory.library(), listed.format),
        })?;
    }
    Ok(())
}

/// ISA-L loads input in words and gives back what it did not need. One that did not would take
/// bytes after a stream for part of it, and the bytes before a checksum for the checksum.
fn decoder_stops_where_the_stream_ends(
    factory: &Factory,
    listed: &Capabilities,
) -> Result<(), String> {
    let mut src = self_test::unit(listed.format).to_vec();
    let mut content = vec![0; self_test::CONTENT.len()];
    let mut session = factory
        .compressor(&Spec::new(listed.format))
        .and_then(|compressor| compressor.decompress_session())
        .map_err(|error| error.to_string())?;
    for after in 0..=MOST_AFTER {
        let found = session.decompress(&src, &mut content).map_err(Error::kind);
        let expected = match after {
            0 => Ok(self_test::CONTENT.len()),
            _ => Err(ErrorKind::CorruptInput),
        };
        if found != expected {
            return Err(format!(
                "a unit and {after} bytes after it: {found:?} instead of {expected:?}"
            ));
        }
        src.push(0);
    }
    Ok(())
}
