//! A plugin in Rust, through the ABI: parameters, batches, panics in every entry, threads, exit.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::thread;

use common::cargo_build;
use compressor_api::{
    CompressorFactory, EffectiveSide, ErrorKind, Format, Health, Job, OpenError, Params,
    ProviderEntry, ProviderId, Registry, Spec,
};
use compressor_plugin::load;

static LIBRARY: LazyLock<PathBuf> =
    LazyLock::new(|| cargo_build("--example", "fixture_rust", "libfixture_rust.so"));

fn entry() -> &'static ProviderEntry {
    load(&*LIBRARY).unwrap()
}

fn opened(params: &[(&str, &str)]) -> Result<Arc<dyn CompressorFactory>, OpenError> {
    let entry = entry();
    let params = Params::parse(entry.params, params.iter().copied()).unwrap();
    entry.opener.open(&params)
}

fn panics_in(place: &str) -> Arc<dyn CompressorFactory> {
    opened(&[("panic_in", place)]).unwrap()
}

fn why(factory: &dyn CompressorFactory) -> String {
    factory.health().why().unwrap().into()
}

#[test]
fn its_entry_is_the_same_through_the_abi() {
    let entry = entry();
    assert_eq!(entry.id, ProviderId::new("fixture.rust"));
    assert_eq!(entry.description, "Panics where it is told to");
    assert_eq!(entry.formats, [Format::None]);
    assert_eq!(entry.priority, 7);
    let names: Vec<&str> = entry.params.iter().map(|param| param.name).collect();
    assert_eq!(
        names,
        ["panic_in", "on", "depth", "buffer", "deadline", "note"]
    );
    let kinds: Vec<String> = entry
        .params
        .iter()
        .map(|param| param.kind.to_string())
        .collect();
    assert!(
        kinds[0].starts_with("one of nowhere, open, "),
        "{}",
        kinds[0]
    );
    assert_eq!(kinds[2], "a whole number from -8 to 64");
}

#[test]
fn parameters_of_every_kind_arrive() {
    let plain = opened(&[]).unwrap();
    assert!(why(&*plain).starts_with("Some(true) Some(16) Some(65536) Some(250ms) Some(\"\")"));
    let long = "x".repeat(300) + "\u{fc}";
    for note in ["a \"b\" \u{1f600}", &long] {
        let set = [
            ("on", "false"),
            ("depth", "-8"),
            ("buffer", "3MiB"),
            ("deadline", "2s"),
            ("note", note),
        ];
        let expected = format!("Some(false) Some(-8) Some(3145728) Some(2s) Some({note:?})");
        assert!(why(&*opened(&set).unwrap()).starts_with(&expected));
    }
    let refused = opened(&[("note", "a\0b")]).unwrap_err();
    assert!(
        matches!(refused, OpenError::Misconfigured { .. }),
        "{refused}"
    );
}

#[test]
fn text_that_does_not_fit_is_cut_between_letters() {
    let refused = opened(&[("note", "absent")]).unwrap_err();
    assert!(matches!(refused, OpenError::Absent { .. }), "{refused}");
    assert!(refused.why().ends_with("xxx\u{e4}"), "{refused}");
}

#[test]
fn operations_batches_and_errors_pass() {
    let factory = opened(&[]).unwrap();
    let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
    let side = EffectiveSide::new(ProviderId::new("fixture.rust"), 5, 77);
    assert_eq!(compressor.effective().compress, Some(side));
    assert_eq!(compressor.effective().decompress, Some(side));
    assert_eq!(compressor.max_compressed_len(0), Some(1));
    assert_eq!(compressor.max_compressed_len(usize::MAX), None);
    assert_eq!(compressor.decompressed_len(b"abc"), Ok(Some(3)));

    let mut session = compressor.compress_session().unwrap();
    let mut dst = [0; 3];
    assert_eq!(session.compress(b"abc", &mut dst), Ok(3));
    assert_eq!(&dst, b"abc");
    assert_eq!(session.compress(b"", &mut []), Ok(0));
    let error = session.compress(b"abcd", &mut dst).unwrap_err();
    assert_eq!(
        (error.kind(), error.native()),
        (ErrorKind::OutputTooSmall, -5)
    );
    assert_eq!(error.provider().as_str(), "fixture.rust");

    let mut session = compressor.decompress_session().unwrap();
    let mut buffers = vec![[0; 2]; 150];
    let source: Vec<u8> = (0..150).collect();
    let mut jobs: Vec<Job<'_>> = buffers
        .iter_mut()
        .enumerate()
        .map(|(i, dst)| Job::new(&source[i..(i + 1 + i % 3).min(150)], dst))
        .collect();
    session.decompress_many(&mut jobs);
    for (i, job) in jobs.iter().enumerate() {
        match job.result {
            Ok(n) => assert_eq!((&job.dst[..n], n <= 2), (job.src, true), "{i}"),
            Err(error) => {
                assert_eq!(
                    (error.kind(), job.src.len()),
                    (ErrorKind::OutputTooSmall, 3)
                );
            }
        }
    }
}

#[test]
fn panics_while_opening_are_refusals() {
    for place in ["open", "capabilities", "self_test"] {
        let refused = opened(&[("panic_in", place)]).unwrap_err();
        assert!(matches!(refused, OpenError::Broken { .. }), "{refused}");
        assert!(refused.why().contains("Panic"), "{refused}");
        // The next attempt is a new one.
        opened(&[]).unwrap();
    }
}

/// Provokes a panic, then asserts that the factory is quarantined for it.
fn quarantines(place: &str, call: &str, provoke: fn(&dyn CompressorFactory)) {
    let factory = panics_in(place);
    provoke(&*factory);
    let health = factory.health();
    assert_eq!(health.name(), "Quarantined", "{place}");
    assert_eq!(health.why(), Some(&*format!("{call} panicked")), "{place}");
    let refused = factory.compressor(&Spec::new(Format::None)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Panic);
    drop(factory);
    opened(&[]).unwrap();
}

#[test]
fn panics_in_the_rare_calls_quarantine() {
    quarantines("health", "health", |factory| drop(factory.health()));
    let make = |factory: &dyn CompressorFactory| {
        drop(factory.compressor(&Spec::new(Format::None)));
    };
    quarantines("compressor", "compressor_new", make);
    quarantines("effective", "effective", make);
    quarantines("drop_compressor", "compressor_free", make);
    quarantines("max_compressed_len", "max_compressed_len", |factory| {
        let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
        assert_eq!(compressor.max_compressed_len(1), None);
    });
    quarantines("compress_session", "session_new", |factory| {
        let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
        assert!(compressor.compress_session().is_err());
    });
    quarantines("decompress_session", "session_new", |factory| {
        let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
        assert!(compressor.decompress_session().is_err());
    });
    quarantines("drop_session", "session_free", |factory| {
        let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
        drop(compressor.compress_session().unwrap());
    });
    // Nobody is left to ask; what matters is that the panic stays inside.
    drop(panics_in("drop_factory"));
}

#[test]
fn panics_in_operations_quarantine() {
    for place in ["compress", "payload"] {
        quarantines(place, "compress", |factory| {
            let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
            let mut session = compressor.compress_session().unwrap();
            for _ in 0..2 {
                let error = session.compress(b"x", &mut [0]).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Panic);
            }
        });
    }
    quarantines("decompress", "decompress", |factory| {
        let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
        let mut session = compressor.decompress_session().unwrap();
        let error = session.decompress(b"x", &mut [0]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Panic);
    });
    quarantines("compress_many", "compress", |factory| {
        let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
        let (mut a, mut b) = ([0], [0]);
        let mut jobs = [Job::new(b"x", &mut a), Job::new(b"y", &mut b)];
        compressor
            .compress_session()
            .unwrap()
            .compress_many(&mut jobs);
        for job in jobs {
            assert_eq!(job.result.unwrap_err().kind(), ErrorKind::Panic);
        }
    });
    quarantines("decompress_many", "decompress", |factory| {
        let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
        let mut a = [0];
        let mut jobs = [Job::new(b"x", &mut a)];
        compressor
            .decompress_session()
            .unwrap()
            .decompress_many(&mut jobs);
        assert_eq!(jobs[0].result.unwrap_err().kind(), ErrorKind::Panic);
    });
}

#[test]
fn a_registry_opens_it() {
    let registry = Registry::builder().provider(entry()).build().unwrap();
    registry.open("fixture.rust").unwrap();
    let panics = Registry::builder()
        .provider(entry())
        .param("fixture.rust", "panic_in", "compress")
        .build()
        .unwrap();
    let refused = panics.open("fixture.rust").unwrap_err();
    assert!(
        refused.why().contains("failed its self-test: Panic"),
        "{refused}"
    );
}

#[test]
fn sessions_move_between_threads_and_threads_end_with_destructors() {
    let factory = opened(&[]).unwrap();
    let ended = |factory: &dyn CompressorFactory| -> u64 {
        why(factory).rsplit(' ').next().unwrap().parse().unwrap()
    };
    let before = ended(&*factory);
    let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
    let mut session = compressor.compress_session().unwrap();
    for _ in 0..8 {
        session = thread::spawn(move || {
            assert_eq!(session.compress(b"abc", &mut [0; 3]), Ok(3));
            session
        })
        .join()
        .unwrap();
    }
    // The thread's destructors may run after it was joined.
    for _ in 0..1_000 {
        if ended(&*factory) >= before + 8 {
            return;
        }
        thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!(
        "the plugin's thread-local destructors did not run: {}",
        why(&*factory)
    );
}

#[test]
fn sessions_of_one_compressor_work_side_by_side() {
    let factory = opened(&[]).unwrap();
    let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
    thread::scope(|scope| {
        for i in 0..8_u8 {
            let compressor = &compressor;
            scope.spawn(move || {
                for _ in 0..100 {
                    let mut dst = [0; 64];
                    let mut session = compressor.compress_session().unwrap();
                    assert_eq!(session.compress(&[i; 64], &mut dst), Ok(64));
                    assert_eq!(dst, [i; 64]);
                }
            });
        }
    });
    assert!(matches!(factory.health(), Health::Degraded { .. }));
}

#[test]
fn a_process_ends_well_with_live_sessions() {
    let exe = cargo_build("--example", "exit_live", "exit_live");
    for how in ["return", "exit", "exit-elsewhere"] {
        for plugin in ["none", "busy"] {
            let output = Command::new(&exe)
                .arg(&*LIBRARY)
                .args([how, plugin])
                .output()
                .unwrap();
            let expected = if how == "return" { 0 } else { 7 };
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{how} {plugin}: {output:?}"
            );
        }
    }
}
