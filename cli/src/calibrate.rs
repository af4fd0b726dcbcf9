//! `compressor calibrate`: who is fastest on this host, for engines to follow.

use std::io::Write;
use std::path::PathBuf;

use compressor::{Calibration, CalibrationError, Direction, Format, Sample, Spec};

use crate::effort::EffortArgs;
use crate::failure::Failure;
use crate::plugins::PluginArgs;
use crate::table::{self, number, text};
use crate::values;

/// Measure who is fastest on this host, by format, direction and length, and keep it in a file.
///
/// Takes about a second on an idle CPU. An engine follows the file when its configuration names
/// it (calibration = "PATH", or COMPRESSOR_CALIBRATION) and the CPU, the release and the providers
/// are still those that were measured; see `compressor list --explain`. Formats that only one
/// provider serves are left out, and lengths and directions that the sample tells nothing of are
/// served as without a file.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where to keep it; a file that is there is replaced.
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// Content to measure on, of which the first 256 KiB are used [default: built-in rows].
    #[arg(long, value_name = "FILE")]
    sample: Option<PathBuf>,
    /// Formats to measure [default: all].
    #[arg(long = "format", value_name = "FORMAT,...", value_delimiter = ',')]
    #[arg(value_parser = values::format)]
    formats: Vec<Format>,
    /// The level, on the format's own scale [default: the format's].
    #[arg(long, allow_negative_numbers = true)]
    level: Option<i32>,
    #[command(flatten)]
    effort: EffortArgs,
    #[command(flatten)]
    plugins: PluginArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let sample = match &args.sample {
        Some(path) => Sample::from_file(path)?,
        None => Sample::rows(),
    };
    let formats = match &args.formats[..] {
        [] => Format::ALL.to_vec(),
        formats => values::each_once(formats),
    };
    let specs: Result<Vec<Spec>, Failure> = formats
        .into_iter()
        .filter_map(|format| {
            let spec = Spec::new(format);
            let spec = match args.level {
                None => spec,
                Some(level) => match spec.with_level(level) {
                    Ok(spec) => spec,
                    // A level goes for the formats that have it, where none was named.
                    Err(_) if args.formats.is_empty() => return None,
                    Err(error) => return Some(Err(error.into())),
                },
            };
            Some(args.effort.applied_to(spec))
        })
        .collect();
    let engine = args.plugins.setup()?.engine()?;
    let calibration = engine.calibrate(&sample, &specs?)?;
    calibration.save(&args.out)?;
    if !compression_was_measured(&calibration) {
        tracing::warn!(
            "no compression was measured: only one provider serves what was asked for, or the sample \
             is too short or does not shrink"
        );
    }
    if args.json {
        table::print_json(&calibration, out)
    } else {
        print(&calibration, out)
    }
}

fn compression_was_measured(calibration: &Calibration) -> bool {
    let mut compress = { calibration.choices().iter() }
        .filter(|choice| choice.direction == Direction::Compress)
        .flat_map(|choice| &choice.routes);
    compress.any(|route| !route.candidates.is_empty())
}

/// Prints who serves what, and what everybody else reached.
pub fn print(calibration: &Calibration, out: &mut dyn Write) -> Result<(), Failure> {
    let columns = [
        text("format"),
        number("level"),
        text("effort"),
        text("direction"),
        text("content"),
        text("served by"),
        text("measured: MB/s, longer than software"),
    ];
    let rows = calibration.choices().iter().flat_map(|choice| {
        let mut longer_than = 0;
        choice.routes.iter().map(move |route| {
            let content = match route.max_len {
                Some(len) => format!("to {len}"),
                None if longer_than == 0 => "any".into(),
                None => format!("beyond {longer_than}"),
            };
            longer_than = route.max_len.unwrap_or(longer_than);
            let measured = route.candidates.iter().map(|one| {
                let loss = match choice.direction {
                    Direction::Compress => format!(" {:+.1} %", one.loss),
                    Direction::Decompress => String::new(),
                };
                format!("{} {:.0}{loss}", name(&one.server), one.mb_per_s)
            });
            vec![
                choice.format.to_string(),
                choice.level.to_string(),
                choice.effort.map_or_else(String::new, |e| e.to_string()),
                choice.direction.to_string(),
                content,
                name(&route.server),
                measured.collect::<Vec<_>>().join(", "),
            ]
        })
    });
    table::print(&columns, rows, out)
}

fn name(server: &compressor::Server) -> String {
    match server.at_level {
        None => server.provider.clone(),
        Some(level) => format!("{} for {level}", server.provider),
    }
}

impl From<CalibrationError> for Failure {
    fn from(error: CalibrationError) -> Self {
        use compressor::CalibrationError::{EmptySample, Sample, Select};
        match error {
            Sample { .. } | EmptySample { .. } => Self::usage(error),
            Select(error) => error.into(),
            other => Self::io(other),
        }
    }
}
