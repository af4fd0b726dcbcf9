use std::fs;
use std::path::Path;

use super::{Calibration, CalibrationError};
use crate::config::one_line;

/// What stands first in the file.
const HEAD: &str = "\
# Who serves which lengths on this host, as `compressor calibrate` measured it. Measured anew when
# the CPU, a provider or the release changes; not meant to be edited.
";

impl Calibration {
    /// Reads what [`save`](Self::save) wrote. Whether it holds here, [`check`](Self::check) says.
    ///
    /// # Errors
    ///
    /// [`CalibrationError::Read`], and [`CalibrationError::Corrupt`] with the line.
    pub fn load(path: &Path) -> Result<Self, CalibrationError> {
        let corrupt = |why| CalibrationError::Corrupt {
            path: path.into(),
            why,
        };
        let bytes = fs::read(path).map_err(|error| CalibrationError::Read {
            path: path.into(),
            why: error.to_string(),
        })?;
        let text =
            String::from_utf8(bytes).map_err(|_| corrupt("it is not text in UTF-8".into()))?;
        let read: Self = toml::from_str(&text).map_err(|error| corrupt(one_line(&text, &error)))?;
        match read.nonsense() {
            None => Ok(read),
            Some(why) => Err(corrupt(why)),
        }
    }

    /// Writes it to a file, which is there whole or not at all.
    ///
    /// # Errors
    ///
    /// [`CalibrationError::Write`].
    pub fn save(&self, path: &Path) -> Result<(), CalibrationError> {
        let failed = |why| CalibrationError::Write {
            path: path.into(),
            why,
        };
        let text = toml::to_string(self).map_err(|error| failed(error.to_string()))?;
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".{}.tmp", std::process::id()));
        fs::write(&beside, format!("{HEAD}\n{text}"))
            .and_then(|()| fs::rename(&beside, path))
            .map_err(|error| {
                // What could not be put in its place is of no use.
                let _ = fs::remove_file(&beside);
                failed(error.to_string())
            })
    }

    /// What cannot be, though it can be read.
    fn nonsense(&self) -> Option<String> {
        self.choices.iter().find_map(|choice| {
            let of = format!("{} {}", choice.format, choice.direction);
            let lens = choice
                .routes
                .iter()
                .map(|route| route.max_len.unwrap_or(usize::MAX));
            let lens: Vec<usize> = lens.collect();
            if lens.is_empty() {
                Some(format!("nobody serves {of}"))
            } else if !lens.is_sorted_by(|one, next| one < next) {
                Some(format!("the lengths of {of} do not ascend"))
            } else {
                None
            }
        })
    }
}
