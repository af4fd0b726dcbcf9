//! Builds the plugins that the tests load.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::env::consts::ARCH;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// This package.
pub const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

/// The C compiler, if this machine has one; says so on standard error if not.
pub fn cc() -> Option<PathBuf> {
    let cc = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    match Command::new(&cc).arg("--version").output() {
        Ok(output) if output.status.success() => Some(cc.into()),
        _ => {
            eprintln!("skipped: there is no C compiler ({})", cc.display());
            None
        }
    }
}

/// A plugin in C to build from `tests/fixtures`.
#[derive(Clone)]
pub struct Fixture {
    pub name: String,
    source: PathBuf,
    include: PathBuf,
    flags: Vec<String>,
}

impl Fixture {
    /// `plugin.c`, which is right until something is replaced. The name becomes its id, too.
    pub fn new(name: &str) -> Self {
        Self::of(name, "plugin.c")
    }

    /// From another source.
    pub fn of(name: &str, source: &str) -> Self {
        Self {
            name: name.into(),
            source: Path::new(PACKAGE).join("tests/fixtures").join(source),
            include: Path::new(PACKAGE).join("include"),
            flags: vec![format!("-DID=\"{name}\"")],
        }
    }

    /// With fields of the table replaced: C initialisers.
    pub fn fields(self, fields: &str) -> Self {
        self.flag(format!("-DFIELDS={fields}"))
    }

    /// With something defined before the table.
    pub fn define(self, name: &str, value: &str) -> Self {
        self.flag(format!("-D{name}={value}"))
    }

    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// Built against another header than today's.
    pub fn against(mut self, include: &str) -> Self {
        self.include = Path::new(PACKAGE).join(include);
        self
    }

    /// The library, in a directory of its own; `None` without a C compiler.
    pub fn build(&self) -> Option<PathBuf> {
        self.build_in(&directory(&self.name))
    }

    /// The library, in `directory`.
    pub fn build_in(&self, directory: &Path) -> Option<PathBuf> {
        let library = directory.join(format!("lib{}.so", self.name));
        let output = Command::new(cc()?)
            .args([
                "-std=c11",
                "-Wall",
                "-Werror",
                "-Wno-unused-function",
                "-O1",
            ])
            .args(["-shared", "-fPIC", "-fvisibility=hidden", "-I"])
            .arg(&self.include)
            .args(&self.flags)
            .arg("-o")
            .arg(&library)
            .arg(&self.source)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}: {}",
            self.name,
            String::from_utf8_lossy(&output.stderr)
        );
        mode(&library, 0o755);
        Some(library)
    }
}

/// A new directory that only this user may write to.
pub fn directory(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let test = test.file_name().unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    mode(&path, 0o755);
    path
}

/// A pipe with a name; `None` if this machine cannot make one.
pub fn fifo(path: &Path) -> Option<PathBuf> {
    match Command::new("mkfifo")
        .arg("-m")
        .arg("644")
        .arg(path)
        .status()
    {
        Ok(status) if status.success() => Some(path.into()),
        _ => {
            eprintln!("skipped: there is no mkfifo");
            None
        }
    }
}

/// Sets permission bits, whatever the umask is.
pub fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// An artifact that Cargo builds for the profile and target of this test: an example of this
/// package (`--example`), or a package of the workspace (`--package`). A copy, in a directory that
/// only this user may write to.
pub fn cargo_build(what: &str, name: &str, file: &str) -> PathBuf {
    // TARGET_DIR/[TRIPLE/]PROFILE/deps/TEST
    let test = std::env::current_exe().unwrap();
    let output_dir = test.parent().unwrap().parent().unwrap();
    let mut command = Command::new(env!("CARGO"));
    command
        .current_dir(PACKAGE)
        .args(["build", "--quiet", what, name]);
    let above = output_dir.parent().unwrap();
    let triple = above
        .file_name()
        .and_then(|name| name.to_str())
        .filter(|name| name.starts_with(&format!("{ARCH}-")));
    let target_dir = match triple {
        Some(triple) => {
            command.args(["--target", triple]);
            above.parent().unwrap()
        }
        None => above,
    };
    // Said here, for a relative CARGO_TARGET_DIR is relative to where the test command ran.
    command.arg("--target-dir").arg(target_dir);
    if output_dir.ends_with("release") {
        command.arg("--release");
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let built = match what {
        "--example" => output_dir.join("examples").join(file),
        _ => output_dir.join(file),
    };
    let copy = directory(name).join(file);
    fs::copy(&built, &copy).unwrap_or_else(|error| panic!("{}: {error}", built.display()));
    mode(&copy, 0o755);
    copy
}

/// The example in C, as its Makefile builds it; `None` if this machine lacks make, a C compiler or
/// zlib's header.
pub fn make_example() -> Option<PathBuf> {
    let cc = cc()?;
    let has_zlib = Command::new(&cc)
        .args(["-E", "-x", "c", "-include", "zlib.h", "/dev/null"])
        .output();
    if !has_zlib.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no zlib.h");
        return None;
    }
    // A copy beside a copy of the header, for its Makefile builds where it lies.
    let root = directory("example");
    let (example, include) = (
        root.join("examples/plugin-c"),
        root.join("compressor-plugin/include"),
    );
    fs::create_dir_all(&example).unwrap();
    fs::create_dir_all(&include).unwrap();
    mode(&example, 0o755);
    let package = Path::new(PACKAGE);
    let header = "compressor_plugin.h";
    fs::copy(package.join("include").join(header), include.join(header)).unwrap();
    for file in fs::read_dir(package.join("../examples/plugin-c")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), example.join(file.file_name())).unwrap();
    }
    let library = example.join("libzlib_plugin.so");
    let _ = fs::remove_file(&library);
    let output = match Command::new("make").arg("-C").arg(&example).output() {
        Ok(output) => output,
        Err(_) => {
            eprintln!("skipped: there is no make");
            return None;
        }
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    mode(&library, 0o755);
    Some(library)
}
