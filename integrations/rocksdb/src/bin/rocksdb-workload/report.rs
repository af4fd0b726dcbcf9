//! What is printed.

use std::io::Write;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use compressor_benches::measure::Median;

use crate::bench::Run;
use crate::failure::Failure;

/// All runs, as an array.
pub fn json(runs: &[Run], out: &mut dyn Write) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, runs).map_err(|error| Failure::output(error.into()))?;
    writeln!(out).map_err(Failure::output)
}

/// Medians of the rounds, then medians of the ratios within the rounds.
pub fn tables(runs: &[Run], out: &mut dyn Write) -> Result<(), Failure> {
    let medians = medians(runs);
    writeln!(out, "{medians}\n").map_err(Failure::output)?;
    let missed = runs.iter().filter(|run| !run.rate_reached).count();
    if missed != 0 {
        writeln!(
            out,
            "The rate was out of reach in {missed} runs: their latencies are of fewer operations.\n"
        )
        .map_err(Failure::output)?;
    }
    if runs.iter().all(|run| run.config == run.stock)
        || !runs.iter().any(|run| run.config == run.stock)
    {
        return writeln!(
            out,
            "Nothing to compare: run a type's stock and another, such as zlib/stock,zlib/ours."
        )
        .map_err(Failure::output);
    }
    writeln!(
        out,
        "Times what stock RocksDB of the same type has, in the same round:\n"
    )
    .map_err(Failure::output)?;
    let ratios = ratios(runs);
    writeln!(out, "{ratios}").map_err(Failure::output)
}

fn medians(runs: &[Run]) -> Table {
    let mut table = table(&[
        "workload",
        "config",
        "ops/s",
        "CPU s/Mop",
        "p50 µs",
        "p99 µs",
        "p99.9 µs",
        "bytes on disk",
        "flush MB/s",
        "compaction MB/s",
        "accelerated",
    ]);
    for group in groups(runs) {
        let Some(first) = group.first() else { continue };
        let cell = |value: fn(&Run) -> Option<f64>, digits| {
            number(
                Median::of(group.iter().filter_map(|run| value(run))),
                digits,
            )
        };
        let served: u64 = group.iter().map(|r| r.accelerated_blocks).sum();
        let software: u64 = group.iter().map(|r| r.software_blocks).sum();
        table.add_row([
            first.workload.clone(),
            first.config.clone(),
            cell(|run| Some(run.ops_per_s), 0),
            cell(|run| Some(run.cpu_s_per_mop), 2),
            cell(|run| run.p50_us, 1),
            cell(|run| run.p99_us, 1),
            cell(|run| run.p999_us, 1),
            cell(|run| Some(run.bytes_on_disk as f64), 0),
            cell(|run| run.flush_mb_per_s, 1),
            cell(|run| run.compaction_mb_per_s, 1),
            match served + software {
                0 => "–".into(),
                all => format!("{:.1} %", 100.0 * served as f64 / all as f64),
            },
        ]);
    }
    table
}

fn ratios(runs: &[Run]) -> Table {
    let mut table = table(&[
        "workload",
        "config",
        "ops/s",
        "CPU s/Mop",
        "p50",
        "p99",
        "p99.9",
        "bytes on disk",
        "rounds",
    ]);
    for group in groups(runs) {
        let Some(first) = group.first() else { continue };
        if first.config == first.stock {
            continue;
        }
        // Each with stock's run of its round.
        let pairs: Vec<(&Run, &Run)> = group
            .iter()
            .filter_map(|run| {
                let stock = runs.iter().find(|other| {
                    other.round == run.round
                        && other.workload == run.workload
                        && other.config == run.stock
                })?;
                Some((*run, stock))
            })
            .collect();
        let cell = |value: fn(&Run) -> Option<f64>| {
            let ratios =
                { pairs.iter() }.filter_map(|(run, stock)| Some(value(run)? / value(stock)?));
            number(Median::of(ratios), 3)
        };
        table.add_row([
            first.workload.clone(),
            first.config.clone(),
            cell(|run| Some(run.ops_per_s)),
            cell(|run| Some(run.cpu_s_per_mop)),
            cell(|run| run.p50_us),
            cell(|run| run.p99_us),
            cell(|run| run.p999_us),
            cell(|run| Some(run.bytes_on_disk as f64)),
            pairs.len().to_string(),
        ]);
    }
    table
}

/// The runs of one configuration and workload, in the order in which they first ran.
fn groups(runs: &[Run]) -> Vec<Vec<&Run>> {
    let mut groups: Vec<Vec<&Run>> = Vec::new();
    for run in runs {
        let same = |other: &&Run| other.config == run.config && other.workload == run.workload;
        match groups
            .iter_mut()
            .find(|group| group.first().is_some_and(same))
        {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups
}

fn number(median: Option<Median>, digits: usize) -> String {
    median.map_or("–".into(), |median| format!("{:.digits$}", median.value))
}

fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns);
    // Workload and configuration, then numbers.
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(config: &str, round: usize, ops_per_s: f64) -> Run {
        Run {
            config: config.into(),
            workload: "write-uniform".into(),
            round,
            stock: "zlib/stock".into(),
            ops_per_s,
            cpu_s_per_mop: 1.0,
            p50_us: Some(1.0),
            p99_us: None,
            p999_us: Some(1.0),
            rate: 1.0,
            rate_reached: true,
            bytes_on_disk: 1,
            flush_mb_per_s: None,
            compaction_mb_per_s: None,
            accelerated_blocks: 0,
            software_blocks: 0,
            rows: 1,
            partitions: 1,
            threads: 1,
            block_size: 4096,
            wal: false,
            seed: 1,
        }
    }

    #[test]
    fn a_ratio_is_the_median_of_the_ratios_within_rounds() {
        let runs = [
            run("zlib/stock", 0, 1.0),
            run("zlib/ours", 0, 3.0),
            run("zlib/stock", 1, 100.0),
            run("zlib/ours", 1, 200.0),
            run("zlib/stock", 2, 10.0),
            run("zlib/ours", 2, 10.0),
        ];
        let text = ratios(&runs).to_string();
        assert!(text.contains("| 2.000 |"), "{text}");
        assert!(!text.contains("zlib/stock"), "{text}");
        // No operation, no latency.
        assert!(text.contains(" – |"), "{text}");
    }

    #[test]
    fn json_has_a_row_per_run_with_the_columns_that_are_promised() {
        let mut out = Vec::new();
        json(&[run("zlib/stock", 0, 1.0)], &mut out).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let row = value.as_array().unwrap().first().unwrap();
        for column in [
            "config",
            "workload",
            "ops_per_s",
            "cpu_s_per_mop",
            "p50_us",
            "p99_us",
            "p999_us",
            "bytes_on_disk",
        ] {
            assert!(row.get(column).is_some(), "{column}");
        }
    }
}
