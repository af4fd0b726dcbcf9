use crate::{Dictionary, Format, SpecError};

/// All that compressed bytes depend on: format, level, window, dictionary, checksum.
///
/// Validated once, when it is made; a [`Compressor`](crate::Compressor) made from it never checks
/// again. Two providers given one spec write bytes that differ, and that either can read.
///
/// Only the format (and the dictionary, if any) matters for reading: level, window and checksum
/// bind the writer alone.
///
/// ```
/// use compressor_api::{Format, Spec};
///
/// let spec = Spec::new(Format::Zlib).with_level(9)?;
/// assert_eq!((spec.format(), spec.level()), (Format::Zlib, 9));
/// assert!(Spec::new(Format::Zlib).with_level(10).is_err());
/// # Ok::<(), compressor_api::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    format: Format,
    level: i32,
    window_log: Option<u8>,
    dictionary: Option<Dictionary>,
    checksum: bool,
}

impl Spec {
    /// The format with the defaults that Cassandra uses: zlib 6, zstd 3, LZ4 fast.
    #[must_use]
    pub const fn new(format: Format) -> Self {
        let checksum = matches!(format, Format::Zstd | Format::Zlib | Format::Gzip);
        Self {
            format,
            level: format.levels().default_level(),
            window_log: None,
            dictionary: None,
            checksum,
        }
    }

    /// The same at another level, on the format's own scale ([`Format::levels`]).
    ///
    /// # Errors
    ///
    /// [`SpecError::LevelOutOfRange`].
    pub fn with_level(mut self, level: i32) -> Result<Self, SpecError> {
        if !self.format.levels().contains(level) {
            return Err(SpecError::LevelOutOfRange {
                format: self.format,
                level,
            });
        }
        self.level = level;
        Ok(self)
    }

    /// The same with matches no further back than `1 << window_log` bytes.
    ///
    /// # Errors
    ///
    /// [`SpecError::WindowOutOfRange`] outside [`Format::window_logs`], and for formats that have
    /// no such choice.
    pub fn with_window_log(mut self, window_log: u8) -> Result<Self, SpecError> {
        match self.format.window_logs() {
            Some((min, max)) if (min..=max).contains(&window_log) => {
                self.window_log = Some(window_log);
                Ok(self)
            }
            _ => Err(SpecError::WindowOutOfRange {
                format: self.format,
                window_log,
            }),
        }
    }

    /// The same with a dictionary, for both directions.
    ///
    /// # Errors
    ///
    /// [`SpecError::NoDictionary`] for every format but `zstd`.
    pub fn with_dictionary(mut self, dictionary: Dictionary) -> Result<Self, SpecError> {
        if !Dictionary::supported_by(self.format) {
            return Err(SpecError::NoDictionary {
                format: self.format,
            });
        }
        self.dictionary = Some(dictionary);
        Ok(self)
    }

    /// The same with or without a checksum over the content; on unless said otherwise.
    ///
    /// Binds the writer: a unit without a checksum stays readable, one with a wrong checksum never
    /// is.
    ///
    /// # Errors
    ///
    /// [`SpecError::ChecksumFixed`] for every format but `zstd`, if the value is not the one that
    /// the format has anyway.
    pub fn with_checksum(mut self, checksum: bool) -> Result<Self, SpecError> {
        if self.format != Format::Zstd && checksum != self.checksum {
            return Err(SpecError::ChecksumFixed {
                format: self.format,
            });
        }
        self.checksum = checksum;
        Ok(self)
    }

    /// The format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The level, on the format's own scale.
    #[must_use]
    pub const fn level(&self) -> i32 {
        self.level
    }

    /// Base-2 logarithm of the window asked for; `None` leaves it to the codec.
    #[must_use]
    pub const fn window_log(&self) -> Option<u8> {
        self.window_log
    }

    /// The dictionary, if any.
    #[must_use]
    pub const fn dictionary(&self) -> Option<&Dictionary> {
        self.dictionary.as_ref()
    }

    /// Whether the writer adds a checksum over the content.
    #[must_use]
    pub const fn checksum(&self) -> bool {
        self.checksum
    }

    /// The spec of the format inside this one's frame, for [`framed`](crate::framed).
    pub(crate) fn inner(&self) -> Option<Self> {
        let inner = Self::new(self.format.inner()?);
        Some(Self {
            level: self.level,
            window_log: self.window_log,
            ..inner
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_cassandras() {
        assert_eq!(Spec::new(Format::Zlib).level(), 6);
        assert_eq!(Spec::new(Format::Zstd).level(), 3);
        assert_eq!(Spec::new(Format::Lz4Sized).level(), 0);
        assert!(Spec::new(Format::Zstd).checksum());
    }

    #[test]
    fn each_format_takes_its_ends_and_refuses_what_lies_beyond() {
        for format in Format::ALL {
            let levels = format.levels();
            for level in [levels.min(), levels.max()] {
                assert!(
                    Spec::new(format).with_level(level).is_ok(),
                    "{format} {level}"
                );
            }
            for level in [levels.min() - 1, levels.max() + 1, i32::MIN, i32::MAX] {
                assert_eq!(
                    Spec::new(format).with_level(level),
                    Err(SpecError::LevelOutOfRange { format, level })
                );
            }
            match format.window_logs() {
                Some((min, max)) => {
                    assert!(Spec::new(format).with_window_log(min).is_ok());
                    assert!(Spec::new(format).with_window_log(max).is_ok());
                    assert!(Spec::new(format).with_window_log(min - 1).is_err());
                    assert!(Spec::new(format).with_window_log(max + 1).is_err());
                }
                None => assert!(Spec::new(format).with_window_log(15).is_err()),
            }
        }
    }

    #[test]
    fn only_zstd_has_a_choice_of_dictionary_and_checksum() {
        let dictionary = Dictionary::raw(&b"some content"[..]).unwrap();
        for format in Format::ALL {
            let spec = Spec::new(format);
            assert_eq!(
                spec.clone().with_dictionary(dictionary.clone()).is_ok(),
                format == Format::Zstd
            );
            assert_eq!(
                spec.clone().with_checksum(!spec.checksum()).is_ok(),
                format == Format::Zstd
            );
        }
    }
}
