//! Cassandra's own compressor classes against the specs that their names and options parse into.
//!
//! Skipped with the reason where the JVM oracle is not built, or built without Cassandra's classes; see
//! the module `outside`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::env;
use std::sync::Arc;

use compressor_api::{Compressor, CompressorFactory, ErrorKind, Format, Spec, cassandra, stored};
use compressor_conformance::data::Kind;
use compressor_conformance::outside::{Cassandra, Trouble};

/// `None` where it is missing and may be.
fn oracle() -> Option<Cassandra> {
    match Cassandra::start() {
        Ok(oracle) => Some(oracle),
        Err(why) => {
            let allowed = env::var("ALLOW_OUTSIDE_MISSING").unwrap_or_default();
            let required = env::var("REQUIRE_OUTSIDE").as_deref() == Ok("all");
            assert!(!required || allowed.contains("cassandra:"), "{why}");
            println!("Cassandra's classes: skipped: {why}");
            None
        }
    }
}

fn provider(format: Format) -> Arc<dyn CompressorFactory> {
    match format {
        Format::Lz4Sized => compressor_lz4::factory(),
        Format::Zstd => compressor_zstd::factory(),
        Format::Zlib => compressor_deflate::factory(),
        Format::Snappy => compressor_snappy::factory(),
        _ => stored::factory(),
    }
}

fn compress(compressor: &dyn Compressor, content: &[u8]) -> Vec<u8> {
    let mut unit = vec![0; compressor.max_compressed_len(content.len()).unwrap()];
    let mut session = compressor.compress_session().unwrap();
    let n = session.compress(content, &mut unit).unwrap();
    unit.truncate(n);
    unit
}

fn decompress(compressor: &dyn Compressor, unit: &[u8], len: usize) -> Vec<u8> {
    let mut content = vec![0; len];
    let mut session = compressor.decompress_session().unwrap();
    session.decompress_exact(unit, &mut content).unwrap();
    content
}

type Options = Vec<(&'static str, String)>;

fn parse(class: &str, options: &[(&'static str, String)]) -> Option<Spec> {
    cassandra::spec(class, options.iter().map(|(k, v)| (*k, v.as_str()))).ok()
}

fn qualified(class: &str) -> String {
    format!("{}.{class}", cassandra::PACKAGE)
}

/// Every class with every kind of options that it takes.
fn valid() -> Vec<(&'static str, Options)> {
    let high = |level: i32| {
        vec![
            ("lz4_compressor_type", "high".to_owned()),
            ("lz4_high_compressor_level", level.to_string()),
        ]
    };
    let zstd = |level: i32| vec![("compression_level", level.to_string())];
    let mut all = vec![
        ("LZ4Compressor", vec![]),
        (
            "LZ4Compressor",
            vec![("lz4_compressor_type", "fast".to_owned())],
        ),
        (
            "LZ4Compressor",
            vec![("lz4_compressor_type", "high".to_owned())],
        ),
        (
            "LZ4Compressor",
            vec![("lz4_high_compressor_level", "4".to_owned())],
        ),
        ("ZstdCompressor", vec![]),
        ("DeflateCompressor", vec![]),
        ("SnappyCompressor", vec![]),
        ("NoopCompressor", vec![]),
    ];
    all.extend((1..=17).map(|level| ("LZ4Compressor", high(level))));
    let levels = [-131_072, -7, -1, 0, 1, 2, 3, 5, 9, 15, 19, 22];
    all.extend(levels.map(|level| ("ZstdCompressor", zstd(level))));
    all
}

#[test]
fn every_class_and_option_reads_what_we_write_and_the_other_way_round() {
    let Some(mut oracle) = oracle() else { return };
    let mut exchanges = 0;
    for (class, options) in valid() {
        let spec = parse(class, &options).unwrap_or_else(|| panic!("{class} {options:?}"));
        let compressor = provider(spec.format()).compressor(&spec).unwrap();
        let name = qualified(class);
        for (kind, size) in [
            (Kind::Text, 1),
            (Kind::Text, 16_384),
            (Kind::Rows, 65_536),
            (Kind::Random, 4_096),
            (Kind::Repeats(65_535), 70_000),
        ] {
            let content = kind.make(size, 1);
            let context = format!("{class} {options:?} {kind} {size}");

            let theirs = oracle.compress(&name, &options, &content).expect(&context);
            assert!(
                decompress(&*compressor, &theirs, size) == content,
                "{context}"
            );

            let ours = compress(&*compressor, &content);
            let read = oracle.decompress(&name, &options, &ours, size);
            assert!(read.expect(&context) == content, "{context}");
            exchanges += 2;
        }
    }
    println!("Cassandra's classes: run: {exchanges} exchanges");
}

#[test]
fn what_cassandra_accepts_and_refuses_so_do_we() {
    let Some(mut oracle) = oracle() else { return };
    let option = |key: &'static str, value: &str| vec![(key, value.to_owned())];
    let mut cases: Vec<(&str, Options)> = valid();
    let numbers = [
        "0",
        "-1",
        "18",
        "17",
        "23",
        "22",
        "-131072",
        "-131073",
        "3.0",
        "",
        " ",
        " 9",
        "9 ",
        "+9",
        "09",
        "0x9",
        "9L",
        "nine",
        "2147483648",
        "-0",
    ];
    for number in numbers {
        cases.push(("LZ4Compressor", option("lz4_high_compressor_level", number)));
        cases.push(("ZstdCompressor", option("compression_level", number)));
    }
    for value in ["FAST", "High", "", "hc", "fast ", "slow"] {
        cases.push(("LZ4Compressor", option("lz4_compressor_type", value)));
    }
    for class in cassandra::CLASSES {
        for key in [
            "level",
            "chunk_length_in_kb",
            "LZ4_COMPRESSOR_TYPE",
            "",
            "class",
        ] {
            cases.push((class, option(key, "4")));
        }
        cases.push((class, option("compression_level", "4")));
        cases.push((class, option("lz4_high_compressor_level", "4")));
    }

    let content = Kind::Text.make(100, 1);
    let mut differences = Vec::new();
    let mut refused = 0;
    for (class, options) in &cases {
        // Came after the release that the oracle has.
        if *class == "ZstdDictionaryCompressor" {
            continue;
        }
        let theirs = match oracle.compress(&qualified(class), options, &content) {
            Ok(_) => true,
            Err(Trouble::Refused(_)) => false,
            Err(trouble) => panic!("{class} {options:?}: {trouble}"),
        };
        refused += usize::from(!theirs);
        for name in [(*class).to_owned(), qualified(class)] {
            if parse(&name, options).is_some() != theirs {
                let they = if theirs { "accepts" } else { "refuses" };
                differences.push(format!("Cassandra {they} {name} {options:?}"));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(refused > 30, "{refused}");
}

#[test]
fn digits_of_other_scripts_are_the_one_thing_that_cassandra_takes_and_we_refuse() {
    let Some(mut oracle) = oracle() else { return };
    // Java's parseInt reads every decimal digit of Unicode; here is an Arabic 9.
    let options = vec![("compression_level", "\u{669}".to_owned())];
    let name = qualified("ZstdCompressor");
    assert!(oracle.compress(&name, &options, b"content").is_ok());
    assert_eq!(parse(&name, &options), None);
}

#[test]
fn cassandras_deflate_writes_nothing_for_nothing_and_every_other_class_a_unit() {
    let Some(mut oracle) = oracle() else { return };
    for class in ["LZ4", "Zstd", "Deflate", "Snappy", "Noop"] {
        let name = format!("{}.{class}Compressor", cassandra::PACKAGE);
        let unit = oracle.compress(&name, &[], &[]).unwrap();
        let nothing = matches!(class, "Deflate" | "Noop");
        assert_eq!(unit.is_empty(), nothing, "{class}");
        let read = oracle.decompress(&name, &[], &unit, 0).unwrap();
        assert!(read.is_empty(), "{class}");

        // Ours is a unit, as the format has it, and is read all the same.
        let spec = parse(&name, &[]).unwrap();
        let ours = compress(&*provider(spec.format()).compressor(&spec).unwrap(), &[]);
        let read = oracle.decompress(&name, &[], &ours, 0).unwrap();
        assert!(read.is_empty(), "{class}");
    }
}

#[test]
fn a_unit_that_holds_more_than_it_should_is_read_by_cassandras_deflate_and_refused_by_us() {
    let Some(mut oracle) = oracle() else { return };
    let name = qualified("DeflateCompressor");
    let content = Kind::Text.make(1_001, 1);
    let unit = oracle.compress(&name, &[], &content).unwrap();
    // It fills its output and never comes to the checksum; a chunk has one of its own.
    let read = oracle.decompress(&name, &[], &unit, 1_000);
    assert!(read.unwrap() == content[..1_000]);

    let spec = Spec::new(Format::Zlib);
    let compressor = compressor_deflate::factory().compressor(&spec).unwrap();
    let mut session = compressor.decompress_session().unwrap();
    let read = session.decompress_exact(&unit, &mut [0; 1_000]);
    assert_eq!(read.unwrap_err().kind(), ErrorKind::CorruptInput);
}

#[test]
fn a_class_that_we_name_for_a_spec_is_one_that_cassandra_creates() {
    let Some(mut oracle) = oracle() else { return };
    let content = Kind::Rows.make(4_096, 1);
    for format in [
        Format::Lz4Sized,
        Format::Zstd,
        Format::Zlib,
        Format::Snappy,
        Format::None,
    ] {
        let levels = format.levels();
        for level in levels.min().max(-3)..=levels.max() {
            let spec = Spec::new(format).with_level(level).unwrap();
            let class = cassandra::class(&spec).unwrap();
            let ours = compress(&*provider(format).compressor(&spec).unwrap(), &content);
            let name = class.qualified_name();
            let read = oracle.decompress(&name, &class.options, &ours, content.len());
            assert_eq!(read.as_ref(), Ok(&content), "{class:?}");
        }
    }
}
