use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use crate::contain::guarded;
use crate::provider::Submitted;
use crate::{
    Capabilities, Compressor, CompressorFactory, Considered, Direction, Effort, Format, Health,
    OnFailure, OpenError, ParamError, Params, Policy, ProviderClass, ProviderEntry, ProviderId,
    SelectError, Selected, Selection, Shortfall, Spec, Verdict, framed,
};

/// The providers of a process: listed at once, opened when first needed, chosen by [`Policy`].
///
/// Registration is explicit; nothing is found behind the caller's back. The order of registration
/// does not matter: providers are tried by descending priority, then by name.
#[derive(Debug)]
pub struct Registry {
    slots: Vec<Slot>,
}

#[derive(Debug)]
struct Slot {
    entry: &'static ProviderEntry,
    params: Params,
    /// `None` until it is first needed. The lock is held while opening, so that a provider is
    /// opened once, and never during an operation.
    opened: Mutex<Option<Result<Arc<dyn CompressorFactory>, OpenError>>>,
}

/// Collects what a [`Registry`] will hold.
#[derive(Debug, Default)]
pub struct RegistryBuilder {
    entries: Vec<&'static ProviderEntry>,
    params: BTreeMap<String, Vec<(String, String)>>,
}

impl RegistryBuilder {
    /// Adds a provider.
    #[must_use]
    pub fn provider(mut self, entry: &'static ProviderEntry) -> Self {
        self.entries.push(entry);
        self
    }

    /// Adds every provider that [`submit_provider!`](crate::submit_provider) listed in this
    /// program and that is not added already.
    #[must_use]
    pub fn submitted(mut self) -> Self {
        for Submitted(entry) in inventory::iter::<Submitted> {
            if !self
                .entries
                .iter()
                .any(|known| std::ptr::eq(*known, *entry))
            {
                self.entries.push(entry);
            }
        }
        self
    }

    /// Gives a provider a parameter, as text; checked by [`build`](Self::build).
    #[must_use]
    pub fn param(
        mut self,
        provider: impl Into<String>,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        self.params
            .entry(provider.into())
            .or_default()
            .push((name.into(), value.into()));
        self
    }

    /// The registry. Nothing is opened yet.
    ///
    /// # Errors
    ///
    /// [`RegistryError`]: a name twice or badly formed, a parameter for a provider that is not
    /// there, a parameter that the provider does not take.
    pub fn build(self) -> Result<Registry, RegistryError> {
        let Self {
            mut entries,
            mut params,
        } = self;
        entries.sort_by_key(|entry| (Reverse(entry.priority), entry.id));
        let mut slots: Vec<Slot> = Vec::with_capacity(entries.len());
        for entry in entries {
            if !entry.id.is_well_formed() {
                return Err(RegistryError::BadName { provider: entry.id });
            }
            if slots.iter().any(|slot| slot.entry.id == entry.id) {
                return Err(RegistryError::Duplicate { provider: entry.id });
            }
            let given = params.remove(entry.id.as_str()).unwrap_or_default();
            let given = given
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()));
            let params =
                Params::parse(entry.params, given).map_err(|error| RegistryError::Param {
                    provider: entry.id,
                    error,
                })?;
            slots.push(Slot {
                entry,
                params,
                opened: Mutex::new(None),
            });
        }
        match params.into_keys().next() {
            Some(name) => Err(RegistryError::UnknownProvider { name }),
            None => Ok(Registry { slots }),
        }
    }
}

impl Registry {
    /// An empty collection of providers.
    #[must_use]
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The providers as listed, in the order they are tried. Opens nothing.
    pub fn entries(&self) -> impl Iterator<Item = &'static ProviderEntry> {
        self.slots.iter().map(|slot| slot.entry)
    }

    /// The provider, opened and self-tested; the first call does both, later ones remember.
    ///
    /// # Errors
    ///
    /// [`OpenError`], remembered until [`reprobe`](Self::reprobe). A provider that panics or fails
    /// its self-test is [`Broken`](OpenError::Broken); a name that is not registered is
    /// [`Misconfigured`](OpenError::Misconfigured).
    pub fn open(&self, provider: &str) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        self.slot(provider)?.open()
    }

    /// Tries again to open a provider that could not be opened; one that is open stays so.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn reprobe(&self, provider: &str) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        let slot = self.slot(provider)?;
        let mut opened = slot.lock();
        if matches!(*opened, Some(Err(_))) {
            *opened = None;
        }
        drop(opened);
        slot.open()
    }

    /// How a provider is, as far as it is known; `None` if it is not registered, was not needed
    /// yet, or is being opened at this moment. Waits for nothing. One that could not be opened for
    /// another reason than that it is not there is [`Quarantined`](Health::Quarantined) until
    /// [`reprobe`](Self::reprobe).
    #[must_use]
    pub fn health(&self, provider: &str) -> Option<Health> {
        let opened = match self.slot(provider).ok()?.opened.try_lock() {
            Ok(opened) => opened.clone()?,
            Err(TryLockError::Poisoned(poison)) => poison.into_inner().clone()?,
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(match opened {
            Ok(factory) => guarded(|| factory.health()).unwrap_or_else(|| Health::Quarantined {
                why: "panicked when asked for its health".into(),
            }),
            Err(OpenError::Absent { why }) => Health::Absent { why: why.into() },
            Err(error) => Health::Quarantined {
                why: error.to_string().into(),
            },
        })
    }

    /// The version of what does a provider's work, as it says; empty if it says none. Opens the
    /// provider if that was not needed yet.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); [`Broken`](OpenError::Broken) too if it panics when asked.
    pub fn version(&self, provider: &str) -> Result<String, OpenError> {
        let factory = self.open(provider)?;
        guarded(|| factory.version()).ok_or_else(|| OpenError::Broken {
            why: "panicked when asked for its version".into(),
        })
    }

    /// Chooses who compresses and who decompresses for `spec`, opening what has to be opened.
    ///
    /// For each direction: the provider that the policy assigns; else those it prefers, in order;
    /// else by priority (for a spec with an [`Effort`](crate::Effort), when compressing: by the priority
    /// that its capabilities have for the effort), then by name. The first one that opens, lists the format with what the
    /// spec asks for, and makes a compressor serves. A provider that lists the format inside a
    /// frame (`lz4-block` in `lz4-sized`) serves the framed format through
    /// [`framed`](crate::framed).
    ///
    /// Where an effort limits the inputs that the first one takes, the next one that takes longer ones
    /// serves those, and so on.
    ///
    /// # Errors
    ///
    /// [`SelectError`]: no software codec to fall back to, a name that is not registered, a loss
    /// above 100 %, a provider that is [`Misconfigured`](OpenError::Misconfigured), or one that cannot serve while
    /// the policy says [`OnFailure::Fail`].
    pub fn select(&self, spec: &Spec, policy: &Policy) -> Result<Selection, SelectError> {
        self.check(policy)?;
        let spec = &policy.applied_to(spec);
        let software = self.software(spec)?;
        let mut considered = Vec::new();
        let mut choose = |direction| self.choose(spec, policy, direction, &mut considered);
        let mut compress = choose(Direction::Compress)?.into_iter();
        let decompress = choose(Direction::Decompress)?.into_iter().next();
        Ok(Selection {
            spec: spec.clone(),
            software,
            compress: compress.next(),
            compress_longer: compress.collect(),
            decompress,
            considered,
        })
    }

    /// A provider's compressor for `spec` in one direction, whatever a policy would say.
    ///
    /// # Errors
    ///
    /// The [`Verdict`] that a selection would give.
    pub fn candidate(
        &self,
        provider: &str,
        spec: &Spec,
        direction: Direction,
    ) -> Result<Selected, Verdict> {
        let slot = self.slot(provider).map_err(Verdict::NotOpened)?;
        slot.candidate(spec, direction)
    }

    /// Whether every provider that `policy` names is registered, and its loss one that can be.
    ///
    /// # Errors
    ///
    /// [`SelectError::UnknownProvider`], [`SelectError::LossOutOfRange`].
    pub fn check(&self, policy: &Policy) -> Result<(), SelectError> {
        if let Some(percent) = policy.max_loss.filter(|percent| *percent > 100) {
            return Err(SelectError::LossOutOfRange { percent });
        }
        let assigned = policy.assignments.iter().map(|a| &a.provider);
        for name in assigned.chain(&policy.preference) {
            if self.slot(name).is_err() {
                let known = self.entries().map(|entry| entry.id).collect();
                return Err(SelectError::UnknownProvider {
                    name: name.clone(),
                    known,
                });
            }
        }
        Ok(())
    }

    fn software(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, SelectError> {
        let mut refused = None;
        for slot in self.slots.iter().filter(|slot| slot.is_software()) {
            if !slot.entry.may_serve(spec.format()) {
                continue;
            }
            // One codec serves both directions, or cannot be fallen back to.
            let found = slot
                .candidate(spec, Direction::Decompress)
                .and_then(|_| slot.candidate(spec, Direction::Compress));
            match found {
                Ok(found) => return Ok(found.compressor),
                Err(verdict) => {
                    refused.get_or_insert(SelectError::Software {
                        provider: slot.entry.id,
                        verdict,
                    });
                }
            }
        }
        Err(refused.unwrap_or(SelectError::NoSoftware {
            format: spec.format(),
        }))
    }

    fn choose(
        &self,
        spec: &Spec,
        policy: &Policy,
        direction: Direction,
        considered: &mut Vec<Considered>,
    ) -> Result<Vec<Selected>, SelectError> {
        let assigned = policy.assigned(spec.format(), direction);
        let mut slots: Vec<&Slot> = self
            .slots
            .iter()
            .filter(|slot| slot.entry.may_serve(spec.format()))
            .collect();
        let effort = spec.effort().filter(|_| direction == Direction::Compress);
        slots.sort_by_cached_key(|slot| {
            let (id, name) = (slot.entry.id, slot.entry.id.as_str());
            // Asking one that may not be chosen would open it.
            let eligible = slot.is_software()
                || !(policy.software_only || assigned.is_some_and(|assigned| assigned != name));
            let priority = effort
                .filter(|_| eligible)
                .and_then(|effort| slot.effort_priority(spec.format(), effort))
                .unwrap_or(slot.entry.priority);
            (
                assigned != Some(name),
                policy.rank(name),
                Reverse(priority),
                id,
            )
        });

        if let Some(name) = assigned
            && !slots.iter().any(|slot| slot.entry.id.as_str() == name)
        {
            let verdict = Verdict::NoCapability;
            let slot = self
                .slots
                .iter()
                .find(|slot| slot.entry.id.as_str() == name);
            if let Some(slot) = slot {
                let provider = slot.entry.id;
                considered.push(Considered::new(provider, direction, verdict.clone()));
                if policy.on_absent == OnFailure::Fail {
                    return Err(SelectError::Refused {
                        provider,
                        direction,
                        verdict,
                    });
                }
            }
        }

        let mut chosen: Vec<Selected> = Vec::new();
        // Inputs of up to so many bytes have somebody who serves them.
        let mut served: Option<usize> = None;
        for slot in slots {
            let provider = slot.entry.id;
            let software = slot.is_software();
            let verdict = if policy.software_only && !software {
                Verdict::Disabled
            } else if !software && assigned.is_some_and(|name| name != provider.as_str()) {
                Verdict::NotAssigned
            } else if served == Some(usize::MAX) {
                Verdict::Outranked
            } else {
                match slot.candidate(spec, direction) {
                    Ok(found) => {
                        let reach = found.serves_up_to();
                        // Whoever takes nothing longer than is served already, for whatever
                        // reason, adds nothing.
                        let longest = reach.min(found.capabilities.max_input);
                        let verdict = match served {
                            None => Verdict::Chosen,
                            Some(len) if len < longest => Verdict::ChosenBeyond(len),
                            Some(_) => Verdict::Outranked,
                        };
                        if verdict != Verdict::Outranked {
                            served = Some(reach);
                            chosen.extend((!software).then_some(found));
                        }
                        verdict
                    }
                    Err(verdict) if served.is_some() => verdict,
                    Err(verdict) => {
                        let fatal = match &verdict {
                            Verdict::NotOpened(OpenError::Misconfigured { .. }) => true,
                            Verdict::NotCreated(_) => policy.on_create_error == OnFailure::Fail,
                            _ => {
                                assigned == Some(provider.as_str())
                                    && policy.on_absent == OnFailure::Fail
                            }
                        };
                        if fatal {
                            return Err(SelectError::Refused {
                                provider,
                                direction,
                                verdict,
                            });
                        }
                        verdict
                    }
                }
            };
            considered.push(Considered::new(provider, direction, verdict));
        }
        Ok(chosen)
    }

    fn slot(&self, provider: &str) -> Result<&Slot, OpenError> {
        self.slots
            .iter()
            .find(|slot| slot.entry.id.as_str() == provider)
            .ok_or_else(|| OpenError::Misconfigured {
                why: format!("no provider is named {provider:?}"),
            })
    }
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<Result<Arc<dyn CompressorFactory>, OpenError>>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        self.lock()
            .get_or_insert_with(|| self.open_and_test())
            .clone()
    }

    fn open_and_test(&self) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        let broken = |why: String| OpenError::Broken { why };
        let factory = guarded(|| self.entry.opener.open(&self.params))
            .unwrap_or_else(|| Err(broken("panicked when opened".into())))?;
        let tested = guarded(|| {
            if factory.id() != self.entry.id {
                return Err(broken(format!("calls itself {} once opened", factory.id())));
            }
            factory.self_test().map_err(|error| {
                // It may know better what came of it, as the host of a plugin does.
                let why = match factory.health() {
                    Health::Quarantined { why } => format!(": {why}"),
                    _ => String::new(),
                };
                broken(format!("failed its self-test: {error}{why}"))
            })
        });
        match tested {
            Some(Ok(())) => Ok(factory),
            failed => {
                let panicked = || Err(broken("panicked in its self-test".into()));
                // Dropping a broken provider runs its code once more.
                let _ = guarded(move || drop(factory));
                failed
                    .unwrap_or_else(panicked)
                    .and(Err(broken(String::new())))
            }
        }
    }

    /// The provider's compressor for `spec` in one direction, or why there is none.
    fn candidate(&self, spec: &Spec, direction: Direction) -> Result<Selected, Verdict> {
        let factory = self.open().map_err(Verdict::NotOpened)?;
        let provider = self.entry.id;
        let panicked = || {
            Verdict::NotOpened(OpenError::Broken {
                why: "panicked when asked".into(),
            })
        };

        let listed = |format: Format| listed(&*factory, format, direction).ok_or_else(panicked);
        let (capabilities, inner) = match listed(spec.format())? {
            Some(capabilities) => (capabilities, None),
            None => self.listed_inside(spec, listed)?,
        };
        match capabilities.shortfall(spec) {
            // What every effort is compared with serves every effort.
            Some(Shortfall::Effort) if self.is_software() => {}
            Some(shortfall) => return Err(Verdict::Lacks(shortfall)),
            None => {}
        }
        let made = guarded(|| factory.compressor(inner.as_ref().unwrap_or(spec)))
            .ok_or_else(panicked)?
            .map_err(Verdict::NotCreated)?;
        let compressor = match inner {
            None => made,
            Some(_) => guarded(|| framed::compressor(spec, made))
                .ok_or_else(panicked)?
                .ok_or(Verdict::NoCapability)?,
        };
        let served = capabilities.for_effort(spec);
        let limited = served.max_input < capabilities.max_input;
        Ok(Selected {
            limited,
            ..Selected::new(provider, served, compressor)
        })
    }

    fn is_software(&self) -> bool {
        self.entry.class == ProviderClass::Software
    }

    /// The priority that the provider's capabilities have for an effort; `None` if it cannot be
    /// opened, or does not serve the effort.
    fn effort_priority(&self, format: Format, effort: Effort) -> Option<i16> {
        let factory = self.open().ok()?;
        [Some(format), format.inner()]
            .into_iter()
            .flatten()
            .find_map(|format| listed(&*factory, format, Direction::Compress)?)?
            .efforts
            .priority(effort)
    }

    /// The capabilities for the format inside the spec's frame, framed, and the spec for it.
    fn listed_inside(
        &self,
        spec: &Spec,
        listed: impl Fn(Format) -> Result<Option<Capabilities>, Verdict>,
    ) -> Result<(Capabilities, Option<Spec>), Verdict> {
        let inner = spec.inner().ok_or(Verdict::NoCapability)?;
        let capabilities = listed(inner.format())?.ok_or(Verdict::NoCapability)?;
        let framed = capabilities.framed(spec.format(), framed::overhead(spec.format()));
        Ok((framed, Some(inner)))
    }
}

/// What a provider lists for a format in a direction, if anything; `None` if it panicked.
fn listed(
    factory: &dyn CompressorFactory,
    format: Format,
    direction: Direction,
) -> Option<Option<Capabilities>> {
    guarded(|| {
        factory
            .capabilities()
            .iter()
            .find(|c| c.format == format && c.direction == direction)
            .copied()
    })
}

/// Why a [`Registry`] cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two providers have one name.
    Duplicate {
        /// The name.
        provider: ProviderId,
    },
    /// A name has letters that a name may not have.
    BadName {
        /// The name.
        provider: ProviderId,
    },
    /// Parameters are given for a provider that is not registered.
    UnknownProvider {
        /// The name given.
        name: String,
    },
    /// A parameter does not fit.
    Param {
        /// The provider.
        provider: ProviderId,
        /// What is wrong with it.
        error: ParamError,
    },
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duplicate { provider } => write!(f, "two providers are named {provider}"),
            Self::BadName { provider } => write!(
                f,
                "{provider:?} is no name for a provider: lower-case letters, digits, '.' and '-'"
            ),
            Self::UnknownProvider { name } => {
                write!(
                    f,
                    "parameters are given for {name:?}, which is not registered"
                )
            }
            Self::Param { provider, error } => write!(f, "{provider}: {error}"),
        }
    }
}

impl std::error::Error for RegistryError {}
