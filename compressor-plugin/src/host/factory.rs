use std::ffi::CString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use compressor_api::{
    Capabilities, CompressorFactory, Direction, Error, ErrorKind, Health, OpenError, ParamKind,
    ParamValue, Params, ProviderEntry, ProviderId, Spec, self_test,
};

use super::compressor::PluginCompressor;
use super::ffi::{self, Table, Value};
use super::quarantine::Quarantine;
use super::{capabilities, error};
use crate::abi::{
    CP_ABSENT, CP_DEGRADED, CP_MISCONFIGURED, CP_OK, CP_PARAM_BOOL, CP_PARAM_BYTES,
    CP_PARAM_CHOICE, CP_PARAM_DURATION, CP_PARAM_INT, CP_PARAM_TEXT, CP_QUARANTINED,
};
use crate::codes;

/// An opened plugin.
#[derive(Debug)]
pub(super) struct PluginFactory {
    id: ProviderId,
    capabilities: Vec<Capabilities>,
    raw: Arc<ffi::Factory>,
    /// Set from when its own self-test ran as it was opened until that is asked for the first time.
    just_tested: AtomicBool,
}

/// Opens the plugin behind `table` with `params`, and runs its own self-test: here, where there is room
/// to say why it fails.
pub(super) fn open(
    path: &Path,
    table: &'static Table,
    entry: &ProviderEntry,
    params: &Params,
) -> Result<Arc<dyn CompressorFactory>, OpenError> {
    let broken = |what: &str| OpenError::Broken {
        why: error::at(path, what),
    };
    let values = values(entry, params)?;
    let (status, why, raw) = table.open(&values, Quarantine::new(entry.id));
    let why = match (why, &raw) {
        (Ok(why), _) => why,
        (Err(violation), raw) => {
            // What came with it is not called, not even to be closed.
            if let Some(raw) = raw {
                raw.quarantine.violated("open", violation.clone());
            }
            return Err(broken(&format!("open {violation}")));
        }
    };
    let raw = Arc::new(raw.ok_or_else(|| not_opened(path, status, &why))?);

    let (status, list) = raw.capabilities();
    let checked = match status {
        CP_OK => list
            .and_then(|list| capabilities::check(&list, entry.formats, table.is_newer()))
            .map_err(|violation| raw.quarantine.violated("capabilities", violation)),
        status => Err(raw.quarantine.failed("capabilities", status, 0)),
    };
    let capabilities = checked.map_err(|error| match raw.quarantine.why() {
        Some(why) => broken(&why),
        None => broken(&format!("cannot say what it can do: {error}")),
    })?;
    let factory = PluginFactory {
        id: entry.id,
        capabilities,
        raw,
        just_tested: AtomicBool::new(true),
    };
    factory
        .own_self_test()
        .map_err(|(error, why)| broken(&format!("failed its self-test: {error}: {why}")))?;
    Ok(Arc::new(factory))
}

fn not_opened(path: &Path, status: i32, why: &str) -> OpenError {
    let said = |what: &str| error::at(path, if why.is_empty() { what } else { why });
    match status {
        CP_OK => OpenError::Broken {
            why: said("open succeeded without a handle"),
        },
        CP_ABSENT => OpenError::Absent {
            why: said("its device or library is not there"),
        },
        CP_MISCONFIGURED => OpenError::Misconfigured {
            why: said("its parameters cannot be"),
        },
        other => OpenError::Broken {
            why: match codes::kind(other) {
                Some(kind) => said(&format!("open failed: {kind}")),
                None => said(&format!("open failed with the status {other}")),
            },
        },
    }
}

/// The values of all parameters, in the order in which the provider lists them.
fn values(entry: &ProviderEntry, params: &Params) -> Result<Vec<Value>, OpenError> {
    let mut values = Vec::with_capacity(entry.params.len());
    for spec in entry.params {
        let Some(value) = params.value(spec.name) else {
            continue;
        };
        let (text, number) = match value {
            ParamValue::Bool(on) => (None, i64::from(*on)),
            ParamValue::Int(number) => (None, *number),
            ParamValue::Bytes(bytes) => (None, codes::bytes(*bytes)),
            ParamValue::Duration(time) => (None, codes::nanos(*time)),
            ParamValue::Choice(text) => (Some(*text), 0),
            ParamValue::Text(text) => (Some(text.as_str()), 0),
            _ => continue,
        };
        let c_string = |text: &str| {
            CString::new(text).map_err(|_| OpenError::Misconfigured {
                why: format!("parameter {} has a NUL inside", spec.name),
            })
        };
        values.push(Value {
            name: c_string(spec.name)?,
            text: text.map(c_string).transpose()?,
            number,
            kind: match spec.kind {
                ParamKind::Bool => CP_PARAM_BOOL,
                ParamKind::Int { .. } => CP_PARAM_INT,
                ParamKind::Bytes { .. } => CP_PARAM_BYTES,
                ParamKind::Duration { .. } => CP_PARAM_DURATION,
                ParamKind::Choice(_) => CP_PARAM_CHOICE,
                _ => CP_PARAM_TEXT,
            },
        });
    }
    Ok(values)
}

impl PluginFactory {
    /// The plugin's own self-test, if it has one: the error, and more about it.
    fn own_self_test(&self) -> Result<(), (Error, String)> {
        let quarantine = &self.raw.quarantine;
        quarantine
            .enter()
            .map_err(|error| (error, "quarantined".into()))?;
        let Some((status, native, why)) = self.raw.self_test() else {
            return Ok(());
        };
        match why {
            Err(violation) => {
                let what = violation.to_string();
                Err((quarantine.violated("self_test", violation), what))
            }
            Ok(_) if status == CP_OK => Ok(()),
            Ok(why) if why.is_empty() => {
                let error = quarantine.failed("self_test", status, native);
                Err((error, "the plugin says no more".into()))
            }
            Ok(why) => Err((quarantine.failed("self_test", status, native), why)),
        }
    }
}

impl CompressorFactory for PluginFactory {
    fn id(&self) -> ProviderId {
        self.id
    }

    fn capabilities(&self) -> &[Capabilities] {
        &self.capabilities
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn compressor_api::Compressor>, Error> {
        let quarantine = &self.raw.quarantine;
        quarantine.enter()?;
        let serves = |direction| {
            self.capabilities.iter().any(|c| {
                c.format == spec.format() && c.direction == direction && c.shortfall(spec).is_none()
            })
        };
        // What the plugin does not serve it is not shown: then it is asked to read alone.
        let shown = match (serves(Direction::Compress), serves(Direction::Decompress)) {
            (true, _) => spec.clone(),
            (false, true) => spec.clone().without_effort(),
            (false, false) => return Err(Error::new(ErrorKind::Unsupported, self.id)),
        };
        let made = quarantine.made("compressor_new", self.raw.compressor_new(&shown))?;
        let made = PluginCompressor::new(self.id, spec, &self.capabilities, made)?;
        Ok(Arc::new(made))
    }

    fn health(&self) -> Health {
        let quarantine = &self.raw.quarantine;
        if let Some(health) = quarantine.health() {
            return health;
        }
        let (status, why) = self.raw.health();
        let said = |mut why: String| {
            if why.is_empty() {
                why.push_str("the plugin says no more");
            }
            Some(match status {
                CP_OK => Health::Ready,
                CP_ABSENT => Health::Absent { why: why.into() },
                CP_DEGRADED => Health::Degraded { why: why.into() },
                CP_QUARANTINED => Health::Quarantined { why: why.into() },
                _ => return None,
            })
        };
        let answer = match why {
            Ok(why) => said(why).ok_or_else(|| quarantine.failed("health", status, 0)),
            Err(violation) => Err(quarantine.violated("health", violation)),
        };
        match (answer, quarantine.health()) {
            (_, Some(quarantined)) => quarantined,
            (Ok(health), None) => health,
            // A status that is no state of health, but no violation either: it could not tell.
            (Err(error), None) => Health::Degraded {
                why: error.to_string().into(),
            },
        }
    }

    fn self_test(&self) -> Result<(), Error> {
        // A registry asks for it right after opening.
        if self.just_tested.swap(false, Ordering::Relaxed) {
            self.raw.quarantine.enter()?;
        } else {
            self.own_self_test().map_err(|(error, _)| error)?;
        }
        self_test::known_answers(self)
    }
}
