//! Sessions that a forked child inherits.

use compressor_api::Direction;
#[cfg(unix)]
use compressor_api::ErrorKind;

use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::stop::Stop;
use crate::target::Target;
#[cfg(unix)]
use crate::work::{Session, Work};

pub(super) static CHECKS: &[Check] = &[Check {
    name: "survives-fork",
    group: Group::Sessions,
    proves: "In a forked child, sessions made before give the right bytes or say Poisoned, and \
             the parent's go on.",
    proof: Proof::Operation {
        directions: &Direction::BOTH,
        cases,
        run: survives,
    },
}];

fn cases(target: &Target) -> Vec<Case> {
    target.by_each_writer_or_once(&target.cases(Kind::Text, &[4_097]))
}

#[cfg(not(unix))]
fn survives(_: &Target, _: &Case) -> Result<(), Stop> {
    Err(Stop::NotTried("this system does not fork".into()))
}

#[cfg(unix)]
fn survives(target: &Target, case: &Case) -> Result<(), Stop> {
    use std::time::Duration;

    use crate::fork::{Ended, in_child};

    /// What the child does takes milliseconds; this is for a busy host.
    const DEADLINE: Duration = Duration::from_secs(10);

    let work = Work::new(target, case)?;
    let compressor = target.compressor(case)?;
    let mut used = Session::of(target, &*compressor)?;
    used.serve(target, &work)?;
    let mut unused = Some(Session::of(target, &*compressor)?);

    let of_a_new_one = |why: String| format!("a new one {why}");
    let in_the_child = || {
        inherited(target, &mut used, &work).map_err(|why| format!("one in use {why}"))?;
        if let Some(mut unused) = unused.take() {
            inherited(target, &mut unused, &work).map_err(|why| format!("an unused one {why}"))?;
            // Ends here, not in the parent.
            drop(unused);
        }
        // One that is made in the child need not work, if only it does not lie.
        let Ok(mut new) = Session::of(target, &*compressor) else {
            return Ok(());
        };
        let called = new.call(target, work.src(target.direction), work.room());
        match called.map_err(said).map_err(of_a_new_one)? {
            failed if failed.kind().is_some() => Ok(()),
            called => work
                .check(target, &called)
                .map_err(said)
                .map_err(of_a_new_one),
        }
    };
    let deadline = DEADLINE.min(target.options.deadline / 2);
    let ended = in_child(deadline, in_the_child)
        .map_err(|error| Stop::NotTried(format!("the system does not fork: {error}")))?;
    let fault = |how: String| Err(Stop::fault(format!("of sessions in a forked child {how}")));
    match ended {
        Ended::Well => {}
        Ended::Failed(how) => return fault(how),
        Ended::Killed(signal) => return fault(format!("one died of {signal}")),
        Ended::Vanished(status) => {
            return fault(format!("one ended the process, with status {status}"));
        }
        Ended::TooLate => return fault(format!("one did not return within {deadline:?}")),
    }
    used.serve(target, &work)
        .map_err(|stop| Stop::prefixed("in the parent, after a child: ", stop))
}

/// Right bytes, or Poisoned; a decorator has software to serve with, and gives the bytes.
#[cfg(unix)]
fn inherited(target: &Target, session: &mut Session, work: &Work) -> Result<(), String> {
    let called = session.call(target, work.src(target.direction), work.room());
    let called = called.map_err(said)?;
    match called.kind() {
        Some(ErrorKind::Poisoned) if !target.subject.is_composed() => Ok(()),
        _ => work.check(target, &called).map_err(said),
    }
}

#[cfg(unix)]
fn said(stop: Stop) -> String {
    match stop {
        Stop::Fault(fault) => fault.message,
        Stop::NotTried(why) => why,
    }
}
