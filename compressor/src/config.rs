use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use compressor_api::{Direction, Effort, Format, OnFailure, Policy};
use compressor_decorator::Verify;
use serde::Deserialize;

/// How an [`Engine`](crate::Engine) is set up, from a TOML file and `COMPRESSOR_*` variables.
///
/// ```toml
/// software_only = false
/// preference = ["libdeflate"]
/// on_absent = "software"            # or "fail"
/// on_create_error = "software"
/// on_operation_error = "software"
/// verify = "sampled"                # or "never", "always"
/// plugin_path = ["/usr/lib/compressor"] # directories with plugins
/// effort = "speed"                  # or "ratio", "balanced"; levels decide, if left out
/// max_loss = 15                     # percent, for specs for "speed" that state none; 10, if left out
/// calibration = "/var/lib/x/calibration.toml" # what was measured on this host; none, if left out
/// batch_threads = 4                 # for compress_many and decompress_many; none, if left out
///
/// [[assign]]
/// format = "zlib"
/// direction = "decompress"          # both, if left out
/// provider = "libdeflate"
///
/// [providers."example.device"]      # parameters, as `compressor list` documents them
/// max_in_flight = 16
/// ```
///
/// A variable beats the file:
///
/// | variable | value |
/// | --- | --- |
/// | `COMPRESSOR_CONFIG` | path of the file |
/// | `COMPRESSOR_SOFTWARE_ONLY` | `true` or `false` |
/// | `COMPRESSOR_PREFERENCE` | names, separated by commas |
/// | `COMPRESSOR_ON_ABSENT`, `COMPRESSOR_ON_CREATE_ERROR`, `COMPRESSOR_ON_OPERATION_ERROR` | `software` or `fail` |
/// | `COMPRESSOR_VERIFY` | `never`, `sampled` or `always` |
/// | `COMPRESSOR_EFFORT` | `ratio`, `balanced` or `speed` |
/// | `COMPRESSOR_MAX_LOSS` | percent, 0 to 100, for specs for speed that state none |
/// | `COMPRESSOR_CALIBRATION` | path of the file |
/// | `COMPRESSOR_BATCH_THREADS` | how many, 0 to 1024 |
/// | `COMPRESSOR_PARAMS` | `PROVIDER.NAME=VALUE`, separated by commas |
/// | `COMPRESSOR_PLUGIN_PATH` | directories, separated as in `PATH` |
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Config {
    /// Uses no accelerator at all.
    pub software_only: bool,
    /// Names in the order they are tried.
    pub preference: Vec<String>,
    /// An assigned provider is not there, or does not work.
    pub on_absent: Fallback,
    /// A provider that was chosen cannot make a compressor.
    pub on_create_error: Fallback,
    /// An operation failed in the accelerator.
    pub on_operation_error: Fallback,
    /// How results of an accelerator are checked.
    pub verify: VerifyMode,
    /// Directories with plugins, for whoever loads plugins: an engine loads none by itself, it is
    /// given those that `compressor_plugin::list` finds there.
    pub plugin_path: Vec<PathBuf>,
    /// The effort for specs that state none.
    pub effort: Option<EffortName>,
    /// The loss in percent, 0 to 100, for specs that ask for `speed` and state none, and for those
    /// that `effort` makes so.
    pub max_loss: Option<u8>,
    /// The file with what was measured on this host, as
    /// [`EngineBuilder::calibration_file`](crate::EngineBuilder::calibration_file) takes it.
    pub calibration: Option<PathBuf>,
    /// Threads that batches are spread over; 0 and 1 for the caller's alone.
    pub batch_threads: BatchThreads,
    /// Who gets what.
    pub assign: Vec<AssignConfig>,
    /// Parameters by provider.
    pub providers: BTreeMap<String, BTreeMap<String, ParamText>>,
}

/// `software` or `fail`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fallback {
    /// Software serves.
    #[default]
    Software,
    /// The caller gets the error.
    Fail,
}

impl Fallback {
    const NAMES: &str = "software or fail";

    fn parse(text: &str) -> Option<Self> {
        match text {
            "software" => Some(Self::Software),
            "fail" => Some(Self::Fail),
            _ => None,
        }
    }

    fn on_failure(self) -> OnFailure {
        match self {
            Self::Software => OnFailure::Software,
            Self::Fail => OnFailure::Fail,
        }
    }
}

/// `never`, `sampled` or `always`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerifyMode {
    /// No result is decoded again.
    Never,
    /// The first ones, then one in many.
    #[default]
    Sampled,
    /// Every result.
    Always,
}

impl VerifyMode {
    const NAMES: &str = "never, sampled or always";

    fn parse(text: &str) -> Option<Self> {
        match text {
            "never" => Some(Self::Never),
            "sampled" => Some(Self::Sampled),
            "always" => Some(Self::Always),
            _ => None,
        }
    }

    pub(crate) fn verify(self) -> Verify {
        match self {
            Self::Never => Verify::Never,
            Self::Sampled => Verify::default(),
            Self::Always => Verify::Always,
        }
    }
}

/// `ratio`, `balanced` or `speed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EffortName {
    /// As short as software at the level.
    Ratio,
    /// Nearly as short, and faster.
    Balanced,
    /// As fast as the loss allows.
    Speed,
}

impl EffortName {
    const NAMES: &str = "ratio, balanced or speed";

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(|effort| match effort {
            Effort::Ratio => Self::Ratio,
            Effort::Balanced => Self::Balanced,
            Effort::Speed => Self::Speed,
        })
    }

    fn effort(self) -> Effort {
        match self {
            Self::Ratio => Effort::Ratio,
            Self::Balanced => Effort::Balanced,
            Self::Speed => Effort::Speed,
        }
    }
}

/// A number of threads, up to 1,024.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u16")]
pub struct BatchThreads(u16);

impl BatchThreads {
    const NAMES: &str = "a whole number of threads, from 0 to 1024";

    fn parse(text: &str) -> Option<Self> {
        Self::try_from(text.parse::<u16>().ok()?).ok()
    }
}

impl TryFrom<u16> for BatchThreads {
    type Error = String;

    fn try_from(count: u16) -> Result<Self, String> {
        match count {
            0..=1024 => Ok(Self(count)),
            _ => Err(format!(
                "batch_threads cannot be {count}; it takes {}",
                Self::NAMES
            )),
        }
    }
}

impl From<BatchThreads> for usize {
    fn from(threads: BatchThreads) -> Self {
        threads.0.into()
    }
}

const LOSSES: &str = "a whole number of percent, from 0 to 100";

/// An entry of `[[assign]]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssignConfig {
    /// The format's name.
    pub format: String,
    /// `compress` or `decompress`; both, if left out.
    #[serde(default)]
    pub direction: Option<String>,
    /// The provider's name.
    pub provider: String,
}

/// The value of a parameter, as TOML has it; the provider's `ParamSpec` says what it must be.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "true, false, a whole number, or text in quotes")]
pub enum ParamText {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Anything in quotes.
    Text(String),
}

impl fmt::Display for ParamText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

impl Config {
    /// From the process environment: the file that `COMPRESSOR_CONFIG` names, if it is set, and the
    /// other variables over it.
    ///
    /// # Errors
    ///
    /// [`ConfigError`].
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_vars(|name| std::env::var_os(name))
    }

    /// From a TOML file.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Read`] and [`ConfigError::Parse`].
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Read {
            path: path.into(),
            why: error.to_string(),
        })?;
        Self::from_toml(&text).map_err(|error| ConfigError::Parse {
            path: path.into(),
            why: one_line(&text, &error),
        })
    }

    fn from_toml(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    fn from_vars(var_os: impl Fn(&str) -> Option<OsString>) -> Result<Self, ConfigError> {
        let var = |name: &str| -> Result<Option<String>, ConfigError> {
            let value = var_os(name).map(OsString::into_string).transpose();
            value.map_err(|value| ConfigError::Variable {
                name: name.into(),
                value: value.to_string_lossy().into_owned(),
                valid: "text in UTF-8",
            })
        };
        let mut config = match var("COMPRESSOR_CONFIG")? {
            Some(path) => Self::from_file(Path::new(&path))?,
            None => Self::default(),
        };
        let bool = |text: &str| text.parse().ok();
        set(
            var,
            "COMPRESSOR_SOFTWARE_ONLY",
            &mut config.software_only,
            bool,
            "true or false",
        )?;
        for (name, to) in [
            ("COMPRESSOR_ON_ABSENT", &mut config.on_absent),
            ("COMPRESSOR_ON_CREATE_ERROR", &mut config.on_create_error),
            (
                "COMPRESSOR_ON_OPERATION_ERROR",
                &mut config.on_operation_error,
            ),
        ] {
            set(var, name, to, Fallback::parse, Fallback::NAMES)?;
        }
        set(
            var,
            "COMPRESSOR_VERIFY",
            &mut config.verify,
            VerifyMode::parse,
            VerifyMode::NAMES,
        )?;
        set(
            var,
            "COMPRESSOR_PREFERENCE",
            &mut config.preference,
            names,
            "names, by commas",
        )?;
        // Paths are not always text.
        if let Some(path) = var_os("COMPRESSOR_CALIBRATION").filter(|path| !path.is_empty()) {
            config.calibration = Some(path.into());
        }
        if let Some(paths) = var_os("COMPRESSOR_PLUGIN_PATH") {
            config.plugin_path = std::env::split_paths(&paths)
                .filter(|path| !path.as_os_str().is_empty())
                .collect();
        }
        set(
            var,
            "COMPRESSOR_BATCH_THREADS",
            &mut config.batch_threads,
            BatchThreads::parse,
            BatchThreads::NAMES,
        )?;
        let some_effort = |text: &str| EffortName::parse(text).map(Some);
        set(
            var,
            "COMPRESSOR_EFFORT",
            &mut config.effort,
            some_effort,
            EffortName::NAMES,
        )?;
        let some_loss = |text: &str| text.parse().ok().filter(|loss| *loss <= 100).map(Some);
        set(
            var,
            "COMPRESSOR_MAX_LOSS",
            &mut config.max_loss,
            some_loss,
            LOSSES,
        )?;
        if let Some(text) = var("COMPRESSOR_PARAMS")? {
            let mut given = Vec::new();
            for item in text
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
            {
                let (provider, name, value) = param(item).ok_or_else(|| ConfigError::Variable {
                    name: "COMPRESSOR_PARAMS".into(),
                    value: item.into(),
                    valid: "PROVIDER.NAME=VALUE",
                })?;
                if given.contains(&(provider, name)) {
                    return Err(ConfigError::Variable {
                        name: "COMPRESSOR_PARAMS".into(),
                        value: item.into(),
                        valid: "each parameter once",
                    });
                }
                given.push((provider, name));
                let params = config.providers.entry(provider.into()).or_default();
                params.insert(name.into(), ParamText::Text(value.into()));
            }
        }
        Ok(config)
    }

    /// The policy that it stands for.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Assign`] for a format or direction that does not exist, [`ConfigError::Loss`]
    /// for a loss above 100 %.
    pub fn policy(&self) -> Result<Policy, ConfigError> {
        if let Some(percent) = self.max_loss.filter(|percent| *percent > 100) {
            return Err(ConfigError::Loss { percent });
        }
        let mut policy = Policy::default();
        policy.effort = self.effort.map(EffortName::effort);
        policy.max_loss = self.max_loss;
        policy.software_only = self.software_only;
        policy.preference.clone_from(&self.preference);
        policy.on_absent = self.on_absent.on_failure();
        policy.on_create_error = self.on_create_error.on_failure();
        policy.on_operation_error = self.on_operation_error.on_failure();
        for assign in &self.assign {
            let format: Format = assign.format.parse().map_err(|error| ConfigError::Assign {
                why: format!("{error}"),
            })?;
            let direction = match assign.direction.as_deref() {
                None => None,
                Some(name) => {
                    let known = Direction::BOTH.into_iter().find(|d| d.name() == name);
                    Some(known.ok_or_else(|| ConfigError::Assign {
                        why: format!("unknown direction {name:?}: compress or decompress"),
                    })?)
                }
            };
            policy = policy.assign(format, direction, &assign.provider);
        }
        Ok(policy)
    }
}

fn set<T>(
    var: impl Fn(&str) -> Result<Option<String>, ConfigError>,
    name: &str,
    to: &mut T,
    parse: impl Fn(&str) -> Option<T>,
    valid: &'static str,
) -> Result<(), ConfigError> {
    if let Some(value) = var(name)? {
        *to = parse(&value).ok_or(ConfigError::Variable {
            name: name.into(),
            value,
            valid,
        })?;
    }
    Ok(())
}

/// What is wrong and in which line, without a drawing of the line.
pub(crate) fn one_line(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    let line = 1 + before.unwrap_or_default().matches('\n').count();
    let mut what = error.message().replace('\n', " ");
    // A message may quote the file, whose lines may be long.
    if let Some((end, _)) = what.char_indices().nth(300) {
        what.truncate(end);
        what.push('…');
    }
    format!("line {line}: {what}")
}

fn names(text: &str) -> Option<Vec<String>> {
    Some(
        text.split(',')
            .map(|name| name.trim().into())
            .filter(|n: &String| !n.is_empty())
            .collect(),
    )
}

/// `PROVIDER.NAME=VALUE`: a provider's name may have dots, a parameter's has none.
fn param(item: &str) -> Option<(&str, &str, &str)> {
    let (path, value) = item.split_once('=')?;
    let (provider, name) = path.trim().rsplit_once('.')?;
    Some((provider, name, value.trim()))
}

/// Why a [`Config`] cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The file is not what it should be.
    Parse {
        /// The file.
        path: PathBuf,
        /// What, and in which line.
        why: String,
    },
    /// A variable has a value that it cannot have.
    Variable {
        /// The variable.
        name: String,
        /// Its value.
        value: String,
        /// What it could have.
        valid: &'static str,
    },
    /// A loss above 100 %.
    Loss {
        /// The loss, in percent.
        percent: u8,
    },
    /// An assignment names something that does not exist.
    Assign {
        /// What.
        why: String,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, why } => write!(f, "cannot read {}: {why}", path.display()),
            Self::Parse { path, why } => write!(f, "{}: {}", path.display(), why.trim_end()),
            Self::Variable { name, value, valid } => {
                write!(f, "{name} cannot be {value:?}; it takes {valid}")
            }
            Self::Loss { percent } => write!(f, "max_loss cannot be {percent}; it takes {LOSSES}"),
            Self::Assign { why } => write!(f, "in an assignment: {why}"),
        }
    }
}

impl std::error::Error for ConfigError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(set: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_vars(|name| {
            set.iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| value.into())
        })
    }

    #[test]
    fn a_file_is_read_whole() {
        let config = Config::from_toml(
            r#"
            preference = ["libdeflate"]
            on_absent = "fail"
            verify = "always"
            plugin_path = ["/usr/lib/compressor", "/opt/acme"]
            effort = "speed"
            max_loss = 15
            batch_threads = 4
            calibration = "/var/lib/x/calibration.toml"
            [[assign]]
            format = "zlib"
            direction = "decompress"
            provider = "libdeflate"
            [providers."example.device"]
            max_in_flight = 16
            busy = true
            buffer = "64KiB"
            "#,
        )
        .unwrap();
        let policy = config.policy().unwrap();
        assert_eq!(policy.on_absent, OnFailure::Fail);
        assert_eq!(policy.on_operation_error, OnFailure::Software);
        assert_eq!(
            (policy.effort, policy.max_loss),
            (Some(Effort::Speed), Some(15))
        );
        assert_eq!(policy.assignments[0].direction, Some(Direction::Decompress));
        assert_eq!(config.verify, VerifyMode::Always);
        assert_eq!(usize::from(config.batch_threads), 4);
        assert!(config.calibration.is_some());
        let directories = ["/usr/lib/compressor", "/opt/acme"].map(PathBuf::from);
        assert_eq!(config.plugin_path, directories);
        let params = &config.providers["example.device"];
        let texts: Vec<String> = params.values().map(ToString::to_string).collect();
        assert_eq!(texts, ["64KiB", "true", "16"]);
    }

    #[test]
    fn what_the_file_misspells_is_refused_with_what_is_valid() {
        for (text, says) in [
            ("prefer = []", "preference"),
            ("on_absent = \"panic\"", "software"),
            ("[[assign]]\nformat = \"zlib\"", "provider"),
            ("verify = 3", "line 1"),
            ("effort = \"fast\"", "balanced"),
            ("max_loss = 300", "u8"),
            ("batch_threads = 1025", "1024"),
        ] {
            let error = Config::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
        let loss = Config::from_toml("max_loss = 101").unwrap().policy();
        assert_eq!(loss, Err(ConfigError::Loss { percent: 101 }));
        for assign in [
            "format = \"zlip\"",
            "format = \"zlib\"\ndirection = \"both\"",
        ] {
            let text = format!("[[assign]]\n{assign}\nprovider = \"x\"");
            assert!(
                Config::from_toml(&text).unwrap().policy().is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_one_short_line() {
        let long = format!("preference = []\n{}", "x".repeat(100_000));
        for (text, line) in [
            ("\n\nfoo = 1\n", 3),
            ("[providers.a]\nb = 2.5", 2),
            (&long, 2),
        ] {
            let error = Config::from_toml(text).unwrap_err();
            let said = one_line(text, &error);
            assert!(said.starts_with(&format!("line {line}: ")), "{said}");
            assert!(!said.contains('\n') && said.len() < 400, "{said}");
        }
    }

    #[test]
    fn variables_beat_the_file() {
        let config = vars(&[
            ("COMPRESSOR_SOFTWARE_ONLY", "true"),
            ("COMPRESSOR_PREFERENCE", "isal, libdeflate"),
            ("COMPRESSOR_ON_OPERATION_ERROR", "fail"),
            ("COMPRESSOR_VERIFY", "never"),
            ("COMPRESSOR_EFFORT", "balanced"),
            ("COMPRESSOR_MAX_LOSS", "0"),
            ("COMPRESSOR_BATCH_THREADS", "1024"),
            ("COMPRESSOR_CALIBRATION", "measured.toml"),
            (
                "COMPRESSOR_PARAMS",
                "intel.qat.polling=busy, libdeflate.x=1",
            ),
            ("COMPRESSOR_PLUGIN_PATH", ":/opt/acme::/opt/other"),
        ])
        .unwrap();
        assert!(config.software_only);
        assert_eq!(config.preference, ["isal", "libdeflate"]);
        assert_eq!(config.policy().unwrap().on_operation_error, OnFailure::Fail);
        assert_eq!(config.verify, VerifyMode::Never);
        let directories = ["/opt/acme", "/opt/other"].map(PathBuf::from);
        assert_eq!(config.plugin_path, directories);
        assert_eq!(config.policy().unwrap().effort, Some(Effort::Balanced));
        assert_eq!(config.max_loss, Some(0));
        assert_eq!(usize::from(config.batch_threads), 1024);
        assert_eq!(
            config.calibration.as_deref(),
            Some(Path::new("measured.toml"))
        );
        assert_eq!(
            config.providers["intel.qat"]["polling"],
            ParamText::Text("busy".into())
        );
    }

    #[test]
    #[cfg(unix)]
    fn only_paths_may_be_no_text() {
        use std::os::unix::ffi::OsStringExt;

        let with = |set: &'static str| {
            let bytes = OsString::from_vec(b"/opt/\xff".into());
            Config::from_vars(move |name| (name == set).then(|| bytes.clone()))
        };
        let config = with("COMPRESSOR_PLUGIN_PATH").unwrap();
        assert_eq!(config.plugin_path.len(), 1);
        let refused = with("COMPRESSOR_VERIFY").unwrap_err().to_string();
        assert!(refused.contains("text in UTF-8"), "{refused}");
    }

    #[test]
    fn a_variable_that_cannot_be_is_named() {
        for (name, value) in [
            ("COMPRESSOR_SOFTWARE_ONLY", "yes"),
            ("COMPRESSOR_ON_ABSENT", "ignore"),
            ("COMPRESSOR_VERIFY", "sometimes"),
            ("COMPRESSOR_EFFORT", "fast"),
            ("COMPRESSOR_MAX_LOSS", "101"),
            ("COMPRESSOR_MAX_LOSS", "few"),
            ("COMPRESSOR_BATCH_THREADS", "1025"),
            ("COMPRESSOR_PARAMS", "polling=busy"),
            ("COMPRESSOR_PARAMS", "a.b=1, a.b=2"),
            ("COMPRESSOR_CONFIG", "no-such-file.toml"),
        ] {
            let error = vars(&[(name, value)]).unwrap_err().to_string();
            let last = value.rsplit(", ").next().unwrap();
            assert!(error.contains(last), "{name}: {error}");
        }
    }
}
