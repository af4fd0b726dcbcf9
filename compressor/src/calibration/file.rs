use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use compressor_api::Registry;

use super::{Calibration, CalibrationError};
use crate::WholeFile;
use crate::config::one_line;

/// No calibration is as long, in bytes: one of all formats has some 20 KiB.
const MOST: usize = 1 << 20;

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
        let bytes = read(path).map_err(|error| CalibrationError::Read {
            path: path.into(),
            why: error.to_string(),
        })?;
        if bytes.len() > MOST {
            return Err(corrupt(format!("it is longer than {MOST} bytes")));
        }
        let text =
            String::from_utf8(bytes).map_err(|_| corrupt("it is not text in UTF-8".into()))?;
        let read: Self = toml::from_str(&text).map_err(|error| corrupt(one_line(&text, &error)))?;
        match read.nonsense() {
            None => Ok(read),
            Some(why) => Err(corrupt(why)),
        }
    }

    /// [Reads](Self::load) what holds here, as [`check`](Self::check) says.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load); [`CalibrationError::Stale`].
    pub fn load_checked(path: &Path, registry: &Registry) -> Result<Self, CalibrationError> {
        let calibration = Self::load(path)?;
        match calibration.stale(registry) {
            None => Ok(calibration),
            Some(what) => Err(CalibrationError::Stale {
                path: Some(path.into()),
                what,
            }),
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
        WholeFile::at(path)
            .and_then(|file| file.save(format!("{HEAD}\n{text}").as_bytes()))
            .map_err(|error| failed(error.to_string()))
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

/// What is in a file, up to one byte more than [`MOST`].
fn read(path: &Path) -> io::Result<Vec<u8>> {
    // A pipe may never have a writer, and a device never an end.
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(MOST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
