use std::collections::BTreeMap;
use std::{env, fs, thread};

use serde::Serialize;

/// Where the suite ran: what a reader of the JSON needs to know to make sense of it.
#[derive(Debug, Serialize)]
pub struct Machine {
    os: &'static str,
    arch: &'static str,
    /// The kernel's release, and the processor's model, where the system says.
    kernel: Option<String>,
    cpu: Option<String>,
    /// CPUs that this process may use.
    cpus: usize,
    /// The variables by which compressors and ISA-L, QATzip and the like are set up.
    environment: BTreeMap<String, String>,
}

/// Variables whose names begin so are part of the result, and no others.
const VARIABLES: [&str; 4] = ["COMPRESSOR_", "ISAL_", "QAT_", "QZ_"];

impl Machine {
    /// This one.
    pub fn this() -> Self {
        let environment = env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, _)| VARIABLES.iter().any(|start| name.starts_with(start)))
            .map(|(name, value)| (name, value.to_string_lossy().into_owned()))
            .collect();
        Self {
            os: env::consts::OS,
            arch: env::consts::ARCH,
            kernel: fs::read_to_string("/proc/sys/kernel/osrelease")
                .ok()
                .map(|release| release.trim().to_owned()),
            cpu: fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
                let line = text.lines().find(|line| line.starts_with("model name"))?;
                Some(line.split_once(':')?.1.trim().to_owned())
            }),
            cpus: thread::available_parallelism().map_or(1, usize::from),
            environment,
        }
    }
}
