//! What the provider adds to a call of QATzip.

use std::hint::black_box;
use std::ops::Range;

use compressor_api::{CompressorFactory, Direction, Error, Format, Spec};
use compressor_benches::data::{Kind, generate};
use compressor_benches::measure::{Median, Pace, interleave};

use crate::direct::Direct;
use crate::sim::{Api, Sim};
use crate::{Effort, wanted};

const BLOCK: usize = 4_096;
const BLOCKS: usize = 16;

/// What an operation may cost more than the direct call.
const TARGET_NS: f64 = 300.0;

/// Formats and directions that QATzip serves as they are.
const CONTESTS: [(Format, Direction); 9] = [
    (Format::Zlib, Direction::Compress),
    (Format::Zlib, Direction::Decompress),
    (Format::Gzip, Direction::Compress),
    (Format::Gzip, Direction::Decompress),
    (Format::DeflateRaw, Direction::Compress),
    (Format::Lz4Block, Direction::Compress),
    (Format::Lz4Block, Direction::Decompress),
    (Format::Zstd, Direction::Compress),
    (Format::Zstd, Direction::Decompress),
];

/// Does the operations of these numbers.
type Lane = Box<dyn FnMut(Range<usize>) -> Result<(), Error>>;

/// Prints the table.
pub fn run(effort: Effort) {
    let contests = CONTESTS.map(|(format, direction)| {
        let name = format!("{format}/{direction}");
        (format, direction, name)
    });
    if !contests.iter().any(|contest| wanted(&contest.2)) {
        return;
    }
    println!(
        "SIMULATED: nanoseconds an operation on blocks of {BLOCK} bytes, without the device's time:"
    );
    println!(
        "the direct call, what the provider adds (median and its 95 % interval), and what of that"
    );
    println!("the one checksum of the content is that it compares with the unit's\n");
    println!(
        "{:<24} {:>8}  {:<22} of which checksum",
        "format/direction", "direct", "provider adds"
    );
    let sim = Sim::new("overhead", Api::V2_6, "work=stored");
    let factory = sim.factory();
    for (format, direction, name) in contests {
        if !wanted(&name) {
            continue;
        }
        let sets: Vec<[f64; 3]> = (0..effort.rounds)
            .map(|_| measure(&sim, &*factory, format, direction, effort))
            .collect();
        let [direct, adds, checksum] =
            [0, 1, 2].map(|lane| Median::of(sets.iter().map(|set| set[lane])).unwrap());
        let over = if adds.low > TARGET_NS {
            "  above the target"
        } else {
            ""
        };
        println!(
            "{name:<24} {:>8.0}  {:<22} {:>6.0}{over}",
            direct.value,
            format!("{:>6.0} ({:.0} to {:.0})", adds.value, adds.low, adds.high),
            checksum.value
        );
    }
    println!("\nThe target is {TARGET_NS} ns.\n");
}

/// The checksum that the provider computes of a block, as it does.
fn checksum(format: Format, content: &[u8]) {
    match format {
        Format::Zlib => drop(black_box(libdeflater::adler32(content))),
        Format::Gzip => drop(black_box(libdeflater::crc32(content))),
        Format::Zstd => drop(black_box(xxhash_rust::xxh64::xxh64(content, 0))),
        _ => {}
    }
}

/// Nanoseconds an operation of the direct call, what the provider adds in the same round, and what a
/// checksum takes.
fn measure(
    sim: &Sim,
    factory: &dyn CompressorFactory,
    format: Format,
    direction: Direction,
    effort: Effort,
) -> [f64; 3] {
    let content = generate(Kind::Rows, 1, BLOCK * BLOCKS).bytes;
    let compressor = factory.compressor(&Spec::new(format)).unwrap();
    let mut room = vec![0; compressor.max_compressed_len(BLOCK).unwrap().max(BLOCK)];
    let mut writer = compressor.compress_session().unwrap();
    let sources: Vec<Vec<u8>> = content
        .chunks(BLOCK)
        .map(|block| match direction {
            Direction::Compress => block.to_vec(),
            Direction::Decompress => {
                let n = writer.compress(block, &mut room).unwrap();
                room[..n].to_vec()
            }
        })
        .collect();

    let mut direct = Direct::new(sim, format, direction);
    let blocks: Vec<Vec<u8>> = content.chunks(BLOCK).map(<[u8]>::to_vec).collect();
    let checksums: Lane = Box::new(move |operations| {
        for at in operations {
            checksum(format, black_box(&blocks[at % BLOCKS]));
        }
        Ok(())
    });
    let mut lanes: [Lane; 3] = match direction {
        Direction::Compress => {
            let mut session = compressor.compress_session().unwrap();
            let (theirs, mut their_dst) = (sources.clone(), room.clone());
            [
                Box::new(move |operations| {
                    for at in operations {
                        let src = black_box(&theirs[at % BLOCKS]);
                        black_box(direct.compress(src, &mut their_dst));
                    }
                    Ok(())
                }),
                Box::new(move |operations| {
                    for at in operations {
                        let src = black_box(&sources[at % BLOCKS]);
                        black_box(session.compress(src, &mut room)?);
                    }
                    Ok(())
                }),
                checksums,
            ]
        }
        Direction::Decompress => {
            let mut session = compressor.decompress_session().unwrap();
            let (theirs, mut their_dst) = (sources.clone(), room.clone());
            [
                Box::new(move |operations| {
                    for at in operations {
                        let src = black_box(&theirs[at % BLOCKS]);
                        black_box(direct.decompress(src, &mut their_dst[..BLOCK]));
                    }
                    Ok(())
                }),
                Box::new(move |operations| {
                    for at in operations {
                        let src = black_box(&sources[at % BLOCKS]);
                        black_box(session.decompress_exact(src, &mut room[..BLOCK])?);
                    }
                    Ok(())
                }),
                checksums,
            ]
        }
    };
    let rounds = interleave(&mut lanes, &Pace::fine(effort.time), |_| {}).unwrap();
    let operations = rounds.ops_per_round() as f64;
    let quiet = rounds.quiet();
    let per_op = |lane: usize| {
        let laps = rounds.laps(lane);
        let laps = quiet.iter().map(|round| laps[*round]);
        laps.map(move |lap| lap.wall.as_secs_f64() * 1e9 / operations)
    };
    let adds = per_op(1)
        .zip(per_op(0))
        .map(|(provider, direct)| provider - direct);
    [
        Median::of(per_op(0)).unwrap().value,
        Median::of(adds).unwrap().value,
        Median::of(per_op(2)).unwrap().value,
    ]
}
