//! The parameters, as a user writes them and as they are used.

use std::num::NonZeroU32;
use std::time::Duration;

use compressor_api::{OpenError, ParamKind, ParamSpec, Params};
use qatzip_sys::{QZ_COMP_THRESHOLD_MINIMUM, QZ_HW_BUFF_MAX_SZ};

use crate::ffi::Software;

/// The least `hw_buffer_size`, in bytes: the smallest block that engines write. QATzip takes less.
const MIN_HW_BUFFER: usize = 4 << 10;

/// The greatest, in bytes: QATzip's.
const MAX_HW_BUFFER: usize = QZ_HW_BUFF_MAX_SZ as usize;

/// The least input that QATzip leaves to the device, in bytes.
pub(crate) const MIN_INPUT: usize = QZ_COMP_THRESHOLD_MINIMUM as usize;

const HW_BUFFER_SIZE: ParamSpec = ParamSpec {
    name: "hw_buffer_size",
    kind: ParamKind::Bytes {
        min: MIN_HW_BUFFER as u64,
        max: MAX_HW_BUFFER as u64,
    },
    default: "64KiB",
    doc: "The longest content that is given to the device, in bytes; a power of two, and no larger than the first of the process",
};

const POLLING: ParamSpec = ParamSpec {
    name: "polling",
    kind: ParamKind::Choice(&["busy", "periodical"]),
    default: "busy",
    doc: "How a caller waits for the device: busy for the shortest wait, periodical for less CPU time",
};

const MIN_INPUT_SPEC: ParamSpec = ParamSpec {
    name: "min_input",
    kind: ParamKind::Bytes {
        min: MIN_INPUT as u64,
        max: MIN_HW_BUFFER as u64,
    },
    default: "1KiB",
    doc: "The shortest content that is compressed on the device, in bytes",
};

const MAX_IN_FLIGHT: ParamSpec = ParamSpec {
    name: "max_in_flight",
    kind: ParamKind::Int { min: 1, max: 4_096 },
    default: "16",
    doc: "Operations on the device at once, in each direction; as many as there are instances",
};

const DEADLINE: ParamSpec = ParamSpec {
    name: "deadline",
    kind: ParamKind::Duration {
        min: Duration::from_millis(1),
        max: Duration::from_secs(60),
    },
    default: "2s",
    doc: "An operation that takes longer counts as timed out, and its result is not used; from 100ms on to within a tick of the kernel",
};

pub(crate) const LIBRARY_PATH: ParamSpec = ParamSpec {
    name: "library_path",
    kind: ParamKind::Text,
    default: "",
    doc: "Absolute path of QATzip's shared library; empty for libqatzip.so.3, wherever the system keeps it",
};

const LOG_LEVEL: ParamSpec = ParamSpec {
    name: "log_level",
    kind: ParamKind::Choice(&["none", "fatal", "error", "warning", "info", "debug"]),
    default: "none",
    doc: "What QATzip itself prints to standard error, for the whole process",
};

/// All of them.
pub(crate) const PARAMS: [ParamSpec; 7] = [
    HW_BUFFER_SIZE,
    POLLING,
    MIN_INPUT_SPEC,
    MAX_IN_FLIGHT,
    DEADLINE,
    LIBRARY_PATH,
    LOG_LEVEL,
];

/// The parameters in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// In bytes: a power of two.
    pub(crate) hw_buffer: usize,
    pub(crate) busy_polling: bool,
    /// In bytes.
    pub(crate) min_input: usize,
    pub(crate) max_in_flight: NonZeroU32,
    pub(crate) deadline: Duration,
    /// As QATzip numbers them.
    pub(crate) log_level: u32,
    /// [`Software::Off`], unless tests say otherwise.
    pub(crate) software: Software,
}

impl Settings {
    /// From parameters that were checked one by one.
    ///
    /// # Errors
    ///
    /// [`OpenError::Misconfigured`].
    pub(crate) fn new(params: &Params) -> Result<Self, OpenError> {
        let bytes = |spec: ParamSpec| {
            let value = params
                .bytes(spec.name)
                .and_then(|v| usize::try_from(v).ok());
            value.ok_or_else(|| misconfigured(format!("{} is missing", spec.name)))
        };
        let hw_buffer = bytes(HW_BUFFER_SIZE)?;
        if !hw_buffer.is_power_of_two() {
            return Err(misconfigured(format!(
                "{} is {hw_buffer}, which is no power of two",
                HW_BUFFER_SIZE.name
            )));
        }
        let in_flight = params.int(MAX_IN_FLIGHT.name);
        let log_level = params.text(LOG_LEVEL.name).unwrap_or(LOG_LEVEL.default);
        Ok(Self {
            hw_buffer,
            busy_polling: params.text(POLLING.name) != Some("periodical"),
            min_input: bytes(MIN_INPUT_SPEC)?,
            max_in_flight: in_flight
                .and_then(|n| u32::try_from(n).ok())
                .and_then(NonZeroU32::new)
                .ok_or_else(|| misconfigured(format!("{} is missing", MAX_IN_FLIGHT.name)))?,
            deadline: params
                .duration(DEADLINE.name)
                .ok_or_else(|| misconfigured(format!("{} is missing", DEADLINE.name)))?,
            log_level: match log_level {
                "fatal" => qatzip_sys::QzLogLevel_E_LOG_FATAL,
                "error" => qatzip_sys::QzLogLevel_E_LOG_ERROR,
                "warning" => qatzip_sys::QzLogLevel_E_LOG_WARNING,
                "info" => qatzip_sys::QzLogLevel_E_LOG_INFO,
                "debug" => qatzip_sys::QzLogLevel_E_LOG_DEBUG1,
                _ => qatzip_sys::QzLogLevel_E_LOG_NONE,
            },
            software: Software::Off,
        })
    }
}

fn misconfigured(why: String) -> OpenError {
    OpenError::Misconfigured { why }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(given: &[(&str, &str)]) -> Result<Settings, OpenError> {
        let params = Params::parse(&PARAMS, given.iter().copied())?;
        Settings::new(&params)
    }

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let expected = Settings {
            hw_buffer: 65_536,
            busy_polling: true,
            min_input: 1_024,
            max_in_flight: NonZeroU32::new(16).unwrap(),
            deadline: Duration::from_secs(2),
            log_level: 0,
            software: Software::Off,
        };
        assert_eq!(settings(&[]), Ok(expected));
    }

    #[test]
    fn each_parameter_is_read() {
        let read = settings(&[
            ("hw_buffer_size", "128KiB"),
            ("polling", "periodical"),
            ("min_input", "4KiB"),
            ("max_in_flight", "3"),
            ("deadline", "250ms"),
            ("log_level", "warning"),
        ]);
        let expected = Settings {
            hw_buffer: 128 << 10,
            busy_polling: false,
            min_input: 4_096,
            max_in_flight: NonZeroU32::new(3).unwrap(),
            deadline: Duration::from_millis(250),
            log_level: 3,
            software: Software::Off,
        };
        assert_eq!(read, Ok(expected));
    }

    #[test]
    fn a_buffer_that_qatzip_would_refuse_stops_start_up() {
        for size in ["65537", "96KiB", "2KiB", "1MiB"] {
            let error = settings(&[("hw_buffer_size", size)]).unwrap_err();
            assert_eq!(error.name(), "Misconfigured", "{size}");
            assert!(error.why().contains("hw_buffer_size"), "{error}");
        }
    }
}
