//! What a device does is tried, with one operation for each format and direction: header files and
//! versions tell what QATzip can be asked, not what this device answers.

use compressor_api::{
    CompressSession, DecompressSession, Direction, Error, ErrorKind, OpenError, Spec, self_test,
};

use crate::compress::Compress;
use crate::decompress::Decompress;
use crate::device::Device;
use crate::factory::Service;
use crate::ffi::Stream;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::ways::{self, FORMATS, Way, max_compressed_len, ways};

/// What came of it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) services: Vec<Service>,
    /// What failed, other than for want of support.
    pub(crate) failed: Vec<String>,
}

/// Tries every format and direction, each by its ways in order until one works.
///
/// A way that the device does not support, or that QATzip takes in software, is none; nor is one
/// that fails, and that makes the provider degraded. Where QATzip finds no instance for one while it
/// finds some for others, that is how it says that the device does not support it.
///
/// # Errors
///
/// [`OpenError::Broken`] if nothing works.
pub(crate) fn probe(device: &'static Device, settings: &Settings) -> Result<Found, OpenError> {
    let mut found = Found {
        services: Vec::new(),
        failed: Vec::new(),
    };
    let (mut unsupported, mut no_instance) = (Vec::new(), Vec::new());
    for format in FORMATS {
        for direction in Direction::BOTH {
            for way in ways(format, direction) {
                let capabilities = ways::capabilities(format, direction, *way, settings);
                let service = Service {
                    capabilities,
                    way: *way,
                };
                match attempt(device, settings, &service) {
                    Ok(()) => {
                        found.services.push(service);
                        break;
                    }
                    Err(error) => {
                        let what = format!("{direction} {format}: {error}");
                        if error.kind() == ErrorKind::Unsupported
                            || error.is_silent_software()
                            || is_expected(&service, error)
                        {
                            unsupported.push(what);
                        } else if error.native() == qatzip_sys::QZ_NOSW_NO_INST_ATTACH {
                            no_instance.push(what);
                        } else {
                            found.failed.push(what);
                        }
                    }
                }
            }
        }
    }
    if found.services.is_empty() {
        let tried = [found.failed, no_instance, unsupported];
        let why = format!(
            "{} finds a device that does nothing of what it was tried with: {}",
            device.library.file(),
            tried.concat().join(", ")
        );
        return Err(OpenError::Broken { why });
    }
    Ok(found)
}

/// Whether the failure is what QATzip makes of LZ4 frames that have no checksum over their content,
/// which it does not give to a device (`isQATLZ4Processable` in its source), and those that are made
/// here have none.
fn is_expected(service: &Service, error: Error) -> bool {
    service.way == Way::Stream(Stream::Lz4Frame)
        && service.capabilities.direction == Direction::Decompress
        && error.native() == qatzip_sys::QZ_FAIL
}

/// One operation, whose result is compared where it can be without another codec.
fn attempt(device: &'static Device, settings: &Settings, service: &Service) -> Result<(), Error> {
    let listed = &service.capabilities;
    let plan = Plan::new(&Spec::new(listed.format), listed, service.way, settings);
    let content = self_test::CONTENT;
    let wrong = Error::new(ErrorKind::Device, crate::ID);
    match listed.direction {
        Direction::Compress => {
            let mut unit = vec![0; max_compressed_len(service.way, content.len())];
            Compress::new(device, plan)?.compress(content, &mut unit)?;
        }
        Direction::Decompress => {
            let mut back = vec![0; content.len()];
            let unit = self_test::unit(listed.format);
            let n = Decompress::new(device, plan)?.decompress(unit, &mut back)?;
            if back.get(..n) != Some(content) {
                return Err(wrong);
            }
        }
    }
    Ok(())
}
