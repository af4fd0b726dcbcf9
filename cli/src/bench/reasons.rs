//! What the reasons for software mean.

use std::collections::BTreeSet;

use compressor::decorator::Reason;

use super::measure::Cell;

/// A line for each reason that was counted.
pub fn legend(cells: &[Cell]) -> Vec<String> {
    let paths = cells.iter().flat_map(|cell| &cell.paths);
    let counted = paths.flat_map(|path| path.reasons.iter().map(|(reason, _)| *reason));
    let counted: BTreeSet<Reason> = counted.collect();
    let lines = counted.into_iter();
    lines
        .map(|reason| format!("{reason}: {}.", meaning(reason)))
        .collect()
}

const fn meaning(reason: Reason) -> &'static str {
    match reason {
        Reason::BelowMin => "the block is shorter than the accelerator takes",
        Reason::AboveMax => "the block is longer than the accelerator takes",
        Reason::OutputShort => "the accelerator needs more room for its output than there was",
        Reason::Window => "the unit may reach back further than the accelerator can",
        Reason::Dictionary => "the accelerator does not have the dictionary",
        Reason::Level => "the accelerator does not serve the level",
        Reason::BreakerOpen => "the accelerator failed too often and is left alone for a while",
        Reason::Quarantined => "the accelerator returned wrong bytes or broke its contract",
        Reason::Saturated => "the accelerator was busy",
        Reason::DeviceError => "the accelerator failed",
        Reason::Timeout => "the accelerator did not finish in time",
        Reason::Rejected => "the accelerator refused what it says it takes, or failed its check",
        Reason::Mismatch => "verification found the accelerator's result wrong",
        Reason::SessionLost => "the accelerator lost its session",
        Reason::Forked => "the accelerator's session was made before the process forked",
        Reason::Disabled => "the configuration gives the work to software",
        Reason::Absent => "there is no accelerator for it",
        Reason::BadInput => "the input is not an intact unit of the format",
        Reason::SilentSoftware => "the accelerator's library did the work on the CPU",
    }
}
