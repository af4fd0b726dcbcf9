//! What a session is set up for, checked as QATzip checks it, and more.

use qatzip_sys as qz;

/// What QATzip writes or reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Zlib,
    Gzip,
    DeflateRaw,
    Lz4Frame,
    Lz4Block,
    Lz4s,
    Zstd,
}

impl Stream {
    /// All of them, as scripts call them.
    pub(crate) const NAMED: [(&str, Self); 7] = [
        ("zlib", Self::Zlib),
        ("gzip", Self::Gzip),
        ("deflate-raw", Self::DeflateRaw),
        ("lz4-frame", Self::Lz4Frame),
        ("lz4-block", Self::Lz4Block),
        ("lz4s", Self::Lz4s),
        ("zstd", Self::Zstd),
    ];

    /// The one of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let known = Self::NAMED.into_iter().find(|(known, _)| *known == name);
        known.map(|(_, stream)| stream)
    }
}

/// The parameters of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setup {
    pub(crate) stream: Stream,
    pub(crate) compresses: bool,
    pub(crate) decompresses: bool,
    pub(crate) level: u32,
    /// The longest input that becomes one unit, and the longest content of a unit that is read, in
    /// bytes.
    pub(crate) hw_buffer: usize,
    /// What is shorter is compressed on the CPU, in bytes.
    pub(crate) threshold: usize,
    pub(crate) busy_polling: bool,
    /// The shortest match of LZ4s, in bytes.
    pub(crate) min_match: usize,
}

/// QATzip's defaults (`qatzip.h`).
pub(crate) const COMMON: qz::QzSessionParamsCommon_T = qz::QzSessionParamsCommon_S {
    direction: qz::QzDirection_E_QZ_DIR_BOTH,
    comp_lvl: 1,
    comp_algorithm: qz::QZ_DEFLATE,
    max_forks: 3,
    sw_backup: 1,
    hw_buff_sz: 64 << 10,
    strm_buff_sz: 64 << 10,
    input_sz_thrshold: qz::QZ_COMP_THRESHOLD_DEFAULT as u32,
    req_cnt_thrshold: 32,
    wait_cnt_thrshold: 8,
    polling_mode: qz::QzPollingMode_E_QZ_PERIODICAL_POLLING,
    is_sensitive_mode: 0,
};

/// Of the buffer of QATzip's streams, in bytes.
const STREAM_BUFFER: std::ops::RangeInclusive<u32> = (1 << 10)..=((2 << 20) - (5 << 10));

/// The highest level that a set-up takes: that of LZ4. Deflate's above 9 fail when used.
const MOST_LEVEL: u32 = qz::QZ_LZS_COMP_LVL_MAXIMUM as u32;

impl Setup {
    /// The set-up for Deflate in one of its frames.
    ///
    /// # Errors
    ///
    /// What QATzip returns.
    pub(crate) fn deflate(params: &qz::QzSessionParamsDeflateExt_T) -> Result<Self, i32> {
        let deflate = &params.deflate_params;
        let stream = match (params.zlib_format, deflate.data_fmt) {
            (1, _) => Stream::Zlib,
            (0, qz::QzDataFormat_E_QZ_DEFLATE_GZIP) => Stream::Gzip,
            (0, qz::QzDataFormat_E_QZ_DEFLATE_RAW) => Stream::DeflateRaw,
            // With a header that only QATzip reads, and one that is written beyond the output.
            (0, qz::QzDataFormat_E_QZ_DEFLATE_GZIP_EXT | qz::QzDataFormat_E_QZ_DEFLATE_4B) => {
                return Err(qz::QZ_NOSW_UNSUPPORTED_FMT);
            }
            _ => return Err(qz::QZ_PARAMS),
        };
        let known = [
            qz::QzHuffmanHdr_E_QZ_DYNAMIC_HDR,
            qz::QzHuffmanHdr_E_QZ_STATIC_HDR,
        ];
        if !known.contains(&deflate.huffman_hdr) || params.stop_decompression_stream_end > 1 {
            return Err(qz::QZ_PARAMS);
        }
        Self::new(stream, &deflate.common_params, qz::QZ_DEFLATE)
    }

    /// The set-up for a format that has its own algorithm, whose number in the parameters must be
    /// `algorithm`.
    ///
    /// # Errors
    ///
    /// What QATzip returns.
    pub(crate) fn new(
        stream: Stream,
        common: &qz::QzSessionParamsCommon_T,
        algorithm: u8,
    ) -> Result<Self, i32> {
        let directions = [
            qz::QzDirection_E_QZ_DIR_COMPRESS,
            qz::QzDirection_E_QZ_DIR_DECOMPRESS,
            qz::QzDirection_E_QZ_DIR_BOTH,
        ];
        let right = directions.contains(&common.direction)
            && (1..=MOST_LEVEL).contains(&common.comp_lvl)
            && common.comp_algorithm == algorithm
            && common.sw_backup <= 1
            && common.hw_buff_sz.is_power_of_two()
            && (qz::QZ_HW_BUFF_MIN_SZ as u32..=qz::QZ_HW_BUFF_MAX_SZ as u32)
                .contains(&common.hw_buff_sz)
            && STREAM_BUFFER.contains(&common.strm_buff_sz)
            && common.input_sz_thrshold >= qz::QZ_COMP_THRESHOLD_MINIMUM as u32
            && (1..=32).contains(&common.req_cnt_thrshold)
            && common.polling_mode <= qz::QzPollingMode_E_QZ_BUSY_POLLING
            && common.is_sensitive_mode <= 1;
        if !right {
            return Err(qz::QZ_PARAMS);
        }
        if common.sw_backup == 1 {
            return Err(qz::QZ_NO_SW_AVAIL);
        }
        Ok(Self {
            stream,
            compresses: common.direction != qz::QzDirection_E_QZ_DIR_DECOMPRESS,
            decompresses: common.direction != qz::QzDirection_E_QZ_DIR_COMPRESS,
            level: common.comp_lvl,
            hw_buffer: common.hw_buff_sz as usize,
            threshold: common.input_sz_thrshold as usize,
            busy_polling: common.polling_mode == qz::QzPollingMode_E_QZ_BUSY_POLLING,
            min_match: 3,
        })
    }

    /// Whether its level is one that fails when it is used.
    pub(crate) const fn level_fails(&self) -> bool {
        matches!(
            self.stream,
            Stream::Zlib | Stream::Gzip | Stream::DeflateRaw
        ) && self.level > qz::QZ_DEFLATE_COMP_LVL_MAXIMUM as u32
    }
}

/// The bound of QATzip for what `len` bytes become in buffers of `hw_buffer` bytes; 0 if it does not
/// fit its type.
pub(crate) fn max_compressed_len(len: u32, hw_buffer: usize) -> u32 {
    /// Of an empty input.
    const EMPTY: u32 = 34;
    /// More than any header and trailer of a unit.
    const FRAME: u64 = 34;
    if len == 0 {
        return EMPTY;
    }
    let len = u64::from(len);
    let units = len.div_ceil(hw_buffer as u64);
    let bound = (9 * len).div_ceil(8) + qz::QZ_SKID_PAD_SZ as u64 + units * FRAME;
    u32::try_from(bound).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(change: impl FnOnce(&mut qz::QzSessionParamsCommon_T)) -> Result<Setup, i32> {
        let mut common = COMMON;
        common.sw_backup = 0;
        common.comp_algorithm = qz::QZ_LZ4;
        change(&mut common);
        Setup::new(Stream::Lz4Frame, &common, qz::QZ_LZ4)
    }

    #[test]
    fn what_qatzip_refuses_is_refused() {
        assert!(common(|_| {}).is_ok());
        assert_eq!(common(|c| c.sw_backup = 1), Err(qz::QZ_NO_SW_AVAIL));
        let wrong: [fn(&mut qz::QzSessionParamsCommon_T); 12] = [
            |c| c.direction = 3,
            |c| c.comp_lvl = 0,
            |c| c.comp_lvl = 13,
            |c| c.comp_algorithm = qz::QZ_DEFLATE,
            |c| c.sw_backup = 2,
            |c| c.hw_buff_sz = 512,
            |c| c.hw_buff_sz = 1 << 20,
            |c| c.hw_buff_sz = 48 << 10,
            |c| c.strm_buff_sz = 0,
            |c| c.input_sz_thrshold = 127,
            |c| c.req_cnt_thrshold = 0,
            |c| c.polling_mode = 2,
        ];
        for (n, change) in wrong.into_iter().enumerate() {
            assert_eq!(common(change), Err(qz::QZ_PARAMS), "{n}");
        }
    }

    #[test]
    fn formats_that_are_traps_are_refused() {
        let params = |format, zlib_format| qz::QzSessionParamsDeflateExt_S {
            deflate_params: qz::QzSessionParamsDeflate_S {
                common_params: qz::QzSessionParamsCommon_S {
                    sw_backup: 0,
                    ..COMMON
                },
                huffman_hdr: qz::QzHuffmanHdr_E_QZ_DYNAMIC_HDR,
                data_fmt: format,
            },
            stop_decompression_stream_end: 1,
            zlib_format,
        };
        let stream = |format, zlib| Setup::deflate(&params(format, zlib)).map(|s| s.stream);
        assert_eq!(stream(0, 0), Err(qz::QZ_NOSW_UNSUPPORTED_FMT));
        assert_eq!(stream(1, 0), Ok(Stream::Gzip));
        assert_eq!(stream(2, 0), Err(qz::QZ_NOSW_UNSUPPORTED_FMT));
        assert_eq!(stream(3, 0), Ok(Stream::DeflateRaw));
        assert_eq!(stream(3, 1), Ok(Stream::Zlib));
        assert_eq!(stream(4, 0), Err(qz::QZ_PARAMS));
    }

    #[test]
    fn bounds_never_wrap() {
        assert_eq!(max_compressed_len(0, 1024), 34);
        assert_eq!(max_compressed_len(u32::MAX, 1024), 0);
        assert!(max_compressed_len(3 << 30, 64 << 10) > 3 << 30);
    }
}
