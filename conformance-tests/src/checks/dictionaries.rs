//! Dictionaries: the same on both sides, named where they have a name, missed where they are not
//! there.

use compressor_api::{Dictionary, DictionarySupport, Direction, ErrorKind, Format, inspect};

use crate::case::{Case, DictionaryChoice, Writer};
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::judge::same;
use crate::stop::{Stop, ensure};
use crate::target::Target;
use crate::work::{compressed, serves};

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: "dictionary-round-trip",
        group: Group::Zstd,
        proves: "Content comes back with the dictionary that it was written with.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: each_dictionary,
            run: round_trip,
        },
    },
    Check {
        name: "dictionary-named",
        group: Group::Zstd,
        proves: "A frame names the trained dictionary that it needs, and no raw one.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: each_dictionary,
            run: named,
        },
    },
    Check {
        name: "wrong-dictionary",
        group: Group::Zstd,
        proves: "Another dictionary than the frame names, or none, is WrongDictionary; other \
                 content is never taken for the right one.",
        proof: Proof::Operation {
            directions: &[Direction::Decompress],
            cases: mismatches,
            run: wrong,
        },
    },
];

/// Frames by the reference tool, `zstd` 1.5.4 at level 3, of 300 bytes of text from seed 1.
const BY_TRAINED: &[u8] = include_bytes!("../../vectors/text-trained.zst");
const BY_RAW: &[u8] = include_bytes!("../../vectors/text-raw.zst");
const WRITTEN: (Kind, usize, u64) = (Kind::Text, 300, 1);

fn takes_dictionaries(target: &Target) -> bool {
    target.format == Format::Zstd && target.capabilities.dictionary == DictionarySupport::Any
}

fn each_dictionary(target: &Target) -> Vec<Case> {
    if !takes_dictionaries(target) {
        return Vec::new();
    }
    let mut cases = Vec::new();
    for dictionary in DictionaryChoice::ALL {
        let sizes = target.cases(Kind::Text, &[0, 1, 300, 4_097, 70_000]);
        cases.extend(sizes.into_iter().map(|case| case.dictionary(dictionary)));
    }
    if target.direction == Direction::Compress {
        return cases;
    }
    let mut cases = target.by_each_writer(&cases);
    cases.retain(|case| case.writer != Writer::Plain);
    let (kind, size, seed) = WRITTEN;
    for (dictionary, unit) in [
        (DictionaryChoice::Trained, BY_TRAINED),
        (DictionaryChoice::Raw, BY_RAW),
    ] {
        cases.push(Case {
            unit: Some(unit.to_vec()),
            ..Case::new(kind, size, seed).dictionary(dictionary)
        });
    }
    cases
}

fn round_trip(target: &Target, case: &Case) -> Result<(), Stop> {
    serves(target, case)?;
    if target.direction == Direction::Decompress {
        let (unit, content) = target.unit(case)?;
        let mut session = target.decompress_session(case)?;
        let called = target.decompress_exact(&mut *session, &unit, content.len())?;
        same(&content, called.bytes()?).map_err(|stop| stop.unit(&unit))?;
    }
    Ok(())
}

fn named(target: &Target, case: &Case) -> Result<(), Stop> {
    let (_, called) = compressed(target, case)?;
    let unit = called.bytes()?;
    let header = inspect::header(target.format, unit)
        .map_err(|malformed| Stop::fault(format!("its unit {malformed}")).unit(unit))?;
    let spec = target.spec(case)?;
    let id = spec.dictionary().and_then(Dictionary::id);
    ensure(header.dictionary_id == id, || {
        format!(
            "names the dictionary {:?}, and the spec's is {id:?}",
            header.dictionary_id
        )
    })
}

fn mismatches(target: &Target) -> Vec<Case> {
    if !takes_dictionaries(target) {
        return Vec::new();
    }
    let (kind, size, seed) = WRITTEN;
    let case = |unit: &[u8], dictionary| Case {
        unit: Some(unit.to_vec()),
        dictionary,
        ..Case::new(kind, size, seed)
    };
    vec![
        case(BY_TRAINED, None),
        case(BY_TRAINED, Some(DictionaryChoice::OtherTrained)),
        case(BY_TRAINED, Some(DictionaryChoice::Raw)),
        case(BY_RAW, None),
        case(BY_RAW, Some(DictionaryChoice::OtherRaw)),
        case(BY_RAW, Some(DictionaryChoice::Trained)),
    ]
}

fn wrong(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.unit(case)?;
    let mut session = target.decompress_session(case)?;
    let called = target.decompress(&mut *session, &unit, content.len())?;
    let names_one =
        inspect::header(target.format, &unit).is_ok_and(|header| header.dictionary_id.is_some());
    // Where the frame names none, nothing but the checksum tells.
    let fine = match called.kind() {
        Some(ErrorKind::WrongDictionary) => true,
        Some(ErrorKind::CorruptInput) => !names_one,
        _ => false,
    };
    ensure(fine, || {
        format!("WrongDictionary is due, and it says {}", called.outcome())
    })
    .map_err(|stop| stop.unit(&unit))
}
