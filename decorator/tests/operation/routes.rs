//! Several accelerators in one direction, by the length of the input.

use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, Direction, ErrorKind, Format, Job, ProviderId, Selected, Spec,
};
use compressor_decorator::{Accelerated, Cause, Guards, Reason, Route};

const SHORT: ProviderId = ProviderId::new("test.short");
const LONG: ProviderId = ProviderId::new("test.long");

/// libdeflate under another name, so that it shows who served.
fn selected(provider: ProviderId, direction: Direction, max_input: usize) -> Selected {
    let spec = Spec::new(Format::Zlib);
    let compressor = provider_libdeflate::factory().compressor(&spec).unwrap();
    let capabilities = Capabilities::new(Format::Zlib, direction).with_input(0, max_input);
    Selected::new(provider, capabilities, compressor)
}

fn software() -> Arc<dyn Compressor> {
    let spec = Spec::new(Format::Zlib);
    compressor_deflate::factory().compressor(&spec).unwrap()
}

fn routed(direction: Direction, routes: Vec<Route>) -> (Accelerated, Guards) {
    let guards = Guards::default();
    let accelerated = Accelerated::builder(software(), &guards)
        .routes(direction, routes)
        .build()
        .unwrap();
    (accelerated, guards)
}

fn content(len: usize) -> Vec<u8> {
    b"some content of a block, "
        .iter()
        .copied()
        .cycle()
        .take(len)
        .collect()
}

#[test]
fn the_length_of_the_content_decides_who_compresses() {
    let direction = Direction::Compress;
    let (accelerated, guards) = routed(
        direction,
        vec![
            Route::new(1_000, Some(selected(SHORT, direction, 1_000))),
            Route::new(2_000, None),
            Route::new(3_000, Some(selected(LONG, direction, 3_000))),
        ],
    );
    let max_lens: Vec<usize> = accelerated.routes(direction).map(|r| r.max_len).collect();
    assert_eq!(max_lens, [1_000, 2_000, usize::MAX]);
    for (len, serving) in [
        (0, "libdeflate"),
        (1_000, "libdeflate"),
        (1_001, "software.deflate"),
        (2_000, "software.deflate"),
        (2_001, "libdeflate"),
        (usize::MAX, "libdeflate"),
    ] {
        let side = accelerated.serving(direction, len).unwrap();
        assert_eq!(side.provider.as_str(), serving, "{len}");
    }

    let mut session = accelerated.compress_session().unwrap();
    let mut reader = accelerated.decompress_session().unwrap();
    let mut unit = vec![0; 10_000];
    // Only the guard of whoever is quarantined sends work to software.
    guards.guard(SHORT, direction).quarantine(Cause::WrongBytes);
    for (len, software_ops, reason) in [
        (0, 1, Reason::Quarantined),
        (1_000, 2, Reason::Quarantined),
        (1_001, 1, Reason::Disabled),
        (2_000, 2, Reason::Disabled),
        (3_001, 1, Reason::AboveMax),
    ] {
        let content = content(len);
        let n = session.compress(&content, &mut unit).unwrap();
        let mut back = vec![0; len];
        reader.decompress_exact(&unit[..n], &mut back).unwrap();
        assert_eq!(back, content);
        let counters = accelerated.counters().compress;
        assert_eq!(
            counters.software_ops(reason),
            software_ops,
            "{len} {reason}"
        );
        assert_eq!(counters.accelerated.ops, 0);
    }
    for len in [2_001, 3_000] {
        session.compress(&content(len), &mut unit).unwrap();
    }
    assert_eq!(accelerated.counters().compress.accelerated.ops, 2);
}

#[test]
fn the_room_for_the_content_decides_who_decompresses() {
    let direction = Direction::Decompress;
    let (accelerated, guards) = routed(
        direction,
        vec![
            Route::new(1_000, Some(selected(SHORT, direction, usize::MAX))),
            Route::new(usize::MAX, Some(selected(LONG, direction, usize::MAX))),
        ],
    );
    guards.guard(LONG, direction).quarantine(Cause::WrongBytes);
    let mut writer = accelerated.compress_session().unwrap();
    let mut session = accelerated.decompress_session().unwrap();
    let content = content(1_001);
    let mut unit = vec![0; 2_000];
    let units: Vec<Vec<u8>> = [1_000, 1_001]
        .map(|len| {
            let n = writer.compress(&content[..len], &mut unit).unwrap();
            unit[..n].to_vec()
        })
        .into();
    let mut back = vec![0; 1_001];
    session
        .decompress_exact(&units[0], &mut back[..1_000])
        .unwrap();
    session.decompress_exact(&units[1], &mut back).unwrap();
    let counters = accelerated.counters().decompress;
    assert_eq!(counters.accelerated.ops, 1);
    assert_eq!(counters.software_ops(Reason::Quarantined), 1);
}

#[test]
fn a_batch_of_many_lengths_goes_to_each_route_and_keeps_its_order() {
    let direction = Direction::Compress;
    let (accelerated, _) = routed(
        direction,
        vec![
            Route::new(100, None),
            Route::new(usize::MAX, Some(selected(LONG, direction, usize::MAX))),
        ],
    );
    let contents: Vec<Vec<u8>> = [50, 60, 500, 70, 600, 700, 0].map(content).into();
    let mut units = vec![vec![0; 1_000]; contents.len()];
    let mut jobs: Vec<Job<'_>> = contents
        .iter()
        .zip(&mut units)
        .map(|(content, unit)| Job::new(content, unit))
        .collect();
    let mut session = accelerated.compress_session().unwrap();
    session.compress_many(&mut jobs);
    let lens: Vec<usize> = jobs.into_iter().map(|job| job.result.unwrap()).collect();
    let mut reader = accelerated.decompress_session().unwrap();
    for ((content, unit), len) in contents.iter().zip(&units).zip(&lens) {
        let mut back = vec![0; content.len()];
        reader.decompress_exact(&unit[..*len], &mut back).unwrap();
        assert_eq!(back, *content);
    }
    let counters = accelerated.counters().compress;
    assert_eq!(counters.accelerated.ops, 3);
    assert_eq!(counters.software_ops(Reason::Disabled), 4);

    let direction = Direction::Decompress;
    let (accelerated, _) = routed(
        direction,
        vec![
            Route::new(100, None),
            Route::new(usize::MAX, Some(selected(LONG, direction, usize::MAX))),
        ],
    );
    let mut backs: Vec<Vec<u8>> = contents.iter().map(|c| vec![0; c.len()]).collect();
    let mut jobs: Vec<Job<'_>> = units
        .iter()
        .zip(&lens)
        .zip(&mut backs)
        .map(|((unit, len), back)| Job::new(&unit[..*len], back))
        .collect();
    let mut session = accelerated.decompress_session().unwrap();
    session.decompress_many(&mut jobs);
    for (job, content) in jobs.into_iter().zip(&contents) {
        assert_eq!(job.result, Ok(content.len()));
    }
    assert_eq!(backs, contents);
    let counters = accelerated.counters().decompress;
    assert_eq!(counters.accelerated.ops, 3);
    assert_eq!(counters.software_ops(Reason::Disabled), 4);

    let mut back = vec![0; 500];
    let n = session.decompress(&units[2][..lens[2]], &mut back);
    assert_eq!((n, back), (Ok(500), content(500)));
    assert_eq!(accelerated.counters().decompress.accelerated.ops, 4);
}

#[test]
fn routes_ascend() {
    let guards = Guards::default();
    for max_lens in [[5, 5], [6, 5]] {
        let routes = max_lens.map(|max_len| Route::new(max_len, None)).into();
        let refused = Accelerated::builder(software(), &guards)
            .routes(Direction::Compress, routes)
            .build()
            .unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    }
}
