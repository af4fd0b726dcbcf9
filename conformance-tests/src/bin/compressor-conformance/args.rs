use std::path::PathBuf;

use clap::Parser;
use compressor_conformance::Options;
use compressor_conformance::host::Listed;

/// Prove the providers of this host against the contract.
///
/// Every provider that is found runs through the suite, alone and inside the decorator, and all of
/// them against each other and against implementations from elsewhere. Those that are not there are
/// shown as skipped, with the reason.
#[derive(Debug, Parser)]
#[command(name = "compressor-conformance", version, max_term_width = 100)]
#[command(after_help = "\
Exit status: 0 nothing failed, 1 something failed, 2 usage. Parameters of providers are taken from
COMPRESSOR_CONFIG and COMPRESSOR_PARAMS, as an engine takes them.")]
pub struct Args {
    /// A provider to prove, as `compressor list` names it, or `plugin:ID`; may be given several times
    /// [default: all].
    #[arg(long = "provider", value_name = "PROVIDER")]
    pub providers: Vec<String>,
    /// A plugin to load and to prove as well, by its absolute path; may be given several times.
    #[arg(long = "plugin", value_name = "PATH")]
    pub plugins: Vec<PathBuf>,
    /// Let it be a failure if a provider that is named is not there, if none of those that run is an
    /// accelerator (libdeflate and isal are, too), or if software serves in place of one.
    #[arg(long)]
    pub must_accelerate: bool,
    /// A part of the levels, sizes and kinds of data.
    #[arg(long)]
    pub quick: bool,
    /// A check or a group of checks to run alone, as `--list` names them; may be given several
    /// times [default: all].
    #[arg(long = "check", value_name = "NAME")]
    pub checks: Vec<String>,
    /// What all data is made from.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Write everything that was found to this file, as JSON.
    #[arg(long, value_name = "OUT")]
    pub json: Option<PathBuf>,
    /// Write it to this file in JUnit's form, for a build server.
    #[arg(long, value_name = "OUT")]
    pub junit: Option<PathBuf>,
    /// Run one case again, from the line that its failure printed.
    #[arg(long, value_name = "LINE",
        conflicts_with_all = ["json", "junit", "list", "checks", "providers", "seed"])]
    pub replay: Option<String>,
    /// Print the checks by name, with what each proves, and run none.
    #[arg(long)]
    pub list: bool,
}

impl Args {
    /// How the suite runs.
    pub fn options(&self) -> Options {
        let options = if self.quick {
            Options::quick()
        } else {
            Options::full()
        };
        let options = options.with_seed(self.seed);
        self.checks
            .iter()
            .fold(options, |options, check| options.only(check))
    }

    /// Whether this provider is to be proved.
    pub fn wants(&self, listed: &Listed) -> bool {
        self.providers.is_empty() || self.names(listed)
    }

    /// Whether it was asked for by name, or by path.
    pub fn names(&self, listed: &Listed) -> bool {
        self.providers.iter().any(|name| names(name, listed))
            || self.providers.is_empty() && listed.path().is_some()
    }
}

/// Whether `name` stands for this provider: a plugin goes by its own name too.
pub fn names(name: &str, listed: &Listed) -> bool {
    name == listed.id() || name == listed.name()
}
