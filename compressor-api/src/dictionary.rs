use std::fmt;
use std::sync::Arc;

use crate::{Format, SpecError};

/// First four bytes of a trained Zstandard dictionary (RFC 8878, section 5), little-endian.
const TRAINED_MAGIC: [u8; 4] = [0x37, 0xA4, 0x30, 0xEC];

/// Zstandard ignores raw content shorter than this.
const MIN_LEN: usize = 8;

/// How a [`Dictionary`] is named in the frames that need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DictionaryKind {
    /// Plain content. A frame does not say which one it needs; a wrong one is found by the checksum.
    Raw,
    /// Trained, with the id that frames written with it carry.
    Trained {
        /// The id in the dictionary's header and in the frames; never 0.
        id: u32,
    },
}

/// A compression dictionary: shared content that both sides hold.
///
/// Cheap to clone. Zstandard is the one format that takes one.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Dictionary {
    bytes: Arc<[u8]>,
    kind: DictionaryKind,
}

impl Dictionary {
    /// A dictionary of plain content.
    ///
    /// # Errors
    ///
    /// [`SpecError::BadDictionary`] for fewer than 8 bytes (the library ignores those), or for
    /// content that starts like a trained dictionary (the library would read it as one).
    pub fn raw(bytes: impl Into<Arc<[u8]>>) -> Result<Self, SpecError> {
        let bytes = bytes.into();
        if bytes.len() < MIN_LEN {
            return Err(SpecError::BadDictionary {
                why: "raw content is shorter than 8 bytes",
            });
        }
        if bytes.starts_with(&TRAINED_MAGIC) {
            return Err(SpecError::BadDictionary {
                why: "raw content starts with the magic number of a trained dictionary",
            });
        }
        Ok(Self {
            bytes,
            kind: DictionaryKind::Raw,
        })
    }

    /// A dictionary in Zstandard's trained format, as `zstd --train` writes it.
    ///
    /// Only the header is read here; a codec reads the tables when a compressor is made.
    ///
    /// # Errors
    ///
    /// [`SpecError::BadDictionary`] if the magic number is missing or the id is 0.
    pub fn trained(bytes: impl Into<Arc<[u8]>>) -> Result<Self, SpecError> {
        let bytes = bytes.into();
        let id = bytes
            .strip_prefix(&TRAINED_MAGIC)
            .and_then(|rest| rest.first_chunk::<4>())
            .map(|id| u32::from_le_bytes(*id))
            .ok_or(SpecError::BadDictionary {
                why: "a trained dictionary starts with 37 a4 30 ec and a 4-byte id",
            })?;
        if id == 0 {
            return Err(SpecError::BadDictionary {
                why: "the id of a trained dictionary is 0",
            });
        }
        Ok(Self {
            bytes,
            kind: DictionaryKind::Trained { id },
        })
    }

    /// The whole dictionary, header included.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Raw or trained.
    #[must_use]
    pub fn kind(&self) -> DictionaryKind {
        self.kind
    }

    /// The id that frames carry; `None` for raw content.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        match self.kind {
            DictionaryKind::Raw => None,
            DictionaryKind::Trained { id } => Some(id),
        }
    }

    pub(crate) fn supported_by(format: Format) -> bool {
        format == Format::Zstd
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The content is the user's data: its length is enough for a log.
        f.debug_struct("Dictionary")
            .field("len", &self.bytes.len())
            .field("kind", &self.kind)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trained_dictionary_gives_its_id() {
        let bytes = [&TRAINED_MAGIC[..], &[0x39, 0x30, 0, 0, 1, 2, 3]].concat();
        assert_eq!(
            Dictionary::trained(bytes.clone()).unwrap().id(),
            Some(12_345)
        );
        assert!(Dictionary::raw(bytes).is_err());
    }

    #[test]
    fn what_the_library_would_ignore_or_misread_is_refused() {
        for bytes in [
            &b""[..],
            b"\x37\xa4\x30\xec",
            b"\x37\xa4\x30\xec\0\0\0\0",
            b"not a magic",
        ] {
            assert!(Dictionary::trained(bytes).is_err(), "{bytes:x?}");
        }
        assert!(Dictionary::raw(&b"1234567"[..]).is_err());
        assert_eq!(Dictionary::raw(&b"12345678"[..]).unwrap().id(), None);
    }
}
