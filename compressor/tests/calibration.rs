//! What is measured on a host: by whom it is followed, and what becomes of a file that does not hold.
#![cfg(all(feature = "deflate", feature = "libdeflate"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::fs;
use std::path::{Path, PathBuf};

use compressor::decorator::Reason;
use compressor::{
    Calibration, CalibrationError, Choice, Compressor, Direction, Effort, Engine, Format, Policy,
    Sample, Spec,
};
use compressor_benches::data::{Kind, generate};

fn speed() -> Spec {
    Spec::new(Format::Zlib).with_effort(Effort::Speed)
}

fn measured(spec: &Spec) -> Calibration {
    let engine = Engine::new().unwrap();
    engine
        .calibrate(&Sample::rows(), std::slice::from_ref(spec))
        .unwrap()
}

/// A path of this test's own, whose file is gone at the end.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        let name = format!("compressor-calibration-{}-{name}.toml", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// With this content.
    fn of(name: &str, text: &str) -> Self {
        let file = Self::new(name);
        fs::write(&file.0, text).unwrap();
        file
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn engine_at(path: &Path) -> Engine {
    Engine::builder().calibration_file(path).build().unwrap()
}

/// Longest content, provider and level of each route.
fn routes(engine: &Engine, spec: &Spec, direction: Direction) -> Vec<(usize, &'static str, i32)> {
    let compressor = engine.compressor(spec).unwrap();
    let routes = compressor.routes(direction);
    routes
        .map(|route| {
            let side = route.side.unwrap();
            (route.max_len, side.provider.as_str(), side.level)
        })
        .collect()
}

fn round_trips(compressor: &dyn Compressor) {
    let mut writer = compressor.compress_session().unwrap();
    let mut reader = compressor.decompress_session().unwrap();
    let content = b"machine-0007 temperature 21.5 ok\n".repeat(10_000);
    for len in [0, 1, 4_096, 4_097, 16_384, 16_385, 65_536, 65_537, 300_000] {
        let content = &content[..len];
        let mut unit = vec![0; compressor.max_compressed_len(len).unwrap()];
        let n = writer.compress(content, &mut unit).unwrap();
        let mut back = vec![0; len];
        reader.decompress_exact(&unit[..n], &mut back).unwrap();
        assert_eq!(back, content);
    }
}

fn choice(calibration: &Calibration, direction: Direction) -> &Choice {
    let mut choices = calibration.choices().iter();
    choices.find(|c| c.direction == direction).unwrap()
}

#[test]
fn everybody_who_can_serve_is_measured_and_nobody_too_long_is_chosen() {
    let calibration = measured(&speed());
    assert_eq!(calibration.choices().len(), 2);
    for direction in Direction::BOTH {
        let choice = choice(&calibration, direction);
        assert_eq!((choice.format, choice.level), (Format::Zlib, 6));
        assert_eq!((choice.effort, choice.max_loss), (Some(Effort::Speed), 10));
        assert_eq!(choice.routes.last().unwrap().max_len, None);
        assert!(!choice.routes[0].candidates.is_empty());
        // What is longer than the fastest takes was not measured.
        let measured = { choice.routes.iter() }.filter(|route| !route.candidates.is_empty());
        for route in measured {
            let names: Vec<&str> = { &route.candidates }
                .iter()
                .map(|one| one.server.provider.as_str())
                .collect();
            assert!(names.contains(&"software.deflate"), "{names:?}");
            assert!(names.contains(&"libdeflate"), "{names:?}");
            let chosen = { &route.candidates }
                .iter()
                .find(|one| one.server == route.server)
                .unwrap();
            assert!(chosen.loss <= 10.0 && chosen.mb_per_s > 0.0, "{chosen:?}");
            assert!(
                route
                    .candidates
                    .iter()
                    .all(|one| one.loss > 10.0 || one.mb_per_s <= chosen.mb_per_s * 1.04),
                "{route:?}"
            );
        }
    }
}

#[test]
fn without_an_effort_only_the_level_itself_is_measured() {
    let calibration = measured(&Spec::new(Format::Zlib));
    let compress = choice(&calibration, Direction::Compress);
    let measured = { compress.routes.iter() }.filter(|route| !route.candidates.is_empty());
    for route in measured {
        assert!(
            route
                .candidates
                .iter()
                .all(|one| one.server.at_level.is_none())
        );
        let chosen = route
            .candidates
            .iter()
            .find(|one| one.server == route.server);
        assert!(chosen.unwrap().loss <= 1.0);
    }
}

#[test]
fn decompression_is_measured_once_for_a_format() {
    let engine = Engine::new().unwrap();
    let specs = [speed(), Spec::new(Format::Zlib), Spec::new(Format::Gzip)];
    let calibration = engine.calibrate(&Sample::rows(), &specs).unwrap();
    let measured = |direction| -> Vec<(Format, u8)> {
        { calibration.choices().iter() }
            .filter(|choice| choice.direction == direction)
            .map(|choice| (choice.format, choice.max_loss))
            .collect()
    };
    let (zlib, gzip) = (Format::Zlib, Format::Gzip);
    assert_eq!(
        measured(Direction::Compress),
        [(zlib, 10), (zlib, 0), (gzip, 0)]
    );
    assert_eq!(measured(Direction::Decompress), [(zlib, 10), (gzip, 0)]);
}

#[test]
fn what_one_provider_alone_serves_is_left_out() {
    assert!(measured(&Spec::new(Format::Snappy)).choices().is_empty());
}

#[test]
fn a_sample_may_be_as_short_as_a_byte() {
    let engine = Engine::new().unwrap();
    let sample = Sample::new("a byte", b"x").unwrap();
    let calibration = engine.calibrate(&sample, &[speed()]).unwrap();
    for choice in calibration.choices() {
        // Everything is served as without it.
        assert!(
            choice
                .routes
                .iter()
                .all(|route| route.candidates.is_empty())
        );
        let last = choice.routes.last().unwrap();
        assert_eq!((last.max_len, last.server.at_level), (None, None));
        assert_eq!(last.server.provider, "libdeflate");
    }
    let engine = Engine::builder().calibration(calibration).build().unwrap();
    round_trips(&*engine.compressor(&speed()).unwrap());
}

#[test]
fn a_sample_that_does_not_shrink_says_nothing_of_lengths() {
    let engine = Engine::new().unwrap();
    let noise = generate(Kind::Random, 1, 256 << 10).bytes;
    let sample = Sample::new("noise", &noise).unwrap();
    let calibration = engine.calibrate(&sample, &[speed()]).unwrap();
    for choice in calibration.choices() {
        let measured = choice.routes.iter().any(|r| !r.candidates.is_empty());
        assert_eq!(measured, choice.direction == Direction::Decompress);
    }
    let followed = Engine::builder().calibration(calibration).build().unwrap();
    let levels = |engine| {
        routes(engine, &speed(), Direction::Compress)
            .into_iter()
            .map(|(_, _, level)| level)
            .collect::<Vec<_>>()
    };
    assert_eq!(levels(&followed), levels(&engine));
}

#[test]
fn a_file_leads_back_to_what_was_measured() {
    let calibration = measured(&speed());
    let file = File::new("saved");
    calibration.save(&file.0).unwrap();
    assert_eq!(Calibration::load(&file.0), Ok(calibration));
    // Its two lines of comment, and nothing of its making beside it.
    assert!(fs::read_to_string(&file.0).unwrap().starts_with("# "));
    let nowhere = measured(&Spec::new(Format::Snappy)).save(Path::new("/no/such/directory/file"));
    assert!(matches!(nowhere, Err(CalibrationError::Write { .. })));
}

/// The file of a measurement of [`speed`], with other routes to compress by.
fn with_routes(name: &str, routes: &str) -> File {
    let file = File::new(name);
    measured(&speed()).save(&file.0).unwrap();
    let mut saved: toml::Table = fs::read_to_string(&file.0).unwrap().parse().unwrap();
    let choices = saved["choices"].as_array_mut().unwrap();
    choices.retain(|choice| choice["direction"].as_str() == Some("compress"));
    let routes: toml::Table = routes.parse().unwrap();
    choices[0].as_table_mut().unwrap().extend(routes);
    fs::write(&file.0, toml::to_string(&saved).unwrap()).unwrap();
    file
}

#[test]
fn what_was_measured_is_followed_by_length() {
    let file = with_routes(
        "followed",
        r#"
        [[routes]]
        max_len = 1000
        provider = "software.deflate"
        [[routes]]
        max_len = 16384
        provider = "libdeflate"
        at_level = 8
        [[routes]]
        provider = "libdeflate"
        "#,
    );
    let engine = engine_at(&file.0);
    assert_eq!(engine.calibration_error(), None);
    assert_eq!(
        routes(&engine, &speed(), Direction::Compress),
        [
            (1_000, "software.deflate", 4),
            (16_384, "libdeflate", 8),
            (usize::MAX, "libdeflate", 1),
        ]
    );
    let compressor = engine.compressor(&speed()).unwrap();
    round_trips(&*compressor);
    let counters = compressor.counters().compress;
    assert_eq!(counters.software_ops(Reason::Disabled), 2);
    assert_eq!(counters.accelerated.ops, 7);
    // What was not measured is chosen as ever.
    let other = speed().with_max_loss(11).unwrap();
    for spec in [Spec::new(Format::Zlib), other, Spec::new(Format::Gzip)] {
        let plain = Engine::new().unwrap();
        for direction in Direction::BOTH {
            assert_eq!(
                routes(&engine, &spec, direction),
                routes(&plain, &spec, direction)
            );
        }
    }
}

#[test]
fn what_was_measured_to_be_softwares_stays_so_when_providers_are_looked_for_again() {
    let file = with_routes(
        "reprobed",
        r#"
        [[routes]]
        max_len = 1000
        provider = "software.deflate"
        [[routes]]
        provider = "libdeflate"
        "#,
    );
    let engine = engine_at(&file.0);
    let compressor = engine.compressor(&speed()).unwrap();
    engine.reprobe();
    let mut session = compressor.compress_session().unwrap();
    session.compress(&[b'a'; 500], &mut [0; 1_000]).unwrap();
    let counters = compressor.counters().compress;
    assert_eq!(counters.software_ops(Reason::Disabled), 1);
    assert_eq!(
        compressor.unaccelerated(Direction::Compress),
        Some(Reason::Disabled)
    );
}

#[test]
fn what_a_policy_says_comes_first() {
    let file = with_routes("policy", "routes = [{ provider = \"software.deflate\" }]");
    let serves = |policy: Policy| {
        let engine = Engine::builder()
            .policy(policy)
            .calibration_file(&file.0)
            .build()
            .unwrap();
        routes(&engine, &speed(), Direction::Compress)
            .last()
            .unwrap()
            .1
    };
    assert_eq!(serves(Policy::default()), "software.deflate");
    assert_eq!(serves(Policy::default().prefer("libdeflate")), "libdeflate");
    let assigned = Policy::default().assign(Format::Zlib, None, "libdeflate");
    assert_eq!(serves(assigned), "libdeflate");
    assert_eq!(serves(Policy::software_only()), "software.deflate");
}

/// The engine is set up, says why it does not follow the file, and chooses as without one.
fn is_not_followed(file: &Path) -> CalibrationError {
    let engine = engine_at(file);
    assert!(engine.calibration().is_none());
    let plain = Engine::new().unwrap();
    for direction in Direction::BOTH {
        assert_eq!(
            routes(&engine, &speed(), direction),
            routes(&plain, &speed(), direction)
        );
    }
    round_trips(&*engine.compressor(&speed()).unwrap());
    engine.calibration_error().unwrap().clone()
}

#[test]
fn a_file_of_another_host_is_not_followed() {
    let file = File::new("stale");
    measured(&speed()).save(&file.0).unwrap();
    let text = fs::read_to_string(&file.0).unwrap();
    let cpu = text
        .lines()
        .find(|line| line.starts_with("cpu = "))
        .unwrap();
    fs::write(&file.0, text.replace(cpu, "cpu = \"another\"")).unwrap();
    let error = is_not_followed(&file.0);
    assert!(matches!(error, CalibrationError::Stale { .. }), "{error}");
    let said = error.to_string();
    assert!(said.contains("another"), "{said}");
    assert!(said.contains(file.0.to_str().unwrap()), "{said}");
}

#[test]
fn a_file_that_is_none_is_not_followed() {
    let good = {
        let file = File::new("good");
        measured(&speed()).save(&file.0).unwrap();
        fs::read_to_string(&file.0).unwrap()
    };
    for (at, (text, says)) in [
        ("", "sample"),
        ("not toml at all", "line 1"),
        (&good[..good.len() / 2], "line"),
        (&good.replace("\"zlib\"", "\"zlip\""), "zlip"),
        (&good.replace("\"decompress\"", "\"both\""), "both"),
        (&good.replace("\"speed\"", "\"fast\""), "fast"),
        (&format!("colour = 1\n{good}"), "colour"),
        (&"\u{0}".repeat(100_000), "line 1"),
    ]
    .into_iter()
    .enumerate()
    {
        let file = File::of(&format!("corrupt-{at}"), text);
        let error = is_not_followed(&file.0);
        assert!(matches!(error, CalibrationError::Corrupt { .. }), "{error}");
        let said = error.to_string();
        assert!(said.contains(says) && said.len() < 600, "{said}");
    }
    let file = File::new("binary");
    fs::write(&file.0, [0xFF; 10]).unwrap();
    assert!(matches!(
        is_not_followed(&file.0),
        CalibrationError::Corrupt { .. }
    ));
    let endless = File::of("endless", &"#".repeat((1 << 20) + 1));
    let endless = is_not_followed(&endless.0).to_string();
    assert!(endless.contains("longer than 1048576 bytes"), "{endless}");
    for nothing in ["/no/such/file", "/dev/zero", "/"] {
        let error = is_not_followed(Path::new(nothing));
        assert!(matches!(error, CalibrationError::Read { .. }), "{error}");
    }
}

#[test]
fn routes_that_cannot_be_are_corrupt() {
    for routes in [
        "routes = []",
        "routes = [{ max_len = 5, provider = \"libdeflate\" }, { max_len = 5, provider = \"isal\" }]",
    ] {
        let file = with_routes("nonsense", routes);
        let error = is_not_followed(&file.0);
        assert!(matches!(error, CalibrationError::Corrupt { .. }), "{error}");
    }
    // A provider that is not here, or a level that it does not have, is no reason to fail.
    for routes in [
        "routes = [{ provider = \"nobody\" }]",
        "routes = [{ provider = \"libdeflate\", at_level = 99 }]",
    ] {
        let file = with_routes("unservable", routes);
        let (engine, plain) = (engine_at(&file.0), Engine::new().unwrap());
        assert_eq!(
            self::routes(&engine, &speed(), Direction::Compress),
            self::routes(&plain, &speed(), Direction::Compress)
        );
    }
}
