use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// How often this process, or one that it descends from, was a child of a fork since it was watched.
static FORKS: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" {
    fn pthread_atfork(
        prepare: Option<unsafe extern "C" fn()>,
        parent: Option<unsafe extern "C" fn()>,
        child: Option<unsafe extern "C" fn()>,
    ) -> c_int;
}

/// A process, to be compared with the one that asks, on the way of every operation: the kernel would
/// take some 100 ns to say which one it is.
///
/// A child that was made without `fork`, by the system call alone, is not noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    forks: u32,
    /// Where forks cannot be watched for want of memory.
    pid: Option<u32>,
}

impl Process {
    /// The one that asks.
    pub(crate) fn this() -> Self {
        let watched = watch();
        Self {
            forks: FORKS.load(Ordering::Relaxed),
            pid: (!watched).then(std::process::id),
        }
    }

    /// Whether it is the one that asks.
    #[inline]
    pub(crate) fn is_this(self) -> bool {
        match self.pid {
            None => self.forks == FORKS.load(Ordering::Relaxed),
            Some(pid) => pid == std::process::id(),
        }
    }
}

/// Counts forks from now on; whether that can be done.
fn watch() -> bool {
    static WATCHED: OnceLock<bool> = OnceLock::new();
    unsafe extern "C" fn child() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    *WATCHED.get_or_init(|| {
        // SAFETY: the function adds to a number, which is all that a child may do. It stays where it
        // is: a program stays, and a plugin is never unloaded.
        unsafe { pthread_atfork(None, None, Some(child)) == 0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_itself() {
        let this = Process::this();
        assert!(this.is_this());
        assert_eq!(this, Process::this());
        let other = Process {
            forks: this.forks.wrapping_add(1),
            ..this
        };
        assert!(!other.is_this());
        let unwatched = |pid| Process {
            pid: Some(pid),
            ..this
        };
        assert!(unwatched(std::process::id()).is_this());
        assert!(!unwatched(0).is_this());
    }
}
