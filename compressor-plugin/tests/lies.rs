//! What only a plugin can do wrong, short of crashing: it is quarantined, never called again, and
//! the operation ends in software.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::sync::Arc;

use common::Fixture;
use compressor_api::{
    Compressor, CompressorFactory, Direction, Effort, Efforts, Error, ErrorKind, Format, Health,
    Job, Loss, OpenError, Params, Policy, ProviderEntry, Registry, Spec, stored,
};
use compressor_decorator::{Accelerated, Guards, Options};
use compressor_plugin::load;

/// A plugin with fields of its table replaced.
fn plugin(name: &str, fields: &str) -> Option<&'static ProviderEntry> {
    let library = Fixture::new(name).fields(fields).build()?;
    Some(load(library).unwrap())
}

/// The same, opened without the registry's self-test, which would refuse most of them.
fn opened(entry: &ProviderEntry) -> Result<Arc<dyn CompressorFactory>, OpenError> {
    entry.opener.open(&Params::parse(entry.params, []).unwrap())
}

fn compressor(factory: &dyn CompressorFactory) -> Arc<dyn Compressor> {
    factory.compressor(&Spec::new(Format::None)).unwrap()
}

/// Asserts that the factory is quarantined for a reason that says `words`.
fn quarantined(factory: &dyn CompressorFactory, words: &str) {
    let Health::Quarantined { why } = factory.health() else {
        panic!("not quarantined: {}", factory.health());
    };
    assert!(why.contains(words), "{why:?} does not say {words:?}");
    let made = factory.compressor(&Spec::new(Format::None));
    assert_eq!(made.unwrap_err().kind(), ErrorKind::Panic);
    assert_eq!(factory.self_test().unwrap_err().kind(), ErrorKind::Panic);
}

/// Runs one operation of a direction.
fn operate(compressor: &dyn Compressor, direction: Direction) -> Result<usize, Error> {
    let mut dst = [0; 32];
    match direction {
        Direction::Compress => compressor
            .compress_session()?
            .compress(b"some bytes", &mut dst),
        Direction::Decompress => compressor
            .decompress_session()?
            .decompress(b"some bytes", &mut dst),
    }
}

#[test]
fn operations_that_lie() {
    for (lie, words) in [
        ("beyond", "claims 33 bytes in a buffer of 32"),
        ("no_length", "claims 18446744073709551615 bytes"),
        ("status", "the status 12345"),
        ("absent", "the status 64"),
    ] {
        for direction in Direction::BOTH {
            let name = format!("{}-{direction}", lie.replace('_', "-"));
            let Some(entry) = plugin(&name, &format!(".{direction} = lie_{lie}")) else {
                return;
            };
            let factory = opened(entry).unwrap();
            let compressor = compressor(&*factory);
            // Made before the lie, and never of use again.
            let mut compress = compressor.compress_session().unwrap();
            let mut decompress = compressor.decompress_session().unwrap();

            let first = operate(&*compressor, direction).unwrap_err();
            assert_eq!(first.kind(), ErrorKind::Panic, "{name}");
            assert_eq!(first.provider().as_str(), name);
            quarantined(&*factory, words);
            quarantined(&*factory, direction.name());

            // The fixture aborts the process if it is entered once more.
            assert_eq!(operate(&*compressor, direction), Err(first));
            assert_eq!(compress.compress(b"", &mut []), Err(first));
            assert_eq!(decompress.decompress(b"", &mut []), Err(first));
            assert_eq!(decompress.decompress_exact(b"", &mut []), Err(first));
            assert_eq!(compressor.max_compressed_len(1), None);
            let (mut dst, mut jobs) = ([0; 8], Vec::new());
            jobs.push(Job::new(b"x", &mut dst));
            compress.compress_many(&mut jobs);
            assert_eq!(jobs[0].result, Err(first));
        }
    }
}

#[test]
fn batches_that_lie() {
    for direction in Direction::BOTH {
        for (lie, words) in [
            ("many_beyond", "claims 11 bytes in a buffer of 10"),
            ("many_untouched", "the status -1"),
            ("many_status", "the status 12345"),
        ] {
            let name = format!("{}-{direction}", lie.replace('_', "-"));
            let fields = format!(".{direction}_many = lie_{lie}");
            let Some(entry) = plugin(&name, &fields) else {
                return;
            };
            let factory = opened(entry).unwrap();
            let compressor = compressor(&*factory);
            let mut buffers = [[0; 10]; 5];
            let mut jobs: Vec<Job<'_>> = buffers
                .iter_mut()
                .map(|dst| Job::new(b"some bytes", dst))
                .collect();
            match direction {
                Direction::Compress => {
                    compressor
                        .compress_session()
                        .unwrap()
                        .compress_many(&mut jobs);
                }
                Direction::Decompress => {
                    compressor
                        .decompress_session()
                        .unwrap()
                        .decompress_many(&mut jobs);
                }
            }
            assert_eq!(jobs[2].result.unwrap_err().kind(), ErrorKind::Panic);
            for job in &jobs {
                let sound = job.result == Ok(10) && lie == "many_beyond";
                assert!(sound || job.result.is_err(), "{name}: {:?}", job.result);
            }
            quarantined(&*factory, words);
        }
    }
}

#[test]
fn nothing_for_something_is_a_failure_but_no_lie() {
    let Some(entry) = plugin("zero", ".compress = lie_zero, .decompress = lie_zero") else {
        return;
    };
    let factory = opened(entry).unwrap();
    let compressor = compressor(&*factory);
    let error = operate(&*compressor, Direction::Compress).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Device);
    // Content may well be empty.
    assert_eq!(operate(&*compressor, Direction::Decompress), Ok(0));
    assert_eq!(factory.health(), Health::Ready);
}

#[test]
fn bounds_that_cannot_be() {
    for (name, lie) in [("bound-zero", "zero"), ("bound-wrapped", "wrapped")] {
        let fields = format!(".max_compressed_len = lie_bound_{lie}");
        let Some(entry) = plugin(name, &fields) else {
            return;
        };
        let factory = opened(entry).unwrap();
        assert_eq!(compressor(&*factory).max_compressed_len(4096), None);
        quarantined(&*factory, "for 4096");
    }
}

#[test]
fn calls_that_succeed_without_a_handle() {
    let Some(entry) = plugin("null-factory", ".open = lie_open_null") else {
        return;
    };
    let refused = opened(entry).unwrap_err();
    assert!(
        refused.why().contains("succeeded without a handle"),
        "{refused}"
    );

    let entry = plugin("null-compressor", ".compressor_new = lie_compressor_null").unwrap();
    let factory = opened(entry).unwrap();
    let refused = factory.compressor(&Spec::new(Format::None)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Panic);
    quarantined(&*factory, "compressor_new succeeded without a handle");

    let entry = plugin("null-session", ".session_new = lie_session_null").unwrap();
    let factory = opened(entry).unwrap();
    let refused = operate(&*compressor(&*factory), Direction::Compress).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Panic);
    quarantined(&*factory, "session_new succeeded without a handle");
}

#[test]
fn a_handle_beside_a_failure_is_not_used() {
    let Some(entry) = plugin("busy-session", ".session_new = lie_session_busy") else {
        return;
    };
    let factory = opened(entry).unwrap();
    let error = operate(&*compressor(&*factory), Direction::Compress).unwrap_err();
    assert_eq!((error.kind(), error.native()), (ErrorKind::Busy, 17));
    assert_eq!(factory.health(), Health::Ready);
}

#[test]
fn statuses_that_mean_nothing_on_the_rare_calls() {
    let make: fn(&dyn CompressorFactory) = |factory| {
        drop(factory.compressor(&Spec::new(Format::None)));
    };
    let ask_bound: fn(&dyn CompressorFactory) = |factory| {
        compressor(factory).max_compressed_len(1);
    };
    let run: fn(&dyn CompressorFactory) = |factory| {
        let _ = operate(&*compressor(factory), Direction::Compress);
    };
    let ask_health: fn(&dyn CompressorFactory) = |factory| {
        factory.health();
    };
    for (call, provoke) in [
        ("health", ask_health),
        ("compressor_new", make),
        ("compressor_free", make),
        ("effective", make),
        ("max_compressed_len", ask_bound),
        ("session_new", run),
        ("session_free", run),
    ] {
        let name = format!("status-{}", call.replace('_', "-"));
        let Some(entry) = plugin(&name, &format!(".{call} = lie_{call}_status")) else {
            return;
        };
        let factory = opened(entry).unwrap();
        provoke(&*factory);
        quarantined(&*factory, &format!("{call} returned the status 12345"));
    }
    let entry = plugin("served", ".effective = lie_served").unwrap();
    let factory = opened(entry).unwrap();
    make(&*factory);
    quarantined(&*factory, "answered 7 where 0 or 1 is asked");

    for (name, level) in [
        ("level-max", "INT32_MAX"),
        ("level-min", "INT32_MIN"),
        ("level-above", "1000001"),
        ("level-below", "-1000001"),
    ] {
        let fixture = Fixture::new(name)
            .define("LEVEL", level)
            .fields(".effective = lie_level");
        let library = fixture.build().unwrap();
        let factory = opened(load(library).unwrap()).unwrap();
        make(&*factory);
        quarantined(&*factory, "effective claims the level ");
    }

    // Nobody is left to ask after these; what matters is that they do no harm.
    let entry = plugin("status-close", ".close = lie_close_status").unwrap();
    drop(opened(entry).unwrap());
    for call in ["open", "capabilities", "self_test"] {
        let name = format!("status-{}", call.replace('_', "-"));
        let entry = plugin(&name, &format!(".{call} = lie_{call}_status")).unwrap();
        let refused = opened(entry).unwrap_err();
        assert!(matches!(refused, OpenError::Broken { .. }), "{refused}");
        assert!(
            refused.why().contains("12345")
                || (call == "self_test" && refused.why().contains("Panic")),
            "{refused}"
        );
    }
}

#[test]
fn a_level_is_passed_on_as_far_as_a_scale_may_go() {
    for (name, level) in [("level-high", 1_000_000), ("level-low", -1_000_000)] {
        let fixture = Fixture::new(name)
            .define("LEVEL", &level.to_string())
            .fields(".effective = lie_level");
        let Some(library) = fixture.build() else {
            return;
        };
        let factory = opened(load(library).unwrap()).unwrap();
        let effective = compressor(&*factory).effective().clone();
        assert_eq!(effective.compress.unwrap().level, level);
        assert_eq!(effective.decompress.unwrap().level, level);
    }
}

#[test]
fn text_that_is_none() {
    for (name, call, words) in [
        ("open-text", "open", "text that is not UTF-8"),
        ("open-text-len", "open", "513 bytes of text in 512"),
        ("open-text-beside", "open", "text that is not UTF-8"),
        ("self-test-text", "self_test", "left text that is not UTF-8"),
    ] {
        let fields = format!(".{call} = lie_{}, .close = aborts", name.replace('-', "_"));
        let Some(entry) = plugin(name, &fields) else {
            return;
        };
        let refused = opened(entry).unwrap_err();
        assert!(matches!(refused, OpenError::Broken { .. }), "{refused}");
        assert!(refused.why().contains(words), "{refused}");
    }
    for (name, words) in [
        ("health-text", "text that is not UTF-8"),
        ("health-text-len", "bytes of text in 512"),
    ] {
        let fields = format!(".health = lie_{}", name.replace('-', "_"));
        let factory = opened(plugin(name, &fields).unwrap()).unwrap();
        quarantined(&*factory, words);
    }
}

#[test]
fn honest_failures_are_passed_on_in_one_line() {
    let Some(entry) = plugin("absent", ".open = open_absent") else {
        return;
    };
    let refused = opened(entry).unwrap_err();
    assert!(matches!(refused, OpenError::Absent { .. }), "{refused}");
    assert!(
        refused
            .why()
            .ends_with("libabsent.so: looked for /dev/none, found nothing")
    );

    let refused = opened(plugin("misconfigured", ".open = open_misconfigured").unwrap());
    assert!(matches!(refused, Err(OpenError::Misconfigured { .. })));
    let refused = opened(plugin("open-busy", ".open = open_busy").unwrap()).unwrap_err();
    assert!(matches!(refused, OpenError::Broken { .. }));
    assert!(refused.why().contains("Busy"), "{refused}");

    let factory = opened(plugin("degraded", ".health = health_degraded").unwrap()).unwrap();
    let why = "one of  two queues".into();
    assert_eq!(factory.health(), Health::Degraded { why });
}

#[test]
fn a_failing_self_test_refuses_the_plugin() {
    let Some(entry) = plugin("own-test", ".self_test = self_test_fails") else {
        return;
    };
    let registry = Registry::builder().provider(entry).build().unwrap();
    let refused = registry.open("own-test").unwrap_err().to_string();
    for words in [
        "libown-test.so",
        "failed its self-test",
        "-99",
        "unit 3 of 8 differs",
    ] {
        assert!(
            refused.contains(words),
            "{refused:?} does not say {words:?}"
        );
    }
    assert!(!refused.contains('\n'));

    // The plugin is content with itself; the host's known answers find it out.
    for direction in Direction::BOTH {
        let name = format!("flips-{direction}");
        let entry = plugin(&name, &format!(".{direction} = copy_flips")).unwrap();
        let registry = Registry::builder().provider(entry).build().unwrap();
        let refused = registry.open(&name).unwrap_err();
        assert!(refused.why().contains("failed its self-test"), "{refused}");
    }
}

#[test]
fn its_own_self_test_is_asked_for_once_by_opening_and_then_by_whoever_asks() {
    let fields = ".self_test = self_test_once, .health = absent_without_a_word";
    let Some(entry) = plugin("tested-once", fields) else {
        return;
    };
    let registry = Registry::builder().provider(entry).build().unwrap();
    let factory = registry.open("tested-once").unwrap();
    assert_eq!(factory.self_test().unwrap_err().kind(), ErrorKind::Device);
    // What gives no reason is given one.
    assert_eq!(factory.health().why(), Some("the plugin says no more"));
}

#[test]
fn capabilities_that_cannot_be() {
    let list = |name: &str| {
        (
            name.to_string(),
            format!("lie_capabilities_{name}"),
            String::new(),
        )
    };
    let one = |name: &str, from: &str| {
        let capability = format!(".max_input=1,.max_output=1,{from}");
        (name.to_string(), "lie_capabilities".into(), capability)
    };
    let no_window = ".format=CP_FORMAT_ZLIB,.max_level=9,.default_level=6";
    let zlib = &format!("{no_window},.window=32768");
    for ((name, function, capability), words) in [
        (list("none"), "nothing that it can do"),
        (list("null"), "capabilities at an address"),
        (list("many"), "18446744073709551615 capabilities"),
        (list("short"), "capabilities of 8 bytes"),
        (list("unset"), "nothing that it can do"),
        (list("twice"), "none compress twice"),
        (one("format", ".format=99"), "nobody has defined"),
        (
            one("foreign", ".format=CP_FORMAT_GZIP,.window=32768"),
            "not one of the formats in its table",
        ),
        (one("direction", ".direction=2"), "nobody has defined"),
        (one("dictionaries", ".dictionaries=2"), "nobody has defined"),
        (one("output", ".output=2"), "nobody has defined"),
        (one("placement", ".placement=2"), "nobody has defined"),
        (one("verified", ".self_verified=2"), "nobody has defined"),
        (one("input", ".min_input=2"), "no input: from 2 to 1"),
        (
            one("levels", &format!("{zlib},.min_level=7")),
            "levels 7..=9, default 6",
        ),
        (
            one("level-high", &format!("{zlib},.max_level=10")),
            "the format has 0..=9",
        ),
        (
            one("level-low", &format!("{zlib},.min_level=-1")),
            "levels -1..=9",
        ),
        (
            one("level-order", &format!("{zlib},.min_level=9,.max_level=1")),
            "levels 9..=1",
        ),
        (
            one("effort-null", ".efforts=0,.effort_count=1"),
            "efforts at an address",
        ),
        (
            one("effort-odd", ".efforts=(const void *)3,.effort_count=1"),
            "efforts at an address",
        ),
        (
            one("effort-many", ".efforts=speed,.effort_count=SIZE_MAX"),
            "18446744073709551615 efforts",
        ),
        (
            one("effort-257", ".efforts=speed,.effort_count=257"),
            "has 257 efforts",
        ),
        (
            one("effort-twice", "EFFORTS(speed_twice)"),
            "none compress with the effort speed twice",
        ),
        (
            one("effort-none", "EFFORTS(no_effort)"),
            "the unknown effort 0",
        ),
        (
            one("effort-unknown", "EFFORTS(unknown_effort)"),
            "the unknown effort 4",
        ),
        (
            one("effort-urgent", "EFFORTS(too_urgent)"),
            "the effort balanced at the priority 32768",
        ),
        (
            one("effort-late", "EFFORTS(too_late)"),
            "the effort balanced at the priority -2147483648",
        ),
        (
            one("window-none", no_window),
            "zlib compress with a window of 0 bytes",
        ),
        (
            one(
                "window-none-read",
                ".format=CP_FORMAT_ZLIB,.direction=CP_DECOMPRESS",
            ),
            "zlib decompress with a window of 0 bytes",
        ),
        (
            one("effort-read", ".direction=CP_DECOMPRESS,EFFORTS(speed)"),
            "none decompress with efforts or losses",
        ),
        (
            one("loss-read", ".direction=CP_DECOMPRESS,LOSSES(few_percent)"),
            "none decompress with efforts or losses",
        ),
        (
            one(
                "loss-no-input",
                &format!("{zlib},EFFORTS(speed),LOSSES(no_input)"),
            ),
            "zlib compress with a loss that holds for no input",
        ),
        (
            one("loss-null", "EFFORTS(speed),.losses=0,.loss_count=2"),
            "losses at an address",
        ),
        (
            one(
                "loss-many",
                "EFFORTS(speed),.losses=few_percent,.loss_count=SIZE_MAX",
            ),
            "18446744073709551615 losses",
        ),
        (
            one("loss-alone", &format!("{zlib},LOSSES(few_percent)")),
            "zlib compress with losses, but without an effort",
        ),
        (
            one(
                "loss-percent",
                &format!("{zlib},EFFORTS(speed),LOSSES(many_percent)"),
            ),
            "zlib compress with a loss of 101 %",
        ),
        (
            one(
                "loss-wrapped",
                &format!("{zlib},EFFORTS(speed),LOSSES(wrapped_percent)"),
            ),
            "with a loss of 256 %",
        ),
        (
            one(
                "loss-high",
                &format!("{zlib},EFFORTS(speed),LOSSES(level_high)"),
            ),
            "with a loss up to level 10; the format has 0..=9",
        ),
        (
            one(
                "loss-low",
                &format!("{zlib},EFFORTS(speed),LOSSES(level_low)"),
            ),
            "with a loss up to level -1",
        ),
    ] {
        let name = format!("capabilities-{name}");
        let fixture = Fixture::new(&name)
            .define("CAPABILITY", &capability)
            .fields(&format!(
                ".capabilities = {function}, .formats = both, .format_count = 2"
            ));
        let Some(library) = fixture.build() else {
            return;
        };
        let refused = opened(load(library).unwrap()).unwrap_err();
        assert!(matches!(refused, OpenError::Broken { .. }), "{refused}");
        assert!(refused.why().contains(words), "{name}: {refused}");
    }
}

#[test]
fn efforts_of_a_plugin_in_c_are_served_as_far_as_it_lists_them() {
    let capability = ".format=CP_FORMAT_ZLIB,.max_input=SIZE_MAX,.max_output=SIZE_MAX,\
                      .window=32768,.max_level=9,.default_level=6,EFFORTS(speed),LOSSES(few_percent)";
    let fixture = Fixture::new("efforts")
        .define("CAPABILITY", capability)
        .fields(
            ".capabilities = lie_capabilities, .formats = both, .format_count = 2, \
             .compressor_new = wants_speed",
        );
    let Some(library) = fixture.build() else {
        return;
    };
    let factory = opened(load(library).unwrap()).unwrap();
    let [listed] = factory.capabilities() else {
        panic!("{:?}", factory.capabilities());
    };
    const LOSSES: &[Loss] = &[Loss::new(9, 4096, 7), Loss::new(6, 65_536, 100)];
    let speed = Efforts::NONE.with(Effort::Speed, 3).within(LOSSES);
    assert_eq!(listed.efforts, speed);

    // The fixture makes compressors for `speed` and a loss of 25 % alone.
    let longest = |spec: Spec| {
        let compressor = factory.compressor(&spec).map_err(|error| error.kind())?;
        let mut session = compressor.compress_session().unwrap();
        let takes = |len: &usize| {
            let mut dst = vec![0; *len];
            session.compress(&vec![0; *len], &mut dst).is_ok()
        };
        Ok([65_537, 65_536, 4097, 4096].into_iter().find(takes))
    };
    let spec = Spec::new(Format::Zlib).with_max_loss(25).unwrap();
    let speed = spec.clone().with_effort(Effort::Speed);
    assert_eq!(longest(speed.clone()), Ok(Some(4096)));
    let other_loss = speed.clone().with_max_loss(26).unwrap();
    assert_eq!(longest(other_loss), Err(ErrorKind::Device));
    assert_eq!(longest(spec.clone()), Err(ErrorKind::Device));
    // Not asked, for it does not list those.
    let none = Err(ErrorKind::Unsupported);
    assert_eq!(longest(speed.with_max_loss(6).unwrap()), none);
    assert_eq!(longest(spec.with_effort(Effort::Ratio)), none);
}

#[test]
fn a_poisoned_session_is_never_entered_again() {
    let Some(entry) = plugin("poisoned", ".compress = copy_poisoned") else {
        return;
    };
    let factory = opened(entry).unwrap();
    let compressor = compressor(&*factory);
    let mut session = compressor.compress_session().unwrap();
    let mut dst = [0; 32];
    assert_eq!(session.compress(&[7; 12], &mut dst), Ok(12));
    let poisoned = session.compress(&[7; 13], &mut dst).unwrap_err();
    assert_eq!(poisoned.kind(), ErrorKind::Poisoned);
    assert!(poisoned.is_forked());
    // The fixture aborts the process if it is.
    for _ in 0..3 {
        let again = session.compress(&[7; 12], &mut dst).unwrap_err();
        assert_eq!(again.kind(), ErrorKind::Poisoned);
    }
    assert_eq!(
        compressor
            .compress_session()
            .unwrap()
            .compress(&[7; 12], &mut dst),
        Ok(12)
    );
    assert_eq!(factory.health(), Health::Ready);
}

#[test]
fn the_host_keeps_the_limits_that_a_plugin_publishes() {
    let capability = ".format=CP_FORMAT_NONE,.min_input=4,.max_input=8,.max_output=8";
    // Input outside of them would meet a lie, and quarantine the plugin.
    let fixture = Fixture::new("limits")
        .define("CAPABILITY", capability)
        .define("LIE_AT", "9")
        .fields(".capabilities = lie_capabilities, .compress = lie_status");
    let Some(library) = fixture.build() else {
        return;
    };
    let factory = opened(load(library).unwrap()).unwrap();
    let compressor = compressor(&*factory);
    assert_eq!(compressor.max_compressed_len(8), Some(8));
    assert_eq!(compressor.max_compressed_len(9), None);
    let mut session = compressor.compress_session().unwrap();
    let mut dst = [0; 16];
    for (len, served) in [(3, false), (4, true), (8, true), (9, false)] {
        let result = session.compress(&[1; 16][..len], &mut dst);
        match result {
            Ok(n) => assert!(served && n == len),
            Err(error) => assert!(!served && error.kind() == ErrorKind::Unsupported, "{error}"),
        }
    }
    // A job outside of them does not keep its neighbours from being served.
    let mut buffers = [[0; 16]; 3];
    let mut jobs: Vec<Job<'_>> = buffers
        .iter_mut()
        .zip([5, 9, 6])
        .map(|(dst, len)| Job::new(&[1; 16][..len], dst))
        .collect();
    session.compress_many(&mut jobs);
    assert_eq!((jobs[0].result, jobs[2].result), (Ok(5), Ok(6)));
    assert_eq!(jobs[1].result.unwrap_err().kind(), ErrorKind::Unsupported);

    let other_way = compressor.decompress_session().err().unwrap();
    assert_eq!(other_way.kind(), ErrorKind::Unsupported);
    let other_format = factory.compressor(&Spec::new(Format::Zlib)).unwrap_err();
    assert_eq!(other_format.kind(), ErrorKind::Unsupported);
    assert_eq!(factory.health(), Health::Ready);
}

#[test]
fn batches_of_any_length_are_run_whole() {
    let fields = ".compress_many = copy_many, .decompress_many = copy_many";
    for (name, fields) in [("batches", fields), ("one-by-one", ".reserved = 0")] {
        let Some(entry) = plugin(name, fields) else {
            return;
        };
        let factory = opened(entry).unwrap();
        let compressor = compressor(&*factory);
        for count in [0, 1, 63, 64, 65, 200] {
            let sources: Vec<Vec<u8>> = (0..count).map(|i| vec![i as u8; i % 7]).collect();
            // Every fifth has no room.
            let mut buffers: Vec<Vec<u8>> = (0..count)
                .map(|i| vec![0xaa; if i % 5 == 4 { 0 } else { i % 7 }])
                .collect();
            let mut jobs: Vec<Job<'_>> = sources
                .iter()
                .zip(&mut buffers)
                .map(|(src, dst)| Job::new(src, dst))
                .collect();
            compressor
                .compress_session()
                .unwrap()
                .compress_many(&mut jobs);
            for (i, job) in jobs.iter().enumerate() {
                if job.src.len() <= job.dst.len() {
                    assert_eq!(job.result, Ok(i % 7), "{name} {count} {i}");
                    assert_eq!(job.src, &*job.dst);
                } else {
                    assert_eq!(job.result.unwrap_err().kind(), ErrorKind::OutputTooSmall);
                }
            }
        }
    }
}

#[test]
fn an_operation_that_a_plugin_lies_about_ends_in_software() {
    for (lie, direction) in [
        ("beyond", Direction::Compress),
        ("status", Direction::Compress),
        ("no_length", Direction::Decompress),
        ("status", Direction::Decompress),
    ] {
        let name = format!("decorated-{}-{direction}", lie.replace('_', "-"));
        let fixture = Fixture::new(&name)
            .define("LIE_AT", "13")
            .fields(&format!(".{direction} = lie_{lie}"));
        let Some(library) = fixture.build() else {
            return;
        };
        let registry = Registry::builder()
            .provider(&stored::PROVIDER)
            .provider(load(library).unwrap())
            .build()
            .unwrap();
        let selection = registry
            .select(&Spec::new(Format::None), &Policy::default())
            .unwrap();
        assert!(selection.accelerator(direction).is_some());
        let guards = Guards::new();
        let accelerated = Accelerated::from_selection(&selection, &guards, Options::new()).unwrap();
        let mut compress = accelerated.compress_session().unwrap();
        let mut decompress = accelerated.decompress_session().unwrap();
        for len in [12, 13, 12, 13, 14] {
            let content = vec![len as u8; len];
            let (mut unit, mut back) = (vec![0; len], vec![0; len]);
            assert_eq!(compress.compress(&content, &mut unit), Ok(len), "{name}");
            assert_eq!(decompress.decompress(&unit, &mut back), Ok(len), "{name}");
            assert_eq!((&unit, &back), (&content, &content));
        }
        let health = registry.health(&name).unwrap();
        assert!(matches!(health, Health::Quarantined { .. }), "{health}");
        let provider = selection.accelerator(direction).unwrap().provider;
        let guard = guards.guard(provider, direction).health();
        assert!(matches!(guard, Health::Quarantined { .. }), "{guard}");
        let counters = accelerated.counters();
        // The one before the lie.
        assert_eq!(counters.direction(direction).accelerated.ops, 1);
    }
}
