//! What an effort promises of length, on the data sets of the benchmarks, for whoever serves it; and
//! who does.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod isal;

use compressor::{
    Capabilities, Compressor, Direction, Effort, Engine, Format, Policy, Shortfall, Spec, Verdict,
};
use compressor_benches::data::{Kind, generate};

const KINDS: [Kind; 4] = [Kind::Text, Kind::Rows, Kind::WideRows, Kind::Logs];
const BLOCK_SIZES: [usize; 4] = [4 << 10, 16 << 10, 20 << 10, 64 << 10];
const LEN: usize = 256 << 10;

/// One of the formats that share a codec, and the levels to try.
const SPECS: [(Format, &[i32]); 5] = [
    (Format::Zlib, &[1, 4, 6, 9]),
    (Format::Zstd, &[-1, 1, 3, 6, 9]),
    (Format::Lz4Block, &[-1, 0, 3, 9]),
    (Format::Snappy, &[0]),
    (Format::None, &[0]),
];

/// Length of the data as units, by each size of blocks that is taken.
fn lens(compressor: &dyn Compressor, data: &[u8], max_input: usize) -> Vec<Option<usize>> {
    let mut session = compressor.compress_session().unwrap();
    let room = compressor.max_compressed_len(64 << 10).unwrap();
    let mut unit = vec![0; room];
    BLOCK_SIZES
        .iter()
        .map(|size| {
            let mut units = |block| session.compress(block, &mut unit).unwrap();
            (*size <= max_input).then(|| data.chunks(*size).map(&mut units).sum())
        })
        .collect()
}

/// Whoever serves an effort keeps to its loss, and so does the engine over all of them.
#[test]
fn units_are_no_longer_than_the_effort_allows() {
    let engine = Engine::new().unwrap();
    let registry = engine.registry();
    let data = KINDS.map(|kind| generate(kind, 1, LEN).bytes);
    let mut checked = 0;
    for (format, levels) in SPECS {
        for level in levels {
            let spec = Spec::new(format).with_level(*level).unwrap();
            let software = registry.select(&spec, &Policy::software_only()).unwrap();
            let by_level: Vec<_> = data
                .iter()
                .map(|data| lens(&*software.software, data, usize::MAX))
                .collect();
            for effort in Effort::ALL {
                let spec = spec.clone().with_effort(effort);
                let allowed = 1.0 + f64::from(spec.max_loss()) / 100.0;
                let mut serve = |who: &str, compressor: &dyn Compressor, max_input| {
                    for ((data, by_level), kind) in data.iter().zip(&by_level).zip(KINDS) {
                        let own = lens(compressor, data, max_input);
                        for ((own, level), size) in own.iter().zip(by_level).zip(BLOCK_SIZES) {
                            let (Some(own), Some(by_level)) = (own, level) else {
                                continue;
                            };
                            let ratio = *own as f64 / *by_level as f64;
                            assert!(
                                ratio <= allowed,
                                "{who}, {spec:?}, {kind} in blocks of {size}: {ratio:.3}"
                            );
                            checked += 1;
                        }
                    }
                };
                for entry in registry.entries() {
                    let Ok(factory) = registry.open(entry.id.as_str()) else {
                        continue;
                    };
                    let serves = |listed: &&Capabilities| {
                        (listed.format, listed.direction) == (format, Direction::Compress)
                            && listed.shortfall(&spec).is_none()
                    };
                    let Some(listed) = factory.capabilities().iter().find(serves) else {
                        continue;
                    };
                    let compressor = factory.compressor(&spec).unwrap();
                    let max_input = listed.for_effort(&spec).max_input;
                    serve(entry.id.as_str(), &*compressor, max_input);
                }
                serve("engine", &*engine.compressor(&spec).unwrap(), usize::MAX);
            }
        }
    }
    assert!(checked > 1_000, "{checked}");
}

fn spec(effort: Effort) -> Spec {
    Spec::new(Format::Zlib).with_effort(effort)
}

/// Name and level of whoever compresses, by the length of the content.
fn routes(engine: &Engine, spec: &Spec) -> Vec<(usize, &'static str, i32)> {
    let compressor = engine.compressor(spec).unwrap();
    compressor
        .routes(Direction::Compress)
        .map(|route| {
            let side = route.side.unwrap();
            (route.max_len, side.provider.as_str(), side.level)
        })
        .collect()
}

/// What came of each provider that is there, for compression.
fn verdicts(engine: &Engine, spec: &Spec) -> Vec<(&'static str, Verdict)> {
    let considered = engine.select(spec).unwrap().considered.into_iter();
    considered
        .filter(|c| c.direction == Direction::Compress)
        .filter(|c| !matches!(c.verdict, Verdict::NotOpened(_)))
        .map(|c| (c.provider.as_str(), c.verdict))
        .collect()
}

#[test]
fn libdeflate_serves_ratio_and_what_isal_leaves_of_balanced() {
    let engine = Engine::new().unwrap();
    assert_eq!(
        routes(&engine, &spec(Effort::Ratio)),
        [(usize::MAX, "libdeflate", 6)]
    );
    let mut balanced = vec![(usize::MAX, "libdeflate", 5)];
    if isal::is_there(&engine) {
        balanced.insert(0, (4 << 10, "isal", 2));
    }
    assert_eq!(routes(&engine, &spec(Effort::Balanced)), balanced);
    assert_eq!(
        verdicts(&engine, &spec(Effort::Ratio))[0],
        ("libdeflate", Verdict::Chosen)
    );
}

#[test]
fn isal_serves_speed_as_far_as_its_loss_allows_and_libdeflate_beyond() {
    let engine = Engine::new().unwrap();
    if !isal::is_there(&engine) {
        return;
    }
    let speed = spec(Effort::Speed);
    let with_loss = |percent| speed.clone().with_max_loss(percent).unwrap();
    assert_eq!(
        routes(&engine, &speed),
        [(20 << 10, "isal", 2), (usize::MAX, "libdeflate", 1)]
    );
    assert_eq!(
        routes(&engine, &with_loss(13)),
        [(64 << 10, "isal", 2), (usize::MAX, "libdeflate", 1)]
    );
    assert_eq!(
        routes(&engine, &with_loss(5)),
        [(usize::MAX, "libdeflate", 5)]
    );
    let selection = engine.select(&speed).unwrap();
    assert_eq!(
        verdicts(&engine, &speed),
        [
            ("isal", Verdict::Chosen),
            ("libdeflate", Verdict::ChosenBeyond(20 << 10)),
            ("software.deflate", Verdict::Outranked),
        ]
    );
    // Decompression is chosen apart.
    let decompress = selection.decompress.unwrap();
    assert_eq!(decompress.provider.as_str(), "libdeflate");
}

#[test]
fn software_alone_serves_an_effort_at_a_lower_level() {
    let engine = Engine::builder()
        .policy(Policy::software_only())
        .build()
        .unwrap();
    let level = |format, effort| {
        let spec = Spec::new(format).with_effort(effort);
        let compressor = engine.compressor(&spec).unwrap();
        compressor.effective().compress.unwrap().level
    };
    for (format, levels) in [
        (Format::Zlib, [6, 5, 4]),
        (Format::Zstd, [3, 1, 1]),
        (Format::Lz4Sized, [0, 0, -1]),
        (Format::Snappy, [0, 0, 0]),
        (Format::None, [0, 0, 0]),
    ] {
        let found = Effort::ALL.map(|effort| level(format, effort));
        assert_eq!(found, levels, "{format}");
    }
}

#[test]
fn a_policy_states_the_effort_for_specs_that_state_none() {
    let mut policy = Policy::default();
    policy.effort = Some(Effort::Speed);
    policy.max_loss = Some(5);
    let engine = Engine::builder().policy(policy).build().unwrap();
    // The loss goes with a spec for speed that states none, whoever made it so.
    assert_eq!(
        engine.select(&spec(Effort::Speed)).unwrap().spec.max_loss(),
        5
    );
    let stated = spec(Effort::Balanced);
    assert_eq!(
        routes(&engine, &Spec::new(Format::Zlib)),
        [(usize::MAX, "libdeflate", 5)]
    );
    assert_eq!(engine.select(&stated).unwrap().spec, stated);
}

#[test]
fn whoever_is_assigned_and_does_not_serve_the_effort_is_refused() {
    let policy = Policy::default().assign(Format::Zlib, Some(Direction::Compress), "isal");
    let engine = Engine::builder().policy(policy).build().unwrap();
    if !isal::is_there(&engine) {
        return;
    }
    let of_isal = |effort| {
        let verdicts = verdicts(&engine, &spec(effort));
        verdicts
            .into_iter()
            .find(|(id, _)| *id == "isal")
            .unwrap()
            .1
    };
    let provider = |effort| routes(&engine, &spec(effort))[0].1;
    assert_eq!(of_isal(Effort::Speed), Verdict::Chosen);
    assert_eq!(provider(Effort::Speed), "isal");
    let lacks = Verdict::Lacks(Shortfall::Effort);
    assert_eq!(of_isal(Effort::Ratio), lacks);
    assert_eq!(provider(Effort::Ratio), "software.deflate");
}

#[test]
fn a_loss_above_100_percent_is_refused_before_anything_is_served() {
    let mut policy = Policy::default();
    policy.max_loss = Some(101);
    let refused = Engine::builder().policy(policy).build().unwrap_err();
    assert!(refused.to_string().contains("101 %"), "{refused}");
}
