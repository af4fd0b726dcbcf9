//! `bench --html`: a page that shows what was measured, in one file that needs nothing else.

mod charts;
mod host;
mod out;
mod plots;
mod tables;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::measure::Cell;
use super::subject::Listed;
use super::{notes, reasons};
use crate::failure::Failure;
use charts::{Palette, css};

pub use out::Out;

const STYLE: PreEscaped<&str> = PreEscaped(include_str!("style.css"));

/// The page.
pub fn page(cells: &[Cell], providers: &[Listed]) -> Result<String, Failure> {
    let mut palette = Palette::default();
    let simulator = host::simulator();
    let sets: Vec<&[Cell]> = cells.chunk_by(|a, b| a.file == b.file).collect();
    let mut sections = Vec::new();
    for (number, set) in sets.iter().enumerate() {
        sections.push(data_set(number, set, &mut palette)?);
    }
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "compressor bench" }
                style { (STYLE) }
            }
            body {
                h1 { "Block compression, measured" }
                pre { code { (host::command()) } }
                @if let Some(simulator) = &simulator {
                    p.simulated {
                        "A simulator is loaded (" (simulator) "): what offloading providers did was \
                         simulated, and no device was measured."
                    }
                }
                (warnings(cells))
                nav aria-label="Data sets" {
                    ul {
                        @for (number, set) in sets.iter().enumerate() {
                            @if let Some(cell) = set.first() {
                                li { a href={ "#data-" (number) } { (cell.file) } }
                            }
                        }
                        li { a href="#machine" { "Machine and versions" } }
                        li { a href="#reading" { "How to read it" } }
                    }
                }
                (tables::served(cells, providers, simulator.is_some()))
                @for section in &sections { (section) }
                (machine())
                (reading(cells))
            }
        }
    };
    Ok(page.into_string())
}

/// What makes the numbers doubtful, first of all.
fn warnings(cells: &[Cell]) -> Markup {
    let notes = notes::notes(cells);
    html! {
        @if !notes.is_empty() {
            div.notes { @for note in &notes { p { (note) } } }
        }
    }
}

/// All about one data set.
fn data_set(number: usize, cells: &[Cell], palette: &mut Palette) -> Result<Markup, Failure> {
    let Some(first) = cells.first() else {
        return Ok(html! {});
    };
    let mut formats = Vec::new();
    for cells in cells.chunk_by(|a, b| a.spec.format() == b.spec.format()) {
        formats.push(format(cells, palette)?);
    }
    let mut figures = Vec::new();
    for (title, plot) in plots::speedups(cells, palette)? {
        figures.push(figure(&title, &plot));
    }
    for (title, plot) in plots::overheads(cells, palette)? {
        figures.push(figure(&title, &plot));
    }
    Ok(html! {
        section id={ "data-" (number) } {
            h2 { (first.file) }
            p { (first.len) " bytes, cut into blocks that are compressed one by one." }
            (legend(cells, palette))
            div.plots { @for figure in &figures { (figure) } }
            (tables::overheads(cells))
            @for format in &formats { (format) }
        }
    })
}

/// All about one format on one data set.
fn format(cells: &[Cell], palette: &mut Palette) -> Result<Markup, Failure> {
    let Some(first) = cells.first() else {
        return Ok(html! {});
    };
    let mut figures = Vec::new();
    for (title, plot) in plots::throughputs(cells, palette)? {
        figures.push(figure(&title, &plot));
    }
    for (title, plot) in plots::latencies(cells, palette)? {
        figures.push(figure(&title, &plot));
    }
    Ok(html! {
        h3 { (first.file) ": " (first.spec.format()) ", level " (first.spec.level()) }
        (legend(cells, palette))
        div.plots { @for figure in &figures { (figure) } }
        (tables::throughputs(cells))
        (tables::latencies(cells))
    })
}

/// Who has which colour.
fn legend(cells: &[Cell], palette: &mut Palette) -> Markup {
    let mut names: Vec<String> = Vec::new();
    for side in cells.iter().flat_map(Cell::sides) {
        if !names.contains(&side.name()) {
            names.push(side.name());
        }
    }
    html! {
        ul.legend {
            @for name in &names {
                @let colour = css(palette.colour(name));
                li {
                    span.swatch style={ "border-color:" (colour) ";background:" (colour) } {}
                    (name)
                }
            }
        }
    }
}

/// A plot; what it shows is in the tables too.
fn figure(title: &str, svg: &str) -> Markup {
    html! {
        figure {
            figcaption { (title) }
            div role="img" aria-label={ (title) "; the numbers are in the table below" } {
                (PreEscaped(svg))
            }
        }
    }
}

fn machine() -> Markup {
    html! {
        section id="machine" {
            h2 { "Machine and versions" }
            dl {
                @for (heading, text) in host::facts() { dt { (heading) } dd { (text) } }
            }
        }
    }
}

fn reading(cells: &[Cell]) -> Markup {
    html! {
        section id="reading" {
            h2 { "How to read it" }
            p {
                b { "alone" } " is the software codec, called without the framework: the baseline. \
                 The others are what an engine gets: the accelerator that is named with software \
                 behind it, or the software codec where there is none. Everybody worked on the same \
                 blocks in turn, about a millisecond each, so that whatever else the machine did \
                 slowed all alike. Everything was decompressed and compared with the original \
                 before it was timed. Decompressing, all got the units that software had made."
            }
            p {
                b { "Efforts" } ": a path without one was asked for the level alone. " b { "balanced" }
                " and " b { "speed" } " may write units that are longer than software's at the \
                 level, by 7 % and by 10 % unless said otherwise, and take whoever is fastest within that; "
                b { "ratio" } " by 1 %. Who serves is chosen by priority; a path that is "
                b { "calibrated" } " has whom " code { "compressor calibrate" } " found fastest on \
                 its sample, by the length of the block, and is as long as allowed on that."
            }
            p {
                b { "Throughput" } " is in 10⁶ bytes of uncompressed data a second, of one thread \
                 unless more are named. " b { "Speed-up" } " is the median over the rounds of \
                 software's time through the path's. " b { "Ratio" } " is compressed through \
                 original length: smaller is better. Plots show a point for each block size."
            }
            p {
                b { "Latency" } ": half of the operations took no longer than p50 (circle), 99 % no \
                 longer than p99 (triangle), 99.9 % no longer than p99.9 (cross), by the clock on \
                 the wall, with as many threads at work as are named, each with sessions of its own. \
                 One operation in 1,024 is verified, unless configured otherwise, and takes a \
                 decompression longer."
            }
            p {
                b { "What the framework adds" } ": the provider called through the framework against \
                 the same provider called directly, in rounds of 50 µs, in nanoseconds an operation: \
                 with sessions made anew five times: the median difference and its 95 % confidence \
                 interval. Verification is in it. Where an operation takes some 100 µs the interval \
                 is wider than the cost."
            }
            @for line in reasons::legend(cells) { p { (line) } }
        }
    }
}
