#![forbid(unsafe_code)]
//! placeholder
mod error;
mod info;
mod mutf8;
mod pair;
mod params;
pub use error::{Damage, Error, Flaw};
pub use info::{Chunk, CompressionInfo};
pub use pair::{Pair, clean};
pub use params::{DEFAULT_CHUNK_LEN, MAX_CHUNK_LEN, Params, ParamsError};
