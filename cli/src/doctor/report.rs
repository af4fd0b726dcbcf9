//! What `doctor` found.

use serde::Serialize;

use super::checks::{self, Provider};
use super::host::Host;
use super::pci::Device;

/// All that `doctor` tells.
#[derive(Debug, Serialize)]
pub struct Report {
    /// No check failed.
    pub usable: bool,
    /// In the order in which they build on each other.
    pub checks: Vec<Check>,
    /// By address; virtual functions are devices too.
    pub devices: Vec<Device>,
}

impl Report {
    /// Looks at the host, and at what the provider said.
    pub fn of(host: &Host, provider: &Provider) -> Self {
        let devices = Device::all(host);
        let checks = checks::all(host, &devices, provider);
        Self {
            usable: checks.iter().all(|check| check.state != State::Failed),
            checks,
            devices,
        }
    }

    /// The names of the checks that failed.
    pub fn failed(&self) -> Vec<&'static str> {
        let failed = self.checks.iter().filter(|c| c.state == State::Failed);
        failed.map(|check| check.name).collect()
    }
}

/// One thing that QAT needs.
#[derive(Debug, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub state: State,
    /// What was found, or why it was not looked for.
    pub found: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// As it should be.
    Ok,
    /// Works, or may work, and could be better.
    Warning,
    /// In the way.
    Failed,
    /// Not looked at.
    Skipped,
}

impl Check {
    /// As it should be.
    pub fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self::new(name, State::Ok, found, None)
    }

    /// Could be better.
    pub fn warning(
        name: &'static str,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::new(name, State::Warning, found, Some(remedy.into()))
    }

    /// In the way.
    pub fn failed(name: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(name, State::Failed, found, Some(remedy.into()))
    }

    /// Not looked at, and why.
    pub fn skipped(name: &'static str, why: impl Into<String>) -> Self {
        Self::new(name, State::Skipped, why, None)
    }

    fn new(
        name: &'static str,
        state: State,
        found: impl Into<String>,
        remedy: Option<String>,
    ) -> Self {
        Self {
            name,
            state,
            found: found.into(),
            remedy,
        }
    }
}
