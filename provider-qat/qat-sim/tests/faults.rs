//! What goes wrong when it is told to, and what the device does not put up with.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use common::{Session, Sim, Stream, configure, text};
use qat_sim::api;

/// What compressing does under a script, and the output.
fn compress(stream: Stream, script: &str) -> (common::Result, Vec<u8>) {
    let _sim = Sim::new(&format!("misuse=fail; {script}"));
    let mut unit = vec![0; 8_000];
    let result = Session::new(stream, true).compress(&text(4_096), &mut unit);
    (result, unit)
}

#[test]
fn each_documented_code_comes_back() {
    let codes = [
        1, 2, -1, -2, -3, -4, -5, -100, 11, 12, 13, 14, 15, 16, 100, -101, -102, -103, -104, -105,
        -116, -117, -118, -119, -200, 77,
    ];
    for code in codes {
        let (result, _) = compress(Stream::Zlib, &format!("fault code={code}"));
        assert_eq!(result, (code, 0, 0));
    }
}

#[test]
fn a_call_that_did_not_end_well_is_the_last() {
    for (script, misuses) in [("fault code=-2 nth=1", 1), ("fault code=-103 nth=1", 0)] {
        let sim = Sim::new(&format!("misuse=fail; {script}"));
        let mut session = Session::new(Stream::Zlib, true);
        let mut unit = vec![0; 8_000];
        assert!(session.compress(&text(4_096), &mut unit).0 < 0);
        let again = session.compress(&text(4_096), &mut unit).0;
        assert_eq!(again, if misuses == 1 { -2 } else { 0 }, "{script}");
        assert_eq!(sim.counted(|c| c.misuses), misuses, "{script}");
        // A new one is as good as ever.
        session.tear_down();
        assert_eq!(
            Session::new(Stream::Zlib, true)
                .compress(&text(4_096), &mut unit)
                .0,
            0
        );
    }
}

#[test]
fn successes_that_are_none_look_like_successes() {
    let (right, unit) = compress(Stream::Zlib, "");
    let (.., len) = right;
    assert_eq!(right, (0, 4_096, len));
    assert_eq!(compress(Stream::Zlib, "fault ok-with-zero").0, (0, 0, 0));
    assert_eq!(
        compress(Stream::Zlib, "fault truncates").0,
        (0, 4_096, len / 2)
    );
    let (result, flipped) = compress(Stream::Zlib, "fault flips-bit");
    assert_eq!(result, right);
    let bits: u32 = unit
        .iter()
        .zip(&flipped)
        .map(|(a, b)| (a ^ b).count_ones())
        .sum();
    assert_eq!(bits, 1);
    let (result, spoiled) = compress(Stream::Zlib, "fault wrong-checksum");
    assert_eq!(result, right);
    assert!(spoiled[..len - 4] == unit[..len - 4] && spoiled[len - 4..len] != unit[len - 4..len]);
    let (result, short) = compress(Stream::Zlib, "fault consumes-less");
    assert!(result.0 == 0 && result.1 == 4_096 && short != unit);
    let (result, several) = compress(Stream::Gzip, "fault multi-stream");
    assert_eq!(result.0, 0);
    let member = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0];
    let members = several.windows(8).filter(|bytes| *bytes == member).count();
    assert_eq!(members, 2);
    let (result, framed) = compress(Stream::Lz4Block, "fault frame-for-block");
    assert!(result.0 == 0 && framed.starts_with(b"\x04\x22\x4D\x18"));
    let (_, bare) = compress(Stream::Zstd, "fault no-checksum");
    let (_, zstd) = compress(Stream::Zstd, "");
    // The flag in the frame header descriptor (RFC 8878, section 3.1.1.1.1).
    assert_eq!((zstd[4] & 4, bare[4] & 4), (4, 0));
    let (result, scribbled) = compress(Stream::Zlib, "fault scribbles");
    assert_eq!(result, (-2, 0, 0));
    assert!(scribbled.iter().all(|byte| *byte == 0xAA));
}

#[test]
fn lz4s_is_spoiled_as_told() {
    let (right, unit) = compress(Stream::Lz4s, "");
    let offset = |unit: &[u8]| {
        let mut at = 5;
        let mut literals = usize::from(unit[4] >> 4);
        if literals == 15 {
            literals += usize::from(unit[at]);
            assert!(literals < 15 + 255);
            at += 1;
        }
        u16::from_le_bytes([unit[at + literals], unit[at + literals + 1]])
    };
    assert!((1..4_096).contains(&offset(&unit)));
    let (result, zero) = compress(Stream::Lz4s, "fault zero-offset");
    assert_eq!((result, offset(&zero)), (right, 0));
    let (result, far) = compress(Stream::Lz4s, "fault far-offset");
    assert_eq!((result, offset(&far)), (right, u16::MAX));
    let (result, sum) = compress(Stream::Lz4s, "fault wrong-sum");
    assert!(result.0 == 0 && sum != unit && offset(&sum) == offset(&unit));
}

#[test]
fn work_on_the_cpu_does_not_move_the_totals() {
    let sim = Sim::new("fault silent-software nth=2");
    let mut session = Session::new(Stream::Zlib, true);
    let mut unit = vec![0; 8_000];
    let mut call = |len: usize| {
        assert_eq!(session.compress(&text(len), &mut unit).0, 0);
        session.0.total_in
    };
    assert_eq!(call(4_096), 4_096);
    assert_eq!(call(4_096), 4_096);
    // Below the threshold it does the same.
    assert_eq!(call(127), 4_096);
    assert_eq!(call(128), 4_224);
    assert_eq!(sim.counted(|c| c.software), 2);
}

#[test]
fn a_lost_device_comes_back_for_new_sessions_alone() {
    let sim = Sim::new("misuse=fail; fault lost nth=2 code=-103 back=2calls");
    let mut old = Session::new(Stream::Zlib, true);
    let mut other = Session::new(Stream::Zlib, true);
    let mut unit = vec![0; 8_000];
    let content = text(4_096);
    assert_eq!(old.compress(&content, &mut unit).0, 0);
    assert_eq!(old.compress(&content, &mut unit).0, -103);
    assert_eq!(other.compress(&content, &mut unit).0, -103);
    let mut new = Session::new(Stream::Zlib, true);
    assert_eq!(new.compress(&content, &mut unit).0, -103);
    assert_eq!(new.compress(&content, &mut unit).0, 0);
    // Of before, and no use any more.
    assert_eq!(other.compress(&content, &mut unit).0, 100);
    assert_eq!(sim.counted(|c| c.misuses), 0);
}

#[test]
fn after_no_instance_was_found_a_session_stays_in_that_state_and_works() {
    let sim = Sim::new("fault code=-103 nth=2");
    let mut session = Session::new(Stream::Zlib, true);
    let mut unit = vec![0; 8_000];
    let states = [(); 4].map(|()| {
        let code = session.compress(&text(4_096), &mut unit).0;
        (code, session.0.hw_session_stat)
    });
    assert_eq!(states, [(0, 0), (-103, 13), (0, 13), (0, 13)]);
    assert_eq!(session.0.total_in, 3 * 4_096);
    assert_eq!(sim.counted(|c| c.compressed), 3);
}

#[test]
fn a_format_without_an_instance_is_never_served() {
    let sim = Sim::new("formats=gzip,deflate-raw");
    let mut unit = vec![0; 8_000];
    for (stream, code) in [
        (Stream::Zlib, -103),
        (Stream::Gzip, 0),
        (Stream::Raw, 0),
        (Stream::Lz4s, -103),
    ] {
        let mut session = Session::new(stream, true);
        for _ in 0..3 {
            assert_eq!(session.compress(&text(4_096), &mut unit).0, code);
        }
    }
    assert_eq!(sim.counted(|c| c.busy), 6);
}

#[test]
fn buffers_are_as_large_as_those_of_the_first_session() {
    let sim = Sim::new("misuse=fail");
    // The first of this process, or one that is smaller.
    drop(Session::new(Stream::Zlib, true));
    let set_up = |size| {
        let session = Session::try_new(Stream::Zlib, true, |common| common.hw_buff_sz = size);
        session.err()
    };
    assert_eq!(set_up(32 << 10), None);
    assert_eq!(sim.counted(|c| c.misuses), 0);
    assert_eq!(set_up(512 << 10), Some(-2));
    assert_eq!(sim.counted(|c| c.misuses), 1);
}

#[test]
fn a_buffer_is_not_to_be_used_before_its_late_write_came() {
    // One comes long after this test, one soon.
    let sim = Sim::new(
        "misuse=fail; fault late-write nth=1 delay=3600s; fault late-write nth=1 delay=1ms",
    );
    let content = text(4_096);
    let unit: &'static mut [u8] = vec![0; 8_000].leak();
    let (first, rest) = unit.split_at_mut(6_000);
    let mut soon = vec![0; 6_000];
    for given in [&mut *first, &mut soon] {
        let given_up = Session::new(Stream::Zlib, true).compress(&content, given);
        assert_eq!(given_up, (-2, 0, 0));
    }
    let mut session = Session::new(Stream::Zlib, true);
    assert_eq!(session.compress(&content[..2_000], rest).0, 0);
    assert_eq!(sim.counted(|c| c.misuses), 0);
    // As an output, and as an input.
    assert_eq!(session.compress(&content, first).0, -2);
    assert_eq!(session.compress(&first[5_000..], rest).0, -2);
    assert_eq!(sim.counted(|c| c.misuses), 2);
    sim.wait_for_late_writes(1);
    assert_eq!(session.compress(&content, &mut soon).0, 0);
    assert_eq!(sim.counted(|c| c.misuses), 2);
}

#[test]
fn a_late_write_comes_after_the_call() {
    let sim = Sim::new("fault late-write code=-5 delay=20ms");
    let mut unit = vec![1; 8_000];
    let result = Session::new(Stream::Zlib, true).compress(&text(4_096), &mut unit);
    assert_eq!(result, (-5, 0, 0));
    sim.wait_for_late_writes(1);
    assert!(std::hint::black_box(&unit).iter().all(|byte| *byte == 0xEE));
}

#[test]
fn a_device_takes_its_time() {
    let _sim = Sim::new("service=5ms; per-kib=1ms");
    for busy in [0, 1] {
        let mut session =
            Session::try_new(Stream::Zlib, true, |common| common.polling_mode = busy).unwrap();
        let start = Instant::now();
        session.unit(&text(4_096));
        assert!(start.elapsed() >= Duration::from_millis(9));
    }
}

#[test]
fn a_device_is_as_wide_as_it_is() {
    let sim = Sim::new("instances=2; service=50ms");
    let barrier = Barrier::new(6);
    let codes: Vec<i32> = thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    let mut session = Session::new(Stream::Zlib, true);
                    let content = text(4_096);
                    let mut unit = vec![0; 8_000];
                    barrier.wait();
                    session.compress(&content, &mut unit).0
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let busy = codes.iter().filter(|code| **code == -103).count();
    assert!(
        codes.iter().all(|code| [0, -103].contains(code)),
        "{codes:?}"
    );
    assert_eq!(sim.counted(|c| c.busy), busy as u64);
    assert!(codes.contains(&0) && qat_sim::counters().peak <= 2);
}

#[test]
fn what_is_ruled_out_is_counted_and_fails() {
    let sim = Sim::new("misuse=fail; fault code=-1 on=setup nth=3");
    let mut misuses = 0;
    let mut assert_misuse = |code: i32| {
        misuses += 1;
        assert_eq!((code, sim.counted(|c| c.misuses)), (-2, misuses));
    };
    let (content, mut unit) = (text(4_096), vec![0; 8_000]);
    let mut compresses = Session::new(Stream::Zlib, true);
    let zlib = compresses.unit(&content);
    assert_misuse(compresses.decompress(&zlib, &mut unit).0);
    let mut decompresses = Session::new(Stream::Zlib, false);
    assert_misuse(decompresses.compress(&content, &mut unit).0);
    assert_misuse(decompresses.decompress(&zlib[..19], &mut unit).0);

    // Never set up, not set up, torn down.
    assert_misuse(Session::unset().compress(&content, &mut unit).0);
    assert_eq!(Session::try_new(Stream::Zlib, true, |_| {}).err(), Some(-1));
    compresses.tear_down();
    assert_misuse(compresses.compress(&content, &mut unit).0);

    let mut raw = Session::new(Stream::Raw, false);
    assert_misuse(raw.decompress(&content, &mut unit).0);
}

#[test]
fn levels_that_deflate_lacks_fail_when_they_are_used() {
    let _sim = Sim::new("");
    for level in [10, 12] {
        let session = Session::try_new(Stream::Zlib, true, |common| common.comp_lvl = level);
        let result = session.unwrap().compress(&text(4_096), &mut [0; 8_000]);
        assert_eq!(result, (-2, 0, 0));
    }
    let lz4 = Session::try_new(Stream::Lz4Frame, true, |common| common.comp_lvl = 12);
    assert_eq!(lz4.unwrap().compress(&text(4_096), &mut [0; 8_000]).0, 0);
}

#[test]
fn sessions_are_counted_until_they_are_torn_down() {
    let _sim = Sim::new("");
    let before = qat_sim::counters().sessions;
    let session = Session::new(Stream::Zlib, true);
    assert_eq!(qat_sim::counters().sessions, before + 1);
    drop(session);
    assert_eq!(qat_sim::counters().sessions, before);
}

#[test]
fn a_script_that_is_none_changes_nothing() {
    let _sim = Sim::new("fault code=-7");
    assert_eq!(configure("fault everything"), -1);
    let result = Session::new(Stream::Zlib, true).compress(&text(4_096), &mut [0; 8_000]);
    assert_eq!(result.0, -7);
}

#[test]
fn a_callback_gets_the_lz4s() {
    use std::ffi::{c_int, c_uchar, c_uint, c_void};
    /// Leaves the first byte alone, and says how many there were.
    unsafe extern "C" fn callback(
        external: *mut c_void,
        _: *const c_uchar,
        _: *mut c_uint,
        _: *mut c_uchar,
        dest_len: *mut c_uint,
        _: *mut c_int,
    ) -> c_int {
        // SAFETY: the number that was given with this function, and the length of the output.
        unsafe {
            *external.cast::<c_uint>() = *dest_len;
            *dest_len = 1;
        }
        0
    }
    let _sim = Sim::new("");
    let mut seen: c_uint = 0;
    let mut session = Session::unset();
    // SAFETY: live structs, which nobody else has; `seen` outlives the session.
    let code = unsafe {
        let mut params = std::mem::zeroed();
        api::qzInit(&mut *session.0, 0);
        api::qzGetDefaultsLZ4S(&mut params);
        params.common_params.direction = 0;
        params.common_params.sw_backup = 0;
        params.qzCallback = Some(callback);
        params.qzCallback_external = (&raw mut seen).cast();
        api::qzSetupSessionLZ4S(&mut *session.0, &mut params)
    };
    assert_eq!(code, 0);
    let result = session.compress(&text(4_096), &mut [0; 8_000]);
    assert_eq!(result, (0, 4_096, 1));
    drop(session);
    assert!(seen > 1);
}
