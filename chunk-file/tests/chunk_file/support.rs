use std::io::Write;
use std::sync::LazyLock;

use chunk_file::{Error, Pair, Params, Reader, ReaderOptions, Writer, WriterOptions, Written};
use compressor::Engine;
use compressor_benches::data::{Kind, generate};
use tempfile::TempDir;

pub static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new().unwrap());

/// Every class, with the options that are worth a test.
pub const CLASSES: &[&[(&str, &str)]] = &[
    &[("class", "LZ4Compressor")],
    &[
        ("class", "LZ4Compressor"),
        ("lz4_compressor_type", "high"),
        ("lz4_high_compressor_level", "9"),
    ],
    &[("class", "ZstdCompressor")],
    &[("class", "ZstdCompressor"), ("compression_level", "-5")],
    &[("class", "DeflateCompressor")],
    &[("class", "SnappyCompressor")],
    &[("class", "NoopCompressor")],
];

pub fn params(class: &[(&str, &str)], chunk_kb: u32, ratio: &str) -> Params {
    let chunk_kb = chunk_kb.to_string();
    let chunks = [
        ("chunk_length_in_kb", chunk_kb.as_str()),
        ("min_compress_ratio", ratio),
    ];
    Params::from_cql(class.iter().copied().chain(chunks)).unwrap()
}

pub fn lz4(chunk_kb: u32) -> Params {
    params(CLASSES[0], chunk_kb, "0")
}

/// Rows that compress, with a stretch in every third 4 KiB that does not.
pub fn mixed(len: usize) -> Vec<u8> {
    let mut rows = generate(Kind::Rows, 7, len).bytes;
    let noise = generate(Kind::Random, 7, len).bytes;
    for (at, (row, noise)) in rows.chunks_mut(4096).zip(noise.chunks(4096)).enumerate() {
        if at % 3 == 1 {
            row.copy_from_slice(noise);
        }
    }
    rows
}

pub fn rows(len: usize) -> Vec<u8> {
    generate(Kind::Rows, 3, len).bytes
}

pub fn random(len: usize) -> Vec<u8> {
    generate(Kind::Random, 3, len).bytes
}

pub fn write(
    pair: &Pair,
    params: &Params,
    threads: usize,
    content: &[u8],
) -> Result<Written, Error> {
    let compressor = ENGINE.compressor(params.spec()).unwrap();
    let options = WriterOptions::new().threads(threads).depth(2);
    let mut writer = Writer::create(pair, params.clone(), compressor, options)?;
    // Pieces that fit no chunk length.
    for piece in content.chunks(777) {
        writer.write_all(piece).unwrap();
    }
    writer.finish()
}

pub fn open(pair: &Pair) -> Reader {
    Reader::open(pair, &ENGINE, ReaderOptions::default()).unwrap()
}

/// All the content, read chunk by chunk.
pub fn read_all(reader: &Reader) -> Result<Vec<u8>, Error> {
    let len = usize::try_from(reader.info().data_len()).unwrap();
    let mut content = vec![0; len];
    assert_eq!(reader.read_at(0, &mut content)?, len);
    Ok(content)
}

/// A pair of this content in a directory of its own.
pub fn made(params: &Params, content: &[u8]) -> (TempDir, Pair) {
    let dir = tempfile::tempdir().unwrap();
    let pair = Pair::new(dir.path(), "nb-1-big");
    write(&pair, params, 1, content).unwrap();
    (dir, pair)
}
