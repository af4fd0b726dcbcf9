//! Compressed chunk files as Apache Cassandra keeps its SSTables, with every codec and accelerator
//! of [`compressor`] behind them.
//!
//! A [`Writer`] compresses a stream side by side and makes it visible at once; a [`Reader`] reads
//! it at random ([`Reader::read_at`]), in sequence ([`Reader::sequential`]) and in batches
//! ([`Reader::read_many`]). [`pack`], [`unpack`], [`recompress`], [`Reader::verify`] and
//! [`Inspected`] do what tools do with whole files.
//!
//! # The layout
//!
//! That of Cassandra 4.0 and later (SSTable versions `na` and up, big and bti alike). Facts from
//! `CompressionMetadata`, `CompressedSequentialWriter`, `CompressedChunkReader`, `ChecksumWriter`
//! and `CompressionParams` of its sources, and from what Cassandra 5.0.2 writes; the tests hand
//! pairs to those classes and take theirs. All integers are big-endian and, in Java, signed.
//!
//! `NAME-CompressionInfo.db`:
//!
//! | field | bytes | |
//! | --- | --- | --- |
//! | class | 2 + n | length in bytes, and the class name without its package, in modified UTF-8 |
//! | option count | 4 | the compressor's own options, in no particular order |
//! | options | each twice 2 + n | name and value, as the class name |
//! | chunk length | 4 | bytes of content in a chunk; a power of two |
//! | max compressed length | 4 | from here on a chunk is raw; 2³¹ − 1 for never; since 4.0 |
//! | data length | 8 | bytes of content |
//! | chunk count | 4 | at least 1 |
//! | offsets | 8 each | where each chunk begins in the data file; the first at 0 |
//!
//! It has no checksum. Nothing follows the last offset. `min_compress_ratio` is not kept: the max
//! compressed length is the chunk length divided by it, rounded up, and is at most the chunk length
//! or 2³¹ − 1. `chunk_length_in_kb` and `crc_check_chance` are no options here.
//!
//! `NAME-Data.db`: the chunks, without gaps, each followed by 4 bytes of CRC-32 (as in zlib) over
//! the bytes of the chunk as they are stored, compressed or raw. A chunk's length is where the next
//! one begins, or the file ends, less its own beginning and those 4 bytes.
//!
//! - **Raw chunks.** A chunk that compresses to the max compressed length or more is stored as it
//!   is. A reader goes by the length alone: below the max compressed length is compressed, all else
//!   is raw. So that this holds for a last chunk with less content than the max compressed length,
//!   it is filled up with zeros to that length, and the data length says where content ends.
//! - **The last chunk** is compressed like any other; its content is what is left of the data
//!   length.
//! - **Empty chunks.** An empty file has one chunk of no content, since a file without chunks is
//!   refused. A writer that is synced before its end leaves one more, behind a last chunk that may
//!   be short. They hold what the compressor makes of nothing: LZ4 5 zero bytes (the length, and
//!   an empty block), Deflate no byte at all, Noop neither; the CRC follows as ever.
//!
//! # What is refused
//!
//! Metadata is checked whole before any chunk is read ([`Flaw`]), and no memory is taken for a
//! number that the files' own lengths do not bear out. Chunks are limited to [`MAX_CHUNK_LEN`].
//! As the metadata has no checksum, a change in it that makes another right pair cannot be noticed:
//!
//! - the value of an option, which binds the writer alone;
//! - the max compressed length, as long as it parts raw chunks from compressed ones as before; and
//!   a last chunk that compressed to exactly the length of its content, which is rare, passes for
//!   raw below a smaller one, as it does in Cassandra;
//! - the chunk length where there is one chunk, as long as it holds the content;
//! - the data length where the last chunk is raw and filled up: more content is zeros. What would
//!   cut content is noticed, since padding must be zero, unless it is zeros that are cut.
//!
//! For every other byte of both files the tests flip it and see it noticed, with CRCs checked.
//!
//! # Data that is not kept elsewhere
//!
//! Chunks that an accelerator compressed wrongly have a CRC that fits. By default the decorator
//! compares the first 32 results of a format and level with what software decodes of them, then one
//! in 1,024. Where the original goes when the pair is there, as in compaction, have all of them
//! compared: `verify = "always"` in the configuration, `--verify-all` in the commands.
//!
//! # Measured
//!
//! Side by side in one run of `cargo bench -p chunk-file`: pairs on a memory file system, Deflate at
//! level 6, chunks of 16 KiB, rows, one thread, accelerated by libdeflate 1.26, at
//! [`Effort::Speed`](compressor::Effort::Speed) by ISA-L 2.30. On a virtual machine with 2 cores of an
//! Intel Xeon (Sapphire Rapids) where others worked as well, so at real-time priority (`chrt -f 50`):
//!
//! | | against | times as fast | CPU per byte |
//! | --- | --- | --- | --- |
//! | write (compress, CRC, file), accelerated | software | 2.5 | 0.40 |
//! | write, accelerated, `Effort::Speed` | software | 7.6 | 0.13 |
//! | sequential read, accelerated | software | 2.5 | 0.39 |
//! | `read_many` of 20 ranges of 100 bytes in 4 chunks, software | 20 × `read_at` | 4.9 | 0.20 |
//! | the same, accelerated | 20 × `read_at` | 4.9 | 0.21 |
//! | `read_many` of 20 ranges in 20 chunks, software | 20 × `read_at` | 1.00 | 1.00 |
//! | the same, accelerated | 20 × `read_at` | 0.99 | 1.01 |
//!
//! The data file is 0.326 times as long as the content by software, 0.323 times accelerated, 0.350
//! times at `Effort::Speed`, which may cost 10 % of length. The last line is 459 µs against 458.
//!
//! `examples/memory.rs` writes 10 GiB by four threads and reads 200,000 ranges of it at random: 15
//! MiB resident at most to write, 26 MiB with the 16 MiB of cache that it asks for.
//!
//! # Platforms
//!
//! Unix: positioned reads, and directories that can be synced.
//!
//! Files are read with `pread`, never mapped. Mapping is `unsafe`, which this crate forbids itself,
//! for a reason: a mapped file that is cut short kills the process with a signal, where `pread` has
//! an error to return. What it would save, a copy of the compressed bytes, is little beside
//! decompressing them.
#![forbid(unsafe_code)]

mod claim;
mod clean;
mod error;
mod info;
mod inspect;
mod mutf8;
mod pair;
mod params;
mod reader;
mod regular;
mod transfer;
mod verify;
mod writer;
pub use clean::clean;
pub use error::{Damage, Error, Flaw};
pub use info::{Chunk, CompressionInfo};
pub use inspect::{Bucket, Inspected};
pub use pair::Pair;
pub use params::{DEFAULT_CHUNK_LEN, MAX_CHUNK_LEN, Params, ParamsError};
pub use reader::{Reader, ReaderOptions, Sequential};
pub use transfer::{pack, recompress, unpack};
pub use verify::{BadChunk, Verified};
pub use writer::{Writer, WriterOptions, Written};
