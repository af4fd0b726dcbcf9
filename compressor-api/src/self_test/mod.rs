//! Known answers: does an opened provider read what the reference libraries wrote, and itself?
//!
//! The units were written by zlib 1.2.13 (level 6), liblz4 1.9.4, libzstd 1.5.7 (level 3, with
//! checksum) and snappy-java 1.1.10.4, from 4 KiB of text.
//!
//! A provider that reads back only its own output passes the second half and fails the first; one
//! that can only compress is checked by whoever holds a software codec as well.

use crate::contain::guarded_on;
use crate::{
    Capabilities, CompressorFactory, Direction, Error, ErrorKind, Format, LevelRange, Spec,
};

/// The content of every unit: 4,096 bytes of text.
pub const CONTENT: &[u8] = include_bytes!("content.txt");

/// More than any codec needs for [`CONTENT`]: a provider that asks for more does not get it.
const MOST_ROOM: usize = 16 * CONTENT.len();

/// [`CONTENT`] as a unit of `format`, written by the reference library.
#[must_use]
pub const fn unit(format: Format) -> &'static [u8] {
    match format {
        Format::None => CONTENT,
        Format::Lz4Block => include_bytes!("unit.lz4-block"),
        Format::Lz4Sized => include_bytes!("unit.lz4-sized"),
        Format::Zstd => include_bytes!("unit.zstd"),
        Format::Zlib => include_bytes!("unit.zlib"),
        Format::DeflateRaw => include_bytes!("unit.deflate-raw"),
        Format::Gzip => include_bytes!("unit.gzip"),
        Format::Snappy => include_bytes!("unit.snappy"),
    }
}

/// Decompresses the reference unit of every format that `factory` lists, and compresses and
/// decompresses its content, within the limits that it publishes.
///
/// # Errors
///
/// The first error of an operation; [`Device`](ErrorKind::Device) if one succeeded with wrong
/// bytes.
pub fn known_answers(factory: &dyn CompressorFactory) -> Result<(), Error> {
    for capabilities in factory.capabilities() {
        let spec = spec_within(capabilities);
        match capabilities.direction {
            Direction::Compress => compress(factory, capabilities, &spec)?,
            Direction::Decompress => {
                let unit = unit(capabilities.format);
                if capabilities.max_output >= CONTENT.len() && takes(capabilities, unit.len()) {
                    decompress(factory, &spec, unit, CONTENT)?;
                }
            }
        }
    }
    Ok(())
}

/// A spec of the format at a level that is listed.
fn spec_within(capabilities: &Capabilities) -> Spec {
    let spec = Spec::new(capabilities.format);
    let levels: LevelRange = capabilities.levels;
    if capabilities.direction == Direction::Decompress || levels.contains(spec.level()) {
        return spec;
    }
    spec.clone()
        .with_level(levels.default_level())
        .unwrap_or(spec)
}

fn takes(capabilities: &Capabilities, len: usize) -> bool {
    (capabilities.min_input..=capabilities.max_input).contains(&len)
}

fn compress(
    factory: &dyn CompressorFactory,
    capabilities: &Capabilities,
    spec: &Spec,
) -> Result<(), Error> {
    let wrong = Error::new(ErrorKind::Device, factory.id());
    let content = CONTENT.get(..capabilities.max_input).unwrap_or(CONTENT);
    if !takes(capabilities, content.len()) {
        return Ok(());
    }
    let compressor = factory.compressor(spec)?;
    let bound = compressor.max_compressed_len(content.len());
    let mut unit = vec![0; bound.filter(|bound| *bound <= MOST_ROOM).ok_or(wrong)?];
    let n = guarded_on(compressor.compress_session()?, |session| {
        session.compress(content, &mut unit)
    })
    .ok_or(Error::new(ErrorKind::Panic, factory.id()))??;
    let unit = unit.get(..n).filter(|unit| !unit.is_empty()).ok_or(wrong)?;

    let reads_it = factory.capabilities().iter().any(|c| {
        c.format == capabilities.format
            && c.direction == Direction::Decompress
            && c.max_output >= content.len()
            && takes(c, unit.len())
    });
    if reads_it {
        decompress(factory, spec, unit, content)
    } else {
        Ok(())
    }
}

fn decompress(
    factory: &dyn CompressorFactory,
    spec: &Spec,
    unit: &[u8],
    content: &[u8],
) -> Result<(), Error> {
    let mut out = vec![0; content.len()];
    let session = factory.compressor(spec)?.decompress_session()?;
    let n = guarded_on(session, |session| session.decompress(unit, &mut out))
        .ok_or(Error::new(ErrorKind::Panic, factory.id()))??;
    if out.get(..n) == Some(content) {
        Ok(())
    } else {
        Err(Error::new(ErrorKind::Device, factory.id()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{inspect, stored};

    #[test]
    fn the_units_declare_the_content() {
        for format in Format::ALL {
            let header = inspect::header(format, unit(format)).unwrap();
            if let Some(declared) = header.declared_len {
                assert_eq!(declared, CONTENT.len() as u64, "{format}");
            }
        }
        let walked = [
            inspect::lz4::content_len(unit(Format::Lz4Block)),
            inspect::snappy::content_len(unit(Format::Snappy)),
        ];
        assert_eq!(walked, [Ok(4_096); 2]);
    }

    #[test]
    fn a_provider_that_works_passes() {
        assert_eq!(known_answers(&*stored::factory()), Ok(()));
    }
}
