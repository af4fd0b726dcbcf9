//! What a measurement depends on besides what is measured: the machine, and the versions.

use std::env;
use std::thread::available_parallelism;
use std::time::SystemTime;

use sysinfo::{CpuRefreshKind, System};

/// Where and with what was measured, as pairs of a heading and its text.
pub fn facts() -> Vec<(&'static str, String)> {
    let mut system = System::new();
    system.refresh_cpu_list(CpuRefreshKind::nothing());
    system.refresh_memory();
    let unknown = || "unknown".to_owned();
    let cpu = system.cpus().first().map(|cpu| cpu.brand().trim());
    let cores = available_parallelism().map_or_else(|_| unknown(), |cores| cores.to_string());
    let mut facts = vec![
        (
            "Date",
            humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        ),
        (
            "CPU",
            cpu.filter(|cpu| !cpu.is_empty())
                .map_or_else(unknown, str::to_owned),
        ),
        (
            "Cores",
            format!(
                "{cores} for this process, of {} logical",
                system.cpus().len()
            ),
        ),
        ("Architecture", System::cpu_arch()),
        ("Memory", gib(system.total_memory())),
        ("System", System::long_os_version().unwrap_or_else(unknown)),
        ("Kernel", System::kernel_version().unwrap_or_else(unknown)),
        ("Codec crates", env!("CODEC_VERSIONS").to_owned()),
        ("Build", BUILD.to_owned()),
    ];
    let loaded = loaded_libraries();
    if !loaded.is_empty() {
        facts.push(("Loaded libraries", loaded.join(", ")));
    }
    facts
}

const BUILD: &str = if cfg!(debug_assertions) {
    "without optimisation: the numbers mean nothing"
} else {
    "optimised"
};

/// The command as it can be run again, with the variables that set it up.
pub fn command() -> String {
    let variables = env::vars_os().filter_map(|(name, value)| {
        let name = name.to_string_lossy().into_owned();
        let set = name.starts_with("COMPRESSOR_");
        set.then(|| format!("{name}={}", quoted(&value.to_string_lossy())))
    });
    let arguments = env::args_os().map(|argument| quoted(&argument.to_string_lossy()));
    let words: Vec<String> = variables.chain(arguments).collect();
    words.join(" ")
}

/// As a shell takes it.
fn quoted(word: &str) -> String {
    // Fails for what cannot be in an argument, a zero byte.
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |quoted| quoted.into_owned())
}

/// Whether a simulator of a device is loaded: then what the device did was simulated.
pub fn simulator() -> Option<String> {
    loaded_libraries()
        .into_iter()
        .find(|name| is_simulator(name))
}

/// By its name, as in `libqat_sim.so`.
fn is_simulator(library: &str) -> bool {
    let mut words = library.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| {
        ["sim", "qatsim", "simulator", "simulated"].contains(&word.trim_start_matches("lib"))
    })
}

/// The names of the files of the shared libraries in this process, which mostly have the version in
/// them; none where the system does not tell.
fn loaded_libraries() -> Vec<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    libraries(&maps)
}

fn libraries(maps: &str) -> Vec<String> {
    // A line ends with the path of the file, if there is one.
    let paths = maps
        .lines()
        .filter_map(|line| line.find('/').and_then(|at| line.get(at..)));
    let names = paths.filter_map(|path| path.rsplit('/').next());
    let mut names: Vec<String> = names
        .filter(|name| name.contains(".so"))
        .map(str::to_owned)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_named_once() {
        let maps = "\
7f0-7f1 r--p 0 fe:01 1 /usr/lib/libisal.so.2.0.30
7f1-7f2 r-xp 0 fe:01 1 /usr/lib/libisal.so.2.0.30
7f2-7f3 rw-p 0 00:00 0
7f3-7f4 r-xp 0 fe:01 2 /usr/bin/compressor
7f4-7f5 r-xp 0 00:00 0 [vdso]
7f5-7f6 r-xp 0 fe:01 3 /opt/my libs/libqat_sim.so
";
        assert_eq!(libraries(maps), ["libisal.so.2.0.30", "libqat_sim.so"]);
    }

    #[test]
    fn simulators_are_known_by_name() {
        assert!(is_simulator("libqat_sim.so"));
        assert!(!is_simulator("libqatzip.so.3.0.5") && !is_simulator("libsimdjson.so"));
    }

    #[test]
    fn the_versions_of_the_codecs_are_known() {
        let (_, versions) = facts()
            .into_iter()
            .find(|fact| fact.0 == "Codec crates")
            .unwrap();
        for codec in [
            "libdeflate-sys 1.",
            "libz-sys 1.",
            "lz4-sys 1.",
            "snap 1.",
            "zstd-sys 2.",
        ] {
            assert!(versions.contains(codec), "{versions}");
        }
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("--data"), "--data");
        assert_eq!(quoted("two words"), "'two words'");
    }
}
