//! The shared libraries, by their files: what the loader makes of them, the provider tells.

use crate::doctor::host::Host;
use crate::doctor::report::Check;

/// Where the packages of the distributions, and `make install`, put them.
const PLACES: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib64",
    "/usr/local/lib",
];

/// A library, Debian's package with it, and whether QAT needs it.
const WANTED: [(&str, &str, bool); 4] = [
    ("libqatzip.so.3", "libqatzip3", true),
    ("libqat.so.4", "libqat4", true),
    ("libusdm.so.0", "libusdm0", true),
    // Intel's plugin for zstd: the provider does without.
    ("libqatseqprod.so", "", false),
];

/// Which are there, and their versions as far as a package or a file's name tells.
pub fn libraries(host: &Host) -> Check {
    let packages = host.dpkg_status().unwrap_or_default();
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for (library, package, needed) in WANTED {
        match PLACES
            .iter()
            .find(|dir| host.exists(&format!("{dir}/{library}")))
        {
            Some(dir) => {
                let version = installed(&packages, package);
                let file = host.link(&format!("{dir}/{library}"));
                let file = file.unwrap_or_else(|| library.into());
                found.push(match version {
                    Some(version) => format!("{dir}/{file} ({version})"),
                    None => format!("{dir}/{file}"),
                });
            }
            None if needed => missing.push(library),
            None => {}
        }
    }
    if missing.is_empty() {
        return Check::ok("libraries", found.join(", "));
    }
    let missing = format!("missing: {}", missing.join(", "));
    found.insert(0, missing);
    // The loader knows places that are not looked at here, so it has the last word.
    Check::warning(
        "libraries",
        found.join(", "),
        "install QATzip and QATlib (Debian 13 and later: libqatzip3; Fedora and RHEL: qatzip-libs), or name the \
         file in the provider's parameter library_path",
    )
}

/// The version of a package in dpkg's list.
fn installed<'a>(packages: &'a str, package: &str) -> Option<&'a str> {
    let mut stanzas = packages.split("\n\n");
    let field = |stanza: &'a str, name: &str| {
        stanza.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            (key == name).then_some(value)
        })
    };
    let stanza = stanzas.find(|stanza| field(stanza, "Package") == Some(package))?;
    let status = field(stanza, "Status")?;
    (status.ends_with(" installed")).then(|| field(stanza, "Version"))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_installed_package() {
        let packages = "Package: libqat4-dev\nStatus: install ok installed\nVersion: 1\n\n\
                        Package: libqat4\nStatus: install ok installed\nVersion: 24.02.0-2\n\n\
                        Package: libusdm0\nStatus: deinstall ok config-files\nVersion: 3";
        assert_eq!(installed(packages, "libqat4"), Some("24.02.0-2"));
        assert_eq!(installed(packages, "libusdm0"), None);
        assert_eq!(installed(packages, "libqatzip3"), None);
        assert_eq!(installed("", ""), None);
    }
}
