use std::sync::Arc;

use compressor_api::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession, Direction,
    Error, Format, Spec,
};

use crate::case::{Case, Writer};
use crate::options::Options;
use crate::plain;
use crate::stop::{Stop, ensure};
use crate::subject::Subject;

/// What a check runs on: a subject, and one format and direction that it lists.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub subject: Subject,
    pub options: Options,
    pub format: Format,
    pub direction: Direction,
    /// What it lists for this direction.
    pub capabilities: Capabilities,
    /// What it lists for the other direction, if anything.
    pub opposite: Option<Capabilities>,
}

impl Target {
    /// What it lists for compressing, if anything.
    pub(crate) fn compressing(&self) -> Option<Capabilities> {
        match self.direction {
            Direction::Compress => Some(self.capabilities),
            Direction::Decompress => self.opposite,
        }
    }

    /// What it lists for decompressing, if anything.
    pub(crate) fn decompressing(&self) -> Option<Capabilities> {
        match self.direction {
            Direction::Compress => self.opposite,
            Direction::Decompress => Some(self.capabilities),
        }
    }

    /// The level that is taken where a case names none: the format's default, or the provider's.
    pub(crate) fn default_level(&self) -> i32 {
        let usual = self.format.levels().default_level();
        match self.compressing() {
            Some(listed) if !listed.levels.contains(usual) => listed.levels.default_level(),
            _ => usual,
        }
    }

    /// The spec of a case.
    pub(crate) fn spec(&self, case: &Case) -> Result<Spec, Stop> {
        case.spec(self.format, self.default_level())
            .map_err(|error| Stop::NotTried(error.to_string()))
    }

    /// Not tried, unless what the spec of a case asks for is listed.
    pub(crate) fn lists(&self, case: &Case) -> Result<(), Stop> {
        match self.capabilities.shortfall(&self.spec(case)?) {
            None => Ok(()),
            Some(shortfall) => Err(Stop::NotTried(shortfall.to_string())),
        }
    }

    /// The provider's compressor for the spec of a case.
    pub(crate) fn compressor(&self, case: &Case) -> Result<Arc<dyn Compressor>, Stop> {
        let spec = self.spec(case)?;
        let made_one = self.while_busy(|| self.subject.factory().compressor(&spec))?;
        Ok(self.subject.watched(made("compressor", made_one)?))
    }

    /// A session of the provider's to compress with.
    pub(crate) fn compress_session(&self, case: &Case) -> Result<Box<dyn CompressSession>, Stop> {
        let compressor = self.compressor(case)?;
        self.open(|| compressor.compress_session())
    }

    /// A session of the provider's to decompress with.
    pub(crate) fn decompress_session(
        &self,
        case: &Case,
    ) -> Result<Box<dyn DecompressSession>, Stop> {
        let compressor = self.compressor(case)?;
        self.open(|| compressor.decompress_session())
    }

    /// A session of a compressor that is at hand.
    pub(crate) fn open<T>(&self, make: impl FnMut() -> Result<T, Error>) -> Result<T, Stop> {
        made("session", self.while_busy(make)?)
    }

    /// The length that the provider says always suffices.
    pub(crate) fn bound(&self, case: &Case, len: usize) -> Result<usize, Stop> {
        let bound = self
            .compressor(case)?
            .max_compressed_len(len)
            .ok_or_else(|| Stop::fault(format!("has no max_compressed_len for {len} bytes")))?;
        plausible(len, bound)?;
        Ok(bound)
    }

    /// The unit of a case, and the content it was made from; no content for a unit that was given
    /// as it is, because whoever gave it knows what it should hold. A unit that was made lies
    /// within what the provider lists.
    pub(crate) fn unit(&self, case: &Case) -> Result<(Vec<u8>, Vec<u8>), Stop> {
        let (unit, content) = self.any_unit(case)?;
        if case.unit.is_none() {
            self.within_limits(&unit, content.len())?;
        }
        Ok((unit, content))
    }

    /// The same, within what the provider lists or not.
    pub(crate) fn any_unit(&self, case: &Case) -> Result<(Vec<u8>, Vec<u8>), Stop> {
        let content = case.content();
        let unit = match &case.unit {
            Some(unit) => unit.clone(),
            None => self.write(case, &content)?,
        };
        Ok((unit, content))
    }

    /// A unit that holds `content`, by the writer of the case.
    pub(crate) fn write(&self, case: &Case, content: &[u8]) -> Result<Vec<u8>, Stop> {
        let format = self.format;
        match case.writer {
            Writer::Plain if case.dictionary.is_some() => Err(Stop::NotTried(
                "the plain writer takes no dictionary".into(),
            )),
            Writer::Plain => plain::write(format, content)
                .ok_or_else(|| Stop::NotTried(format!("there is no plain writer of {format}"))),
            Writer::Reference => {
                let reference = self.reference()?;
                let spec = self.spec(case)?;
                written(reference, &spec, content)
                    .map_err(|error| Stop::NotTried(format!("the reference codec: {error}")))
            }
            Writer::Own => {
                let takes = self
                    .compressing()
                    .is_some_and(|c| (c.min_input..=c.max_input).contains(&content.len()));
                if !takes {
                    let len = content.len();
                    let why = format!("does not compress {len} bytes to {format} itself");
                    return Err(Stop::NotTried(why));
                }
                let bound = self.bound(case, content.len())?;
                let mut session = self.compress_session(case)?;
                let called = self.compress(&mut *session, content, bound)?;
                called.bytes().map(<[u8]>::to_vec)
            }
        }
    }

    /// Who can make units for this target to decompress.
    pub(crate) fn writers(&self) -> Vec<Writer> {
        Writer::ALL
            .into_iter()
            .filter(|writer| match writer {
                Writer::Plain => true,
                Writer::Reference => self.subject.reference(self.format).is_some(),
                Writer::Own => self.compressing().is_some(),
            })
            .collect()
    }

    /// The codec to cross-check with.
    pub(crate) fn reference(&self) -> Result<&dyn CompressorFactory, Stop> {
        let format = self.format;
        self.subject
            .reference(format)
            .ok_or_else(|| Stop::NotTried(format!("no reference codec for {format} was given")))
    }
}

/// A fault if nobody allocates by this bound. What passes here the decorator believes as well, which
/// takes twice software's bound and as much on top.
pub(crate) fn plausible(len: usize, bound: usize) -> Result<(), Stop> {
    let most = len.saturating_mul(2).saturating_add(64 << 10);
    ensure(bound <= most, || {
        format!("the bound of {len} bytes is {bound}, which nobody allocates by")
    })
}

fn made<T>(what: &str, result: Result<T, Error>) -> Result<T, Stop> {
    result.map_err(|error| Stop::fault(format!("makes no {what}: {error}")))
}

/// Writes a unit with a codec that is trusted.
pub(crate) fn written(
    factory: &dyn CompressorFactory,
    spec: &Spec,
    content: &[u8],
) -> Result<Vec<u8>, Error> {
    let compressor = factory.compressor(spec)?;
    let mut unit = vec![0; compressor.max_compressed_len(content.len()).unwrap_or(0)];
    let n = compressor
        .compress_session()?
        .compress(content, &mut unit)?;
    unit.truncate(n);
    Ok(unit)
}

/// Reads a unit with a codec that is trusted.
pub(crate) fn read_with(
    factory: &dyn CompressorFactory,
    spec: &Spec,
    unit: &[u8],
    room: usize,
) -> Result<Vec<u8>, Error> {
    let mut content = vec![0; room];
    let mut session = factory.compressor(spec)?.decompress_session()?;
    let n = session.decompress(unit, &mut content)?;
    content.truncate(n);
    Ok(content)
}
