//! libzstd as others call it: a writer with other options than ours, and the streaming reader,
//! which keeps to the declared window.

use std::ptr;

use zstd_sys::ZSTD_EndDirective::ZSTD_e_end;
use zstd_sys::{ZSTD_cParameter, ZSTD_dParameter, ZSTD_inBuffer, ZSTD_outBuffer};

fn check(result: usize) -> usize {
    // SAFETY: pure function of a number.
    assert_eq!(unsafe { zstd_sys::ZSTD_isError(result) }, 0, "libzstd");
    result
}

/// One frame over `content`, with these parameters and an undigested dictionary (may be empty).
pub fn compress(
    parameters: &[(ZSTD_cParameter, i32)],
    dictionary: &[u8],
    content: &[u8],
) -> Vec<u8> {
    let mut frame = vec![0; content.len() + content.len() / 128 + 512];
    // SAFETY: every pointer is used with the length of its slice, and the context is freed last.
    unsafe {
        let context = zstd_sys::ZSTD_createCCtx();
        for (parameter, value) in parameters {
            check(zstd_sys::ZSTD_CCtx_setParameter(
                context, *parameter, *value,
            ));
        }
        let (dict, dict_len) = (dictionary.as_ptr().cast(), dictionary.len());
        check(zstd_sys::ZSTD_CCtx_loadDictionary(context, dict, dict_len));
        let mut src = ZSTD_inBuffer {
            src: content.as_ptr().cast(),
            size: content.len(),
            pos: 0,
        };
        let mut dst = ZSTD_outBuffer {
            dst: frame.as_mut_ptr().cast(),
            size: frame.len(),
            pos: 0,
        };
        let left = zstd_sys::ZSTD_compressStream2(context, &mut dst, &mut src, ZSTD_e_end);
        assert_eq!(check(left), 0, "one call is enough");
        zstd_sys::ZSTD_freeCCtx(context);
        frame.truncate(dst.pos);
    }
    frame
}

/// The content of one frame, by the streaming reader, with at most this window.
pub fn decompress(window_log_max: i32, dictionary: &[u8], frame: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    let mut piece = vec![0; 1_000];
    // SAFETY: as in `compress`.
    unsafe {
        let context = zstd_sys::ZSTD_createDCtx();
        let parameter = ZSTD_dParameter::ZSTD_d_windowLogMax;
        check(zstd_sys::ZSTD_DCtx_setParameter(
            context,
            parameter,
            window_log_max,
        ));
        let (dict, dict_len) = match dictionary {
            [] => (ptr::null(), 0),
            bytes => (bytes.as_ptr().cast(), bytes.len()),
        };
        check(zstd_sys::ZSTD_DCtx_loadDictionary(context, dict, dict_len));
        let mut src = ZSTD_inBuffer {
            src: frame.as_ptr().cast(),
            size: frame.len(),
            pos: 0,
        };
        loop {
            let mut dst = ZSTD_outBuffer {
                dst: piece.as_mut_ptr().cast(),
                size: piece.len(),
                pos: 0,
            };
            let hint = check(zstd_sys::ZSTD_decompressStream(context, &mut dst, &mut src));
            content.extend_from_slice(&piece[..dst.pos]);
            if hint == 0 {
                break;
            }
            assert!(dst.pos > 0 || src.pos < frame.len(), "the frame ends early");
        }
        assert_eq!(src.pos, frame.len(), "one frame, all of it");
        zstd_sys::ZSTD_freeDCtx(context);
    }
    content
}
