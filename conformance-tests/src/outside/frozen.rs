//! Units that implementations outside wrote once, kept as data: `vectors/outside.tsv`.

use compressor_api::{CompressorFactory, Dictionary, Format, Spec};

use super::exchange::{decompress, difference};
use crate::case::DictionaryChoice;
use crate::data::Kind;
use crate::hex;
use crate::stop::{Stop, ensure};

/// The frozen units, in the layout that the file itself describes.
const UNITS: &str = include_str!("../../vectors/outside.tsv");

/// A unit that an implementation outside wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frozen {
    /// Line of the file, from 1.
    pub line: usize,
    /// The format.
    pub format: Format,
    /// Who wrote it: name, version, how.
    pub made_by: String,
    /// The dictionary that it needs.
    pub dictionary: Option<Dictionary>,
    /// The content.
    pub content: Vec<u8>,
    /// The unit.
    pub unit: Vec<u8>,
}

/// The frozen units, by the order of the file.
///
/// # Errors
///
/// The line that is not one; never for the file as it is, which the tests read.
pub fn frozen() -> Result<Vec<Frozen>, String> {
    (1..)
        .zip(UNITS.lines())
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            parse(number, line).ok_or_else(|| format!("vectors/outside.tsv:{number}: {line}"))
        })
        .collect()
}

fn parse(number: usize, line: &str) -> Option<Frozen> {
    let [format, content, dictionary, unit, made_by] = *line.split('\t').collect::<Vec<_>>() else {
        return None;
    };
    let [kind, size, seed] = *content.split(' ').collect::<Vec<_>>() else {
        return None;
    };
    let dictionary = match dictionary {
        "-" => None,
        name => {
            let mut all = DictionaryChoice::ALL.into_iter();
            Some(all.find(|one| one.name() == name)?.load().ok()?)
        }
    };
    Some(Frozen {
        line: number,
        format: format.parse().ok()?,
        made_by: made_by.to_owned(),
        dictionary,
        content: kind
            .parse::<Kind>()
            .ok()?
            .make(size.parse().ok()?, seed.parse().ok()?),
        unit: hex::decode(unit)?,
    })
}

impl Frozen {
    /// Reads it with a provider that lists the format.
    pub(crate) fn check(&self, provider: &dyn CompressorFactory) -> Result<(), Stop> {
        let mut spec = Spec::new(self.format);
        if let Some(dictionary) = &self.dictionary {
            let with = spec.with_dictionary(dictionary.clone());
            spec = with.map_err(|error| Stop::fault(error.to_string()))?;
        }
        let mut listed = provider.capabilities().iter();
        let listed = listed.find(|one| {
            one.format == self.format && one.direction == compressor_api::Direction::Decompress
        });
        if let Some(shortfall) = listed.and_then(|listed| listed.shortfall(&spec)) {
            return Err(Stop::NotTried(shortfall.to_string()));
        }
        let read = decompress(provider, &spec, &self.unit, self.content.len())
            .map_err(|error| Stop::fault(format!("{} by {}: {error}", self.line, self.made_by)))?;
        ensure(read == self.content, || {
            let difference = difference(&self.content, &read);
            format!(
                "line {}, by {}: reads {difference}",
                self.line, self.made_by
            )
        })
    }
}
