//! Prints the lines of `vectors/outside.tsv`: small units by every implementation outside that is
//! found here. Made once; a line that turns out to be wrong is corrected by hand, with a note.
use compressor_api::{Dictionary, Format};
use compressor_conformance::data::Kind;
use compressor_conformance::outside::{self, Detected, How, Outside, Side, Trouble};

/// The suite's trained dictionary.
const TRAINED: &[u8] = include_bytes!("../vectors/text.zdict");

/// Content in which a codec finds something, and the least there is.
const CONTENTS: [(Kind, usize); 4] = [
    (Kind::Text, 300),
    (Kind::Rows, 200),
    (Kind::Zeros, 1_000),
    (Kind::Random, 1),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for one in outside::detect() {
        let Detected::Found(mut outside) = one else {
            eprintln!("{one}");
            continue;
        };
        for side in outside.sides().to_vec() {
            freeze(&mut *outside, &side)?;
        }
    }
    Ok(())
}

fn freeze(outside: &mut dyn Outside, side: &Side) -> Result<(), Box<dyn std::error::Error>> {
    let default = side.levels.first().copied().unwrap_or_default();
    let greatest = side.levels.iter().max().copied().unwrap_or_default();
    for (kind, size) in CONTENTS {
        print(outside, side.format, default, None, kind, size)?;
    }
    print(outside, side.format, default, None, Kind::Text, 0)?;
    if greatest != default {
        print(outside, side.format, greatest, None, Kind::Text, 300)?;
    }
    if side.dictionaries {
        let trained = Dictionary::trained(TRAINED)?;
        print(
            outside,
            side.format,
            default,
            Some(&trained),
            Kind::Text,
            300,
        )?;
    }
    Ok(())
}

fn print(
    outside: &mut dyn Outside,
    format: Format,
    level: i32,
    dictionary: Option<&Dictionary>,
    kind: Kind,
    size: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let how = How {
        format,
        level,
        window_log: None,
        checksum: true,
        dictionary,
    };
    let unit = match outside.compress(&how, &kind.make(size, 1)) {
        Ok(unit) => unit,
        Err(Trouble::NotTried(_)) => return Ok(()),
        Err(trouble) => return Err(format!("{}: {trouble}", outside.name()).into()),
    };
    let hex: String = unit.iter().map(|byte| format!("{byte:02x}")).collect();
    let name = if dictionary.is_some() { "trained" } else { "-" };
    println!(
        "{format}\t{kind} {size} 1\t{name}\t{hex}\t{} {}, level {level}",
        outside.name(),
        outside.version()
    );
    Ok(())
}
