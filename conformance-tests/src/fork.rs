//! A copy of this process, for what sessions do in one that forked.
#![expect(unsafe_code, reason = "nobody can fork without")]

use std::io::{self, PipeReader, Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

use crate::contain::caught;

/// How a child ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The work was done.
    Well,
    /// The work failed, and said so.
    Failed(String),
    /// By this signal.
    Killed(Signal),
    /// By itself, without a word: something in it called `exit`.
    Vanished(i32),
    /// Not within the time; it was killed.
    TooLate,
}

/// How the child says that it ended well, and that a message is in the pipe.
const WELL: i32 = 70;
const FAILED: i32 = 71;

/// The longest message: as much as a pipe takes at once, by POSIX.
const MESSAGE: usize = 512;

/// Runs `work` in a forked child, and waits for it no longer than `deadline`.
///
/// The child has the calling thread alone. Locks that others hold at that moment are held in it for
/// good, which is what a storage engine's child meets too; those of the heap are not, where the C
/// library looks after them.
///
/// # Errors
///
/// The system's, if it cannot fork.
pub(crate) fn in_child(
    deadline: Duration,
    work: impl FnOnce() -> Result<(), String>,
) -> io::Result<Ended> {
    let (reader, mut writer) = io::pipe()?;
    // SAFETY: the child runs `work` and leaves by `_exit`. All that it meets on the way is memory of
    // its own; what else is open in this process is shared, and not touched but for the pipe.
    match unsafe { fork() }? {
        ForkResult::Parent { child } => {
            drop(writer);
            wait(child, deadline, reader)
        }
        ForkResult::Child => {
            let result = caught(work).unwrap_or_else(Err);
            let status = match result {
                Ok(()) => WELL,
                Err(message) => {
                    let message = message.as_bytes();
                    let message = message.get(..MESSAGE).unwrap_or(message);
                    // The parent has nobody else to ask; the status says enough.
                    let _ = writer.write_all(message);
                    FAILED
                }
            };
            // SAFETY: ends the process, and runs nothing of the parent's on the way.
            unsafe { libc::_exit(status) }
        }
    }
}

fn wait(child: Pid, deadline: Duration, mut reader: PipeReader) -> io::Result<Ended> {
    let started = Instant::now();
    loop {
        match waitpid(child, Some(WaitPidFlag::WNOHANG))? {
            WaitStatus::Exited(_, WELL) => return Ok(Ended::Well),
            WaitStatus::Exited(_, FAILED) => {
                let mut message = [0; MESSAGE];
                let n = reader.read(&mut message)?;
                let message = message.get(..n).unwrap_or_default();
                return Ok(Ended::Failed(String::from_utf8_lossy(message).into_owned()));
            }
            WaitStatus::Exited(_, status) => return Ok(Ended::Vanished(status)),
            WaitStatus::Signaled(_, signal, _) => return Ok(Ended::Killed(signal)),
            _ if started.elapsed() >= deadline => {
                kill(child, Signal::SIGKILL)?;
                waitpid(child, None)?;
                return Ok(Ended::TooLate);
            }
            _ => thread::sleep(Duration::from_millis(1)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    #[test]
    fn a_child_ends_in_each_of_the_ways() {
        assert_eq!(in_child(SOON, || Ok(())).unwrap(), Ended::Well);
        let failed = in_child(SOON, || Err("no".repeat(1_000))).unwrap();
        assert_eq!(failed, Ended::Failed("no".repeat(MESSAGE / 2)));
        let killed = in_child(SOON, || std::process::abort()).unwrap();
        assert_eq!(killed, Ended::Killed(Signal::SIGABRT));
        let vanished = in_child(SOON, || {
            // SAFETY: ends the process.
            unsafe { libc::_exit(3) }
        });
        assert_eq!(vanished.unwrap(), Ended::Vanished(3));
    }

    #[test]
    fn a_child_that_hangs_is_killed() {
        let hung = in_child(Duration::from_millis(50), || {
            loop {
                thread::sleep(SOON);
            }
        });
        assert_eq!(hung.unwrap(), Ended::TooLate);
    }

    #[test]
    fn what_a_child_changes_stays_with_it() {
        let mut number = 1;
        let ended = in_child(SOON, || {
            number = 2;
            Ok(())
        });
        assert_eq!((ended.unwrap(), number), (Ended::Well, 1));
    }
}
