//! What all plots share.

use std::error::Error;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::failure::Failure;

/// Width of a plot, in the units of its own coordinates; the page scales it to its column.
pub const WIDTH: u32 = 520;

/// The colour of text and axes.
pub const INK: RGBColor = BLACK;

/// Lines behind the data.
pub fn grid() -> ShapeStyle {
    RGBColor(0x80, 0x80, 0x80).mix(0.25).stroke_width(1)
}

/// Text; the page chooses the font.
pub fn text(size: u32, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    // The backend divides by 1.24, for the height of a font is more than its size.
    let size = f64::from(size) * 1.24;
    ("sans-serif", size)
        .into_text_style(&(WIDTH, WIDTH))
        .color(&INK)
        .pos(Pos::new(horizontal, vertical))
}

/// Size of the text at axes.
pub const SMALL: u32 = 13;

/// What is drawn on.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Why drawing stopped: never for want of a file, for the backend writes to a string.
pub type Drawn = Result<(), Box<dyn Error>>;

/// The SVG that `draw` makes.
pub fn svg(height: u32, draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, Failure> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        let drawn = draw(&area).and_then(|()| Ok(area.present()?));
        drawn.map_err(|error| Failure::io(format_args!("cannot draw: {error}")))?;
    }
    Ok(svg)
}

/// A number at an axis, without digits that say nothing.
pub fn label(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 100.0 || v == 0.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        let text = text.trim_end_matches('0').trim_end_matches('.');
        text.to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_no_digits_that_say_nothing() {
        let labels = [0.0, 0.25, 1.5, 2.0, 20.0, 1000.0, -0.5].map(label);
        assert_eq!(labels, ["0", "0.25", "1.5", "2", "20", "1000", "-0.5"]);
    }
}
