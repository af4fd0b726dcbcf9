//! Calls into a provider, whose panics and endless waits stop here.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::stop::Stop;

/// What the call returns, or what it said when it panicked.
pub(crate) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| {
        let message = format!("panicked: {}", message(&*payload));
        // What was thrown is the provider's too, and its drop may panic again: it is leaked.
        mem::forget(payload);
        message
    })
}

/// The same, for what can fail by itself: a panic is a fault like any other.
pub(crate) fn contained<T>(call: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
    caught(call).unwrap_or_else(|message| Err(Stop::panicked(message)))
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// It panicked, and said this.
    Panicked(String),
    /// It has not returned, or was never asked.
    Late(String),
}

/// What the call returns within `deadline`; it runs on a thread of its own, which is left behind
/// if it does not.
pub(crate) fn asked<T: Send + 'static>(
    deadline: Duration,
    call: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Unanswered> {
    let (answer, answered) = mpsc::channel();
    thread::Builder::new()
        .spawn(move || {
            // Nobody listens any more if this took too long.
            let _ = answer.send(caught(call));
        })
        .map_err(|error| Unanswered::Late(format!("no thread to ask it on: {error}")))?;
    answered
        .recv_timeout(deadline)
        .map_err(|_| Unanswered::Late(format!("did not return within {deadline:?}")))?
        .map_err(Unanswered::Panicked)
}

fn message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use std::panic::panic_any;

    use super::*;

    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_any(Self);
        }
    }

    #[test]
    fn what_was_thrown_is_said_and_never_dropped() {
        assert_eq!(caught(|| 1), Ok(1));
        assert_eq!(
            caught(|| -> () { panic!("at {}", 1) }),
            Err("panicked: at 1".into())
        );
        let nothing = "panicked: without a message".to_owned();
        assert_eq!(caught(|| -> () { panic_any(Bomb) }), Err(nothing.clone()));
        let stop = contained(|| -> Result<(), Stop> { panic_any(Bomb) }).unwrap_err();
        assert!(matches!(stop, Stop::Fault(fault) if fault.panicked && fault.message == nothing));
    }

    #[test]
    fn nobody_waits_for_an_answer_that_does_not_come() {
        let long = Duration::from_secs(600);
        assert_eq!(asked(long, || 1).unwrap(), 1);
        let panicked = asked(long, || -> () { panic_any(Bomb) }).unwrap_err();
        assert!(matches!(panicked, Unanswered::Panicked(_)));
        let late = asked(Duration::from_millis(1), move || thread::sleep(long)).unwrap_err();
        assert!(matches!(late, Unanswered::Late(why) if why == "did not return within 1ms"));
    }
}
