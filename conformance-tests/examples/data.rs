//! Prints the suite's data, so that tools can be given the same: `data KIND SIZE SEED`.
use std::io::Write as _;

use compressor_conformance::data::Kind;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [_, kind, size, seed] = &*std::env::args().collect::<Vec<_>>() else {
        return Err("usage: data KIND SIZE SEED".into());
    };
    let data = kind.parse::<Kind>()?.make(size.parse()?, seed.parse()?);
    Ok(std::io::stdout().write_all(&data)?)
}
