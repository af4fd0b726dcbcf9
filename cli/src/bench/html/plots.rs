//! Which plots there are, and what is on them.

use std::iter::once;

use compressor::Direction;
use plotters::style::RGBColor;

use super::charts::{Axis, Mark, Palette, Point, Row, Series, rows, scatter};
use crate::bench::measure::{Cell, Side};
use crate::bench::overhead::Overhead;
use crate::bench::table::size;
use crate::failure::Failure;

/// How much faster every path is, a plot for each direction.
pub fn speedups(cells: &[Cell], palette: &mut Palette) -> Result<Vec<(String, String)>, Failure> {
    let axis = Axis {
        desc: "times as fast as the software codec",
        reference: Some(1.0),
        log: false,
        limit: None,
    };
    by_direction(
        cells,
        palette,
        "Speed-up",
        |path| Some(Mark::Bar(path.measured.speedup)),
        |_| axis,
    )
}

/// What the framework adds to each path, a plot for each direction; none if it was not measured.
pub fn overheads(cells: &[Cell], palette: &mut Palette) -> Result<Vec<(String, String)>, Failure> {
    let mark = |path: &Side| match &path.overhead {
        Some(Overhead::Measured { added, .. }) => Some(Mark::Interval {
            low: added.low,
            value: added.value,
            high: added.high,
        }),
        _ => None,
    };
    let axis = |marks: &[Row]| Axis {
        desc: "added, ns an operation (cut off at the edges)",
        reference: Some(0.0),
        log: false,
        limit: Some(limit(marks)),
    };
    by_direction(cells, palette, "What the framework adds", mark, axis)
}

/// A row for each path that has a mark.
fn by_direction(
    cells: &[Cell],
    palette: &mut Palette,
    title: &str,
    mark: impl Fn(&Side) -> Option<Mark>,
    axis: impl Fn(&[Row]) -> Axis<'static>,
) -> Result<Vec<(String, String)>, Failure> {
    let mut plots = Vec::new();
    for direction in Direction::BOTH {
        let mut marks = Vec::new();
        for cell in cells.iter().filter(|cell| cell.direction == direction) {
            for path in &cell.paths {
                if let Some(mark) = mark(path) {
                    let colour = palette.colour(&path.name());
                    let label = place(cell, path);
                    marks.push(Row {
                        label,
                        colour,
                        mark,
                    });
                }
            }
        }
        if !marks.is_empty() {
            plots.push((
                format!("{title}, {direction}"),
                rows(&marks, &axis(&marks))?,
            ));
        }
    }
    Ok(plots)
}

/// How much of the overheads to show: where an operation takes milliseconds, noise is a thousand times
/// what all others add, and would leave nothing to be seen of them.
fn limit(rows: &[Row]) -> f64 {
    let mut values: Vec<f64> = rows
        .iter()
        .filter_map(|row| match row.mark {
            Mark::Interval { value, .. } => Some(value.abs()),
            _ => None,
        })
        .collect();
    values.sort_by(f64::total_cmp);
    let most = values.get(values.len() / 2).copied().unwrap_or(0.0);
    (3.0 * most).max(LEAST_NS)
}

/// Twice the most that the decorator is meant to add.
const LEAST_NS: f64 = 100.0;

/// Throughput against ratio, a plot for each direction.
pub fn throughputs(
    cells: &[Cell],
    palette: &mut Palette,
) -> Result<Vec<(String, String)>, Failure> {
    let mut plots = Vec::new();
    for direction in Direction::BOTH {
        let cells = || cells.iter().filter(|cell| cell.direction == direction);
        let mut series: Vec<(String, Series)> = Vec::new();
        for cell in cells() {
            for side in cell.sides() {
                let name = side.name();
                let point = Point {
                    ratio: side.measured.ratio,
                    mb_per_s: side.measured.mb_per_s,
                    label: size(cell.block_size),
                };
                match series.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, known)) => known.points.push(point),
                    None => {
                        let (colour, hollow) = (palette.colour(&name), side.alone);
                        let points = vec![point];
                        series.push((
                            name,
                            Series {
                                colour,
                                hollow,
                                points,
                            },
                        ));
                    }
                }
            }
        }
        let series: Vec<Series> = series.into_iter().map(|(_, series)| series).collect();
        if let Some(cell) = cells().next() {
            let (format, title) = (cell.spec.format(), verb(direction));
            plots.push((format!("{title} {format}"), scatter(&series)?));
        }
    }
    Ok(plots)
}

/// Latency by block size, path and threads, a plot for each direction; none if it was not measured.
pub fn latencies(cells: &[Cell], palette: &mut Palette) -> Result<Vec<(String, String)>, Failure> {
    let mut plots = Vec::new();
    for direction in Direction::BOTH {
        let mut marks = Vec::new();
        let mut title = String::new();
        for cell in cells.iter().filter(|cell| cell.direction == direction) {
            title = format!("Latency, {direction} {}", cell.spec.format());
            for side in cell.sides() {
                marks.extend(percentiles(cell, side, palette.colour(&side.name())));
            }
        }
        if marks.is_empty() {
            continue;
        }
        let axis = Axis {
            desc: "latency, µs (p50 ●, p99 ▲, p99.9 ×)",
            reference: None,
            log: true,
            limit: None,
        };
        plots.push((title, rows(&marks, &axis)?));
    }
    Ok(plots)
}

fn percentiles(cell: &Cell, side: &Side, colour: RGBColor) -> impl Iterator<Item = Row> {
    side.latency.iter().map(move |latency| {
        let threads = latency.threads;
        let plural = if threads.get() == 1 { "" } else { "s" };
        let micros = [latency.p50, latency.p99, latency.p999].map(|time| time.as_secs_f64() * 1e6);
        Row {
            label: format!("{}, {threads} thread{plural}", size(cell.block_size)),
            colour,
            mark: Mark::Percentiles(micros),
        }
    })
}

/// Format, block size, effort, and whether it is calibrated.
fn place(cell: &Cell, path: &Side) -> String {
    let place = format!("{} {}", cell.spec.format(), size(cell.block_size));
    let all: Vec<String> = once(place).chain(path.asked()).collect();
    all.join(", ")
}

const fn verb(direction: Direction) -> &'static str {
    match direction {
        Direction::Compress => "Compress",
        Direction::Decompress => "Decompress",
    }
}
