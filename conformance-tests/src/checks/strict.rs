//! What is refused: everything that is not exactly one intact unit.

use compressor_api::{Direction, Error, ErrorKind, Format, inspect, self_test};

use crate::alloc;
use crate::answer::{Answer, Damage};
use crate::case::{Case, Writer};
use crate::check::{Check, Group, Proof};
use crate::damage::flipped;
use crate::data::Kind;
use crate::plain;
use crate::random::Random;
use crate::stop::{Stop, ensure};
use crate::target::Target;

const DECOMPRESS: &[Direction] = &[Direction::Decompress];

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: "truncation",
        group: Group::Strictness,
        proves: "A unit cut short anywhere is CorruptInput.",
        proof: Proof::Operation {
            directions: DECOMPRESS,
            cases: small_units,
            run: truncation,
        },
    },
    Check {
        name: "bit-flips",
        group: Group::Strictness,
        proves: "A unit with one bit changed is CorruptInput, or decodes to what it then says.",
        proof: Proof::Operation {
            directions: DECOMPRESS,
            cases: small_units,
            run: bit_flips,
        },
    },
    Check {
        name: "trailing-bytes",
        group: Group::Strictness,
        proves: "Bytes after the unit are CorruptInput.",
        proof: Proof::Operation {
            directions: DECOMPRESS,
            cases: small_units,
            run: trailing_bytes,
        },
    },
    Check {
        name: "second-unit",
        group: Group::Strictness,
        proves: "A second unit is CorruptInput, and not more content.",
        proof: Proof::Operation {
            directions: DECOMPRESS,
            cases: small_units,
            run: second_unit,
        },
    },
    Check {
        name: "wrong-checksum",
        group: Group::Strictness,
        proves: "A missing or wrong checksum is CorruptInput.",
        proof: Proof::Operation {
            directions: DECOMPRESS,
            cases: units_with_checksum,
            run: wrong_checksum,
        },
    },
    Check {
        name: "lying-length",
        group: Group::Strictness,
        proves: "A declared length that lies is CorruptInput, before anything is allocated from it.",
        proof: Proof::Operation {
            directions: DECOMPRESS,
            cases: units_with_length,
            run: lying_length,
        },
    },
    Check {
        name: "skippable-frame",
        group: Group::Strictness,
        proves: "A skippable frame is no unit, nor a part of one.",
        proof: Proof::Operation {
            directions: DECOMPRESS,
            cases: |target| match target.format {
                Format::Zstd => small_units(target),
                _ => Vec::new(),
            },
            run: skippable_frame,
        },
    },
    Check {
        name: "foreign-formats",
        group: Group::Strictness,
        proves: "Formats are not guessed, and nothing comes back raw because it did not decode.",
        proof: Proof::Operation {
            directions: DECOMPRESS,
            cases: foreign_units,
            run: foreign_formats,
        },
    },
    Check {
        name: "empty-unit",
        group: Group::Strictness,
        proves: "No bytes at all are no unit.",
        proof: Proof::Operation {
            directions: DECOMPRESS,
            cases: |_| [0, 1, 64].map(|room| Case::of_unit(&[], room)).to_vec(),
            run: any_bytes,
        },
    },
    Check {
        name: "garbage",
        group: Group::Strictness,
        proves: "Random bytes are CorruptInput, or decode to what they say.",
        proof: Proof::Operation {
            directions: DECOMPRESS,
            cases: garbage,
            run: any_bytes,
        },
    },
    Check {
        name: "declared-length",
        group: Group::Strictness,
        proves: "decompressed_len says what the header declares, and CorruptInput of what is none.",
        proof: Proof::Operation {
            directions: DECOMPRESS,
            cases: small_units,
            run: declared_length,
        },
    },
];

fn small_units(target: &Target) -> Vec<Case> {
    let mut cases = target.cases(Kind::Text, &[1, 40]);
    cases.extend(target.cases(Kind::Zeros, &[120]));
    cases.extend(target.cases(Kind::Random, &[24]));
    let longer = target.cases(Kind::Text, &[300]);
    if target.options.quick {
        // Long enough for a real codec to use all of its format; the plain writers never do.
        let mut longer = target.by_each_writer(&longer);
        longer.retain(|case| case.writer != Writer::Plain);
        let mut cases = target.by_each_writer(&cases);
        cases.extend(longer);
        return cases;
    }
    cases.extend(longer);
    target.by_each_writer(&cases)
}

fn units_with_checksum(target: &Target) -> Vec<Case> {
    match checksum_len(target.format) {
        0 => Vec::new(),
        _ => small_units(target),
    }
}

const fn checksum_len(format: Format) -> usize {
    match format {
        Format::Zlib | Format::Zstd => 4,
        // The length follows it.
        Format::Gzip => 8,
        _ => 0,
    }
}

fn units_with_length(target: &Target) -> Vec<Case> {
    match target.format {
        Format::Lz4Sized | Format::Snappy | Format::Zstd | Format::Gzip => small_units(target),
        _ => Vec::new(),
    }
}

/// Decompresses damaged bytes into the room that the whole needs, into much more, and into
/// exactly that much.
fn damaged(
    target: &Target,
    case: &Case,
    units: impl Iterator<Item = (usize, Vec<u8>)>,
    damage: Damage<'_>,
    len: usize,
) -> Result<(), Stop> {
    let mut session = target.decompress_session(case)?;
    for (at, unit) in units {
        if case.at.is_some_and(|only| only != at) {
            continue;
        }
        let mut judge = || {
            let answer = Answer::due(target, &unit, Some(damage));
            for room in [len, 2 * len + 64] {
                let called = target.decompress(&mut *session, &unit, room)?;
                answer.check(room, &called)?;
            }
            let called = target.decompress_exact(&mut *session, &unit, len)?;
            answer.check_exact(len, &called)
        };
        let (judged, largest) = alloc::largest(&mut judge);
        judged.map_err(|stop| stop.at(at))?;
        ensure(largest <= MUCH, || {
            format!(
                "takes {largest} bytes of memory for a unit of {}",
                unit.len()
            )
        })
        .map_err(|stop| stop.unit(&unit).at(at))?;
    }
    Ok(())
}

/// More memory than a call on a short unit has any use for, in bytes. What a header declares may be
/// gigabytes; the suite itself takes some MiB.
const MUCH: usize = 64 << 20;

fn truncation(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.unit(case)?;
    let cut = |end: usize| (end, unit.get(..end).unwrap_or_default().to_vec());
    damaged(
        target,
        case,
        (0..unit.len()).map(cut),
        Damage::Resized,
        content.len(),
    )
}

fn bit_flips(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.unit(case)?;
    let flips = (0..unit.len() * 8).map(|bit| (bit, flipped(&unit, bit)));
    damaged(
        target,
        case,
        flips,
        Damage::Changed(&content),
        content.len(),
    )
}

fn trailing_bytes(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.unit(case)?;
    let last = unit.last().copied().unwrap_or(0);
    let tails: [&[u8]; 6] = [&[0], &[0xFF], &[last], b"\n", &[0; 8], &[0xFF; 600]];
    let longer = (0..).zip(tails.map(|tail| [&unit, tail].concat()));
    damaged(target, case, longer, Damage::Resized, content.len())
}

fn second_unit(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.unit(case)?;
    let empty = plain::write(target.format, &[]).unwrap_or_default();
    let mut two = vec![[&unit[..], &unit].concat()];
    if !empty.is_empty() {
        two.push([&unit[..], &empty].concat());
        two.push([&empty[..], &unit].concat());
    }
    damaged(target, case, (0..).zip(two), Damage::Resized, content.len())
}

fn wrong_checksum(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.unit(case)?;
    let (body, trailer) = unit
        .split_at_checked(unit.len().saturating_sub(checksum_len(target.format)))
        .unwrap_or_default();
    let (checksum, rest) = trailer.split_at_checked(4).unwrap_or_default();
    let reversed: Vec<u8> = checksum.iter().rev().copied().collect();
    let inverted: Vec<u8> = checksum.iter().map(|byte| !byte).collect();
    let zero = vec![0; 4];
    let ones = vec![0, 0, 0, 1];
    let wrong = [reversed, inverted, zero, ones]
        .into_iter()
        .filter(|wrong| wrong != checksum)
        .map(|wrong| [body, &wrong, rest].concat());
    let units = (0..).zip(wrong.chain([body.to_vec(), [body, rest].concat()]));
    let units = units.filter(|(_, damaged)| *damaged != unit);
    damaged(target, case, units, Damage::Resized, content.len())
}

fn lying_length(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.unit(case)?;
    let len = content.len() as u64;
    let lies = [
        0,
        len / 2,
        len.wrapping_sub(1),
        len + 1,
        2 * len,
        255,
        0x7FFF_FFFF,
        0xFFFF_FFFF,
    ];
    let lies = lies
        .into_iter()
        .filter(|lie| *lie != len)
        .filter_map(|lie| declaring(target.format, &unit, lie))
        .filter(|damaged| *damaged != unit);
    damaged(
        target,
        case,
        (0..).zip(lies),
        Damage::Resized,
        content.len(),
    )
}

/// The unit with another declared length; `None` if its field cannot say that.
fn declaring(format: Format, unit: &[u8], len: u64) -> Option<Vec<u8>> {
    let header = inspect::header(format, unit).ok()?;
    let four = u32::try_from(len).ok().map(u32::to_le_bytes);
    match format {
        Format::Lz4Sized => Some([&four?[..], unit.get(4..)?].concat()),
        Format::Gzip => {
            let (rest, _) = unit.split_last_chunk::<4>()?;
            Some([rest, &four?].concat())
        }
        Format::Snappy => {
            let mut varint = Vec::new();
            let mut left = len;
            while left >= 0x80 {
                varint.push(left as u8 | 0x80);
                left >>= 7;
            }
            varint.push(left as u8);
            Some([&varint, unit.get(header.len..)?].concat())
        }
        Format::Zstd => {
            // The content size is the last field of the header.
            let descriptor = unit.get(4)?;
            let single_segment = usize::from(descriptor >> 5 & 1);
            let (width, offset) = match descriptor >> 6 {
                0 => (single_segment, 0),
                1 => (2, 256),
                2 => (4, 0),
                _ => (8, 0),
            };
            let bytes = len.checked_sub(offset)?.to_le_bytes();
            let (low, high) = bytes.split_at_checked(width)?;
            let before = unit.get(..header.len.checked_sub(width)?)?;
            let said = high.iter().all(|byte| *byte == 0) && width > 0;
            said.then(|| [before, low, unit.get(header.len..).unwrap_or_default()].concat())
        }
        _ => None,
    }
}

/// A frame that decoders of streams skip (RFC 8878, section 3.1.2).
const SKIPPABLE: &[u8] = b"\x50\x2a\x4d\x18\x04\0\0\0\xaa\xbb\xcc\xdd";

fn skippable_frame(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.unit(case)?;
    let with = [
        SKIPPABLE.to_vec(),
        [SKIPPABLE, &unit].concat(),
        [&unit, SKIPPABLE].concat(),
        b"\x50\x2a\x4d\x18\0\0\0\0".to_vec(),
    ];
    damaged(
        target,
        case,
        (0..).zip(with),
        Damage::Resized,
        content.len(),
    )
}

fn foreign_units(target: &Target) -> Vec<Case> {
    (0..foreign(target.format).len())
        .map(|at| Case::new(Kind::Zeros, 0, 0).at(at))
        .collect()
}

/// Units of every other format, and things that are none of ours.
fn foreign(format: Format) -> Vec<&'static [u8]> {
    // An LZ4 frame of "hello", as command-line tools write it, and a Snappy frame's beginning.
    let lz4_frame = b"\x04\x22\x4d\x18\x60\x40\x82\x05\0\0\x80hello\0\0\0\0";
    let snappy_frame = b"\xff\x06\0\0sNaPpY\x01\x09\0\0\xbb\x1f\x1c\x19hello";
    let mut foreign: Vec<&[u8]> = vec![lz4_frame, snappy_frame, SKIPPABLE, b"plain text"];
    let others = Format::ALL.into_iter().filter(|other| *other != format);
    foreign.extend(others.map(self_test::unit));
    foreign
}

fn foreign_formats(target: &Target, case: &Case) -> Result<(), Stop> {
    let foreign = foreign(target.format);
    let unit = case.at.and_then(|at| foreign.get(at)).copied();
    any_bytes(
        target,
        &Case::of_unit(unit.unwrap_or_default(), self_test::CONTENT.len()),
    )
}

fn garbage(target: &Target) -> Vec<Case> {
    let mut random = Random::new(target.options.seed);
    let count = if target.options.quick { 300 } else { 5_000 };
    let mut cases = Vec::new();
    for turn in 0..count {
        let mut bytes = Vec::new();
        // Half of them start as a unit does, or nothing but the header would be tried.
        if turn % 2 == 0 {
            let unit = self_test::unit(target.format);
            bytes.extend_from_slice(unit.get(..random.below(20)).unwrap_or_default());
        }
        let more = random.below(60);
        random.bytes(more, &mut bytes);
        cases.push(Case::of_unit(&bytes, random.below(300)));
    }
    cases
}

/// Bytes of which nothing is known but what the plain readers say.
fn any_bytes(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, _) = target.unit(case)?;
    let room = case.room.unwrap_or(0);
    let mut session = target.decompress_session(case)?;
    let called = target.decompress(&mut *session, &unit, room)?;
    Answer::due(target, &unit, None).check(room, &called)?;
    let called = target.decompress_exact(&mut *session, &unit, room)?;
    Answer::due(target, &unit, None).check_exact(room, &called)
}

fn declared_length(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.unit(case)?;
    let compressor = target.compressor(case)?;
    let right = Some(content.len() as u64);
    let says = compressor.decompressed_len(&unit);
    let fine = match says {
        // Where a header declares nothing, None; some formats declare it elsewhere, or optionally.
        Ok(None) => may_be_silent(target.format, &unit),
        Ok(len) => len == right,
        Err(_) => false,
    };
    if !fine {
        let message = format!("says {says:?} of a unit that holds {} bytes", content.len());
        return Err(Stop::fault(message).unit(&unit));
    }
    for end in 0..unit.len() {
        let part = unit.get(..end).unwrap_or_default();
        check_declared(target.format, part, compressor.decompressed_len(part))
            .map_err(|stop| stop.at(end))?;
    }
    for bit in 0..unit.len().min(24) * 8 {
        let damaged = flipped(&unit, bit);
        check_declared(
            target.format,
            &damaged,
            compressor.decompressed_len(&damaged),
        )
        .map_err(|stop| stop.at(bit))?;
    }
    Ok(())
}

fn may_be_silent(format: Format, unit: &[u8]) -> bool {
    let declared = inspect::header(format, unit)
        .ok()
        .and_then(|header| header.declared_len);
    declared.is_none() || format == Format::Gzip
}

/// Compares with the header, read by the contract's own rules.
fn check_declared(
    format: Format,
    unit: &[u8],
    says: Result<Option<u64>, Error>,
) -> Result<(), Stop> {
    let says = says.map_err(Error::kind);
    let right = match (inspect::header(format, unit), says) {
        (Ok(header), Ok(None)) => header.declared_len.is_none() || format == Format::Gzip,
        (Ok(header), Ok(len)) => len == header.declared_len,
        // Also where the header is fine: it may have seen that the rest cannot be.
        (_, Err(kind)) => kind == ErrorKind::CorruptInput,
        (Err(_), Ok(_)) => false,
    };
    if right {
        return Ok(());
    }
    let header = inspect::header(format, unit).map(|header| header.declared_len);
    let message = format!("says {says:?} of the declared length, and the header {header:?}");
    Err(Stop::fault(message).unit(unit))
}
