use std::fmt;
use std::sync::{Mutex, PoisonError};

use compressor_api::{Dictionary, ErrorKind};
use zstd_sys::ZSTD_ErrorCode::{ZSTD_error_memory_allocation, ZSTD_error_srcSize_wrong};

use crate::error::code;

/// The shortest dictionary that the trainer writes, in bytes: `ZDICT_DICTSIZE_MIN` of `zdict.h`.
const MIN_LEN: usize = 256;

/// The shortest sample that the trainer learns from, in bytes; it reads that many at a time.
const MIN_SAMPLE: usize = 8;

/// The trainer learns from three quarters of the samples, wants five there, and tries the result
/// on the rest.
const MIN_SAMPLES: usize = 7;

/// The trainer keeps its verbosity in a global variable, which it writes on every run.
static TRAINER: Mutex<()> = Mutex::new(());

/// Trains a dictionary of at most `max_len` bytes on samples of what will be compressed with it.
///
/// Around 100 KiB is a usual length. The samples should be as many as you have, each a block as it
/// will be compressed, about 100 times as long as the dictionary in all; those shorter than 8 bytes
/// are passed over. Takes seconds for megabytes of samples, and copies them once.
///
/// The same samples give the same dictionary. Its id is made from its content, between 32,768 and
/// 2³¹, where the format leaves ids to private use.
///
/// # Errors
///
/// [`TrainError`].
pub fn train<S: AsRef<[u8]>>(samples: &[S], max_len: usize) -> Result<Dictionary, TrainError> {
    if max_len < MIN_LEN {
        return Err(TrainError::LengthTooSmall { max_len });
    }
    // Each is asked for its bytes once: the lengths must be those of what is copied.
    let usable: Vec<&[u8]> = samples
        .iter()
        .map(AsRef::as_ref)
        .filter(|sample| sample.len() >= MIN_SAMPLE)
        .collect();
    if usable.len() < MIN_SAMPLES {
        return Err(TrainError::Samples);
    }
    let count = u32::try_from(usable.len()).map_err(|_| TrainError::Samples)?;
    let lengths: Vec<usize> = usable.iter().map(|sample| sample.len()).collect();
    let content = usable.concat();

    let mut dictionary = Vec::new();
    dictionary
        .try_reserve_exact(max_len)
        .map_err(|_| TrainError::OutOfMemory)?;
    dictionary.resize(max_len, 0_u8);

    let only_run = TRAINER.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `dictionary` has `max_len` bytes; `lengths` has `count` numbers, which add up to the
    // length of `content`, and each is at least what the trainer reads at a time.
    let result = unsafe {
        zstd_sys::ZDICT_trainFromBuffer(
            dictionary.as_mut_ptr().cast(),
            dictionary.len(),
            content.as_ptr().cast(),
            lengths.as_ptr(),
            count,
        )
    };
    drop(only_run);

    if let Some(native) = code(result) {
        return Err(match native {
            _ if native == ZSTD_error_srcSize_wrong as i32 => TrainError::Samples,
            _ if native == ZSTD_error_memory_allocation as i32 => TrainError::OutOfMemory,
            _ => TrainError::Library { native },
        });
    }
    dictionary.truncate(result);
    Dictionary::trained(dictionary).map_err(|_| TrainError::Library { native: 0 })
}

/// Why no dictionary was trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrainError {
    /// Fewer than 7 samples of 8 bytes or more, or more than the trainer takes (4 GiB in all).
    Samples,
    /// No dictionary is so short.
    LengthTooSmall {
        /// The greatest length asked for, in bytes.
        max_len: usize,
    },
    /// Not enough memory: a few times the dictionary, the samples once, and about 6 MB
    /// (`zdict.h`).
    OutOfMemory,
    /// The trainer found nothing to learn, as in samples that are all alike or all random.
    Library {
        /// The library's own code.
        native: i32,
    },
}

impl TrainError {
    /// Who is to blame.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Samples | Self::LengthTooSmall { .. } | Self::Library { .. } => {
                ErrorKind::InvalidArgument
            }
            Self::OutOfMemory => ErrorKind::OutOfMemory,
        }
    }
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Samples => write!(
                f,
                "a dictionary is trained on {MIN_SAMPLES} samples of {MIN_SAMPLE} bytes or more, \
                 and on less than 4 GiB of them"
            ),
            Self::LengthTooSmall { max_len } => write!(
                f,
                "a dictionary has at least {MIN_LEN} bytes; {max_len} were allowed"
            ),
            Self::OutOfMemory => f.write_str("out of memory while training a dictionary"),
            Self::Library { native } => write!(
                f,
                "the samples have nothing in common that a dictionary could hold (native code \
                 {native})"
            ),
        }
    }
}

impl std::error::Error for TrainError {}
