//! The `isal` accelerator: `zlib` and `gzip` in both directions, and compression to `deflate-raw`,
//! on the CPU through igzip, the compressor of Intel's ISA-L.
//!
//! igzip is made for speed: it compresses several times as fast as zlib, and its units are longer
//! than those of zlib's higher levels. What it writes, every zlib reads, and the other way round.
//!
//! # Where the library comes from
//!
//! Nothing is linked. [`Open::open`] asks the system's loader for `libisal.so.2`, or takes the file
//! that the parameter `library_path` names:
//!
//! | what it finds | what comes of it |
//! | --- | --- |
//! | no library of that name | [`Absent`](OpenError::Absent), with the name and the package that has it |
//! | `library_path` names no file, another library, or an ISA-L that is refused | [`Misconfigured`](OpenError::Misconfigured) |
//! | an ISA-L that is refused, or that fails the checks that are made when it is opened | [`Broken`](OpenError::Broken), with its version |
//! | an ISA-L that compresses right and does not decompress right | opened for compression, and [`Degraded`](compressor_api::Health::Degraded) |
//!
//! Which versions are refused, and why, is written at `version.rs`. ISA-L is used on 64-bit Linux
//! only.
//!
//! # Levels
//!
//! A [`Spec`](compressor_api::Spec) names zlib's levels; ISA-L has four of its own, of which two
//! serve. [`Compressor::effective`](compressor_api::Compressor::effective) says which one does.
//!
//! | zlib | ISA-L | length, at most | why |
//! | --- | --- | --- | --- |
//! | 0 | – | | means stored blocks, which ISA-L writes only where nothing else is shorter |
//! | 1 | 1 | 1.03 | as long as zlib's |
//! | 2 | 1 | 1.06 | |
//! | 3 | 3 | 1.03 | the shortest that ISA-L writes |
//! | 6 | 3 | 1.12 | like 4, 5 and 7 to 9: zlib does better, ISA-L does not |
//!
//! Length is that of all units through zlib's at the same level, at the worst over the data sets
//! `text`, `rows`, `wide-rows` and `logs` of `compressor-benches` in blocks of 4, 16 and 64 KiB.
//! Beside zlib at level 6, on the same data:
//!
//! | ISA-L | length | compression | decompression |
//! | --- | --- | --- | --- |
//! | 0 | 1.18–1.49 | 8.3–17.3 times as fast | |
//! | 1 | 1.03–1.16 | 4.3–15.5 times as fast | 1.8–2.7 times as fast |
//! | 2 | 1.03–1.12 | 4.4–15.2 times as fast | |
//! | 3 | 1.01–1.12 | 3.2–14.2 times as fast | 1.9–2.8 times as fast |
//!
//! Measured on one core with AVX-512, ISA-L 2.30 and zlib 1.4, by
//! `cargo run --release -p provider-isal --example isal_levels`, which prints each case. Level 0 knows one
//! Huffman code for all data, and is no match for any level of zlib. Level 2 is as fast as level 1
//! and mostly shorter, but not on all data, so that a map with both would not be monotone.
//!
//! # Efforts
//!
//! [`Effort::Balanced`](compressor_api::Effort::Balanced) and
//! [`Effort::Speed`](compressor_api::Effort::Speed) are served, at ISA-L's level 2, and only for blocks
//! that come out within the loss that goes with the effort, or that the spec states:
//!
//! | zlib | 4 KiB | 16 KiB | 20 KiB | 32 KiB | 64 KiB | 256 KiB |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | 1–3 | 4 % | 4 % | 5 % | 5 % | 5 % | 5 % |
//! | 4 | 5 % | 6 % | 7 % | 7 % | 8 % | 9 % |
//! | 5, 6 | 7 % | 10 % | 10 % | 11 % | 13 % | 15 % |
//! | 7–9 | 8 % | 13 % | 16 % | 16 % | 17 % | 20 % |
//!
//! So at zlib's default level it takes blocks of up to 4 KiB for `Balanced` (7 %), of up to 20 KiB for
//! `Speed` (10 %), and at a loss of 13 % up to 64 KiB. What is longer, somebody else has to serve. The numbers are the worst over
//! the same data sets, for blocks of at most so many bytes; most are those of `logs`.
//!
//! Nothing that ISA-L offers keeps to 10 % on `logs` in blocks of 64 KiB. Level 3 is 12.2 % longer there
//! (`text` 9.6 %, `wide-rows` 8.9 %, `rows` 4.9 %), and 10.3 % in blocks of 32 KiB; Deflate blocks of
//! 1,024 to 131,072 symbols and windows of 2 to 32 KiB leave 11.2 % at the least, and make others
//! longer. The example prints it. Whoever has other data than `logs` gains by a calibration: beside
//! libdeflate's level 1, level 3 is 1.8 times as fast on `text`, and level 2 2.4 times on `rows`.
//!
//! At level 1 two sessions may write units of different length for the same content: about one block
//! in 500 differs, by a byte. The place of the third position in ISA-L's hash table depends on the
//! address of its stream, which nobody meant (2.30 and 2.31). Each unit is right, and one session
//! always writes the same one.
//!
//! # Priority
//!
//! A caller who names a level expects the length that goes with it, and above level 3 ISA-L's units
//! are longer than zlib's. So its priority is −2: software comes before it, and by default it serves
//! nothing. A policy that wants speed prefers it or assigns it.
//!
//! # Formats
//!
//! | format | compression | decompression |
//! | --- | --- | --- |
//! | `zlib`, `gzip` | yes | yes |
//! | `deflate-raw` | yes | no |
//!
//! ISA-L reads streams whose Huffman codes leave some sequences of bits without a meaning, as long
//! as none of those occurs; no encoder writes such codes, and zlib refuses them. One bit that flips
//! in the lengths of a code can make it such a code, and the rest of the stream another content. In
//! `zlib` and `gzip` the checksum finds that. In `deflate-raw` nothing does: corrupt content would
//! be returned as good, and only a decoder as slow as zlib could tell. So `deflate-raw` is not
//! listed for decompression, and is left to others.
//!
//! # Windows
//!
//! A spec with a smaller window is kept to, in the units and in the header of `zlib`.
//!
//! # Errors
//!
//! The frame is read and checked here; from ISA-L come the stream and its checksum. A unit gives
//! the same [`ErrorKind`](compressor_api::ErrorKind) as it does with zlib: ISA-L may call a unit
//! invalid whose content is only too long for `dst`, so what it refuses is walked once more by
//! [`inspect::deflate`](compressor_api::inspect::deflate). A unit that is corrupt and too long for
//! `dst` at once is judged by what comes first: its header, then its stream up to the first byte
//! beyond `dst`.
//!
//! One difference is left: a stream with such codes as [Formats](#formats) tells of is read, if its
//! content agrees with the checksum. zlib refuses it.
//!
//! # Limits
//!
//! ISA-L counts in 32 bits. Content of up to 64 MiB is taken in either direction; what is longer is
//! [`Unsupported`](compressor_api::ErrorKind::Unsupported).
//!
//! # Memory
//!
//! A session holds all that ISA-L needs from the start: 420 KiB to compress, of which a small block
//! touches a part, and 86 KiB to decompress. Nothing is allocated per operation, except that the
//! first compressions into a `dst` below the bound grow a buffer of the bound's length.

#[allow(
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    dead_code,
    non_camel_case_types,
    non_upper_case_globals,
    reason = "generated"
)]
mod bindings;
mod compressor;
mod factory;
mod frame;
mod igzip;
mod level;
mod library;
mod limits;
mod probe;
mod session;
mod version;
mod zeroed;

use std::sync::Arc;

use compressor_api::{
    CompressorFactory, Format, Open, OpenError, ParamKind, ParamSpec, Params, ProviderClass,
    ProviderEntry, ProviderId,
};

use factory::Factory;
use library::Library;

const ID: ProviderId = ProviderId::new("isal");

const LIBRARY_PATH: ParamSpec = ParamSpec {
    name: "library_path",
    kind: ParamKind::Text,
    default: "",
    doc: "Absolute path of ISA-L's shared library; empty for libisal.so.2, wherever the system keeps it",
};

/// The provider as listed.
pub static PROVIDER: ProviderEntry = ProviderEntry::new(
    ID,
    ProviderClass::Accelerator,
    "ISA-L igzip: the fastest compression on the CPU, at some cost in length",
    &[Format::Zlib, Format::DeflateRaw, Format::Gzip],
    &Opener,
)
.with_priority(-2)
.with_params(&[LIBRARY_PATH]);

compressor_api::submit_provider!(PROVIDER);

struct Opener;

impl Open for Opener {
    fn open(&self, params: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        let library = match params.text(LIBRARY_PATH.name) {
            None | Some("") => Library::by_name(library::NAMES)?,
            Some(path) => Library::by_path(path)?,
        };
        let factory = Factory::new(library);
        probe::probe(&factory).map_err(|what| OpenError::Broken {
            why: format!("{}: {what}", factory.library()),
        })?;
        Ok(Arc::new(factory))
    }
}
