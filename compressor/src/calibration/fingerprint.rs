use std::collections::BTreeMap;
use std::fs;

use compressor_api::{ProviderClass, Registry};
use serde::{Deserialize, Serialize};

/// What a measurement holds for: another CPU, release, provider or version of one gives others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fingerprint {
    /// As the kernel calls it.
    cpu: String,
    /// Of this crate.
    release: String,
    /// The accelerators that can be used here, each with the version that it says.
    providers: BTreeMap<String, String>,
}

impl Fingerprint {
    /// That of this process: opens every accelerator.
    pub(super) fn of(registry: &Registry) -> Self {
        let accelerators = registry
            .entries()
            .filter(|entry| entry.class == ProviderClass::Accelerator);
        let providers = accelerators.filter_map(|entry| {
            let id = entry.id.as_str();
            Some((id.to_owned(), registry.version(id).ok()?))
        });
        Self {
            cpu: cpu(),
            release: env!("CARGO_PKG_VERSION").into(),
            providers: providers.collect(),
        }
    }

    /// What differs from what is here now, the first thing; `None` if nothing does.
    pub(super) fn differs_from(&self, now: &Self) -> Option<String> {
        if self.cpu != now.cpu {
            return Some(format!(
                "it was measured on {:?}, and this is {:?}",
                self.cpu, now.cpu
            ));
        }
        if self.release != now.release {
            return Some(format!(
                "it was measured by release {}, and this is {}",
                self.release, now.release
            ));
        }
        let all = self.providers.keys().chain(now.providers.keys());
        all.into_iter()
            .find_map(|id| match (self.providers.get(id), now.providers.get(id)) {
                (Some(_), None) => Some(format!("{id} was measured, and is not here")),
                (None, Some(_)) => Some(format!("{id} is here, and was not measured")),
                (then, now) if then != now => Some(format!(
                    "{id} was measured in version {:?}, and this is {:?}",
                    then.map_or("", String::as_str),
                    now.map_or("", String::as_str)
                )),
                _ => None,
            })
    }
}

/// The model of the first CPU, or the architecture where the kernel names none.
fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    model.unwrap_or_else(|| std::env::consts::ARCH.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_differs_is_named() {
        let now = Fingerprint {
            cpu: "a CPU".into(),
            release: "1.0".into(),
            providers: [("isal".to_owned(), "2.31".to_owned())].into(),
        };
        assert_eq!(now.differs_from(&now), None);
        let other = |change: fn(&mut Fingerprint)| {
            let mut other = now.clone();
            change(&mut other);
            other.differs_from(&now).unwrap()
        };
        assert!(other(|f| f.cpu = "another".into()).contains("\"another\""));
        assert!(other(|f| f.release = "0.9".into()).contains("release 0.9"));
        assert!(other(|f| f.providers.clear()).contains("isal is here"));
        let gone = other(|f| drop(f.providers.insert("qat".into(), String::new())));
        assert!(gone.contains("qat was measured"), "{gone}");
        let older = other(|f| drop(f.providers.insert("isal".into(), "2.30".into())));
        assert!(
            older.contains("\"2.30\"") && older.contains("\"2.31\""),
            "{older}"
        );
    }
}
