//! Builds the shim against the headers that librocksdb-sys built RocksDB from.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=shim");
    // Set by librocksdb-sys, for packages that depend on it directly.
    let Some(package) = std::env::var_os("DEP_ROCKSDB_CARGO_MANIFEST_DIR") else {
        println!("cargo::error=librocksdb-sys does not say where its sources are");
        return;
    };
    cc::Build::new()
        .cpp(true)
        .file("shim/shim.cc")
        .include(Path::new(&package).join("rocksdb/include"))
        // As librocksdb-sys compiles RocksDB: what its headers declare depends on them.
        .flag("-std=c++20")
        .define("NDEBUG", "1")
        .flag("-include")
        .flag("cstdint")
        // The headers' own.
        .flag("-Wno-unused-parameter")
        .compile("compressor_rocksdb_shim");
}
