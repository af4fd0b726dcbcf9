use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, Direction, Effort, Efforts, Error, ErrorKind,
    Format, Health, ProviderId, Spec, inspect, self_test,
};

use crate::compressor::Isal;
use crate::library::Library;
use crate::limits::{MAX_CONTENT, MAX_UNIT};
use crate::version::Trust;
use crate::{ID, level};

const fn compresses(format: Format) -> Capabilities {
    Capabilities::new(format, Direction::Compress)
        .with_input(0, MAX_CONTENT)
        .with_levels(level::SERVED)
        .with_efforts(
            Efforts::NONE
                .with(Effort::Balanced, 10)
                .with(Effort::Speed, 10)
                .within(level::SPEED_LOSSES),
        )
}

const fn decompresses(format: Format) -> Capabilities {
    Capabilities::new(format, Direction::Decompress)
        .with_input(0, MAX_UNIT)
        .with_max_output(MAX_CONTENT)
        .with_window(inspect::DEFLATE_WINDOW)
}

const COMPRESS: [Capabilities; 3] = [
    compresses(Format::Zlib),
    compresses(Format::DeflateRaw),
    compresses(Format::Gzip),
];

/// Without decompression of `deflate-raw`, which has no checksum: ISA-L reads some corrupt streams.
const BOTH: [Capabilities; 5] = {
    let [zlib, raw, gzip] = COMPRESS;
    [
        zlib,
        decompresses(Format::Zlib),
        raw,
        gzip,
        decompresses(Format::Gzip),
    ]
};

#[derive(Debug)]
pub(crate) struct Factory {
    library: Arc<Library>,
    health: Health,
}

impl Factory {
    pub(crate) fn new(library: Library) -> Self {
        let health = match &library.trust {
            Trust::Full => Health::Ready,
            Trust::CompressOnly { why } => Health::Degraded {
                why: why.as_str().into(),
            },
        };
        Self {
            library: Arc::new(library),
            health,
        }
    }

    pub(crate) fn library(&self) -> &Library {
        &self.library
    }
}

impl CompressorFactory for Factory {
    fn id(&self) -> ProviderId {
        ID
    }

    fn capabilities(&self) -> &[Capabilities] {
        match self.library.trust {
            Trust::Full => &BOTH,
            Trust::CompressOnly { .. } => &COMPRESS,
        }
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        let [compresses, decompresses] = Direction::BOTH.map(|direction| {
            self.capabilities().iter().any(|listed| {
                listed.format == spec.format()
                    && listed.direction == direction
                    && listed.shortfall(spec).is_none()
            })
        });
        if !compresses && !decompresses {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        let library = Arc::clone(&self.library);
        Ok(Arc::new(Isal::new(library, spec, compresses, decompresses)))
    }

    fn version(&self) -> String {
        self.library.version().to_string()
    }

    fn health(&self) -> Health {
        self.health.clone()
    }

    fn self_test(&self) -> Result<(), Error> {
        self_test::known_answers(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_checksum_is_not_listed_for_decompression() {
        for listed in BOTH {
            let checked = listed.format != Format::DeflateRaw;
            assert!(checked || listed.direction == Direction::Compress);
        }
    }

    #[test]
    fn a_library_that_decompresses_wrong_compresses_only() {
        let Some(mut library) = Library::of_this_machine() else {
            return;
        };
        library.trust = Trust::CompressOnly {
            why: "as told".into(),
        };
        let factory = Factory::new(library);
        assert_eq!(factory.health().to_string(), "Degraded: as told");
        assert_eq!(factory.capabilities(), COMPRESS);
        assert_eq!(factory.self_test(), Ok(()));

        let zlib = factory.compressor(&Spec::new(Format::Zlib)).unwrap();
        assert_eq!(zlib.effective().decompress, None);
        let refused = zlib.decompress_session().err().unwrap();
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        let mut unit = [0; 4_096];
        let mut session = zlib.compress_session().unwrap();
        assert!(session.compress(self_test::CONTENT, &mut unit).is_ok());

        let stored = Spec::new(Format::Zlib).with_level(0).unwrap();
        let refused = factory.compressor(&stored).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
    }
}
