//! Units that implementations outside wrote once, kept as data: `vectors/outside.tsv`.

use compressor_api::{Dictionary, Format};

use crate::case::{Case, DictionaryChoice};
use crate::data::Kind;
use crate::hex;
use crate::judge::same;
use crate::stop::Stop;
use crate::target::Target;

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
    /// The line, the content and the dictionary as a failure says them.
    pub(crate) case: Case,
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
    let kind: Kind = kind.parse().ok()?;
    let mut case = Case::new(kind, size.parse().ok()?, seed.parse().ok()?).at(number);
    case.dictionary = match dictionary {
        "-" => None,
        name => {
            let mut all = DictionaryChoice::ALL.into_iter();
            Some(all.find(|one| one.name() == name)?)
        }
    };
    Some(Frozen {
        line: number,
        format: format.parse().ok()?,
        made_by: made_by.to_owned(),
        dictionary: match case.dictionary {
            Some(choice) => Some(choice.load().ok()?),
            None => None,
        },
        content: case.content(),
        unit: hex::decode(unit)?,
        case,
    })
}

impl Frozen {
    /// Reads it with a provider that lists the format, by the spec of `case`.
    pub(crate) fn check(&self, target: &Target, case: &Case) -> Result<(), Stop> {
        target.lists(case)?;
        target.within_limits(&self.unit, self.content.len())?;
        let mut session = target.decompress_session(case)?;
        let called = target.decompress(&mut *session, &self.unit, self.content.len())?;
        let read = called.bytes().and_then(|read| same(&self.content, read));
        let made = format!("line {}, by {}: ", self.line, self.made_by);
        read.map_err(|stop| Stop::prefixed(&made, stop))
    }
}
