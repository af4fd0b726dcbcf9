//! What to know before believing the numbers.

use super::measure::Cell;
use super::table::size;
use crate::failure::printable;
use crate::values::each_once;

/// The least share of the time that a codec must have had a CPU for its speed to mean something.
const ON_CPU: f64 = 0.9;

/// A line for each thing.
pub fn notes(cells: &[Cell]) -> Vec<String> {
    let busy = cells
        .iter()
        .filter(|cell| cell.software.measured.on_cpu < ON_CPU)
        .count();
    let short: Vec<String> = cells.iter().filter_map(shorter_than_a_block).collect();
    let busy = (busy > 0).then(|| busy_machine(busy, cells.len()));
    busy.into_iter().chain(each_once(&short)).collect()
}

/// Numbers that mean little say so.
fn busy_machine(busy: usize, of: usize) -> String {
    format!(
        "The machine was busy: in {busy} of {of} measurements the software codec, which waits for \
         nothing, had a CPU for less than {:.0} % of the time. There, trust CPU ns/B alone.",
        100.0 * ON_CPU
    )
}

/// Data that is less than what was asked for says so.
fn shorter_than_a_block(cell: &Cell) -> Option<String> {
    let Cell {
        file,
        len,
        block_size,
        ..
    } = cell;
    (*len < block_size.get()).then(|| {
        let size = size(*block_size);
        let file = printable(file);
        format!("{file} is shorter than {size}: it was measured as one block of {len} bytes.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_is_told() {
        assert_eq!(
            busy_machine(3, 20),
            "The machine was busy: in 3 of 20 measurements the software codec, which waits for \
             nothing, had a CPU for less than 90 % of the time. There, trust CPU ns/B alone."
        );
    }
}
