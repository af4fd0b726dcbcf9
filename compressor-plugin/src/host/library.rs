//! The libraries of this process: each file is loaded once, and asked once for its table.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::description::Description;
use super::error::Refusal;
use super::ffi::{self, HostTable, Table};
use super::file::Checked;
use super::needed;

/// A file that may be loaded, kept open so that no other file gets its inode.
#[derive(Debug)]
pub(super) struct Library {
    checked: Checked,
    /// Held while it is being loaded.
    loading: Mutex<()>,
    /// Set once the loader has taken it. It stays loaded then, so this is for good.
    entered: OnceLock<Entered>,
}

/// What came of a library whose code has run.
#[derive(Debug)]
struct Entered {
    /// The name under which the loader knows it.
    path: PathBuf,
    outcome: Result<Loaded, Refusal>,
}

/// A library that is a plugin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    pub(super) table: &'static Table,
    pub(super) description: Description,
}

/// Those whose code has run, and those that somebody holds. Locked for moments, never for I/O.
static LIBRARIES: Mutex<Vec<Arc<Library>>> = Mutex::new(Vec::new());

fn libraries() -> MutexGuard<'static, Vec<Arc<Library>>> {
    LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The library of a file: the same one for as long as anybody holds it, and for good once its code
/// has run.
///
/// # Errors
///
/// [`Refusal::Replaced`] if the file was written over since, or if another one is held under this
/// name or has run under it. The loader goes by names: it would give that one again. One that has run
/// may be touched: only its size then tells that it was written over.
pub(super) fn claim(checked: Checked) -> Result<Arc<Library>, Refusal> {
    let mut libraries = libraries();
    libraries.retain(|known| known.entered.get().is_some() || Arc::strong_count(known) > 1);
    if libraries.iter().any(|known| known.is_replaced_by(&checked)) {
        return Err(Refusal::Replaced);
    }
    if let Some(known) = libraries.iter().find(|known| known.is(&checked)) {
        return Ok(Arc::clone(known));
    }
    let library = Arc::new(Library {
        checked,
        loading: Mutex::new(()),
        entered: OnceLock::new(),
    });
    libraries.push(Arc::clone(&library));
    Ok(library)
}

impl Library {
    /// Loads it by a name that it has now, unless that was done before.
    ///
    /// # Errors
    ///
    /// [`Refusal::Loader`] and [`Refusal::Damaged`], after which it can be tried again. Anything else
    /// is remembered, for its code runs only once.
    pub(super) fn load(&self, path: &Path) -> Result<Loaded, Refusal> {
        if let Some(entered) = self.entered.get() {
            return entered.outcome.clone();
        }
        let _loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entered) = self.entered.get() {
            return entered.outcome.clone();
        }
        if cfg!(target_os = "linux") {
            needed::check(&self.checked.file, path)?;
        }
        let library = ffi::load(path)?;
        let outcome = library.table(HostTable::of(path)).and_then(Loaded::new);
        let entered = self.entered.get_or_init(|| Entered {
            path: path.into(),
            outcome,
        });
        entered.outcome.clone()
    }

    /// Whether that is this file. Once it has run it is in memory, and it is enough that nobody has
    /// put another one in its place: a `touch`, or a backup that sets times back, changes nothing.
    fn is(&self, other: &Checked) -> bool {
        let (this, other) = (&self.checked.id, &other.id);
        this == other || self.entered.get().is_some() && this.is_same_but_for_time(other)
    }

    fn is_replaced_by(&self, other: &Checked) -> bool {
        let has_run_there = || {
            let entered = self.entered.get();
            entered.is_some_and(|entered| entered.path == other.path)
        };
        !self.is(other)
            && (self.checked.id.is_same_inode(&other.id)
                || self.checked.path == other.path
                || has_run_there())
    }
}

impl Loaded {
    fn new(table: Table) -> Result<Self, Refusal> {
        let description = Description::new(table.draft()?)?;
        Ok(Self {
            table: Box::leak(Box::new(table)),
            description,
        })
    }
}
