//! QATzip in this process: loaded once, asked once whether there is a device, and never again.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use compressor_api::{Error, ErrorKind, OpenError};

use crate::ID;
use crate::codes::meaning;
use crate::ffi::{self, Library, Process, Refusal, Software};
use crate::hardware::{Generation, Hardware};
use crate::parked::{Buffers, Parked};
use crate::settings::Settings;

/// What the system's loader is asked for, in order: the soname of QATzip 1.3 and 2.0.
pub(crate) const NAMES: &[&str] = &["libqatzip.so.3"];

/// A QATzip that found a device, for the life of the process.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) library: &'static Library,
    pub(crate) generation: Option<Generation>,
    /// The process that initialised it.
    process: Process,
    parked: Mutex<Parked>,
}

/// What is known of a library that was loaded.
struct Known {
    file: String,
    software: Software,
    library: &'static Library,
    state: State,
}

enum State {
    Found(&'static Device),
    /// It was asked and found nothing, with these devices there.
    NotFound {
        error: OpenError,
        with: Hardware,
    },
}

/// Every library that was loaded. Locked while one is asked, so that each is asked once.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

impl Device {
    /// The device behind the first of `names` that the system's loader finds.
    ///
    /// # Errors
    ///
    /// [`OpenError::Absent`] without library or device, [`OpenError::Broken`] if what is there does
    /// not work.
    pub(crate) fn by_name(names: &[&str], settings: &Settings) -> Result<&'static Self, OpenError> {
        let mut tried = Vec::new();
        for name in names {
            match Self::open(name, settings) {
                Ok(found) => return found,
                Err(Refusal::NotLoaded(why)) => tried.push(format!("{name} ({why})")),
                Err(Refusal::NotQatzip(why)) => {
                    let why = format!("{name} is no QATzip that can be used: {why}");
                    return Err(OpenError::Broken { why });
                }
            }
        }
        let tried = tried.join(", ");
        Err(OpenError::Absent {
            why: format!(
                "tried {tried}; the package with it is libqatzip3 on Debian 13, qatzip on Fedora"
            ),
        })
    }

    /// The device behind the library in the file of this path.
    ///
    /// # Errors
    ///
    /// [`OpenError::Misconfigured`] if the file is no QATzip; else as [`by_name`](Self::by_name).
    pub(crate) fn by_path(path: &str, settings: &Settings) -> Result<&'static Self, OpenError> {
        let misconfigured = |why| Err(OpenError::Misconfigured { why });
        if !std::path::Path::new(path).is_absolute() {
            // A loader searches for what has no slash, and takes the rest from wherever the
            // process was started.
            return misconfigured(format!("library_path {path:?} is not absolute"));
        }
        match Self::open(path, settings) {
            Ok(found) => found,
            Err(Refusal::NotLoaded(why)) => {
                misconfigured(format!("library_path {path:?} cannot be loaded: {why}"))
            }
            Err(Refusal::NotQatzip(why)) => {
                misconfigured(format!("library_path {path:?} is no QATzip: {why}"))
            }
        }
    }

    fn open(file: &str, settings: &Settings) -> Result<Result<&'static Self, OpenError>, Refusal> {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let hardware = Hardware::look();
        let before = known
            .iter()
            .position(|one| one.file == file && one.software == settings.software);
        let library = match before.and_then(|at| known.get(at)) {
            Some(one) => match &one.state {
                State::Found(device) => return Ok(device.in_this_process()),
                State::NotFound { error, with } if *with == hardware => {
                    return Ok(Err(error.clone()));
                }
                State::NotFound { .. } => one.library,
            },
            None => Box::leak(Box::new(Library::load(file)?)),
        };
        let state = Self::ask(library, settings, hardware);
        let answer = match &state {
            State::Found(device) => Ok(*device),
            State::NotFound { error, .. } => Err(error.clone()),
        };
        let one = Known {
            file: file.into(),
            software: settings.software,
            library,
            state,
        };
        match before.and_then(|at| known.get_mut(at)) {
            Some(place) => *place = one,
            None => known.push(one),
        }
        Ok(answer)
    }

    /// The one question: without a device, each costs the process a pthread key for good.
    fn ask(library: &'static Library, settings: &Settings, hardware: Hardware) -> State {
        library.set_log_level(settings.log_level);
        let code = ffi::initialise(library, settings.software);
        if matches!(code, qatzip_sys::QZ_OK | qatzip_sys::QZ_DUPLICATE) {
            return State::Found(Box::leak(Box::new(Self {
                library,
                generation: hardware.generation,
                process: Process::this(),
                parked: Mutex::default(),
            })));
        }
        let why = format!(
            "{} (QATzip, API {}) answers qzInit with {} ({code}); `compressor doctor` tells more",
            library.file(),
            library.api(),
            meaning(code).name,
        );
        let error = match code {
            qatzip_sys::QZ_NOSW_NO_HW | qatzip_sys::QZ_NOSW_NO_MDRV => OpenError::Absent { why },
            _ => OpenError::Broken { why },
        };
        State::NotFound {
            error,
            with: hardware,
        }
    }

    fn in_this_process(&'static self) -> Result<&'static Self, OpenError> {
        if self.is_forked() {
            let why = "the device belongs to the process that this one was forked from".into();
            return Err(OpenError::Absent { why });
        }
        Ok(self)
    }

    /// Whether this is a child of the process that initialised QATzip, to which alone the device
    /// belongs.
    pub(crate) fn is_forked(&self) -> bool {
        !self.process.is_this()
    }

    /// Whether sessions may be made now.
    ///
    /// # Errors
    ///
    /// [`Error::forked`]; [`Lost`](ErrorKind::Lost) while so many buffers wait for requests that
    /// timed out that no more may be.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_forked() {
            return Err(Error::forked(ID));
        }
        if self.parked().is_full(Instant::now()) {
            return Err(Error::new(ErrorKind::Lost, ID));
        }
        Ok(())
    }

    /// Keeps buffers from everybody that the device may still write to.
    pub(crate) fn park(&self, buffers: Buffers) {
        self.parked().park(buffers, Instant::now());
    }

    fn parked(&self) -> MutexGuard<'_, Parked> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
