use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use compressor_api::{Error, ErrorKind, Health, ProviderId};

use super::error::Violation;
use crate::abi::CP_OK;
use crate::codes;

/// Whether a factory may still be called.
///
/// Closed once, by the first violation, for as long as the factory lives: opening the plugin again
/// is how an operator resets it.
#[derive(Debug)]
pub(super) struct Quarantine {
    provider: ProviderId,
    closed: AtomicBool,
    why: OnceLock<Arc<str>>,
}

impl Quarantine {
    /// [`native`](Error::native) code of the error that answers a violation, and every call after
    /// it: tells it from a panic that the plugin itself caught and reported.
    pub(super) const NATIVE: i32 = i32::from_be_bytes(*b"quar");

    pub(super) const fn new(provider: ProviderId) -> Self {
        Self {
            provider,
            closed: AtomicBool::new(false),
            why: OnceLock::new(),
        }
    }

    /// Lets a call through, unless the factory is quarantined.
    pub(super) fn enter(&self) -> Result<(), Error> {
        if self.is_closed() {
            Err(self.error())
        } else {
            Ok(())
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        // Whoever sees it closed sees the reason as well.
        self.closed.load(Ordering::Acquire)
    }

    /// Something came back that cannot be.
    #[cold]
    pub(super) fn violated(&self, call: &str, Violation(what): Violation) -> Error {
        self.close(&format!("{call} {what}"));
        self.error()
    }

    /// A call that returned another status than `CP_OK`.
    #[cold]
    pub(super) fn failed(&self, call: &str, status: i32, native: i32) -> Error {
        let Some(kind) = codes::kind(status) else {
            let what = format!("returned the status {status}, which means nothing there");
            return self.violated(call, Violation(what));
        };
        if kind == ErrorKind::Panic {
            self.close(&format!("{call} panicked"));
        }
        Error::with_native(kind, self.provider, native)
    }

    /// A call that freed a handle. There is nothing to be done about a failure that is no violation.
    pub(super) fn freed(&self, call: &str, status: i32) {
        if status != CP_OK {
            let _ = self.failed(call, status, 0);
        }
    }

    /// A handle that came with `CP_OK`, or what came instead.
    pub(super) fn made<T>(
        &self,
        call: &str,
        (status, native, made): (i32, i32, Option<T>),
    ) -> Result<T, Error> {
        match made {
            Some(made) => Ok(made),
            None if status == CP_OK => {
                Err(self.violated(call, Violation::new("succeeded without a handle")))
            }
            None => Err(self.failed(call, status, native)),
        }
    }

    /// How the provider is, if it is quarantined.
    pub(super) fn health(&self) -> Option<Health> {
        self.why().map(|why| Health::Quarantined { why })
    }

    /// Why it is quarantined, if it is.
    pub(super) fn why(&self) -> Option<Arc<str>> {
        self.why.get().map(Arc::clone)
    }

    fn close(&self, why: &str) {
        let mut first = false;
        self.why.get_or_init(|| {
            first = true;
            why.into()
        });
        self.closed.store(true, Ordering::Release);
        if first {
            tracing::error!(provider = %self.provider, why, "plugin quarantined");
        }
    }

    fn error(&self) -> Error {
        Error::with_native(ErrorKind::Panic, self.provider, Self::NATIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_no_violation() {
        let quarantine = Quarantine::new(ProviderId::new("x"));
        let error = quarantine.failed("compress", 6, -3);
        assert_eq!((error.kind(), error.native()), (ErrorKind::Busy, -3));
        assert_eq!(quarantine.made("x", (0, 0, Some(7))), Ok(7));
        quarantine.freed("session_free", 8);
        assert!(!quarantine.is_closed());
    }

    #[test]
    fn panics_unknown_statuses_and_missing_handles_are() {
        let calls: [fn(&Quarantine) -> Option<Error>; 4] = [
            |q| Some(q.failed("compress", 12, 0)),
            |q| Some(q.failed("compress", 12_345, 0)),
            |q| q.made("open", (0, 0, None::<()>)).err(),
            |q| {
                q.freed("session_free", 12);
                None
            },
        ];
        for call in calls {
            let quarantine = Quarantine::new(ProviderId::new("x"));
            let error = call(&quarantine);
            assert!(error.is_none_or(|error| error.kind() == ErrorKind::Panic));
            assert!(quarantine.is_closed());
        }
    }

    #[test]
    fn the_first_violation_closes_it_and_is_the_reason() {
        let quarantine = Quarantine::new(ProviderId::new("x"));
        assert_eq!((quarantine.enter(), quarantine.health()), (Ok(()), None));
        let first = quarantine.violated("compress", Violation::new("lied"));
        assert_eq!(first.kind(), ErrorKind::Panic);
        assert_eq!(first.native(), Quarantine::NATIVE);
        assert_eq!(quarantine.failed("decompress", 12, -3).native(), -3);
        assert_eq!(quarantine.enter(), Err(first));
        let why = "compress lied".into();
        assert_eq!(quarantine.health(), Some(Health::Quarantined { why }));
    }
}
