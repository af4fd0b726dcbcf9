#![forbid(unsafe_code)]
//! placeholder
mod error;
mod info;
mod inspect;
mod mutf8;
mod pair;
mod params;
mod reader;
mod transfer;
mod verify;
mod writer;
pub use error::{Damage, Error, Flaw};
pub use info::{Chunk, CompressionInfo};
pub use inspect::{Bucket, Inspected};
pub use pair::{Pair, clean};
pub use params::{DEFAULT_CHUNK_LEN, MAX_CHUNK_LEN, Params, ParamsError};
pub use reader::{Reader, ReaderOptions, Sequential};
pub use transfer::{pack, recompress, unpack};
pub use verify::{BadChunk, Verified};
pub use writer::{Writer, WriterOptions, Written};
