//! QATzip called directly, as a program without this provider would.
#![allow(unsafe_code, reason = "that is what is compared with")]

use std::mem;
use std::os::raw::c_uint;

use compressor_api::{Direction, Format};
use qatzip_sys as qz;

use crate::sim::Sim;

/// A session for one format and direction; not torn down, for a bench ends soon.
pub struct Direct {
    functions: qz::Functions,
    session: Box<qz::QzSession_T>,
}

impl Direct {
    pub fn new(sim: &Sim, format: Format, direction: Direction) -> Self {
        // SAFETY: a stand-in for QATzip.
        let functions = unsafe { qz::load(&sim.path) }.unwrap().functions;
        // SAFETY: numbers and a pointer, which may be 0.
        let mut session: Box<qz::QzSession_T> = Box::new(unsafe { mem::zeroed() });
        let set = |common: &mut qz::QzSessionParamsCommon_T| {
            common.direction = match direction {
                Direction::Compress => qz::QzDirection_E_QZ_DIR_COMPRESS,
                Direction::Decompress => qz::QzDirection_E_QZ_DIR_DECOMPRESS,
            };
            common.sw_backup = 0;
            common.input_sz_thrshold = 128;
            common.polling_mode = qz::QzPollingMode_E_QZ_BUSY_POLLING;
        };
        // SAFETY: live structs, which nobody else has; the methods panic if a function is missing.
        let code = unsafe {
            assert!([0, 1].contains(&functions.qzInit(&mut *session, 0)));
            match format {
                Format::Lz4Block => {
                    let mut params = mem::zeroed();
                    functions.qzGetDefaultsLZ4Block(&mut params);
                    set(&mut params.common_params);
                    functions.qzSetupSessionLZ4Block(&mut *session, &mut params)
                }
                Format::Zstd => {
                    let mut params = mem::zeroed();
                    functions.qzGetDefaultsZstd(&mut params);
                    set(&mut params.common_params);
                    functions.qzSetupSessionZstd(&mut *session, &mut params)
                }
                format => {
                    let mut params = mem::zeroed();
                    functions.qzGetDefaultsDeflateExt(&mut params);
                    set(&mut params.deflate_params.common_params);
                    params.deflate_params.data_fmt = match format {
                        Format::Gzip => qz::QzDataFormat_E_QZ_DEFLATE_GZIP,
                        _ => qz::QzDataFormat_E_QZ_DEFLATE_RAW,
                    };
                    params.zlib_format = (format == Format::Zlib).into();
                    params.stop_decompression_stream_end = 1;
                    functions.qzSetupSessionDeflateExt(&mut *session, &mut params)
                }
            }
        };
        assert_eq!(code, 0, "{format}");
        Self { functions, session }
    }

    pub fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        let (mut src_len, mut dst_len) = (src.len() as c_uint, dst.len() as c_uint);
        // SAFETY: live structs and slices of these lengths, which nobody else has.
        let code = unsafe {
            self.functions.qzCompress(
                &mut *self.session,
                src.as_ptr(),
                &mut src_len,
                dst.as_mut_ptr(),
                &mut dst_len,
                1,
            )
        };
        assert_eq!(code, 0);
        dst_len as usize
    }

    pub fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        let (mut src_len, mut dst_len) = (src.len() as c_uint, dst.len() as c_uint);
        // SAFETY: as in `compress`.
        let code = unsafe {
            self.functions.qzDecompress(
                &mut *self.session,
                src.as_ptr(),
                &mut src_len,
                dst.as_mut_ptr(),
                &mut dst_len,
            )
        };
        assert_eq!(code, 0);
        dst_len as usize
    }
}
