//! What the providers have to say, on standard error.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::failure::Failure;

const VARIABLE: &str = "COMPRESSOR_LOG";

/// Logs warnings and errors, or what `COMPRESSOR_LOG` asks for.
pub fn start() -> Result<(), Failure> {
    let filter = match std::env::var(VARIABLE) {
        Ok(text) => text.parse::<Targets>().map_err(|error| {
            Failure::usage(format_args!("{VARIABLE} cannot be {text:?}: {error}"))
        })?,
        Err(_) => Targets::new().with_default(LevelFilter::WARN),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .without_time()
        .with_ansi(false);
    tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .init();
    Ok(())
}
