//! Sessions of the simulated device, as C would use them.

use std::ffi::CString;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use qat_sim::{Counters, api, api_2_6, counters};
use qatzip_sys as qz;

/// The device, as `script` has it, for one test at a time: it belongs to the process.
pub struct Sim {
    before: Counters,
    _one: MutexGuard<'static, ()>,
}

impl Sim {
    pub fn new(script: &str) -> Self {
        static ONE: Mutex<()> = Mutex::new(());
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(configure(script), 0, "{script}");
        Self {
            before: counters(),
            _one: one,
        }
    }

    /// Waits until so many late writes came since it was made.
    pub fn wait_for_late_writes(&self, writes: u64) {
        let start = Instant::now();
        while self.counted(|c| c.late_writes) < writes {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "no late write came within a minute"
            );
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// What was counted since it was made.
    pub fn counted(&self, counter: impl Fn(&Counters) -> u64) -> u64 {
        counter(&counters()) - counter(&self.before)
    }
}

pub fn configure(script: &str) -> i32 {
    let script = CString::new(script).unwrap();
    // SAFETY: a string that ends with a zero.
    unsafe { api::qat_sim_configure(script.as_ptr()) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Zlib,
    Gzip,
    Raw,
    Lz4Frame,
    Lz4Block,
    Lz4s,
    Zstd,
}

/// All that can be decompressed too.
pub const BOTH_WAYS: [Stream; 5] = [
    Stream::Zlib,
    Stream::Gzip,
    Stream::Lz4Frame,
    Stream::Lz4Block,
    Stream::Zstd,
];

/// A session, torn down when dropped.
pub struct Session(pub Box<qz::QzSession_T>);

/// Code, bytes consumed, bytes produced.
pub type Result = (i32, usize, usize);

impl Session {
    pub fn unset() -> Self {
        // SAFETY: numbers and a pointer, which may be 0.
        Self(Box::new(unsafe { mem::zeroed() }))
    }

    pub fn new(stream: Stream, compresses: bool) -> Self {
        Self::try_new(stream, compresses, |_| {}).unwrap()
    }

    /// The same with other parameters; the code if there is none.
    pub fn try_new(
        stream: Stream,
        compresses: bool,
        change: impl Fn(&mut qz::QzSessionParamsCommon_T),
    ) -> std::result::Result<Self, i32> {
        let mut this = Self::unset();
        let session = &mut *this.0;
        let set = |common: &mut qz::QzSessionParamsCommon_T| {
            common.direction = u32::from(!compresses);
            common.sw_backup = 0;
            common.input_sz_thrshold = 128;
            change(common);
        };
        // SAFETY: live structs, which nobody else has.
        let code = unsafe {
            assert!([0, 1].contains(&api::qzInit(session, 0)));
            match stream {
                Stream::Zlib | Stream::Gzip | Stream::Raw => {
                    let mut params = mem::zeroed();
                    assert_eq!(api::qzGetDefaultsDeflateExt(&mut params), 0);
                    set(&mut params.deflate_params.common_params);
                    params.deflate_params.data_fmt = match stream {
                        Stream::Gzip => qz::QzDataFormat_E_QZ_DEFLATE_GZIP,
                        _ => qz::QzDataFormat_E_QZ_DEFLATE_RAW,
                    };
                    params.zlib_format = (stream == Stream::Zlib).into();
                    params.stop_decompression_stream_end = 1;
                    api::qzSetupSessionDeflateExt(session, &mut params)
                }
                Stream::Lz4Frame => {
                    let mut params = mem::zeroed();
                    assert_eq!(api::qzGetDefaultsLZ4(&mut params), 0);
                    set(&mut params.common_params);
                    api::qzSetupSessionLZ4(session, &mut params)
                }
                Stream::Lz4Block => {
                    let mut params = mem::zeroed();
                    assert_eq!(api_2_6::defaults_lz4_block(&mut params), 0);
                    set(&mut params.common_params);
                    api_2_6::set_up_lz4_block(session, &mut params)
                }
                Stream::Lz4s => {
                    let mut params = mem::zeroed();
                    assert_eq!(api::qzGetDefaultsLZ4S(&mut params), 0);
                    set(&mut params.common_params);
                    api::qzSetupSessionLZ4S(session, &mut params)
                }
                Stream::Zstd => {
                    let mut params = mem::zeroed();
                    assert_eq!(api_2_6::defaults_zstd(&mut params), 0);
                    set(&mut params.common_params);
                    api_2_6::set_up_zstd(session, &mut params)
                }
            }
        };
        if code == 0 { Ok(this) } else { Err(code) }
    }

    pub fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result {
        let (mut src_len, mut dst_len) = (src.len() as u32, dst.len() as u32);
        // SAFETY: live structs and slices of these lengths, which nobody else has.
        let code = unsafe {
            api::qzCompress(
                &mut *self.0,
                src.as_ptr(),
                &mut src_len,
                dst.as_mut_ptr(),
                &mut dst_len,
                1,
            )
        };
        (code, src_len as usize, dst_len as usize)
    }

    pub fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result {
        let (mut src_len, mut dst_len) = (src.len() as u32, dst.len() as u32);
        // SAFETY: as in `compress`.
        let code = unsafe {
            api::qzDecompress(
                &mut *self.0,
                src.as_ptr(),
                &mut src_len,
                dst.as_mut_ptr(),
                &mut dst_len,
            )
        };
        (code, src_len as usize, dst_len as usize)
    }

    /// A unit, which must come out.
    pub fn unit(&mut self, src: &[u8]) -> Vec<u8> {
        // SAFETY: a live session, which nobody else has.
        let bound = unsafe { api::qzMaxCompressedLength(src.len() as u32, &mut *self.0) };
        let mut unit = vec![0; bound as usize];
        let (code, consumed, produced) = self.compress(src, &mut unit);
        assert_eq!((code, consumed), (0, src.len()));
        unit.truncate(produced);
        unit
    }

    pub fn ended(&mut self) -> bool {
        let mut ended = 0;
        // SAFETY: live, and nobody else has it.
        let code = unsafe { api::qzGetDeflateEndOfStream(&mut *self.0, &mut ended) };
        assert_eq!(code, 0);
        ended == 1
    }

    pub fn tear_down(&mut self) {
        // SAFETY: a live session, which nobody else has.
        assert_eq!(unsafe { api::qzTeardownSession(&mut *self.0) }, 0);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.tear_down();
    }
}

/// Words, some of which repeat.
pub fn text(len: usize) -> Vec<u8> {
    let words = ["key", "value", "the", "of", "block", "0123456789", "\n"];
    let mut n = 12_345_u32;
    let mut text = Vec::with_capacity(len + 16);
    while text.len() < len {
        n = n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.extend_from_slice(words[(n >> 24) as usize % words.len()].as_bytes());
        if n & 0x7000 == 0 {
            text.extend_from_slice(&n.to_le_bytes());
        }
    }
    text.truncate(len);
    text
}

/// Bytes that do not repeat.
pub fn noise(len: usize) -> Vec<u8> {
    let mut n = 1_u64;
    let bytes = std::iter::repeat_with(|| {
        n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (n >> 56) as u8
    });
    bytes.take(len).collect()
}
