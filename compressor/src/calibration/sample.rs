use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::CalibrationError;

/// As much of a sample as is used, in bytes: more would take longer than a calibration may.
pub(super) const MOST: usize = 256 << 10;

/// What is measured on: content like that which will be compressed.
#[derive(Clone, Debug)]
pub struct Sample {
    pub(super) content: Vec<u8>,
    pub(super) name: String,
}

/// What the built-in rows say beside a reading.
const NOTES: [&str; 6] = [
    "within limits, next check in",
    "tool changed, offset",
    "operator acknowledged warning",
    "waiting for part, order",
    "calibrated against reference",
    "cycle done, program",
];

impl Sample {
    /// Rows of readings as a time-series store keeps them, the same in each process.
    #[must_use]
    pub fn rows() -> Self {
        // Knuth's generator (MMIX): what matters is that it is the same everywhere.
        let mut state = 1_u64;
        let mut draw = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut text = String::with_capacity(MOST + 256);
        let mut millis = 0;
        let mut temperature = 21_000;
        while text.len() < MOST {
            // Time and readings go on from row to row; ids and numbers in notes do not.
            millis += 9_500 + draw(1_000);
            temperature = (temperature + draw(401)).saturating_sub(200);
            let note = NOTES.get(draw(6) as usize).copied().unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "machine-{:04} sensor-{:02} 2026-03-01T{:02}:{:02}:{:02}.{:03}Z id={:08x} \
                 temperature={}.{:03} load={} {note} {}",
                draw(200),
                draw(12),
                millis / 3_600_000 % 24,
                millis / 60_000 % 60,
                millis / 1_000 % 60,
                millis % 1_000,
                draw(1 << 31),
                temperature / 1_000,
                temperature % 1_000,
                draw(10_000),
                draw(100_000),
            );
        }
        let mut content = text.into_bytes();
        content.truncate(MOST);
        Self {
            content,
            name: "built-in rows".into(),
        }
    }

    /// The caller's own content; of a longer one the first 256 KiB.
    ///
    /// # Errors
    ///
    /// [`CalibrationError::EmptySample`].
    pub fn new(name: impl Into<String>, content: &[u8]) -> Result<Self, CalibrationError> {
        let name = name.into();
        let content = content.get(..MOST).unwrap_or(content).to_vec();
        if content.is_empty() {
            return Err(CalibrationError::EmptySample { name });
        }
        Ok(Self { content, name })
    }

    /// The first 256 KiB of a file.
    ///
    /// # Errors
    ///
    /// [`CalibrationError::Sample`] if it cannot be read, [`CalibrationError::EmptySample`].
    pub fn from_file(path: &Path) -> Result<Self, CalibrationError> {
        let mut content = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MOST as u64).read_to_end(&mut content))
            .map_err(|error| CalibrationError::Sample {
                path: path.into(),
                why: error.to_string(),
            })?;
        Self::new(path.display().to_string(), &content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_rows_are_as_long_as_is_used_and_always_the_same() {
        assert_eq!(Sample::rows().content.len(), MOST);
        assert_eq!(Sample::rows().content, Sample::rows().content);
    }

    #[test]
    fn a_sample_of_nothing_is_refused_and_a_long_one_cut() {
        let refused = Sample::new("nothing", b"").unwrap_err().to_string();
        assert!(refused.contains("nothing"), "{refused}");
        let long = Sample::new("long", &vec![0; MOST + 1]).unwrap();
        assert_eq!(long.content.len(), MOST);
        let missing = Sample::from_file(Path::new("/no/such/file")).unwrap_err();
        assert!(
            matches!(missing, CalibrationError::Sample { .. }),
            "{missing}"
        );
    }
}
