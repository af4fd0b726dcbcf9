//! Debian's QATzip on a machine without a device: what is asked of it, and what its own software
//! writes and reads.
//!
//! `fetch-qatzip.sh DIR` gets it, and `QATZIP_DIR=DIR` names it here. Without that the tests end with
//! a word about it; with `REQUIRE_QATZIP` set they fail.
//!
//! Each test is a process of its own, started by the first: QATzip costs a process a pthread key for
//! each call that finds no device, of which there are about a thousand.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::ffi::{c_int, c_uint};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::{env, fs};

use compressor_api::{
    Compressor, CompressorFactory, Direction, Error, ErrorKind, Format, OpenError, Params,
    Registry, Spec, self_test,
};
use provider_qat::PROVIDER;

/// The fetched library, if there is one.
fn library() -> Option<String> {
    let Some(folder) = env::var_os("QATZIP_DIR") else {
        assert!(
            env::var_os("REQUIRE_QATZIP").is_none(),
            "QATZIP_DIR does not say where QATzip is"
        );
        println!("skipped: QATZIP_DIR does not say where QATzip is");
        return None;
    };
    let file = Path::new(&folder).join("lib/libqatzip.so.3");
    let file = fs::canonicalize(file).expect("QATZIP_DIR has lib/libqatzip.so.3");
    if Path::new("/dev/vfio").exists() {
        assert!(
            env::var_os("REQUIRE_QATZIP").is_none(),
            "/dev/vfio is there, so there may be a device, and these tests are for where there is none"
        );
        println!("skipped: /dev/vfio is there, so there may be a device");
        return None;
    }
    Some(file.to_str().unwrap().into())
}

fn params(library: &str) -> Params {
    Params::parse(PROVIDER.params, [("library_path", library)]).unwrap()
}

fn open(library: &str) -> Result<Arc<dyn CompressorFactory>, OpenError> {
    PROVIDER.opener.open(&params(library))
}

/// Runs a test of this file again in a process of its own, and returns what it printed. `None` in
/// that process: the test is to be run here.
fn apart(test: &str) -> Option<Output> {
    const INSIDE: &str = "PROVIDER_QAT_TEST_INSIDE";
    if env::var_os(INSIDE).is_some() {
        return None;
    }
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(INSIDE, "1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Some(output)
}

#[test]
fn without_a_device_it_is_absent_and_asked_once() {
    let Some(library) = library() else { return };
    if let Some(output) = apart("without_a_device_it_is_absent_and_asked_once") {
        // What libqat says once, whatever the log level, when it is initialised.
        let lines = String::from_utf8_lossy(&output.stderr).lines().count();
        assert!(lines <= 4, "{output:?}");
        return;
    }
    let first = open(&library).unwrap_err();
    assert_eq!(first.name(), "Absent");
    for part in ["-101", "QZ_NOSW_NO_HW", "libqatzip.so.3", "2.5"] {
        assert!(first.why().contains(part), "{first}");
    }
    // More often than there are keys: had each asked the library, the next thread-local of anybody
    // would be one too many.
    for _ in 0..2_000 {
        assert_eq!(open(&library).unwrap_err(), first);
    }
    assert!(keys_left() > 900, "{}", keys_left());
}

#[test]
fn the_registry_leaves_everything_to_software() {
    let Some(library) = library() else { return };
    if apart("the_registry_leaves_everything_to_software").is_some() {
        return;
    }
    let registry = Registry::builder()
        .provider(&PROVIDER)
        .provider(&compressor_deflate::PROVIDER)
        .provider(&compressor_lz4::PROVIDER)
        .provider(&compressor_zstd::PROVIDER)
        .param("intel.qat", "library_path", &library)
        .build()
        .unwrap();
    for format in [Format::Zlib, Format::Gzip, Format::Lz4Sized, Format::Zstd] {
        let spec = Spec::new(format);
        let selection = registry.select(&spec, &Default::default()).unwrap();
        for direction in Direction::BOTH {
            assert!(selection.accelerator(direction).is_none(), "{format}");
        }
        let unit = compress(&*selection.software, self_test::CONTENT);
        let back = decompress(&*selection.software, &unit, 4_096);
        assert!(back.as_deref() == Ok(self_test::CONTENT), "{format}");
    }
    assert!(registry.reprobe("intel.qat").is_err());
    assert!(keys_left() > 900);
}

/// How many keys for thread-local values a library could still make; they are given back.
#[allow(unsafe_code, reason = "keys are the C library's")]
fn keys_left() -> usize {
    // SAFETY: the types are those of POSIX on Linux; keys without a destructor, deleted once.
    unsafe extern "C" {
        fn pthread_key_create(key: *mut c_uint, destructor: Option<extern "C" fn()>) -> c_int;
        fn pthread_key_delete(key: c_uint) -> c_int;
    }
    let mut keys = Vec::new();
    let mut key = 0;
    // SAFETY: as above.
    while unsafe { pthread_key_create(&mut key, None) } == 0 {
        keys.push(key);
    }
    for key in &keys {
        // SAFETY: as above.
        assert_eq!(unsafe { pthread_key_delete(*key) }, 0);
    }
    keys.len()
}

#[test]
fn in_software_each_reads_what_the_other_wrote() {
    let Some(library) = library() else { return };
    if apart("in_software_each_reads_what_the_other_wrote").is_some() {
        return;
    }
    let qat = provider_qat::open_in_software(&params(&library), true).unwrap();
    for (format, software) in [
        (Format::Zlib, compressor_deflate::factory()),
        (Format::Gzip, compressor_deflate::factory()),
        (Format::DeflateRaw, compressor_deflate::factory()),
        (Format::Lz4Block, compressor_lz4::factory()),
    ] {
        let spec = Spec::new(format);
        let (qat, software) = (qat.compressor(&spec), software.compressor(&spec));
        let (qat, software) = (qat.unwrap(), software.unwrap());
        for content in contents() {
            let unit = compress(&*qat, &content);
            let back = decompress(&*software, &unit, content.len());
            assert!(back.as_ref() == Ok(&content), "{format} {}", content.len());
            if qat.effective().decompress.is_none() {
                continue;
            }
            // Beyond the window of a device, LZ4 is left to software, whoever wrote it.
            let expected = match content.len() > 32 << 10 && format == Format::Lz4Block {
                true => Err(ErrorKind::Unsupported),
                false => Ok(content.clone()),
            };
            for unit in [unit, compress(&*software, &content)] {
                let back = decompress(&*qat, &unit, content.len());
                assert!(back == expected, "{format} {}", content.len());
            }
        }
    }
}

#[test]
fn what_it_does_in_software_is_told_for_every_format() {
    let Some(library) = library() else { return };
    if apart("what_it_does_in_software_is_told_for_every_format").is_some() {
        return;
    }
    let error = provider_qat::open_in_software(&params(&library), false).unwrap_err();
    assert_eq!(error.name(), "Broken", "{error}");
    for what in [
        "compress lz4-block",
        "decompress lz4-block",
        "compress zlib",
        "decompress zlib",
        "compress deflate-raw",
        "compress gzip",
        "decompress gzip",
    ] {
        let told = format!("{what}: {}", Error::silent_software(PROVIDER.id));
        assert!(error.why().contains(&told), "{told}\n{error}");
    }
}

#[test]
fn in_software_bad_units_are_told_apart_and_cost_no_later_one() {
    let Some(library) = library() else { return };
    if apart("in_software_bad_units_are_told_apart_and_cost_no_later_one").is_some() {
        return;
    }
    let qat = provider_qat::open_in_software(&params(&library), true).unwrap();
    for format in [Format::Zlib, Format::Gzip, Format::Lz4Block] {
        let compressor = qat.compressor(&Spec::new(format)).unwrap();
        let mut session = compressor.decompress_session().unwrap();
        let good = self_test::unit(format);
        let mut back = vec![0; 4_096];
        let mut check = |unit: &[u8], room: usize, expected| {
            let result = session.decompress(unit, &mut back[..room]);
            assert_eq!(result.map_err(|error| error.kind()), expected, "{format}");
            // The rule that QATzip itself breaks: what came before leaves no trace.
            assert_eq!(session.decompress(good, &mut back), Ok(4_096), "{format}");
            assert!(back == self_test::CONTENT, "{format}");
        };
        check(good, 4_095, Err(ErrorKind::OutputTooSmall));
        check(&good[..good.len() - 1], 4_096, Err(ErrorKind::CorruptInput));
        check(&good[..200], 4_096, Err(ErrorKind::CorruptInput));
        let more = [good, b"\0"].concat();
        check(&more, 4_096, Err(ErrorKind::CorruptInput));
        let twice = [good, good].concat();
        check(&twice, 4_096, Err(ErrorKind::CorruptInput));
        check(&good[..100], 4_096, Err(ErrorKind::Unsupported));
        if format != Format::Lz4Block {
            let mut wrong = good.to_vec();
            *wrong.last_mut().unwrap() ^= 1;
            check(&wrong, 4_096, Err(ErrorKind::CorruptInput));
            let mut wrong = good.to_vec();
            wrong[good.len() / 2] ^= 0x55;
            check(&wrong, 4_096, Err(ErrorKind::CorruptInput));
        }
    }
}

fn contents() -> [Vec<u8>; 5] {
    let text = self_test::CONTENT;
    let mut state = 1_u32;
    let noise = (0..9_000).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    [
        text[..1_024].to_vec(),
        text.to_vec(),
        text.repeat(8),
        text.repeat(16),
        noise.collect(),
    ]
}

fn compress(compressor: &dyn Compressor, content: &[u8]) -> Vec<u8> {
    let mut unit = vec![0; compressor.max_compressed_len(content.len()).unwrap()];
    let mut session = compressor.compress_session().unwrap();
    let n = session.compress(content, &mut unit).unwrap();
    unit.truncate(n);
    unit
}

fn decompress(compressor: &dyn Compressor, unit: &[u8], room: usize) -> Result<Vec<u8>, ErrorKind> {
    let mut content = vec![0; room];
    let mut session = compressor.decompress_session().unwrap();
    let n = session.decompress(unit, &mut content);
    content.truncate(n.map_err(|error| error.kind())?);
    Ok(content)
}
