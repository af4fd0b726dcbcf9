//! The numbers themselves, for whoever cannot see the plots or wants to copy.

use std::time::Duration;

use compressor::Direction;
use maud::{Markup, html};

use crate::bench::measure::Cell;
use crate::bench::overhead::Overhead;
use crate::bench::subject::Listed;
use crate::bench::table::{significant, size};
use crate::table::why;

/// Who served each format, by direction; and what those are.
pub fn served(cells: &[Cell], providers: &[Listed], simulator: bool) -> Markup {
    // Format, compression, decompression: a row for each path, once.
    let mut rows: Vec<(String, String, String)> = Vec::new();
    let of = |cell: &Cell| (cell.file.clone(), cell.spec.clone(), cell.block_size);
    // The directions that could be measured of the same blocks.
    for measured in cells.chunk_by(|one, next| of(one) == of(next)) {
        let [compress, decompress] = measured else {
            continue;
        };
        for (one, other) in compress.paths.iter().zip(&decompress.paths) {
            let format = format!("{} level {}", compress.spec.format(), compress.spec.level());
            let row = (format, one.name(), other.name());
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    html! {
        div.scroll {
            table {
                caption { "Who served" }
                thead { tr { th { "format" } th { "compress" } th { "decompress" } } }
                tbody {
                    @for (format, compress, decompress) in &rows {
                        tr { td { (format) } td { (compress) } td { (decompress) } }
                    }
                }
            }
        }
        div.scroll {
            table {
                caption { "Providers" }
                thead { tr { th { "provider" } th { "state" } th { "what it is" } } }
                tbody {
                    @for provider in providers {
                        tr {
                            td {
                                (provider.id)
                                @if provider.simulated(simulator) {
                                    " " span.simulated { "simulated" }
                                }
                            }
                            td.wrap { (provider.state) }
                            td.wrap { (provider.description) }
                        }
                    }
                }
            }
        }
    }
}

/// A row for each cell and path.
pub fn throughputs(cells: &[Cell]) -> Markup {
    html! {
        div.scroll {
            table {
                caption { "Throughput of one thread" }
                thead {
                    tr {
                        th { "direction" }
                        th.number { "block" }
                        th { "path" }
                        th.number { "MB/s" }
                        th.number { "speed-up" }
                        th.number { "ratio" }
                        th.number { "CPU ns/B" }
                        th.number { "ops accelerated" }
                        th.number { "ops software" }
                        th { "why software" }
                    }
                }
                tbody {
                    @for cell in by_direction(cells) {
                        @for side in cell.sides() {
                            tr {
                                td { (cell.direction) }
                                td.number { (size(cell.block_size)) }
                                td { (side.name()) }
                                td.number { (significant(side.measured.mb_per_s)) }
                                td.number { (format!("{:.2}", side.measured.speedup)) }
                                td.number { (format!("{:.3}", side.measured.ratio)) }
                                td.number { (significant(side.measured.cpu_ns_per_byte)) }
                                td.number { (side.accelerated_ops) }
                                td.number { (side.software_ops) }
                                td { (why(&side.reasons())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A row for each cell, path and number of threads; nothing if latency was not measured.
pub fn latencies(cells: &[Cell]) -> Markup {
    let measured = cells.iter().any(|cell| !cell.software.latency.is_empty());
    html! {
        @if measured {
            div.scroll {
                table {
                    caption { "Latency in µs, and throughput of all threads" }
                    thead {
                        tr {
                            th { "direction" }
                            th.number { "block" }
                            th { "path" }
                            th.number { "threads" }
                            th.number { "p50" }
                            th.number { "p99" }
                            th.number { "p99.9" }
                            th.number { "longest" }
                            th.number { "ops" }
                            th.number { "MB/s" }
                        }
                    }
                    tbody {
                        @for cell in by_direction(cells) {
                            @for side in cell.sides() {
                                @for latency in &side.latency {
                                    tr {
                                        td { (cell.direction) }
                                        td.number { (size(cell.block_size)) }
                                        td { (side.name()) }
                                        td.number { (latency.threads) }
                                        td.number { (micros(latency.p50)) }
                                        td.number { (micros(latency.p99)) }
                                        td.number { (micros(latency.p999)) }
                                        td.number { (micros(latency.max)) }
                                        td.number { (latency.ops) }
                                        td.number { (significant(latency.mb_per_s)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A row for each cell and path whose overhead was measured, or could not be.
pub fn overheads(cells: &[Cell]) -> Markup {
    let paths = || {
        let paths = cells
            .iter()
            .flat_map(|cell| cell.paths.iter().map(move |path| (cell, path)));
        paths.filter_map(|(cell, path)| Some((cell, path, path.overhead.as_ref()?)))
    };
    html! {
        @if paths().next().is_some() {
            div.scroll {
                table {
                    caption { "What the framework adds to an operation" }
                    thead {
                        tr {
                            th { "format" }
                            th.number { "block" }
                            th { "direction" }
                            th { "path" }
                            th.number { "direct, ns" }
                            th.number { "added, ns" }
                            th.number { "95 % interval, ns" }
                            th.number { "added, %" }
                        }
                    }
                    tbody {
                        @for (cell, path, overhead) in paths() {
                            tr {
                                td { (cell.spec.format()) }
                                td.number { (size(cell.block_size)) }
                                td { (cell.direction) }
                                td { (path.name()) }
                                @match overhead {
                                    Overhead::Measured { direct_ns, added } => {
                                        td.number { (format!("{direct_ns:.0}")) }
                                        td.number { (format!("{:.1}", added.value)) }
                                        td.number { (format!("{:.1} to {:.1}", added.low, added.high)) }
                                        td.number { (format!("{:.2}", 100.0 * added.value / direct_ns)) }
                                    }
                                    Overhead::Failed { why } => td colspan="4" { (why) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Compression first, then decompression.
fn by_direction(cells: &[Cell]) -> impl Iterator<Item = &Cell> {
    let of = |direction| {
        cells
            .iter()
            .filter(move |cell: &&Cell| cell.direction == direction)
    };
    of(Direction::Compress).chain(of(Direction::Decompress))
}

fn micros(time: Duration) -> String {
    significant(time.as_secs_f64() * 1e6)
}
