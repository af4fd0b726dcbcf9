//! Plots, as SVG that takes its colours from the page.
//!
//! Black stands for the colour of text, which follows the reader's theme: see `style.css`.

mod canvas;
mod palette;
mod rows;
mod scatter;

pub use palette::{Palette, css};
pub use rows::{Axis, Mark, Row, rows};
pub use scatter::{Point, Series, scatter};
