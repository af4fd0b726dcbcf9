//! The plugins that the arguments and the configuration name.

use std::path::{Path, PathBuf};

use compressor::{Config, LINKED, ProviderEntry, SetupError};
use compressor_plugin::Refusal;

use crate::failure::Failure;
use crate::setup::Setup;

/// The arguments that name plugins.
#[derive(Debug, Default, clap::Args)]
pub struct PluginArgs {
    /// A plugin to use besides the providers that are built in, by its absolute path; may be given
    /// several times.
    #[arg(long = "plugin", value_name = "PATH")]
    paths: Vec<PathBuf>,
}

impl PluginArgs {
    /// The configuration, with the plugins that were named and those in its directories or those of
    /// `COMPRESSOR_PLUGIN_PATH`.
    ///
    /// One that was named has to be right. One that was found in a directory and cannot be used is
    /// logged and left out, so that it does not keep the others from working.
    pub fn setup(&self) -> Result<Setup, Failure> {
        let config = Config::from_env().map_err(SetupError::from)?;
        let mut plugins: Vec<&'static ProviderEntry> = Vec::new();
        for path in &self.paths {
            let entry = compressor_plugin::load(path)
                .map_err(|error| Failure::plugin(error.kind(), error))?;
            if is_built_in(entry) {
                let (path, id) = (path.display(), entry.id);
                return Err(Failure::usage(format_args!(
                    "{path}: is called {id}, as a provider that is built in"
                )));
            }
            // The same library twice is one plugin.
            if !plugins.iter().any(|known| known.id == entry.id) {
                plugins.push(entry);
            }
        }
        for found in compressor_plugin::list(&config.plugin_path) {
            match found {
                Err(error) if matches!(error.refusal(), Refusal::Directory { .. }) => {
                    tracing::warn!("directory left out: {error}");
                }
                Err(error) => tracing::warn!("plugin left out: {error}"),
                Ok(entry) if plugins.iter().any(|known| known.id == entry.id) => {}
                Ok(entry) if is_built_in(entry) => {
                    let id = entry.id;
                    let path = compressor_plugin::path_of(entry).unwrap_or(Path::new("?"));
                    let path = path.display();
                    tracing::warn!(
                        "plugin left out: {path}: is called {id}, as a provider that is built in"
                    );
                }
                Ok(entry) => plugins.push(entry),
            }
        }
        Ok(Setup { config, plugins })
    }
}

fn is_built_in(entry: &ProviderEntry) -> bool {
    LINKED.iter().any(|linked| linked.id == entry.id)
}
