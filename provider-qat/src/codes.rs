//! What each of QATzip's return codes means, in one table.

use std::ffi::c_int;

use compressor_api::{Direction, Error, ErrorKind};
use qatzip_sys as qz;

use crate::ID;

/// What becomes of the session that returned a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// It goes on.
    Keep,
    /// It is torn down: QATzip leaves sessions that failed in a state in which they return the same
    /// error for ever, or wrong bytes.
    TearDown,
    /// As [`TearDown`](Self::TearDown), and its buffers are kept from everybody for a while: the
    /// device may still write to them. Of a unit that was not read, only once it turns out to be
    /// intact: whoever supplies units must not be able to use up what may be kept.
    Park,
}

/// What a code says about an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// It was done.
    Done,
    /// It failed so.
    Failed(ErrorKind),
    /// The unit was not read. That is so, unless the unit itself shows another reason.
    Unread(ErrorKind),
    /// It was not done by a device, or would have to be done by QATzip's own software.
    Software,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub(crate) code: c_int,
    pub(crate) name: &'static str,
    compress: Says,
    decompress: Says,
    pub(crate) after: After,
}

impl Meaning {
    /// What the code says about an operation of this direction.
    pub(crate) const fn says(&self, direction: Direction) -> Says {
        match direction {
            Direction::Compress => self.compress,
            Direction::Decompress => self.decompress,
        }
    }

    /// The error of an operation that returned this code. For a code that says that it was done,
    /// there is something wrong with the result.
    pub(crate) const fn error(&self, direction: Direction) -> Error {
        match self.says(direction) {
            Says::Failed(kind) | Says::Unread(kind) => Error::with_native(kind, ID, self.code),
            Says::Software => Error::silent_software(ID),
            Says::Done => Error::with_native(ErrorKind::Device, ID, self.code),
        }
    }
}

/// A code that means the same in both directions.
const fn row(code: c_int, name: &'static str, says: Says, after: After) -> Meaning {
    Meaning {
        code,
        name,
        compress: says,
        decompress: says,
        after,
    }
}

const fn failed(code: c_int, name: &'static str, kind: ErrorKind) -> Meaning {
    row(code, name, Says::Failed(kind), After::TearDown)
}

const fn software(code: c_int, name: &'static str) -> Meaning {
    row(code, name, Says::Software, After::TearDown)
}

/// Every code of API 2.6, in the order of its header.
pub(crate) static TABLE: [Meaning; 26] = [
    row(qz::QZ_OK, "QZ_OK", Says::Done, After::Keep),
    // Of qzInit, where it is no error.
    failed(qz::QZ_DUPLICATE, "QZ_DUPLICATE", ErrorKind::Device),
    software(qz::QZ_FORCE_SW, "QZ_FORCE_SW"),
    // Not the caller's fault: what QATzip is called with is made here.
    failed(qz::QZ_PARAMS, "QZ_PARAMS", ErrorKind::Device),
    // Among much else: the output did not fit, which that of compression does, for the room is the
    // bound; and, in 1.3.1, a request that QATzip gave up, and that the device may still be at.
    Meaning {
        code: qz::QZ_FAIL,
        name: "QZ_FAIL",
        compress: Says::Failed(ErrorKind::Device),
        decompress: Says::Unread(ErrorKind::Device),
        after: After::Park,
    },
    Meaning {
        code: qz::QZ_BUF_ERROR,
        name: "QZ_BUF_ERROR",
        compress: Says::Failed(ErrorKind::OutputTooSmall),
        decompress: Says::Unread(ErrorKind::CorruptInput),
        after: After::TearDown,
    },
    Meaning {
        code: qz::QZ_DATA_ERROR,
        name: "QZ_DATA_ERROR",
        // There is no wrong input to compress.
        compress: Says::Failed(ErrorKind::Device),
        decompress: Says::Unread(ErrorKind::CorruptInput),
        after: After::TearDown,
    },
    // No version up to 2.0 is known to return it.
    row(
        qz::QZ_TIMEOUT,
        "QZ_TIMEOUT",
        Says::Failed(ErrorKind::Timeout),
        After::Park,
    ),
    failed(qz::QZ_INTEG, "QZ_INTEG", ErrorKind::Device),
    software(qz::QZ_NO_HW, "QZ_NO_HW"),
    software(qz::QZ_NO_MDRV, "QZ_NO_MDRV"),
    software(qz::QZ_NO_INST_ATTACH, "QZ_NO_INST_ATTACH"),
    software(qz::QZ_LOW_MEM, "QZ_LOW_MEM"),
    software(qz::QZ_LOW_DEST_MEM, "QZ_LOW_DEST_MEM"),
    software(qz::QZ_UNSUPPORTED_FMT, "QZ_UNSUPPORTED_FMT"),
    failed(qz::QZ_NONE, "QZ_NONE", ErrorKind::Lost),
    failed(qz::QZ_NOSW_NO_HW, "QZ_NOSW_NO_HW", ErrorKind::Lost),
    failed(qz::QZ_NOSW_NO_MDRV, "QZ_NOSW_NO_MDRV", ErrorKind::Lost),
    // Every instance is in use, or none is for the format, or the device's heartbeat is gone:
    // nothing was begun.
    row(
        qz::QZ_NOSW_NO_INST_ATTACH,
        "QZ_NOSW_NO_INST_ATTACH",
        Says::Failed(ErrorKind::Busy),
        After::Keep,
    ),
    failed(
        qz::QZ_NOSW_LOW_MEM,
        "QZ_NOSW_LOW_MEM",
        ErrorKind::OutOfMemory,
    ),
    software(qz::QZ_NO_SW_AVAIL, "QZ_NO_SW_AVAIL"),
    failed(
        qz::QZ_NOSW_UNSUPPORTED_FMT,
        "QZ_NOSW_UNSUPPORTED_FMT",
        ErrorKind::Unsupported,
    ),
    failed(
        qz::QZ_POST_PROCESS_ERROR,
        "QZ_POST_PROCESS_ERROR",
        ErrorKind::Device,
    ),
    failed(
        qz::QZ_METADATA_OVERFLOW,
        "QZ_METADATA_OVERFLOW",
        ErrorKind::Device,
    ),
    failed(qz::QZ_OUT_OF_RANGE, "QZ_OUT_OF_RANGE", ErrorKind::Device),
    failed(
        qz::QZ_NOT_SUPPORTED,
        "QZ_NOT_SUPPORTED",
        ErrorKind::Unsupported,
    ),
];

/// What a code means that no header documents: never that it was done.
const fn undocumented(code: c_int) -> Meaning {
    row(
        code,
        "undocumented",
        Says::Failed(ErrorKind::Device),
        After::Park,
    )
}

/// What `code` means.
pub(crate) fn meaning(code: c_int) -> Meaning {
    let known = TABLE.iter().find(|row| row.code == code);
    known.copied().unwrap_or(undocumented(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes as the header numbers them, what they come to in each direction, and what becomes
    /// of the session: written down a second time, so that no row changes unseen.
    #[test]
    fn each_code_is_mapped() {
        use ErrorKind::{
            Busy, CorruptInput, Device, Lost, OutOfMemory, OutputTooSmall, Timeout, Unsupported,
        };
        let soft = Says::Software;
        let (f, unread) = (Says::Failed, Says::Unread);
        let expected = [
            (0, Says::Done, Says::Done, After::Keep),
            (1, f(Device), f(Device), After::TearDown),
            (2, soft, soft, After::TearDown),
            (-1, f(Device), f(Device), After::TearDown),
            (-2, f(Device), unread(Device), After::Park),
            (-3, f(OutputTooSmall), unread(CorruptInput), After::TearDown),
            (-4, f(Device), unread(CorruptInput), After::TearDown),
            (-5, f(Timeout), f(Timeout), After::Park),
            (-100, f(Device), f(Device), After::TearDown),
            (11, soft, soft, After::TearDown),
            (12, soft, soft, After::TearDown),
            (13, soft, soft, After::TearDown),
            (14, soft, soft, After::TearDown),
            (15, soft, soft, After::TearDown),
            (16, soft, soft, After::TearDown),
            (100, f(Lost), f(Lost), After::TearDown),
            (-101, f(Lost), f(Lost), After::TearDown),
            (-102, f(Lost), f(Lost), After::TearDown),
            (-103, f(Busy), f(Busy), After::Keep),
            (-104, f(OutOfMemory), f(OutOfMemory), After::TearDown),
            (-105, soft, soft, After::TearDown),
            (-116, f(Unsupported), f(Unsupported), After::TearDown),
            (-117, f(Device), f(Device), After::TearDown),
            (-118, f(Device), f(Device), After::TearDown),
            (-119, f(Device), f(Device), After::TearDown),
            (-200, f(Unsupported), f(Unsupported), After::TearDown),
        ];
        assert_eq!(expected.len(), TABLE.len());
        for (code, compress, decompress, after) in expected {
            let meaning = meaning(code);
            assert_ne!(meaning.name, "undocumented", "{code}");
            assert_eq!(meaning.code, code);
            assert_eq!(meaning.says(Direction::Compress), compress, "{code}");
            assert_eq!(meaning.says(Direction::Decompress), decompress, "{code}");
            assert_eq!(meaning.after, after, "{code}");
        }
    }

    #[test]
    fn a_code_that_nobody_documented_is_never_ok() {
        for code in [-6, 3, 10, 99, -99, -106, i32::MIN, i32::MAX] {
            let meaning = meaning(code);
            assert_eq!(meaning.name, "undocumented", "{code}");
            for direction in Direction::BOTH {
                let error = meaning.error(direction);
                assert_eq!((error.kind(), error.native()), (ErrorKind::Device, code));
            }
            assert_eq!(meaning.after, After::Park);
        }
    }

    #[test]
    fn work_done_in_software_is_told_apart() {
        for row in TABLE {
            for direction in Direction::BOTH {
                let software = row.says(direction) == Says::Software;
                assert_eq!(row.error(direction).is_silent_software(), software);
                assert_eq!(row.error(direction).provider(), ID);
            }
        }
    }
}
