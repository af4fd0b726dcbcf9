//! Whole files in and out of pairs: `pack`, `unpack`, `verify`, `inspect`, `recompress`; and
//! `clean`, for what is left over.

mod opened;
mod params;
mod progress;
mod serving;
mod target;

pub mod clean;
pub mod inspect;
pub mod pack;
pub mod recompress;
pub mod unpack;
pub mod verify;
