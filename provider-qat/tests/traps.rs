//! What is known to go wrong with QATzip and with devices, over the simulated device, which ends
//! the process when a session is used that should not be.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod sim;

use std::sync::Arc;
use std::thread;

use compressor_api::{
    Compressor, CompressorFactory, Direction, Error, ErrorKind, Format, Health, Registry, Spec,
    self_test,
};
use compressor_decorator::{Accelerated, Guards, Options, Reason};
use provider_qat::PROVIDER;
use sim::{APIS, Api, PATIENT, Sim};

const CONTENT: &[u8] = self_test::CONTENT;

fn software(format: Format) -> Arc<dyn Compressor> {
    let factory = match format {
        Format::Lz4Block => compressor_lz4::factory(),
        Format::Zstd => compressor_zstd::factory(),
        _ => compressor_deflate::factory(),
    };
    factory.compressor(&Spec::new(format)).unwrap()
}

fn compress(compressor: &dyn Compressor, content: &[u8]) -> Result<Vec<u8>, Error> {
    let mut unit = vec![0; compressor.max_compressed_len(content.len()).unwrap()];
    let n = compressor
        .compress_session()?
        .compress(content, &mut unit)?;
    unit.truncate(n);
    Ok(unit)
}

fn decompress(compressor: &dyn Compressor, unit: &[u8]) -> Result<Vec<u8>, Error> {
    let mut content = vec![0; CONTENT.len()];
    let n = compressor
        .decompress_session()?
        .decompress(unit, &mut content)?;
    content.truncate(n);
    Ok(content)
}

/// Each format and direction that is listed.
fn listed(factory: &dyn CompressorFactory) -> Vec<(Format, Direction)> {
    let capabilities = factory.capabilities().iter();
    capabilities.map(|c| (c.format, c.direction)).collect()
}

/// One operation in one session; a result that software agrees with.
struct Session {
    format: Format,
    kind: Kind,
}

enum Kind {
    Compress(Box<dyn compressor_api::CompressSession>),
    Decompress(Box<dyn compressor_api::DecompressSession>),
}

impl Session {
    fn new(factory: &dyn CompressorFactory, format: Format, direction: Direction) -> Self {
        let compressor = factory.compressor(&Spec::new(format)).unwrap();
        let kind = match direction {
            Direction::Compress => Kind::Compress(compressor.compress_session().unwrap()),
            Direction::Decompress => Kind::Decompress(compressor.decompress_session().unwrap()),
        };
        Self { format, kind }
    }

    /// The error's kind and native code, if any; bytes that are wrong end the test.
    fn run(&mut self) -> Result<(), Error> {
        let mut dst = vec![0; 2 * CONTENT.len()];
        match &mut self.kind {
            Kind::Compress(session) => {
                let n = session.compress(CONTENT, &mut dst)?;
                let back = decompress(&*software(self.format), &dst[..n]).unwrap();
                assert!(back == CONTENT, "{}", self.format);
            }
            Kind::Decompress(session) => {
                let n = session.decompress(self_test::unit(self.format), &mut dst)?;
                assert!(dst[..n] == *CONTENT, "{}", self.format);
            }
        }
        Ok(())
    }
}

fn call(direction: Direction) -> &'static str {
    direction.name()
}

#[test]
fn a_simulated_device_is_called_one() {
    for api in APIS {
        let version = Sim::new("label", api, "").factory().version();
        assert!(version.contains("simulated"), "{version}");
    }
}

#[test]
fn what_each_api_serves_is_found_by_trying() {
    let of = |api| {
        let sim = Sim::new("serves", api, "");
        let factory = sim.factory();
        assert_eq!(factory.health(), Health::Ready);
        listed(&*factory)
    };
    use Direction::{Compress, Decompress};
    use Format::{DeflateRaw, Gzip, Lz4Block, Zlib, Zstd};
    let old = of(Api::V2_5);
    // Of LZ4 and Zstandard, API 2.5 reads nothing on a device.
    assert_eq!(
        old,
        [
            (Lz4Block, Compress),
            (Zstd, Compress),
            (Zlib, Compress),
            (Zlib, Decompress),
            (DeflateRaw, Compress),
            (Gzip, Compress),
            (Gzip, Decompress),
        ]
    );
    let new = of(Api::V2_6);
    assert!(new.contains(&(Lz4Block, Decompress)) && new.contains(&(Zstd, Decompress)));
    assert!(!new.contains(&(DeflateRaw, Decompress)));
}

#[test]
fn without_a_device_there_is_one_question_and_no_call_after_it() {
    for (code, state) in [
        (-101, "Absent"),
        (-102, "Absent"),
        (-103, "Broken"),
        (-104, "Broken"),
        (-1, "Broken"),
        (11, "Broken"),
        (77, "Broken"),
    ] {
        let name = format!("absent{code}");
        let sim = Sim::new(&name, Api::V2_5, &format!("init={code}"));
        let first = sim.open(&[]).unwrap_err();
        assert_eq!(first.name(), state, "{first}");
        assert!(first.why().contains(&format!("({code})")), "{first}");
        // Another call of anything would end this process.
        for _ in 0..50 {
            assert_eq!(sim.open(&[]).unwrap_err(), first);
        }
    }
}

/// The loader has one library, however it is named; a second name of another file would be another.
#[test]
fn a_second_name_of_a_library_without_a_device_is_no_second_question() {
    let sim = Sim::new("named-twice", Api::V2_5, "init=-101");
    let other = format!("{}.link", sim.path);
    let _ = std::fs::remove_file(&other);
    std::os::unix::fs::symlink(&sim.path, &other).unwrap();
    let first = sim.open(&[]).unwrap_err();
    let second = Sim {
        path: other.clone(),
    };
    // A call would end this process.
    for _ in 0..3 {
        assert_eq!(second.open(&[]).unwrap_err(), first);
        assert_eq!(sim.open(&[]).unwrap_err(), first);
    }
    std::fs::remove_file(other).unwrap();
}

#[test]
fn a_device_that_is_gone_when_a_session_is_made_anew_is_not_asked_for_again() {
    let sim = Sim::new("gone", Api::V2_5, "");
    let factory = sim.factory();
    let mut session = Session::new(&*factory, Format::Zlib, Direction::Compress);
    sim.configure("fault code=-101 on=compress times=1; fault code=-101 on=init times=1");
    // The second asks, and had the third, it would have ended this process.
    for _ in 0..5 {
        assert_eq!(session.run().unwrap_err().kind(), ErrorKind::Lost);
    }
    let compressor = factory.compressor(&Spec::new(Format::Gzip)).unwrap();
    let refused = compressor.compress_session().err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::Lost);
}

#[test]
fn the_first_buffer_size_of_a_process_is_its_largest() {
    let sim = Sim::new("sizes", Api::V2_6, "");
    let first = sim.open(&[("hw_buffer_size", "32KiB")]).unwrap();
    let larger = sim.open(&[("hw_buffer_size", "64KiB")]).unwrap_err();
    assert_eq!(larger.name(), "Misconfigured");
    assert!(larger.why().contains("hw_buffer_size"), "{larger}");
    let smaller = sim.open(&[("hw_buffer_size", "16KiB")]).unwrap();
    for factory in [first, smaller] {
        for (format, direction) in listed(&*factory) {
            Session::new(&*factory, format, direction).run().unwrap();
        }
    }
}

/// −103 is also what QATzip answers where no instance is for a format.
#[test]
fn a_format_that_the_device_does_not_do_leaves_it_ready_for_the_others() {
    use Direction::{Compress, Decompress};
    for api in APIS {
        let sim = Sim::new("second-generation", api, "formats=zlib,gzip,deflate-raw");
        let factory = sim.factory();
        assert_eq!(factory.health(), Health::Ready);
        let expected = [
            (Format::Zlib, Compress),
            (Format::Zlib, Decompress),
            (Format::DeflateRaw, Compress),
            (Format::Gzip, Compress),
            (Format::Gzip, Decompress),
        ];
        assert_eq!(listed(&*factory), expected);
    }
    // Where it finds none for anything, something is wrong.
    let sim = Sim::new("no-instance", Api::V2_5, "fault code=-103");
    let error = sim.open(&[]).unwrap_err();
    assert_eq!(error.name(), "Broken");
    assert!(error.why().contains("-103"), "{error}");
}

#[test]
fn each_code_is_an_error_of_its_kind_and_leaves_no_trace() {
    use ErrorKind::{Busy, CorruptInput, Device, Lost, OutOfMemory, OutputTooSmall, Timeout};
    for (code, compressing, decompressing) in [
        (1, Device, Device),
        (2, Device, Device),
        (-1, Device, Device),
        (-2, Device, Device),
        (-3, OutputTooSmall, CorruptInput),
        (-4, Device, CorruptInput),
        (-5, Timeout, Timeout),
        (-100, Device, Device),
        (11, Device, Device),
        (15, Device, Device),
        (100, Lost, Lost),
        (-101, Lost, Lost),
        (-103, Busy, Busy),
        (-104, OutOfMemory, OutOfMemory),
        (-105, Device, Device),
        (-116, ErrorKind::Unsupported, ErrorKind::Unsupported),
        (-117, Device, Device),
        (-200, ErrorKind::Unsupported, ErrorKind::Unsupported),
        (12_345, Device, Device),
    ] {
        let sim = Sim::new(&format!("code{code}"), Api::V2_6, "");
        let factory = sim.factory();
        for (format, direction) in listed(&*factory) {
            let mut session = Session::new(&*factory, format, direction);
            session.run().unwrap();
            sim.configure(&format!("fault code={code} on={} times=1", call(direction)));
            let error = session.run().unwrap_err();
            let expected = match direction {
                Direction::Compress => compressing,
                Direction::Decompress => decompressing,
            };
            assert_eq!(error.kind(), expected, "{code} {format} {direction}");
            assert_eq!(error.provider(), PROVIDER.id);
            session.run().unwrap();
        }
    }
}

#[test]
fn a_session_whose_set_up_failed_is_never_used() {
    let sim = Sim::new("setup", Api::V2_6, "");
    let factory = sim.factory();
    for (format, direction) in listed(&*factory) {
        for code in [-1, -2, -103, -116, 16] {
            let mut session = Session::new(&*factory, format, direction);
            // The first loses its session, and the next cannot have another.
            sim.configure(&format!(
                "fault code=-2 on={} times=1; fault code={code} on=setup times=2",
                call(direction)
            ));
            for _ in 0..3 {
                assert!(session.run().is_err(), "{format} {direction}");
            }
            session.run().unwrap();
        }
    }
}

#[test]
fn work_done_in_software_is_an_error_and_counted_as_such() {
    for api in APIS {
        let sim = Sim::new("silent", api, "");
        let factory = sim.factory();
        for (format, direction) in listed(&*factory) {
            let mut session = Session::new(&*factory, format, direction);
            sim.configure("fault silent-software times=1");
            assert!(session.run().unwrap_err().is_silent_software(), "{format}");
            session.run().unwrap();
        }

        let accelerated = accelerated(&sim, Format::Zlib);
        let mut session = accelerated.compress_session().unwrap();
        let mut unit = vec![0; 2 * CONTENT.len()];
        sim.configure("fault silent-software times=3");
        for _ in 0..4 {
            let n = session.compress(CONTENT, &mut unit).unwrap();
            let back = decompress(&*software(Format::Zlib), &unit[..n]).unwrap();
            assert!(back == CONTENT);
        }
        let counters = accelerated.counters().compress;
        assert_eq!(counters.software_ops(Reason::SilentSoftware), 3);
        assert_eq!(counters.accelerated.ops, 1);
    }
}

/// QATzip leaves a session in another state after it found every instance in use, and serves it on
/// the device from then on.
#[test]
fn what_the_device_does_after_it_was_busy_counts_as_its_work() {
    for api in APIS {
        let sim = Sim::new("after-busy", api, "");
        let factory = sim.factory();
        for (format, direction) in listed(&*factory) {
            let mut session = Session::new(&*factory, format, direction);
            sim.configure(&format!("fault code=-103 on={} times=1", call(direction)));
            assert_eq!(session.run().unwrap_err().kind(), ErrorKind::Busy);
            for _ in 0..3 {
                session.run().unwrap();
            }
            // Software is told from it in that state too.
            sim.configure(&format!(
                "fault silent-software on={} times=1",
                call(direction)
            ));
            assert!(session.run().unwrap_err().is_silent_software(), "{format}");
            session.run().unwrap();
        }
    }
}

/// The device behind the decorator, with software after it.
fn accelerated(sim: &Sim, format: Format) -> Accelerated {
    let registry = Registry::builder()
        .provider(&PROVIDER)
        .provider(&compressor_deflate::PROVIDER)
        .provider(&compressor_lz4::PROVIDER)
        .provider(&compressor_zstd::PROVIDER)
        .param("intel.qat", "library_path", &sim.path)
        .param("intel.qat", PATIENT.0, PATIENT.1)
        .build()
        .unwrap();
    registry.open("intel.qat").unwrap();
    let selection = registry.select(&Spec::new(format), &Default::default());
    Accelerated::from_selection(&selection.unwrap(), &Guards::new(), Options::new()).unwrap()
}

#[test]
fn a_success_that_is_none_is_an_error_and_leaves_no_trace() {
    for api in APIS {
        let sim = Sim::new("lies", api, "");
        let factory = sim.factory();
        for fault in ["consumes-less", "ok-with-zero", "truncates", "scribbles"] {
            for (format, direction) in listed(&*factory) {
                // The wrong length of a raw stream shows only to who decodes it.
                if (format, fault) == (Format::DeflateRaw, "truncates")
                    || (format, fault) == (Format::Lz4Block, "truncates")
                    || fault == "consumes-less" && direction == Direction::Compress
                {
                    continue;
                }
                let mut session = Session::new(&*factory, format, direction);
                sim.configure(&format!("fault {fault} on={} times=1", call(direction)));
                let failed = session.run();
                assert!(failed.is_err(), "{fault} {format} {direction}");
                session.run().unwrap();
            }
        }
    }
}

#[test]
fn wrong_bytes_under_a_checksum_are_never_handed_out() {
    for api in APIS {
        let sim = Sim::new("checksums", api, "");
        let factory = sim.factory();
        for (format, direction) in listed(&*factory) {
            let mut session = Session::new(&*factory, format, direction);
            let checked = matches!(format, Format::Zlib | Format::Gzip | Format::Zstd);
            if checked && direction == Direction::Compress {
                sim.configure("fault wrong-checksum times=1");
                let failed = session.run();
                // Frames of sequences have a checksum that libzstd writes, and LZ4s none.
                assert_eq!(failed.is_err(), format != Format::Zstd || api == Api::V2_6);
            }
            if checked && direction == Direction::Decompress {
                sim.configure("fault flips-bit on=decompress times=1");
                let error = session.run().unwrap_err();
                assert_eq!(error.kind(), ErrorKind::CorruptInput, "{format}");
            }
            session.run().unwrap();
        }
    }
}

#[test]
fn a_frame_without_the_checksum_that_was_asked_for_gets_one() {
    let sim = Sim::new("no-checksum", Api::V2_6, "");
    let zstd = sim.factory().compressor(&Spec::new(Format::Zstd)).unwrap();
    sim.configure("fault no-checksum times=1");
    let unit = compress(&*zstd, CONTENT).unwrap();
    let header = compressor_api::inspect::header(Format::Zstd, &unit).unwrap();
    assert!(header.checksum);
    let back = decompress(&*software(Format::Zstd), &unit).unwrap();
    assert!(back == CONTENT);
}

#[test]
fn a_frame_where_a_block_was_asked_for_is_refused() {
    let sim = Sim::new("frame", Api::V2_6, "");
    let factory = sim.factory();
    let mut session = Session::new(&*factory, Format::Lz4Block, Direction::Compress);
    sim.configure("fault frame-for-block times=1");
    assert_eq!(session.run().unwrap_err().kind(), ErrorKind::Device);
    session.run().unwrap();
}

#[test]
fn sequences_that_are_wrong_never_become_a_frame() {
    let sim = Sim::new("sequences", Api::V2_5, "");
    let factory = sim.factory();
    let mut session = Session::new(&*factory, Format::Zstd, Direction::Compress);
    for fault in ["zero-offset", "far-offset", "wrong-sum", "flips-bit"] {
        sim.configure(&format!("fault {fault} times=1"));
        let failed = session.run();
        // A bit of a literal, which is taken from the source, makes no difference.
        assert!(failed.is_err() || fault == "flips-bit", "{fault}");
        session.run().unwrap();
    }
    let accelerated = accelerated(&sim, Format::Zstd);
    let mut session = accelerated.compress_session().unwrap();
    sim.configure("fault far-offset times=2");
    let mut unit = vec![0; 2 * CONTENT.len()];
    for _ in 0..2 {
        let n = session.compress(CONTENT, &mut unit).unwrap();
        let back = decompress(&*software(Format::Zstd), &unit[..n]).unwrap();
        assert!(back == CONTENT);
    }
    let counters = accelerated.counters().compress;
    assert_eq!(counters.software_ops(Reason::DeviceError), 2);
}

/// QATzip 1.3.1 answers −2 where it gives a request up, and the device may still be at it.
#[test]
fn buffers_of_a_request_that_was_given_up_are_used_by_nobody() {
    for (code, kind) in [(-2, ErrorKind::Device), (-5, ErrorKind::Timeout)] {
        let sim = Sim::new(&format!("late{code}"), Api::V2_6, "");
        let factory = sim.factory();
        for (format, direction) in listed(&*factory) {
            let mut session = Session::new(&*factory, format, direction);
            let on = call(direction);
            // Longer than this test: a call that is given those buffers meanwhile ends the process.
            sim.configure(&format!(
                "fault late-write code={code} on={on} times=1 delay=3600s"
            ));
            assert_eq!(session.run().unwrap_err().kind(), kind);
            for _ in 0..3 {
                session.run().unwrap();
                Session::new(&*factory, format, direction).run().unwrap();
            }

            // And one that comes, to memory that is nobody's.
            sim.configure(&format!(
                "fault late-write code={code} on={on} times=1 delay=1ms"
            ));
            let before = sim.counters().late_writes;
            let mut dst = vec![0x11; 2 * CONTENT.len()];
            let untouched = dst.clone();
            let result = match &mut session.kind {
                Kind::Compress(session) => session.compress(CONTENT, &mut dst),
                Kind::Decompress(session) => session.decompress(self_test::unit(format), &mut dst),
            };
            assert_eq!(result.unwrap_err().kind(), kind);
            sim.wait_for_late_writes(before + 1, || session.run().unwrap());
            session.run().unwrap();
            assert!(dst == untouched, "{format} {direction}");
        }
    }
}

/// Whoever supplies units cannot use up the buffers that may be kept: QATzip answers −2 to one that is
/// too long for its room as well.
#[test]
fn units_that_are_not_read_for_their_own_sake_keep_no_buffers() {
    let sim = Sim::new("unread", Api::V2_6, "");
    let factory = sim.factory();
    for format in [Format::Zlib, Format::Gzip, Format::Zstd] {
        let compressor = factory.compressor(&Spec::new(format)).unwrap();
        let mut session = compressor.decompress_session().unwrap();
        let good = self_test::unit(format);
        let cut = &good[..good.len() - 1];
        for _ in 0..100 {
            let mut dst = vec![0; CONTENT.len()];
            sim.configure("fault code=-2 on=decompress times=1");
            let error = session.decompress(cut, &mut dst).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CorruptInput, "{format}");
            let short = &mut dst[..CONTENT.len() - 1];
            sim.configure("fault code=-2 on=decompress times=1");
            let error = session.decompress(good, short).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutputTooSmall, "{format}");
        }
        sim.configure("");
        assert_eq!(
            session.decompress(good, &mut vec![0; CONTENT.len()]),
            Ok(CONTENT.len())
        );
    }
}

#[test]
fn a_device_that_times_out_too_often_is_left_alone_and_memory_stays() {
    let sim = Sim::new("timeouts", Api::V2_5, "");
    let factory = sim.factory();
    let mut session = Session::new(&*factory, Format::Zlib, Direction::Compress);
    sim.configure("fault code=-5");
    let kinds: Vec<ErrorKind> = (0..200)
        .map(|_| session.run().unwrap_err().kind())
        .collect();
    let timed_out = kinds.iter().take_while(|kind| **kind == ErrorKind::Timeout);
    let timed_out = timed_out.count();
    // The probe had a few of the 64: it cannot tell an LZ4 frame that is not for the device from one
    // that was given up.
    assert!((32..=64).contains(&timed_out), "{timed_out}");
    assert!(
        kinds[timed_out..]
            .iter()
            .all(|kind| *kind == ErrorKind::Lost)
    );
}

#[test]
fn a_device_that_answers_too_late_has_timed_out() {
    let sim = Sim::new("slow", Api::V2_5, "");
    // A short and a long one, for which there are different clocks.
    for (deadline, delay) in [("5ms", "30ms"), ("100ms", "400ms")] {
        // The probe has the same deadline, and a machine that is busy may take longer.
        let factory = loop {
            let factory = sim.open(&[("deadline", deadline)]);
            if let Ok(factory) = factory
                && factory.health() == Health::Ready
            {
                break factory;
            }
        };
        let mut session = Session::new(&*factory, Format::Zlib, Direction::Compress);
        sim.configure(&format!("fault delay times=1 delay={delay}"));
        assert_eq!(session.run().unwrap_err().kind(), ErrorKind::Timeout);
    }
}

#[test]
fn every_instance_in_use_is_busy_and_no_more() {
    let sim = Sim::new("busy", Api::V2_5, "");
    let factory = sim.factory();
    sim.configure("instances=2; queue=0; service=2ms");
    let mut outcomes: Vec<Result<(), Error>> = Vec::new();
    // Until more than two were there at once, however long that takes on this machine.
    while sim.counters().busy == 0 {
        thread::scope(|scope| {
            let threads = [(); 8].map(|()| {
                scope.spawn(|| {
                    let mut session = Session::new(&*factory, Format::Zlib, Direction::Compress);
                    [(); 10].map(|()| session.run())
                })
            });
            outcomes.extend(
                threads
                    .into_iter()
                    .flat_map(|thread| thread.join().unwrap()),
            );
        });
    }
    let failed = outcomes.iter().filter_map(|outcome| outcome.err());
    assert!(failed.clone().all(|error| error.kind() == ErrorKind::Busy));
    assert_eq!(failed.clone().count() as u64, sim.counters().busy);
    // Two at a time are served, whoever they are.
    assert!(failed.count() < outcomes.len());
}

#[test]
fn a_device_that_is_lost_and_comes_back_serves_again() {
    let sim = Sim::new("lost", Api::V2_6, "");
    let factory = sim.factory();
    for (format, direction) in listed(&*factory) {
        let mut session = Session::new(&*factory, format, direction);
        sim.configure("fault lost times=1 back=3calls");
        let failures = (0..20).take_while(|_| session.run().is_err()).count();
        assert!(
            (1..20).contains(&failures),
            "{format} {direction} {failures}"
        );
        session.run().unwrap();
    }
}

#[test]
fn what_lies_outside_the_limits_is_refused_without_a_call() {
    let sim = Sim::new("limits", Api::V2_6, "");
    let factory = sim.open(&[("min_input", "2KiB")]).unwrap();
    for listed in factory.capabilities() {
        let compressor = factory.compressor(&Spec::new(listed.format)).unwrap();
        let mut dst = vec![0; 300_000];
        // Shorter than 20 bytes would end this process.
        for len in [0, 1, 19, listed.min_input - 1, listed.max_input + 1] {
            let src = vec![0; len];
            let refused = match listed.direction {
                Direction::Compress => compressor
                    .compress_session()
                    .unwrap()
                    .compress(&src, &mut dst),
                Direction::Decompress => {
                    let mut session = compressor.decompress_session().unwrap();
                    session.decompress(&src, &mut dst)
                }
            };
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unsupported, "{len}");
        }
    }
    let raw = factory.compressor(&Spec::new(Format::DeflateRaw)).unwrap();
    assert!(raw.decompress_session().is_err());
}

#[test]
fn blocks_that_may_reach_back_too_far_are_left_to_software() {
    let sim = Sim::new("window", Api::V2_6, "");
    let lz4 = { sim.factory() }
        .compressor(&Spec::new(Format::Lz4Block))
        .unwrap();
    let mut session = lz4.decompress_session().unwrap();
    let mut back = vec![0; 64 << 10];
    for (len, expected) in [
        (32 << 10, Ok(32 << 10)),
        ((32 << 10) + 1, Err(ErrorKind::Unsupported)),
    ] {
        let content = &CONTENT.repeat(9)[..len];
        let unit = compress(&*software(Format::Lz4Block), content).unwrap();
        let result = session.decompress(&unit, &mut back);
        assert_eq!(result.map_err(|error| error.kind()), expected);
    }
}

/// A Zstandard frame with one raw block, that does not say how long its content is.
fn raw_frame(window: u8, content: &[u8]) -> Vec<u8> {
    let block = ((content.len() as u32) << 3 | 1).to_le_bytes();
    [&[0x28, 0xB5, 0x2F, 0xFD, 0, window], &block[..3], content].concat()
}

#[test]
fn a_zstd_frame_is_looked_at_before_the_device_sees_it() {
    /// Of 64 KiB, and the next one.
    const WINDOWS: [u8; 2] = [0x30, 0x31];
    let sim = Sim::new("zstd", Api::V2_6, "");
    let zstd = sim.factory().compressor(&Spec::new(Format::Zstd)).unwrap();
    let mut session = zstd.decompress_session().unwrap();
    let mut dst = vec![0; CONTENT.len()];
    let mut read = |unit: &[u8], room: usize| {
        let n = session.decompress(unit, &mut dst[..room]);
        n.map(|n| assert!(dst[..n] == *CONTENT))
            .map_err(|error| error.kind())
    };
    let frame = raw_frame(WINDOWS[0], CONTENT);
    assert_eq!(read(&frame, CONTENT.len()), Ok(()));
    let served = sim.counters();
    for (unit, room, expected) in [
        (frame.clone(), CONTENT.len() - 1, ErrorKind::OutputTooSmall),
        (
            raw_frame(WINDOWS[1], CONTENT),
            CONTENT.len(),
            ErrorKind::Unsupported,
        ),
        (
            [&frame[..], &frame].concat(),
            CONTENT.len(),
            ErrorKind::CorruptInput,
        ),
        (
            [&frame[..], &[0]].concat(),
            CONTENT.len(),
            ErrorKind::CorruptInput,
        ),
        (
            frame[..frame.len() - 1].to_vec(),
            CONTENT.len(),
            ErrorKind::CorruptInput,
        ),
    ] {
        assert_eq!(read(&unit, room), Err(expected), "{} {room}", unit.len());
    }
    // None of them was.
    assert_eq!(sim.counters(), served);

    // There is room for whatever this frame holds, so that the fault is another one.
    for (code, expected) in [
        (-2, ErrorKind::Device),
        (-3, ErrorKind::CorruptInput),
        (-4, ErrorKind::CorruptInput),
    ] {
        sim.configure(&format!("fault code={code} times=1"));
        assert_eq!(read(&frame, CONTENT.len()), Err(expected), "{code}");
        assert_eq!(read(&frame, CONTENT.len()), Ok(()));
    }
}
