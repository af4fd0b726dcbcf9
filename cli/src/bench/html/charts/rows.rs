//! A mark for each of many things, one below the other, so that their names can be read.

use std::ops::Range;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Area, Drawn, INK, SMALL, grid, label, svg, text};
use crate::failure::Failure;

/// A thing.
pub struct Row {
    pub label: String,
    pub colour: RGBColor,
    pub mark: Mark,
}

/// What is known of it.
#[derive(Clone, Copy)]
pub enum Mark {
    /// A number: a bar from 0.
    Bar(f64),
    /// A number and how sure it is: a point within its interval.
    Interval { low: f64, value: f64, high: f64 },
    /// Percentiles 50, 99 and 99.9: a circle, a triangle and a cross.
    Percentiles([f64; 3]),
}

/// How numbers are laid out.
#[derive(Clone, Copy)]
pub struct Axis<'a> {
    /// What they are, with their unit.
    pub desc: &'a str,
    /// A number to compare with.
    pub reference: Option<f64>,
    /// By their magnitude.
    pub log: bool,
    /// The magnitude beyond which nothing is shown: a point there is left out, an interval is cut.
    pub limit: Option<f64>,
}

const ROW: u32 = 24;
/// Room for names.
const NAMES: u32 = 190;
/// Room for the axis and its description.
const AXIS: u32 = 46;
const MARGIN: u32 = 8;

/// Draws the rows, the first one at the top.
pub fn rows(rows: &[Row], axis: &Axis<'_>) -> Result<String, Failure> {
    let limit = axis.limit.unwrap_or(f64::INFINITY);
    let values = rows.iter().flat_map(|row| row.mark.values());
    let values: Vec<f64> = values
        .chain(axis.reference)
        .map(|value| value.clamp(-limit, limit))
        .collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let height = count.saturating_mul(ROW).saturating_add(AXIS + 2 * MARGIN);
    svg(height, |area| {
        if axis.log {
            let range = low.max(f64::MIN_POSITIVE) / 1.3..high * 1.3;
            draw(area, rows, axis, range.clone().log_scale(), &range)
        } else {
            let room = (high - low.min(0.0)).max(f64::MIN_POSITIVE) * 0.12;
            let range = if low < 0.0 { low - room } else { 0.0 }..high.max(0.0) + room;
            draw(area, rows, axis, range.clone(), &range)
        }
    })
}

fn draw<X>(area: &Area<'_>, rows: &[Row], axis: &Axis<'_>, x: X, range: &Range<f64>) -> Drawn
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let count = rows.len() as f64;
    let mut chart = ChartBuilder::on(area)
        .margin(MARGIN)
        .margin_right(MARGIN + 10)
        .x_label_area_size(AXIS)
        .y_label_area_size(NAMES)
        // Downwards.
        .build_cartesian_2d(x, count..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(0)
        .axis_style(INK)
        .bold_line_style(grid())
        .light_line_style(TRANSPARENT)
        .label_style(text(SMALL, HPos::Center, VPos::Top))
        .axis_desc_style(text(SMALL, HPos::Center, VPos::Top))
        .x_labels(6)
        .x_label_formatter(&|value| label(*value))
        .x_desc(axis.desc)
        .draw()?;
    if let Some(reference) = axis.reference {
        let line = [(reference, 0.0), (reference, count)];
        chart.draw_series([PathElement::new(line, INK.stroke_width(1))])?;
    }
    for (number, row) in rows.iter().enumerate() {
        let y = number as f64 + 0.5;
        chart.draw_series([EmptyElement::at((range.start, y))
            + Text::new(
                row.label.clone(),
                (-8, 0),
                text(SMALL, HPos::Right, VPos::Center),
            )])?;
        let thin = row.colour.stroke_width(2);
        match row.mark {
            Mark::Bar(value) => {
                let corners = [(range.start.max(0.0), y - 0.34), (value, y + 0.34)];
                chart.draw_series([Rectangle::new(corners, row.colour.filled())])?;
            }
            Mark::Interval { low, value, high } => {
                let shown = |value: f64| value.clamp(range.start, range.end);
                chart.draw_series([PathElement::new([(shown(low), y), (shown(high), y)], thin)])?;
                if range.contains(&value) {
                    chart.draw_series([Circle::new((value, y), 4, row.colour.filled())])?;
                }
            }
            Mark::Percentiles([p50, p99, p999]) => {
                chart.draw_series([PathElement::new([(p50, y), (p999, y)], thin)])?;
                chart.draw_series([Circle::new((p50, y), 5, row.colour.filled())])?;
                chart.draw_series([TriangleMarker::new((p99, y), 6, row.colour.filled())])?;
                chart.draw_series([Cross::new((p999, y), 5, thin)])?;
            }
        }
    }
    Ok(())
}

impl Mark {
    /// All its numbers.
    fn values(self) -> Vec<f64> {
        match self {
            Self::Bar(value) => vec![value],
            Self::Interval { low, value, high } => vec![low, value, high],
            Self::Percentiles(values) => values.into(),
        }
    }
}
