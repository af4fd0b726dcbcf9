//! What `list` tells, for people.

use std::io::Write;

use super::report::{Capability, FormatReport, Levels, Longer, Provider, Report};
use crate::calibrate;
use crate::failure::{Failure, printable};
use crate::table::{self, number, text};

/// Prints the report as tables.
pub fn print(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    title("Providers, in the order they are tried", out)?;
    let columns = [
        text("provider"),
        text("class"),
        number("priority"),
        text("state"),
        text("description"),
    ];
    table::print(&columns, report.providers.iter().map(provider), out)?;

    title(
        "\nCapabilities (lengths in bytes; any: whatever the format allows)",
        out,
    )?;
    let columns = [
        text("provider"),
        text("format"),
        text("direction"),
        text("input"),
        text("output"),
        text("window"),
        text("levels"),
        text("efforts"),
        text("dictionary"),
        text("room"),
        text("in flight"),
        text("placement"),
        text("self-verified"),
    ];
    let all = report.providers.iter();
    let rows = all.flat_map(|p| p.capabilities.iter().map(|c| capability(p.id, c)));
    table::print(&columns, rows, out)?;

    if report
        .providers
        .iter()
        .any(|provider| !provider.params.is_empty())
    {
        title("\nParameters", out)?;
        let columns = [
            text("provider"),
            text("parameter"),
            text("takes"),
            text("default"),
            text("what it does"),
        ];
        table::print(&columns, report.providers.iter().flat_map(params), out)?;
    }

    title("\nFormats, at their default level", out)?;
    let columns = [
        text("format"),
        number("id"),
        text("levels"),
        number("default"),
        text("Cassandra"),
        text("compressed by"),
        text("decompressed by"),
        text("fallback"),
    ];
    table::print(&columns, report.formats.iter().map(format), out)?;

    if report
        .formats
        .iter()
        .any(|format| format.considered.is_some())
    {
        title("\nConsidered", out)?;
        let columns = [
            text("format"),
            text("direction"),
            text("provider"),
            text("verdict"),
        ];
        table::print(&columns, report.formats.iter().flat_map(considered), out)?;
    }
    if let Some(error) = &report.calibration_error {
        title("\nCalibration", out)?;
        writeln!(out, "not followed: {}", printable(error)).map_err(Failure::output)?;
    }
    if let Some(calibration) = &report.calibration {
        let sample = printable(calibration.sample());
        title(
            &format!(
                "\nCalibration, measured on {sample}: followed in formats and directions that the \
                 configuration leaves open"
            ),
            out,
        )?;
        calibrate::print(calibration, out)?;
    }
    Ok(())
}

fn title(title: &str, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "{title}\n").map_err(Failure::output)
}

fn provider(provider: &Provider) -> Vec<String> {
    let state = match &provider.why {
        Some(why) => format!("{}: {why}", provider.state),
        None => provider.state.clone(),
    };
    vec![
        provider.id.into(),
        provider.class.into(),
        provider.priority.to_string(),
        state,
        provider.description.into(),
    ]
}

fn capability(provider: &str, c: &Capability) -> Vec<String> {
    vec![
        provider.into(),
        c.format.into(),
        c.direction.into(),
        range(c.min_input, c.max_input),
        range(0, c.max_output),
        or_any(c.window),
        c.levels.as_ref().map_or_else(String::new, levels),
        efforts(c),
        c.dictionary.into(),
        c.output.into(),
        or_any(c.in_flight),
        c.placement.into(),
        if c.self_verified { "yes" } else { "no" }.into(),
    ]
}

/// Each effort with its priority, and `within a loss` where it is not served everywhere.
fn efforts(c: &Capability) -> String {
    let efforts = c.efforts.iter().map(|(effort, served)| {
        let limited = if served.within.is_empty() {
            ""
        } else {
            ", within its losses"
        };
        format!("{effort} ({}{limited})", served.priority)
    });
    efforts.collect::<Vec<_>>().join(", ")
}

fn params(provider: &Provider) -> impl Iterator<Item = Vec<String>> {
    provider.params.iter().map(|param| {
        vec![
            provider.id.into(),
            param.name.into(),
            param.takes.clone(),
            param.default.into(),
            param.doc.into(),
        ]
    })
}

fn format(format: &FormatReport) -> Vec<String> {
    let nobody = || format.error.clone().unwrap_or_default();
    vec![
        format.format.into(),
        format.id.to_string(),
        levels(&format.levels),
        format.levels.default.to_string(),
        format.cassandra.unwrap_or_default().into(),
        format
            .compress
            .map_or_else(nobody, |first| by_length(first, &format.compress_longer)),
        format.decompress.map_or_else(String::new, |first| {
            by_length(first, &format.decompress_longer)
        }),
        format.software.unwrap_or_default().into(),
    ]
}

/// Who serves the shortest content, and who what is longer.
fn by_length(first: &str, longer: &[Longer]) -> String {
    let longer = longer
        .iter()
        .map(|longer| format!("{} beyond {}", longer.provider, longer.than));
    let all: Vec<String> = [first.to_owned()].into_iter().chain(longer).collect();
    all.join(", ")
}

fn considered(format: &FormatReport) -> impl Iterator<Item = Vec<String>> {
    format.considered.iter().flatten().map(|considered| {
        vec![
            format.format.into(),
            considered.direction.into(),
            considered.provider.into(),
            considered.verdict.clone(),
        ]
    })
}

fn levels(levels: &Levels) -> String {
    if levels.min == levels.max {
        levels.min.to_string()
    } else {
        format!("{} to {}", levels.min, levels.max)
    }
}

fn range(min: usize, max: Option<usize>) -> String {
    match (min, max) {
        (0, None) => "any".into(),
        (min, None) => format!("from {min}"),
        (0, Some(max)) => format!("to {max}"),
        (min, Some(max)) => format!("{min} to {max}"),
    }
}

fn or_any(limit: Option<impl ToString>) -> String {
    limit.map_or_else(|| "any".into(), |limit| limit.to_string())
}
