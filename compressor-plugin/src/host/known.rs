//! The plugins of this process: each file once, each name once, for good.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use compressor_api::{CompressorFactory, Open, OpenError, Params, ProviderEntry};

use super::description::Description;
use super::error::{PluginError, Refusal};
use super::ffi::{self, HostTable, Table};
use super::file::{self, FileId};
use super::{factory, manifest};

/// A plugin that is listed.
struct Plugin {
    /// As it was asked for.
    path: PathBuf,
    file: FileId,
    description: Description,
    /// The library's table, once it is loaded. Locked while it is being loaded.
    table: Mutex<Option<&'static Table>>,
    entry: OnceLock<ProviderEntry>,
}

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
    Ok(plugin.entry())
}

/// Lists a plugin: from its manifest if it has one, or else by loading it.
pub(super) fn list_one(path: &Path) -> Result<&'static ProviderEntry, PluginError> {
    find(path, false).map(Plugin::entry)
}

/// The plugin at `path`, new or known.
fn find(path: &Path, load: bool) -> Result<&'static Plugin, PluginError> {
    let checked = file::check(path)?;
    let refuse = |refusal| PluginError::new(path, refusal);
    // Held while a library is loaded, so that two threads do not load one twice. A plugin that logs
    // meanwhile does not need it.
    let mut known = known();
    if let Some(plugin) = known.iter().find(|plugin| plugin.file == checked.id) {
        return Ok(plugin);
    }
    let is_new = |description: &Description| {
        let id = description.id;
        match known.iter().find(|other| other.description.id == id) {
            None => Ok(()),
            Some(other) => Err(refuse(Refusal::DuplicateId {
                id: id.to_string(),
                other: other.path.clone(),
            })),
        }
    };
    let manifest = manifest::beside(&checked.path).map_err(refuse)?;
    if let Some(description) = &manifest {
        is_new(description)?;
    }
    let (description, table) = match manifest {
        Some(description) if !load => (description, None),
        manifest => {
            let loaded = load_table(&checked.path, manifest.as_ref());
            let (table, description) = loaded.map_err(refuse)?;
            is_new(&description)?;
            (description, Some(table))
        }
    };
    let plugin: &'static Plugin = Box::leak(Box::new(Plugin {
        path: path.into(),
        file: checked.id,
        description,
        table: Mutex::new(table),
        entry: OnceLock::new(),
    }));
    known.push(plugin);
    Ok(plugin)
}

impl Plugin {
    fn entry(&'static self) -> &'static ProviderEntry {
        self.entry.get_or_init(|| self.description.entry(self))
    }

    /// The library's table, loading it if that is still to be done.
    fn table(&self) -> Result<&'static Table, Refusal> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = *table {
            return Ok(table);
        }
        let checked = file::check(&self.path).map_err(|error| error.refusal().clone())?;
        if checked.id != self.file {
            return Err(Refusal::Replaced);
        }
        let (loaded, _) = load_table(&checked.path, Some(&self.description))?;
        *table = Some(loaded);
        Ok(loaded)
    }
}

/// Loads a library and reads what it says about itself, which must be what its manifest says.
fn load_table(
    path: &Path,
    manifest: Option<&Description>,
) -> Result<(&'static Table, Description), Refusal> {
    let table = ffi::load(path, HostTable::leak(path))?;
    let description = Description::new(table.draft()?)?;
    if let Some(what) = manifest.and_then(|manifest| manifest.difference(&description)) {
        let file = manifest::path_beside(path);
        return Err(manifest::wrong(format!(
            "{} and the library differ in {what}",
            file.display()
        )));
    }
    Ok((Box::leak(Box::new(table)), description))
}

impl Open for Plugin {
    fn open(&self, params: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        let table = self
            .table()
            .map_err(|refusal| PluginError::new(&self.path, refusal).into_open_error())?;
        // The entry is where this opener was found.
        let entry = self.entry.get().ok_or_else(|| OpenError::Broken {
            why: format!("{} was never listed", self.path.display()),
        })?;
        factory::open(&self.path, table, entry, params)
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
