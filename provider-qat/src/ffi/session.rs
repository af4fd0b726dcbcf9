use std::ffi::{c_int, c_long, c_uchar, c_uint};
use std::mem;
use std::ptr::NonNull;

use qatzip_sys as qz;

use super::{Library, Process};

/// What a session of QATzip is made for: one format, one level, one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setup {
    pub(crate) stream: Stream,
    pub(crate) decompress: bool,
    /// On QATzip's own scale.
    pub(crate) level: u32,
    /// In bytes: a power of two.
    pub(crate) hw_buffer: u32,
    pub(crate) busy_polling: bool,
    pub(crate) software: Software,
}

/// What becomes of work that QATzip would do in its own software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Software {
    /// QATzip has no leave to do it.
    Off,
    /// It has, and what it does is found out: for tests of that, where there is no device.
    FoundOut,
    /// It has, and what it does counts as done by a device: for tests of what it writes and reads.
    Counts,
}

impl Software {
    /// Whether QATzip has leave to use it.
    const fn is_allowed(self) -> bool {
        !matches!(self, Self::Off)
    }
}

/// What QATzip writes or reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Zlib,
    Gzip,
    DeflateRaw,
    Lz4Frame,
    /// In API 2.6.
    Lz4Block,
    Lz4s,
    /// In API 2.6.
    Zstd,
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: c_int,
    /// Bytes of the input that QATzip says it took.
    pub(crate) consumed: usize,
    /// Bytes of the output that it says it made.
    pub(crate) produced: usize,
    /// The end of a stream was reached; always, where the format cannot say.
    pub(crate) ended: bool,
    /// A device did it: the session is one of a device, and its totals moved.
    pub(crate) on_device: bool,
}

/// What a function returns that the library does not have.
const MISSING: c_int = qz::QZ_NOT_SUPPORTED;

/// Why there is no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotMade {
    pub(crate) code: c_int,
    /// It is what `qzInit` answered, rather than the set-up.
    pub(crate) by_init: bool,
}

/// The states of a session in which a device serves it. QATzip 1.3.1 enters the second when it found
/// no instance (−103), and never leaves it, whatever the device does from then on.
const SERVED: [c_long; 2] = [qz::QZ_OK as c_long, qz::QZ_NO_INST_ATTACH as c_long];

/// Initialises QATzip for this process, without leave to work in software unless `software` says
/// so; returns its code.
///
/// Without a device each call costs the process a pthread key for good, of which it has about a
/// thousand.
pub(crate) fn initialise(library: &Library, software: Software) -> c_int {
    let mut session = unused();
    init(library, &mut session, software)
}

fn init(library: &Library, session: &mut qz::QzSession_T, software: Software) -> c_int {
    let Ok(init) = &library.functions.qzInit else {
        return MISSING;
    };
    // SAFETY: the session is zeroed, as QATzip wants it, and stays where it is during the call.
    unsafe { init(session, software.is_allowed().into()) }
}

impl Library {
    /// Sets the level of QATzip's own messages, for the process.
    pub(crate) fn set_log_level(&self, level: c_uint) {
        if let Ok(set) = &self.functions.qzSetLogLevel {
            // SAFETY: sets a number; QATzip ignores those that it does not know.
            unsafe { set(level) };
        }
    }
}

const fn unused() -> qz::QzSession_T {
    qz::QzSession_T {
        hw_session_stat: 0,
        thd_sess_stat: 0,
        internal: std::ptr::null_mut(),
        total_in: 0,
        total_out: 0,
    }
}

/// A session of QATzip that was set up without an error.
///
/// It belongs to whoever holds this, and is torn down with it, on whatever thread that is: QATzip
/// would otherwise tear it down when the thread ends that made it.
pub(crate) struct QzSession {
    library: &'static Library,
    /// From a box. QATzip keeps its address until it is torn down.
    session: NonNull<qz::QzSession_T>,
    setup: Setup,
    /// The process that made it. In another, the device is not this session's.
    process: Process,
    room: usize,
}

// SAFETY: QATzip ties a session to no thread: it keeps the state in the session, takes locks of its
// own around what sessions share, and one thread at a time holds this.
unsafe impl Send for QzSession {}

impl QzSession {
    /// A session; what failed, if it cannot be made. One whose set-up failed would still
    /// "work", in software and in another format, so it never leaves this function.
    pub(crate) fn new(
        library: &'static Library,
        setup: Setup,
        spare: Option<Spare>,
    ) -> Result<Self, NotMade> {
        let mut session = spare.map_or_else(|| Box::new(unused()), |spare| spare.0);
        *session = unused();
        let session = NonNull::from(Box::leak(session));
        let mut this = Self {
            library,
            session,
            setup,
            process: Process::this(),
            room: 0,
        };
        match init(library, this.session_mut(), setup.software) {
            qz::QZ_OK | qz::QZ_DUPLICATE => {}
            qz::QZ_NO_HW if setup.software.is_allowed() => {}
            code => {
                let by_init = true;
                return Err(NotMade { code, by_init });
            }
        }
        match this.set_up() {
            qz::QZ_OK => {}
            qz::QZ_NO_HW if setup.software.is_allowed() => {}
            code => {
                let by_init = false;
                return Err(NotMade { code, by_init });
            }
        }
        this.room = this.max_compressed_len();
        Ok(this)
    }

    /// The process that made it.
    pub(crate) const fn process(&self) -> Process {
        self.process
    }

    /// QATzip's own bound for the output of one buffer, in bytes; 0 if it has none.
    pub(crate) const fn room(&self) -> usize {
        self.room
    }

    fn session_mut(&mut self) -> &mut qz::QzSession_T {
        // SAFETY: from a box that is freed when this is dropped, and read by nobody meanwhile.
        unsafe { self.session.as_mut() }
    }

    fn max_compressed_len(&mut self) -> usize {
        let hw_buffer = self.setup.hw_buffer;
        let Ok(bound) = &self.library.functions.qzMaxCompressedLength else {
            return 0;
        };
        // SAFETY: the session was set up; the function reads it.
        let bound = unsafe { bound(hw_buffer, self.session.as_ptr()) };
        bound as usize
    }

    /// Compresses `src` as one unit to `dst`.
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Outcome {
        let Ok(compress) = &self.library.functions.qzCompress else {
            return Outcome::failed(MISSING);
        };
        self.call(src, dst, |session, src, src_len, dst, dst_len| {
            // SAFETY: says `call`; this is the last of the input.
            unsafe { compress(session, src, src_len, dst, dst_len, 1) }
        })
    }

    /// Decompresses the unit in `src` to `dst`.
    pub(crate) fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Outcome {
        let Ok(decompress) = &self.library.functions.qzDecompress else {
            return Outcome::failed(MISSING);
        };
        let outcome = self.call(src, dst, |session, src, src_len, dst, dst_len| {
            // SAFETY: says `call`.
            unsafe { decompress(session, src, src_len, dst, dst_len) }
        });
        Outcome {
            ended: outcome.code != qz::QZ_OK || self.is_ended(),
            ..outcome
        }
    }

    /// Calls a function that reads one buffer and writes another.
    ///
    /// What it is given: a session that was set up, and pointers to the bytes of `src` and `dst` with
    /// their lengths, which it replaces by how much it took and made. What a device may do to them
    /// after the call is the caller's care.
    fn call(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        function: impl FnOnce(
            *mut qz::QzSession_T,
            *const c_uchar,
            *mut c_uint,
            *mut c_uchar,
            *mut c_uint,
        ) -> c_int,
    ) -> Outcome {
        let (Ok(mut src_len), Ok(mut dst_len)) =
            (c_uint::try_from(src.len()), c_uint::try_from(dst.len()))
        else {
            return Outcome::failed(qz::QZ_PARAMS);
        };
        let before = self.totals();
        let code = function(
            self.session.as_ptr(),
            src.as_ptr(),
            &mut src_len,
            dst.as_mut_ptr(),
            &mut dst_len,
        );
        Outcome {
            code,
            consumed: src_len as usize,
            produced: dst_len as usize,
            ended: true,
            on_device: self.is_on_device(before, dst_len),
        }
    }

    /// Whether the stream that was read last was complete.
    fn is_ended(&mut self) -> bool {
        if !self.setup.stream.is_deflate() {
            return true;
        }
        let Ok(end_of_stream) = &self.library.functions.qzGetDeflateEndOfStream else {
            return false;
        };
        let mut ended = 0;
        // SAFETY: the session was set up; the function reads it and writes one byte.
        let code = unsafe { end_of_stream(self.session.as_ptr(), &mut ended) };
        code == qz::QZ_OK && ended == 1
    }

    fn totals(&mut self) -> (u64, u64) {
        let session = self.session_mut();
        (session.total_in, session.total_out)
    }

    /// Whether a device did what was done since the totals were `before`. The return code does not
    /// tell: for QATzip work in software is a success.
    fn is_on_device(&mut self, before: (u64, u64), produced: c_uint) -> bool {
        let after = self.totals();
        let status = self.session_mut().hw_session_stat;
        let moved = after.0 != before.0 && (after.1 != before.1 || produced == 0);
        (moved && SERVED.contains(&status)) || self.setup.software == Software::Counts
    }

    fn set_up(&mut self) -> c_int {
        let (functions, setup) = (&self.library.functions, self.setup);
        let session = self.session_mut();
        match setup.stream {
            Stream::Zlib | Stream::Gzip | Stream::DeflateRaw => set_up(
                session,
                &functions.qzGetDefaultsDeflateExt,
                &functions.qzSetupSessionDeflateExt,
                |params| {
                    setup.apply(&mut params.deflate_params.common_params, qz::QZ_DEFLATE);
                    params.deflate_params.huffman_hdr = qz::QzHuffmanHdr_E_QZ_DYNAMIC_HDR;
                    // For zlib the format is in `zlib_format`, and this is what stands beside it.
                    params.deflate_params.data_fmt = match setup.stream {
                        Stream::Gzip => qz::QzDataFormat_E_QZ_DEFLATE_GZIP,
                        _ => qz::QzDataFormat_E_QZ_DEFLATE_RAW,
                    };
                    params.zlib_format = u8::from(setup.stream == Stream::Zlib);
                    params.stop_decompression_stream_end = 1;
                },
            ),
            Stream::Lz4Frame => set_up(
                session,
                &functions.qzGetDefaultsLZ4,
                &functions.qzSetupSessionLZ4,
                |params| setup.apply(&mut params.common_params, qz::QZ_LZ4),
            ),
            Stream::Lz4Block => set_up(
                session,
                &functions.qzGetDefaultsLZ4Block,
                &functions.qzSetupSessionLZ4Block,
                |params| setup.apply(&mut params.common_params, qz::QZ_LZ4_BLOCK),
            ),
            Stream::Lz4s => set_up(
                session,
                &functions.qzGetDefaultsLZ4S,
                &functions.qzSetupSessionLZ4S,
                |params| {
                    setup.apply(&mut params.common_params, qz::QZ_LZ4S);
                    // What comes of it is post-processed here.
                    params.qzCallback = None;
                    params.qzCallback_external = std::ptr::null_mut();
                    params.lz4s_mini_match = 3;
                },
            ),
            Stream::Zstd => set_up(
                session,
                &functions.qzGetDefaultsZstd,
                &functions.qzSetupSessionZstd,
                |params| setup.apply(&mut params.common_params, qz::QZ_ZSTD),
            ),
        }
    }
}

/// Parameters of a set-up, as C has them.
///
/// # Safety
///
/// Zero bytes are a value of it.
unsafe trait Parameters {}

// SAFETY: numbers only.
unsafe impl Parameters for qz::QzSessionParamsDeflateExt_T {}
// SAFETY: numbers only.
unsafe impl Parameters for qz::QzSessionParamsLZ4_T {}
// SAFETY: numbers, a pointer and a function, which may be null.
unsafe impl Parameters for qz::QzSessionParamsLZ4S_T {}
// SAFETY: numbers only.
unsafe impl Parameters for qz::QzSessionParamsZstd_T {}

/// Sets a session up, which was initialised, with QATzip's defaults as `change` changes them;
/// returns its code.
fn set_up<P: Parameters>(
    session: &mut qz::QzSession_T,
    defaults: &Result<unsafe extern "C" fn(*mut P) -> c_int, libloading::Error>,
    set_up: &Result<unsafe extern "C" fn(*mut qz::QzSession_T, *mut P) -> c_int, libloading::Error>,
    change: impl FnOnce(&mut P),
) -> c_int {
    let (Ok(defaults), Ok(set_up)) = (defaults, set_up) else {
        return MISSING;
    };
    // SAFETY: says the trait.
    let mut params: P = unsafe { mem::zeroed() };
    // SAFETY: the function fills the struct in.
    let code = unsafe { defaults(&mut params) };
    if code != qz::QZ_OK {
        return code;
    }
    change(&mut params);
    // SAFETY: the session was initialised, and stays where it is; QATzip copies the parameters.
    unsafe { set_up(session, &mut params) }
}

impl Setup {
    fn apply(&self, common: &mut qz::QzSessionParamsCommon_T, algorithm: u8) {
        common.direction = if self.decompress {
            qz::QzDirection_E_QZ_DIR_DECOMPRESS
        } else {
            qz::QzDirection_E_QZ_DIR_COMPRESS
        };
        common.comp_lvl = self.level;
        common.comp_algorithm = algorithm;
        common.sw_backup = self.software.is_allowed().into();
        common.hw_buff_sz = self.hw_buffer;
        // Below its threshold QATzip works in software, whatever it was told. Ours decides.
        common.input_sz_thrshold = qz::QZ_COMP_THRESHOLD_MINIMUM as c_uint;
        common.polling_mode = if self.busy_polling {
            qz::QzPollingMode_E_QZ_BUSY_POLLING
        } else {
            qz::QzPollingMode_E_QZ_PERIODICAL_POLLING
        };
    }
}

impl Stream {
    const fn is_deflate(self) -> bool {
        matches!(self, Self::Zlib | Self::Gzip | Self::DeflateRaw)
    }
}

impl Outcome {
    const fn failed(code: c_int) -> Self {
        Self {
            code,
            consumed: 0,
            produced: 0,
            ended: false,
            on_device: false,
        }
    }
}

/// What a session was in, for the next one.
pub(crate) struct Spare(Box<qz::QzSession_T>);

// SAFETY: QATzip has let go of it, and its pointer is overwritten before it is used again.
unsafe impl Send for Spare {}

impl QzSession {
    /// Tears it down, and gives back what it was in.
    pub(crate) fn tear_down(self) -> Option<Spare> {
        mem::ManuallyDrop::new(self).close()
    }

    /// To be called once. `None` in a process that forked: the device belongs to the other one, so
    /// nothing is said to it, and what QATzip points to stays.
    fn close(&mut self) -> Option<Spare> {
        if !self.process.is_this() {
            return None;
        }
        if let Ok(tear_down) = &self.library.functions.qzTeardownSession {
            // SAFETY: the session was given to `qzInit`, is in no call, and is torn down once.
            // Whatever this returns, QATzip has let go of it.
            unsafe { tear_down(self.session.as_ptr()) };
        }
        // SAFETY: from a box, taken back once, after QATzip let go of it.
        Some(Spare(unsafe { Box::from_raw(self.session.as_ptr()) }))
    }
}

impl Drop for QzSession {
    fn drop(&mut self) {
        drop(self.close());
    }
}
