//! Hands the versions of the codec crates, as `Cargo.lock` has them, to what reports them.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The crates whose code makes the bytes; most bring the library in their name.
const CODECS: [&str; 6] = [
    "compressor",
    "libdeflate-sys",
    "libz-sys",
    "lz4-sys",
    "snap",
    "zstd-sys",
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    println!("cargo::rerun-if-changed=build.rs");
    // A package that is built without a lock file of its own reports no versions.
    let lock = folder.ancestors().map(|folder| folder.join("Cargo.lock"));
    let versions = match lock.into_iter().find(|lock| lock.is_file()) {
        Some(lock) => versions(&lock)?,
        None => Vec::new(),
    };
    println!("cargo::rustc-env=CODEC_VERSIONS={}", versions.join(", "));
    Ok(())
}

fn versions(lock: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", lock.display());
    let lock: toml::Table = fs::read_to_string(lock)?.parse()?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let text = |package: &toml::Value, key| Some(package.get(key)?.as_str()?.to_owned());
    let versions = packages.into_iter().flatten().filter_map(|package| {
        let name = text(package, "name")?;
        let version = text(package, "version")?;
        CODECS
            .contains(&name.as_str())
            .then(|| format!("{name} {version}"))
    });
    Ok(versions.collect())
}
