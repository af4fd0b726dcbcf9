//! Tables for people: Markdown, so that they can be pasted into a report.

use std::io::Write;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::failure::Failure;

/// A column: its heading, and whether it holds numbers.
pub struct Column(pub &'static str, pub CellAlignment);

/// A column of text.
pub const fn text(heading: &'static str) -> Column {
    Column(heading, CellAlignment::Left)
}

/// A column of numbers.
pub const fn number(heading: &'static str) -> Column {
    Column(heading, CellAlignment::Right)
}

/// Prints rows of cells under their columns. Never wraps: a table is for a wide terminal, or a file.
pub fn print(
    columns: &[Column],
    rows: impl IntoIterator<Item = Vec<String>>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|column| column.0));
    for (column, Column(_, alignment)) in table.column_iter_mut().zip(columns) {
        column.set_cell_alignment(*alignment);
    }
    table.add_rows(rows);
    writeln!(out, "{table}").map_err(Failure::output)
}

/// Prints a value as JSON, with a line end.
pub fn print_json(value: &impl serde::Serialize, out: &mut dyn Write) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, value)
        .map_err(|error| Failure::output(error.into()))?;
    writeln!(out).map_err(Failure::output)
}

/// Why software served: one reason alone, several with their counts.
pub fn why(reasons: &[(&'static str, u64)]) -> String {
    match reasons {
        [(reason, _)] => (*reason).into(),
        reasons => {
            let counted = reasons
                .iter()
                .map(|(reason, ops)| format!("{reason} {ops}"));
            counted.collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_reasons_are_counted() {
        assert_eq!(why(&[]), "");
        assert_eq!(why(&[("Absent", 7)]), "Absent");
        assert_eq!(
            why(&[("BelowMin", 7), ("Window", 2)]),
            "BelowMin 7, Window 2"
        );
    }
}
