//! QATzip in this process: loaded once, asked once whether there is a device, and never again.

use std::any::Any;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use compressor_api::{Error, ErrorKind, OpenError};
use qatzip_sys::Generation;

use crate::ID;
use crate::codes::meaning;
use crate::ffi::{self, Library, Process, Refusal, Software};
use crate::hardware::Hardware;
use crate::parked::Parked;
use crate::settings::Settings;

/// What the system's loader is asked for, in order: the soname of QATzip 1.3 and 2.0.
pub(crate) const NAMES: &[&str] = &["libqatzip.so.3"];

/// A QATzip that found a device, for the life of the process.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) library: &'static Library,
    pub(crate) generation: Option<Generation>,
    /// The largest `hw_buffer_size` there may be in this process, in bytes: QATzip pins buffers of
    /// the size that its first session has, and writes beyond them for one that is larger.
    hw_buffer: usize,
    /// The process that initialised it.
    process: Process,
    parked: Mutex<Parked>,
    /// QATzip said later that there is none, with this hardware there.
    gone: Mutex<Option<Hardware>>,
    /// Whether [`gone`](Self::gone) holds something, without its lock.
    is_gone: AtomicBool,
}

/// What is known of a library that was loaded.
struct Known {
    /// All by which it was asked for.
    files: Vec<String>,
    software: Software,
    library: &'static Library,
    /// `None` until it is asked.
    state: Option<State>,
}

impl Known {
    /// The library behind `file`, which is loaded if it is not known by that name. A library has one
    /// entry, however many names lead to it: it is the process that it may be asked in once.
    fn of<'a>(
        known: &'a mut Vec<Self>,
        file: &str,
        software: Software,
    ) -> Result<&'a mut Self, Refusal> {
        let by_name = |one: &Self| one.software == software && one.files.iter().any(|f| f == file);
        let at = match known.iter().position(by_name) {
            Some(at) => at,
            None => {
                let loaded = Library::load(file)?;
                let same = |one: &Self| one.software == software && one.library.is_same(&loaded);
                match known.iter().position(same) {
                    Some(at) => at,
                    None => {
                        known.push(Self {
                            files: Vec::new(),
                            software,
                            library: Box::leak(Box::new(loaded)),
                            state: None,
                        });
                        known.len() - 1
                    }
                }
            }
        };
        let one = known.get_mut(at);
        let one = one.ok_or_else(|| Refusal::NotLoaded("no memory of it".into()))?;
        if !one.files.iter().any(|known| known == file) {
            one.files.push(file.into());
        }
        Ok(one)
    }
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
                "tried {tried}; the package with it is libqatzip3 on Debian 13, qatzip-libs on Fedora"
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
        let one = Known::of(&mut known, file, settings.software)?;
        match &one.state {
            Some(State::Found(device)) => return Ok(device.again(settings)),
            Some(State::NotFound { error, with }) if *with == hardware => {
                return Ok(Err(error.clone()));
            }
            Some(State::NotFound { .. }) | None => {}
        }
        let state = Self::ask(one.library, settings, hardware);
        let answer = match &state {
            State::Found(device) => Ok(*device),
            State::NotFound { error, .. } => Err(error.clone()),
        };
        one.state = Some(state);
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
                hw_buffer: settings.hw_buffer,
                process: Process::this(),
                parked: Mutex::default(),
                gone: Mutex::default(),
                is_gone: AtomicBool::new(false),
            })));
        }
        let why = format!(
            "{} (QATzip, API {}) answers qzInit with {} ({code}); `compressor doctor` tells more",
            library.file(),
            library.api(),
            meaning(code).name,
        );
        let error = if is_absence(code) {
            OpenError::Absent { why }
        } else {
            OpenError::Broken { why }
        };
        State::NotFound {
            error,
            with: hardware,
        }
    }

    /// For another factory of this process.
    fn again(&'static self, settings: &Settings) -> Result<&'static Self, OpenError> {
        if self.is_forked() {
            let why = "the device belongs to the process that this one was forked from".into();
            return Err(OpenError::Absent { why });
        }
        if settings.hw_buffer > self.hw_buffer {
            let why = format!(
                "hw_buffer_size is {}, and this process has opened the device with {}: QATzip has \
                 pinned buffers of that size, so the largest is to be opened first",
                settings.hw_buffer, self.hw_buffer
            );
            return Err(OpenError::Misconfigured { why });
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
    /// [`Error::forked`]; [`Lost`](ErrorKind::Lost) while there is no device any more, or so many
    /// buffers wait for requests that were given up that no more may be.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_forked() {
            return Err(Error::forked(ID));
        }
        if self.is_gone.load(Ordering::Relaxed) && self.is_still_gone() {
            return Err(Error::new(ErrorKind::Lost, ID));
        }
        if self.parked().is_full(Instant::now()) {
            return Err(Error::new(ErrorKind::Lost, ID));
        }
        Ok(())
    }

    /// `qzInit` answered so, for a session that was to be made anew. If there is no device any more, it
    /// is not asked again before the kernel shows others.
    pub(crate) fn refused(&self, code: c_int) {
        if is_absence(code) {
            *self.gone.lock().unwrap_or_else(PoisonError::into_inner) = Some(Hardware::look());
            self.is_gone.store(true, Ordering::Relaxed);
        }
    }

    fn is_still_gone(&self) -> bool {
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        let same = gone.as_ref() == Some(&Hardware::look());
        if !same {
            *gone = None;
            self.is_gone.store(false, Ordering::Relaxed);
        }
        same
    }

    /// Keeps from everybody what the device may still read or write.
    pub(crate) fn park(&self, had: impl Any + Send) {
        self.parked().park(Box::new(had), Instant::now());
    }

    fn parked(&self) -> MutexGuard<'_, Parked> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the answer means that there is no device.
const fn is_absence(code: c_int) -> bool {
    matches!(
        code,
        qatzip_sys::QZ_NOSW_NO_HW | qatzip_sys::QZ_NOSW_NO_MDRV
    )
}
