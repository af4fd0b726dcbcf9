//! Throughput against ratio.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{INK, SMALL, grid, label, svg, text};
use crate::failure::Failure;

/// A path's points, one for each block size.
pub struct Series {
    pub colour: RGBColor,
    /// Whether it is drawn hollow, as what the others are compared with.
    pub hollow: bool,
    pub points: Vec<Point>,
}

/// One block size.
pub struct Point {
    pub ratio: f64,
    pub mb_per_s: f64,
    pub label: String,
}

const HEIGHT: u32 = 330;

/// How far the range of ratios is widened, so that points and labels have room.
const ROOM: f64 = 0.18;

/// The least range of ratios that is shown: below it, differences are none.
const LEAST: f64 = 0.02;

/// Draws the series.
pub fn scatter(series: &[Series]) -> Result<String, Failure> {
    let points = || series.iter().flat_map(|series| &series.points);
    let ratios = || points().map(|point| point.ratio);
    let (low, high) = (
        ratios().fold(f64::INFINITY, f64::min),
        ratios().fold(f64::NEG_INFINITY, f64::max),
    );
    let (middle, reach) = (f64::midpoint(low, high), (high - low).max(LEAST) / 2.0);
    let reach = reach * (1.0 + 2.0 * ROOM);
    let top = points().map(|point| point.mb_per_s).fold(0.0, f64::max) * 1.15;
    svg(HEIGHT, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_right(16)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d((middle - reach)..(middle + reach), 0.0..top)?;
        chart
            .configure_mesh()
            .axis_style(INK)
            .bold_line_style(grid())
            .light_line_style(TRANSPARENT)
            .label_style(text(SMALL, HPos::Center, VPos::Top))
            .axis_desc_style(text(SMALL, HPos::Center, VPos::Top))
            .x_labels(6)
            .y_labels(6)
            .x_label_formatter(&|ratio| label(*ratio))
            .y_label_formatter(&|speed| label(*speed))
            .x_desc("compressed / original length")
            .y_desc("throughput, MB/s")
            .draw()?;
        for one in series {
            let line = one.points.iter().map(|point| (point.ratio, point.mb_per_s));
            chart.draw_series(LineSeries::new(line, one.colour.stroke_width(2)))?;
            let style = if one.hollow {
                one.colour.stroke_width(2)
            } else {
                one.colour.filled()
            };
            // Names of both series stand apart, one below and one above the points.
            let (dy, vertical) = if one.hollow {
                (9, VPos::Top)
            } else {
                (-9, VPos::Bottom)
            };
            chart.draw_series(one.points.iter().map(|point| {
                EmptyElement::at((point.ratio, point.mb_per_s))
                    + Circle::new((0, 0), 5, style)
                    + Text::new(
                        point.label.clone(),
                        (0, dy),
                        text(SMALL - 1, HPos::Center, vertical),
                    )
            }))?;
        }
        Ok(())
    })
}
