//! Writes a long stream, reads it at random, and says how much memory that took.
//!
//! ```sh
//! cargo run --release -p chunk-file --example memory -- DIR 10240
//! ```
#![allow(missing_docs, reason = "an example")]

use std::error::Error;
use std::fs;

use chunk_file::{Pair, Params, Reader, ReaderOptions, Writer, WriterOptions};
use compressor::Engine;
use compressor_benches::data::{Kind, generate};

const CACHE: usize = 16 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let dir = args.next().ok_or("which directory?")?;
    let mib: u64 = args.next().ok_or("how many MiB?")?.parse()?;

    let engine = Engine::new()?;
    let params = Params::from_cql([("class", "LZ4Compressor")])?;
    let pair = Pair::new(&dir, "nb-1-big");
    let piece = generate(Kind::Rows, 1, 1 << 20).bytes;
    let lz4 = engine.compressor(params.spec())?;
    let options = WriterOptions::new().threads(4);
    let mut writer = Writer::create(&pair, params, lz4, options)?;
    for _ in 0..mib {
        writer.append(&piece)?;
    }
    let written = writer.finish()?;
    println!("wrote {} bytes as {}", written.data_len, written.file_len);
    println!("most memory: {}", most_memory()?);

    let options = ReaderOptions::default().cache_bytes(CACHE);
    let reader = Reader::open(&pair, &engine, options)?;
    let (mut place, mut item) = (1_u64, [0; 100]);
    for _ in 0..200_000 {
        place = place
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let start = (place >> 8) % (written.data_len - 100);
        reader.read_at(start, &mut item)?;
        let at = (start % (1 << 20)) as usize;
        if piece.get(at..at + 100).is_some_and(|right| right != item) {
            return Err("wrong bytes".into());
        }
    }
    println!(
        "most memory with {CACHE} bytes of cache: {}",
        most_memory()?
    );
    fs::remove_file(pair.data())?;
    fs::remove_file(pair.info())?;
    Ok(())
}

/// The most that was resident, as Linux tells it.
fn most_memory() -> Result<String, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line.ok_or("no VmHWM")?.trim().to_owned())
}
