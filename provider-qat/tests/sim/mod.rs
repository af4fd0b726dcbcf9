//! The provider over the simulated device: no figure that comes of it is one of a device.
#![allow(dead_code, reason = "each test uses a part of it")]

#[path = "../../../compressor-plugin/tests/common/mod.rs"]
pub mod plugins;

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs};

use compressor_api::{CompressorFactory, OpenError, Params};
use provider_qat::PROVIDER;

/// A version of QATzip's API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    V2_5,
    V2_6,
}

pub const APIS: [Api; 2] = [Api::V2_5, Api::V2_6];

/// The longest deadline: how long a machine that is busy keeps a thread waiting is nothing that these
/// tests are about.
pub const PATIENT: (&str, &str) = ("deadline", "60s");

/// A simulated device of its own: a copy of the library, so that it shares nothing with another.
pub struct Sim {
    pub path: String,
}

impl Sim {
    /// One with a name that no other test of this program uses, which does as `script` says.
    pub fn new(name: &str, api: Api, script: &str) -> Self {
        let built = built(api);
        let test = env::current_exe().unwrap();
        let test = test.file_name().unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        fs::create_dir_all(&folder).unwrap();
        let copy = folder.join(format!("libqatzip-{name}-{api:?}.so"));
        // Removed first: a copy over a file that another process has mapped would change it there.
        let _ = fs::remove_file(&copy);
        fs::copy(built, &copy).unwrap();
        let sim = Self {
            path: copy.to_str().unwrap().into(),
        };
        sim.configure(script);
        sim
    }

    /// Does as `script` says from now on.
    pub fn configure(&self, script: &str) {
        let script = CString::new(script).unwrap();
        #[allow(unsafe_code, reason = "the library has no other way to be told")]
        // SAFETY: what `qat-sim` exports, with a string that ends with a zero. The library stays
        // loaded, as the provider has it.
        let code = unsafe {
            let library = libloading::Library::new(&self.path).unwrap();
            let configure = library
                .get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"qat_sim_configure\0")
                .map(|symbol| *symbol)
                .unwrap();
            std::mem::forget(library);
            configure(script.as_ptr())
        };
        assert_eq!(code, 0, "{script:?}");
    }

    /// What it counted since it was loaded.
    pub fn counters(&self) -> qat_sim::Counters {
        let mut counters = qat_sim::Counters::default();
        #[allow(unsafe_code, reason = "the library has no other way to tell")]
        // SAFETY: what `qat-sim` exports, with a struct of its own. The library stays loaded, as the
        // provider has it.
        unsafe {
            let library = libloading::Library::new(&self.path).unwrap();
            let read = library
                .get::<unsafe extern "C" fn(*mut qat_sim::Counters) -> c_int>(b"qat_sim_counters\0")
                .map(|symbol| *symbol)
                .unwrap();
            std::mem::forget(library);
            assert_eq!(read(&mut counters), 0);
        }
        counters
    }

    /// Waits until it has written, all in all, to so many buffers that it was given in calls that were
    /// given up; `meanwhile` is called again and again.
    pub fn wait_for_late_writes(&self, writes: u64, mut meanwhile: impl FnMut()) {
        let start = Instant::now();
        while self.counters().late_writes < writes {
            let came = self.counters().late_writes;
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{came} of {writes} late writes came within a minute"
            );
            meanwhile();
        }
    }

    pub fn open(&self, given: &[(&str, &str)]) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        let mut all = vec![("library_path", self.path.as_str())];
        if given.iter().all(|(name, _)| *name != PATIENT.0) {
            all.push(PATIENT);
        }
        all.extend_from_slice(given);
        let params = Params::parse(PROVIDER.params, all)?;
        PROVIDER.opener.open(&params)
    }

    pub fn factory(&self) -> Arc<dyn CompressorFactory> {
        self.open(&[]).unwrap()
    }
}

fn built(api: Api) -> PathBuf {
    static BUILT: LazyLock<Mutex<HashMap<Api, PathBuf>>> = LazyLock::new(Mutex::default);
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    built
        .entry(api)
        .or_insert_with(|| match api {
            Api::V2_5 => plugins::cargo_build("--package", "qat-sim", "libqat_sim.so"),
            Api::V2_6 => plugins::cargo_build("--package", "qat-sim-2", "libqat_sim_2.so"),
        })
        .clone()
}
