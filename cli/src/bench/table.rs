//! What `bench` prints for people.

use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Duration;

use compressor_benches::measure::Latency;

use super::measure::{Cell, Side};
use super::notes::notes;
use super::reasons;
use crate::failure::Failure;
use crate::table::{self, number, text};

const LEGEND: &str = "
sw: the software codec alone; acc: the accelerated path. MB/s: 10^6 bytes of uncompressed data a
second. speed-up: median over interleaved rounds. ratio: compressed / original, smaller is better.
ops: how many operations the accelerator did, and how many software did in its place, and why.";

/// Prints a row for each accelerated path, beside software.
pub fn print(cells: &[Cell], out: &mut dyn Write) -> Result<(), Failure> {
    let columns = [
        text("data"),
        text("format"),
        number("level"),
        number("block"),
        text("direction"),
        text("served by"),
        number("MB/s sw"),
        number("MB/s acc"),
        number("speed-up"),
        number("ratio sw"),
        number("ratio acc"),
        number("CPU ns/B sw"),
        number("CPU ns/B acc"),
        number("ops acc"),
        number("ops sw"),
        text("why sw"),
    ];
    let rows = cells
        .iter()
        .flat_map(|cell| cell.paths.iter().map(|path| row(cell, path)));
    table::print(&columns, rows, out)?;
    print_latency(cells, out)?;
    let legend = writeln!(out, "{LEGEND}");
    legend.map_err(Failure::output)?;
    for line in reasons::legend(cells).into_iter().chain(notes(cells)) {
        writeln!(out, "{line}").map_err(Failure::output)?;
    }
    Ok(())
}

/// Prints a row for each path and number of threads, if latency was measured.
fn print_latency(cells: &[Cell], out: &mut dyn Write) -> Result<(), Failure> {
    let sides = cells
        .iter()
        .flat_map(|cell| cell.sides().map(move |side| (cell, side)));
    let mut rows = sides
        .flat_map(|(cell, side)| side.latency.iter().map(move |l| latency(cell, side, l)))
        .peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    let columns = [
        text("data"),
        text("format"),
        number("level"),
        number("block"),
        text("direction"),
        text("path"),
        number("threads"),
        number("p50 µs"),
        number("p99 µs"),
        number("p99.9 µs"),
        number("longest µs"),
        number("ops"),
        number("MB/s"),
    ];
    writeln!(out).map_err(Failure::output)?;
    table::print(&columns, rows, out)
}

fn latency(cell: &Cell, side: &Side, latency: &Latency) -> Vec<String> {
    let micros = |time: Duration| significant(time.as_secs_f64() * 1e6);
    vec![
        cell.file.clone(),
        cell.spec.format().to_string(),
        cell.spec.level().to_string(),
        size(cell.block_size),
        cell.direction.to_string(),
        side.name(),
        latency.threads.to_string(),
        micros(latency.p50),
        micros(latency.p99),
        micros(latency.p999),
        micros(latency.max),
        latency.ops.to_string(),
        significant(latency.mb_per_s),
    ]
}

fn row(cell: &Cell, path: &Side) -> Vec<String> {
    let software = &cell.software.measured;
    let accelerated = &path.measured;
    vec![
        cell.file.clone(),
        cell.spec.format().to_string(),
        cell.spec.level().to_string(),
        size(cell.block_size),
        cell.direction.to_string(),
        path.name(),
        significant(software.mb_per_s),
        significant(accelerated.mb_per_s),
        format!("{:.2}", accelerated.speedup),
        format!("{:.3}", software.ratio),
        format!("{:.3}", accelerated.ratio),
        significant(software.cpu_ns_per_byte),
        significant(accelerated.cpu_ns_per_byte),
        path.accelerated_ops.to_string(),
        path.software_ops.to_string(),
        table::why(&path.reasons()),
    ]
}

/// Three digits, for there are no more to be had from a machine that does other things.
pub fn significant(value: f64) -> String {
    let decimals = match value {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        v if v >= 0.1 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

/// In the largest unit that leaves a whole number.
pub fn size(bytes: NonZeroUsize) -> String {
    let bytes = bytes.get();
    match bytes {
        b if b.is_multiple_of(1 << 20) => format!("{} MiB", b >> 20),
        b if b.is_multiple_of(1 << 10) => format!("{} KiB", b >> 10),
        b => format!("{b} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        let texts = [1234.56, 99.95, 12.345, 1.2345, 0.12345, 0.012345].map(significant);
        assert_eq!(texts, ["1235", "100.0", "12.3", "1.23", "0.123", "0.0123"]);
    }

    #[test]
    fn sizes_are_in_whole_units() {
        let texts = [1, 1000, 1024, 1536, 4096, 1 << 20, 3 << 30]
            .map(|bytes| size(NonZeroUsize::new(bytes).unwrap()));
        assert_eq!(
            texts,
            [
                "1 B", "1000 B", "1 KiB", "1536 B", "4 KiB", "1 MiB", "3072 MiB"
            ]
        );
    }
}
