//! What libzstd returns, as an error of the contract.

use compressor_api::{Direction, Error, ErrorKind, ProviderId};
use zstd_sys::ZSTD_ErrorCode::{self, *};

pub(crate) const ID: ProviderId = ProviderId::new("software.zstd");

/// A result of libzstd: a length, or its error.
pub(crate) fn check(result: usize, direction: Direction) -> Result<usize, Error> {
    match code(result) {
        None => Ok(result),
        Some(code) => Err(Error::with_native(kind(code, direction), ID, code)),
    }
}

/// The error code in a result; `None` if it is no error.
///
/// The library returns errors as negated codes. `ZSTD_getErrorCode` would do the same, but hands
/// out a Rust enum, and a newer library may know codes that the enum does not.
pub(crate) fn code(result: usize) -> Option<i32> {
    // SAFETY: pure function of a number.
    let failed = unsafe { zstd_sys::ZSTD_isError(result) } != 0;
    failed.then(|| i32::try_from(result.wrapping_neg()).unwrap_or(i32::MAX))
}

/// Who is to blame for a code. One that is not known is the library's failure.
fn kind(code: i32, direction: Direction) -> ErrorKind {
    let known = KINDS.iter().find(|(known, _)| *known as i32 == code);
    match known.map_or(ErrorKind::Device, |(_, kind)| *kind) {
        // Content cannot be corrupt.
        ErrorKind::CorruptInput if direction == Direction::Compress => ErrorKind::Device,
        kind => kind,
    }
}

/// Every code of `zstd_errors.h`.
const KINDS: &[(ZSTD_ErrorCode, ErrorKind)] = &[
    // Said of damaged entropy tables, among others.
    (ZSTD_error_GENERIC, ErrorKind::CorruptInput),
    (ZSTD_error_prefix_unknown, ErrorKind::CorruptInput),
    // Formats from before RFC 8878: not units of ours.
    (ZSTD_error_version_unsupported, ErrorKind::CorruptInput),
    // Reserved bits.
    (
        ZSTD_error_frameParameter_unsupported,
        ErrorKind::CorruptInput,
    ),
    // May be intact, but needs more window than the library can address.
    (
        ZSTD_error_frameParameter_windowTooLarge,
        ErrorKind::Unsupported,
    ),
    (ZSTD_error_corruption_detected, ErrorKind::CorruptInput),
    (ZSTD_error_checksum_wrong, ErrorKind::CorruptInput),
    (ZSTD_error_literals_headerWrong, ErrorKind::CorruptInput),
    // Said of frames that reuse tables which no dictionary gave them. A damaged dictionary is refused
    // before there is a context.
    (ZSTD_error_dictionary_corrupted, ErrorKind::CorruptInput),
    (ZSTD_error_dictionary_wrong, ErrorKind::WrongDictionary),
    (
        ZSTD_error_dictionaryCreation_failed,
        ErrorKind::InvalidArgument,
    ),
    (ZSTD_error_parameter_unsupported, ErrorKind::Unsupported),
    (
        ZSTD_error_parameter_combination_unsupported,
        ErrorKind::Unsupported,
    ),
    (ZSTD_error_parameter_outOfBound, ErrorKind::Unsupported),
    (ZSTD_error_tableLog_tooLarge, ErrorKind::CorruptInput),
    (ZSTD_error_maxSymbolValue_tooLarge, ErrorKind::CorruptInput),
    (ZSTD_error_maxSymbolValue_tooSmall, ErrorKind::CorruptInput),
    (
        ZSTD_error_cannotProduce_uncompressedBlock,
        ErrorKind::Device,
    ),
    (
        ZSTD_error_stabilityCondition_notRespected,
        ErrorKind::Device,
    ),
    (ZSTD_error_stage_wrong, ErrorKind::Device),
    (ZSTD_error_init_missing, ErrorKind::Device),
    (ZSTD_error_memory_allocation, ErrorKind::OutOfMemory),
    (ZSTD_error_workSpace_tooSmall, ErrorKind::Device),
    (ZSTD_error_dstSize_tooSmall, ErrorKind::OutputTooSmall),
    // When decompressing: shorter or longer than its blocks say.
    (ZSTD_error_srcSize_wrong, ErrorKind::CorruptInput),
    (ZSTD_error_dstBuffer_null, ErrorKind::Device),
    (ZSTD_error_noForwardProgress_destFull, ErrorKind::Device),
    (ZSTD_error_noForwardProgress_inputEmpty, ErrorKind::Device),
    (ZSTD_error_frameIndex_tooLarge, ErrorKind::Device),
    (ZSTD_error_seekableIO, ErrorKind::Device),
    (ZSTD_error_dstBuffer_wrong, ErrorKind::Device),
    (ZSTD_error_srcBuffer_wrong, ErrorKind::Device),
    (ZSTD_error_sequenceProducer_failed, ErrorKind::Device),
    (ZSTD_error_externalSequences_invalid, ErrorKind::Device),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    const HIGHEST: usize = ZSTD_error_maxCode as usize - 1;

    /// Whether the linked library has a text for the code.
    fn known_to_the_library(code: usize) -> bool {
        // SAFETY: returns a static C string for every number.
        let name = unsafe { CStr::from_ptr(zstd_sys::ZSTD_getErrorName(code.wrapping_neg())) };
        name != c"Unspecified error code"
    }

    #[test]
    fn the_table_has_every_code_of_the_library_once() {
        for code in 1..=HIGHEST {
            let entries = KINDS.iter().filter(|(known, _)| *known as usize == code);
            let expected = usize::from(known_to_the_library(code));
            assert_eq!(entries.count(), expected, "code {code}");
        }
    }

    #[test]
    fn lengths_are_no_errors_and_errors_keep_their_code() {
        for length in [0, 1, isize::MAX as usize] {
            assert_eq!(check(length, Direction::Compress), Ok(length));
        }
        let error = check(70_usize.wrapping_neg(), Direction::Compress).unwrap_err();
        assert_eq!(
            (error.kind(), error.native()),
            (ErrorKind::OutputTooSmall, 70)
        );
        let error = check(HIGHEST.wrapping_neg(), Direction::Decompress).unwrap_err();
        assert_eq!((error.kind(), error.native()), (ErrorKind::Device, 119));
    }

    #[test]
    fn content_is_never_called_corrupt() {
        for (code, _) in KINDS {
            assert_ne!(
                kind(*code as i32, Direction::Compress),
                ErrorKind::CorruptInput
            );
        }
        assert_eq!(kind(22, Direction::Decompress), ErrorKind::CorruptInput);
    }
}
