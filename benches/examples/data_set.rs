//! Writes a data set to standard output, for other tools to measure: `data_set KIND SEED LEN`.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use compressor_benches::data::{Kind, generate};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, seed, len] = arguments.as_slice() else {
        eprintln!("usage: data_set KIND SEED LEN\n");
        for kind in Kind::ALL {
            eprintln!("  {kind:<10} {}", kind.description());
        }
        return ExitCode::from(2);
    };
    match write(kind, seed, len) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write(kind: &str, seed: &str, len: &str) -> Result<(), Box<dyn Error>> {
    let set = generate(kind.parse()?, seed.parse()?, len.parse()?);
    io::stdout().lock().write_all(&set.bytes)?;
    Ok(())
}
