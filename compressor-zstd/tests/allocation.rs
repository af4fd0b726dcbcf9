//! Nothing is allocated once a session is warm, by Rust or by C, and nothing from a declared length.
#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

use std::sync::Arc;

use compressor_api::ErrorKind::{CorruptInput, OutputTooSmall};
use compressor_api::{Compressor, Dictionary, Format, Spec};
use compressor_conformance::alloc;

compressor_conformance::count_mallocs!();

/// How many allocations this thread makes in `run`.
fn allocations(run: impl FnOnce()) -> u64 {
    alloc::allocations(run).1
}

/// Block lengths in an order that makes libzstd trade its workspace: two small ones in a row.
const LENS: [usize; 6] = [65_536, 1_000, 1_000, 16_384, 300, 300];

/// More than twice what it takes for the workspace to count as too large for too long.
const CALLS: usize = 300;

fn text(len: usize) -> Vec<u8> {
    let line = |at| format!("machine-{} temperature {}\n", at % 37, at * at % 1_009);
    (0..)
        .flat_map(|at: usize| line(at).into_bytes())
        .take(len)
        .collect()
}

fn compressor(spec: &Spec) -> Arc<dyn Compressor> {
    compressor_zstd::factory().compressor(spec).unwrap()
}

fn specs() -> Vec<Spec> {
    let spec = Spec::new(Format::Zstd);
    let raw = Dictionary::raw(text(5_000)).unwrap();
    vec![
        spec.clone().with_level(1).unwrap(),
        spec.clone(),
        spec.clone().with_level(6).unwrap(),
        spec.clone().with_window_log(12).unwrap(),
        spec.with_dictionary(raw).unwrap(),
    ]
}

#[test]
fn the_count_sees_rust_and_c() {
    assert_eq!(allocations(|| drop(vec![1, 2, 3])), 1);
    // SAFETY: made and freed.
    let context = || unsafe { zstd_sys::ZSTD_freeDCtx(zstd_sys::ZSTD_createDCtx()) };
    assert_eq!(allocations(|| _ = context()), 1);
    let compressor = compressor(&Spec::new(Format::Zstd));
    assert!(allocations(|| drop(compressor.compress_session())) > 0);
}

#[test]
fn the_library_left_to_itself_allocates_again_and_again() {
    let content = text(LENS[0]);
    let mut dst = vec![0; 70_000];
    // SAFETY: made here.
    let context = unsafe { zstd_sys::ZSTD_createCCtx() };
    let mut compress = |len| {
        let (to, room) = (dst.as_mut_ptr().cast(), dst.len());
        // SAFETY: pointers and lengths of live slices; `len` is at most that of the content.
        let n =
            unsafe { zstd_sys::ZSTD_compress2(context, to, room, content.as_ptr().cast(), len) };
        assert!(n < room);
    };
    LENS.into_iter().for_each(&mut compress);
    let steady = allocations(|| LENS.into_iter().cycle().take(CALLS).for_each(&mut compress));
    assert!(
        steady >= 2,
        "{steady}: then the session's own memory is no longer needed"
    );
    // SAFETY: made above, not used again.
    unsafe { zstd_sys::ZSTD_freeCCtx(context) };
}

#[test]
fn a_warm_compress_session_allocates_nothing() {
    let content = text(LENS[0]);
    for spec in specs() {
        let compressor = compressor(&spec);
        let mut session = compressor.compress_session().unwrap();
        let mut dst = vec![0; compressor.max_compressed_len(content.len()).unwrap()];
        let mut call = |len: usize, round: usize| {
            let (src, dst) = (&content[..len], &mut dst[..]);
            // All the room, enough of it, and too little.
            let result = match round % 3 {
                0 => session.compress(src, dst),
                1 => session.compress(src, &mut dst[..len]),
                _ => session.compress(src, &mut dst[..9]),
            };
            match result {
                Ok(_) => assert!(round % 3 < 2),
                Err(error) => assert_eq!((error.kind(), round % 3), (OutputTooSmall, 2)),
            }
        };
        for len in LENS {
            (0..3).for_each(|round| call(len, round));
        }
        let steady = allocations(|| {
            for (round, len) in LENS.into_iter().cycle().take(CALLS).enumerate() {
                call(len, round / LENS.len());
            }
        });
        assert_eq!(steady, 0, "{spec:?}");
    }
}

#[test]
fn a_decompress_session_allocates_nothing_from_the_start() {
    for spec in specs() {
        let compressor = compressor(&spec);
        let units: Vec<_> = { LENS.iter() }
            .map(|len| {
                let mut unit = vec![0; compressor.max_compressed_len(*len).unwrap()];
                let mut session = compressor.compress_session().unwrap();
                let n = session.compress(&text(*len), &mut unit).unwrap();
                unit.truncate(n);
                unit
            })
            .collect();
        let mut damaged = units[0].clone();
        damaged[units[0].len() / 2] ^= 0x55;
        let mut session = compressor.decompress_session().unwrap();
        let mut dst = vec![0; LENS[0]];
        let steady = allocations(|| {
            for (unit, len) in units.iter().zip(LENS).cycle().take(CALLS) {
                assert_eq!(session.decompress(unit, &mut dst), Ok(len));
                let short = session.decompress(unit, &mut dst[..len - 1]).unwrap_err();
                assert_eq!(short.kind(), OutputTooSmall);
                let corrupt = session.decompress(&damaged, &mut dst).unwrap_err();
                assert_eq!(corrupt.kind(), CorruptInput);
            }
        });
        assert_eq!(steady, 0, "{spec:?}");
    }
}

#[test]
fn nothing_is_allocated_from_what_a_header_declares() {
    let compressor = compressor(&Spec::new(Format::Zstd));
    let mut session = compressor.decompress_session().unwrap();
    let mut dst = [0; 5];
    // A window of 2 GiB, and of nearly 4.
    for window in [0xA8, 0xAF] {
        let unit = [b"\x28\xb5\x2f\xfd\x00", &[window][..], b"\x29\0\0hello"].concat();
        let made = allocations(|| assert_eq!(session.decompress(&unit, &mut dst), Ok(5)));
        assert_eq!(made, 0);
    }
    // A content of 2^40 bytes.
    let unit = b"\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\x01\0\0\x29\0\0hello";
    let made = allocations(|| {
        let error = session.decompress(unit, &mut dst).unwrap_err();
        assert_eq!(error.kind(), CorruptInput);
    });
    assert_eq!(made, 0);
}
