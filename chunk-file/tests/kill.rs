//! Kills a process that writes pairs, many times, and looks at what it leaves.
//!
//! A program of its own, which starts itself as the writer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use chunk_file::{Pair, Params, Reader, ReaderOptions, Writer, WriterOptions, clean};
use compressor::{Compressor, Engine};

const KILLS: u64 = 200;
const WRITE_TO: &str = "CHUNK_FILE_WRITE_TO";

fn main() {
    match std::env::var_os(WRITE_TO) {
        Some(dir) => write_for_ever(Path::new(&dir)),
        None => kill_often(),
    }
}

fn params() -> Params {
    let options = [
        ("class", "LZ4Compressor"),
        ("chunk_length_in_kb", "4"),
        ("min_compress_ratio", "1.1"),
    ];
    Params::from_cql(options).unwrap()
}

/// The content of the `nth` pair: any length from 0 to 400 KiB, some of it random.
fn content(nth: u64) -> Vec<u8> {
    let mut state = nth.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let len = if nth.is_multiple_of(7) {
        0
    } else {
        state % 400_000
    };
    (0..len)
        .map(|at| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            if at / 5000 % 2 == 0 {
                state as u8
            } else {
                at as u8 / 16
            }
        })
        .collect()
}

fn write_for_ever(dir: &Path) {
    let engine = Engine::new().unwrap();
    let lz4 = engine.compressor(params().spec()).unwrap();
    for nth in 0.. {
        let pair = Pair::new(dir, &format!("nb-{nth}-big"));
        let options = WriterOptions::new().threads(1 + nth as usize % 3);
        write(&pair, nth, lz4.clone(), options);
    }
}

fn write(pair: &Pair, nth: u64, lz4: Arc<dyn Compressor>, options: WriterOptions) {
    let mut writer = Writer::create(pair, params(), lz4, options).unwrap();
    writer.append(&content(nth)).unwrap();
    writer.finish().unwrap();
}

/// Writes the pairs whose temporary data file is there; how many there were.
fn write_what_was_begun(dir: &Path, engine: &Engine) -> usize {
    let begun: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter_map(|file| Some(file.strip_suffix("-Data.db.tmp")?.to_owned()))
        .collect();
    for name in &begun {
        let nth = name.split('-').nth(1).unwrap().parse().unwrap();
        let lz4 = engine.compressor(params().spec()).unwrap();
        write(&Pair::new(dir, name), nth, lz4, WriterOptions::new());
    }
    begun.len()
}

fn kill_often() {
    let engine = Engine::new().unwrap();
    let (mut pairs, mut left_over, mut taken_over) = (0, 0, 0);
    for kill in 0..KILLS {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .env(WRITE_TO, dir.path())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        // From before the first pair to some pairs later, at no step of anything.
        sleep(Duration::from_micros(2_000 + kill * 7_919 % 60_000));
        writer.kill().unwrap();
        let status = writer.wait().unwrap();
        assert!(status.code().is_none(), "ended by itself: {status}");

        // What it was at can be written again, with what it left as it is or cleaned.
        if kill % 2 == 0 {
            taken_over += write_what_was_begun(dir.path(), &engine);
        }
        left_over += clean(dir.path()).unwrap().len();
        pairs += look_at(dir.path(), &engine);
    }
    println!(
        "{KILLS} kills: {pairs} pairs complete, {taken_over} of them taken over, {left_over} files \
         left over and removed"
    );
    assert!(
        pairs > 0 && left_over > 0 && taken_over > 0,
        "the kills came at no time that tells anything"
    );
}

/// Every data file is one of a complete pair, and there is nothing else; how many there are.
fn look_at(dir: &Path, engine: &Engine) -> usize {
    let files: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    let pairs: Vec<_> = files
        .iter()
        .filter_map(|path| Pair::of(path).filter(|pair| pair.data() == path))
        .collect();
    assert_eq!(files.len(), 2 * pairs.len(), "{files:?}");
    for pair in &pairs {
        let name = pair.data().file_name().unwrap().to_str().unwrap();
        let nth = name.split('-').nth(1).unwrap().parse().unwrap();
        let reader = Reader::open(pair, engine, ReaderOptions::default()).unwrap();
        let expected = content(nth);
        assert_eq!(reader.info().data_len(), expected.len() as u64);
        let mut back = vec![0; expected.len()];
        reader.read_at(0, &mut back).unwrap();
        assert!(back == expected, "{name}");
    }
    pairs.len()
}
