//! `--list`.

use std::io::Write;

use compressor_conformance::{checks, matrix, outside};

use crate::failure::Failure;
use crate::print;

/// The check that is about acceleration alone.
pub const ACCELERATES: &str = "accelerates";

/// One for each implementation; which those are shows when they are looked for.
const OUTSIDE: &str = "outside:NAME";

const OUTSIDE_PROVES: &str =
    "What the implementation NAME writes is read, and the other way round.";

/// Every check: its name, its group, and what it proves.
fn all() -> impl Iterator<Item = [&'static str; 3]> {
    let suite = checks().map(|check| [check.name(), check.group().name(), check.proves()]);
    suite.chain([
        [matrix::CHECK, matrix::GROUP, matrix::PROVES],
        [OUTSIDE, outside::GROUP, OUTSIDE_PROVES],
    ])
}

/// Whether a check or a group is called so.
pub fn is_known(name: &str) -> bool {
    let outside = name.strip_prefix(outside::GROUP);
    outside.is_some_and(|rest| rest.starts_with(':'))
        || all().any(|[check, group, _]| name == check || name == group)
}

/// Prints every check with what it proves.
pub fn print(out: &mut dyn Write) -> Result<(), Failure> {
    let rows = all().map(|check| check.map(str::to_owned).to_vec());
    print::table(&["check", "group", "proves"], &[], rows, out)
}
