//! The plugins of this process: each file once, each name once, for good.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use compressor_api::{CompressorFactory, Open, OpenError, Params, ProviderEntry};

use super::description::Description;
use super::error::{self, PluginError, Refusal};
use super::ffi::Table;
use super::library::{self, Library, Loaded};
use super::{factory, file, manifest};

/// A plugin that is listed.
struct Plugin {
    /// As it was asked for.
    path: PathBuf,
    library: Arc<Library>,
    description: Description,
    /// The manifest from which it was listed, if it has one.
    manifest: Option<PathBuf>,
    /// The library's table, once it was found to say what `description` says.
    table: OnceLock<&'static Table>,
    entry: OnceLock<ProviderEntry>,
    /// Whether it was asked for by its path, rather than found in a directory.
    named: AtomicBool,
}

/// Locked for moments, never for I/O: a library that loads slowly holds up nobody else.
static KNOWN: Mutex<Vec<&'static Plugin>> = Mutex::new(Vec::new());

fn known() -> MutexGuard<'static, Vec<&'static Plugin>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Loads a plugin's library and lists it as a provider.
///
/// The library stays loaded until the process ends. Loading it again, by whatever path, gives the
/// same entry. The plugin is opened when a [`Registry`](compressor_api::Registry) first needs it,
/// or at once by [`Registry::open`](compressor_api::Registry::open).
///
/// The library, the [`manifest`](manifest()) if there is one, and the directories in which they
/// really lie must belong to root or to the user of this process, and be writable by nobody else:
/// a plugin in `/tmp`, or in a directory of mode 0775, is refused. A library that was listed is kept
/// open, one file descriptor each, and never taken for another file: once it is replaced, its path
/// is refused until the process starts again. To touch it counts as that only as long as its code has
/// not run.
///
/// On Linux, the headers of a library are held against this machine and against the length of the
/// file before the loader gets it, for one that was cut short would end the process. So are those of
/// the libraries that it needs, where it gives their paths or directories to look in
/// (`-Wl,-rpath,'$ORIGIN'`); and those libraries, the directories in which they lie and those in which
/// they are looked for before have to belong to root or to this user as well. What is found in the
/// directories of `LD_LIBRARY_PATH`, of the program's own search path or of the system, and by `$LIB`
/// or `$PLATFORM`, is left to the loader.
///
/// ```no_run
/// use compressor_api::Registry;
///
/// let plugin = compressor_plugin::load("/usr/lib/compressor/libexample.so")?;
/// let registry = Registry::builder().submitted().provider(plugin).build()?;
/// registry.open(plugin.id.as_str())?; // fails now rather than falling back later
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`PluginError`] for each [`Refusal`]; the plugin is then not listed.
pub fn load(path: impl AsRef<Path>) -> Result<&'static ProviderEntry, PluginError> {
    let path = path.as_ref();
    let plugin = find(path, true)?;
    plugin
        .table()
        .map_err(|refusal| PluginError::new(path, refusal))?;
    plugin.named.store(true, Ordering::Relaxed);
    Ok(plugin.entry())
}

/// Where the library of a provider lies, as it was named or found; `None` if it is no plugin's.
#[must_use]
pub fn path_of(entry: &ProviderEntry) -> Option<&'static Path> {
    let known = known();
    let is_its = |plugin: &&&'static Plugin| {
        let its = plugin.entry.get();
        its.is_some_and(|its| std::ptr::eq(its, entry))
    };
    known
        .iter()
        .find(is_its)
        .map(|plugin| plugin.path.as_path())
}

/// Lists a plugin: from its manifest if it has one, or else by loading it.
pub(super) fn list_one(path: &Path) -> Result<&'static ProviderEntry, PluginError> {
    find(path, false).map(Plugin::entry)
}

/// The plugin at `path`, new or known.
fn find(path: &Path, load: bool) -> Result<&'static Plugin, PluginError> {
    let refuse = |refusal| PluginError::new(path, refusal);
    let checked = file::check(path)?;
    let real = checked.path.clone();
    let library = library::claim(checked).map_err(refuse)?;
    if let Some(plugin) = of_library(&known(), &library) {
        return Ok(plugin);
    }
    let manifest = manifest::of(path, &real).map_err(refuse)?;
    // Before any code of a library runs that cannot be listed.
    if let Some(manifest) = &manifest {
        is_new(&known(), &manifest.description).map_err(refuse)?;
    }
    let (description, table) = match &manifest {
        Some(manifest) if !load => (manifest.description, None),
        manifest => {
            let loaded = library.load(&real).map_err(refuse)?;
            if let Some(manifest) = manifest {
                agree(&loaded, &manifest.description, &manifest.path).map_err(refuse)?;
            }
            (loaded.description, Some(loaded.table))
        }
    };
    let mut known = known();
    // Another thread may have been faster.
    if let Some(plugin) = of_library(&known, &library) {
        return Ok(plugin);
    }
    is_new(&known, &description).map_err(refuse)?;
    let plugin: &'static Plugin = Box::leak(Box::new(Plugin {
        path: path.into(),
        library,
        description,
        manifest: manifest.map(|manifest| manifest.path),
        table: table.map_or_else(OnceLock::new, OnceLock::from),
        entry: OnceLock::new(),
        named: AtomicBool::new(load),
    }));
    known.push(plugin);
    Ok(plugin)
}

fn of_library(known: &[&'static Plugin], library: &Arc<Library>) -> Option<&'static Plugin> {
    let mut known = known.iter().copied();
    known.find(|plugin| Arc::ptr_eq(&plugin.library, library))
}

/// Refuses a name that another plugin has.
fn is_new(known: &[&'static Plugin], description: &Description) -> Result<(), Refusal> {
    let id = description.id;
    match known.iter().find(|other| other.description.id == id) {
        None => Ok(()),
        Some(other) => Err(Refusal::DuplicateId {
            id: id.to_string(),
            other: other.path.clone(),
        }),
    }
}

/// Whether a library says about itself what `listed`, which is from `manifest`, says.
fn agree(loaded: &Loaded, listed: &Description, manifest: &Path) -> Result<(), Refusal> {
    match listed.difference(&loaded.description) {
        None => Ok(()),
        Some(what) => {
            let file = manifest.display();
            let why = format!("{file} and the library differ in {what}");
            Err(Refusal::Manifest { why })
        }
    }
}

impl Plugin {
    fn entry(&'static self) -> &'static ProviderEntry {
        self.entry.get_or_init(|| self.description.entry(self))
    }

    /// The library's table, loading it if that is still to be done.
    fn table(&self) -> Result<&'static Table, Refusal> {
        if let Some(table) = self.table.get() {
            return Ok(table);
        }
        let checked = file::check(&self.path).map_err(PluginError::into_refusal)?;
        let real = checked.path.clone();
        let library = library::claim(checked)?;
        if !Arc::ptr_eq(&library, &self.library) {
            return Err(Refusal::Replaced);
        }
        let loaded = library.load(&real)?;
        if let Some(manifest) = &self.manifest {
            agree(&loaded, &self.description, manifest)?;
        }
        Ok(self.table.get_or_init(|| loaded.table))
    }
}

impl Plugin {
    fn open_as_it_is(&self, params: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        let table = self
            .table()
            .map_err(|refusal| PluginError::new(&self.path, refusal).into_open_error())?;
        // The entry is where this opener was found.
        let entry = self.entry.get().ok_or_else(|| OpenError::Broken {
            why: error::at(&self.path, "was never listed"),
        })?;
        factory::open(&self.path, table, entry, params)
    }

    /// Whether somebody asked for this plugin: by its path, or by a parameter that is set.
    fn is_asked_for(&self, params: &Params) -> bool {
        let defaults = Params::parse(self.description.params(), []);
        self.named.load(Ordering::Relaxed) || defaults.as_ref() != Ok(params)
    }
}

impl Open for Plugin {
    /// A plugin that merely lay in a directory, and cannot be used, is nobody's mistake in asking for
    /// it: it is [`Broken`](OpenError::Broken), so that software serves.
    fn open(&self, params: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        match self.open_as_it_is(params) {
            Err(OpenError::Misconfigured { why }) if !self.is_asked_for(params) => {
                let provider = self.description.id;
                tracing::warn!(%provider, "plugin left out: {why}");
                Err(OpenError::Broken { why })
            }
            opened => opened,
        }
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin")
            .field("path", &self.path)
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}
