//! ISA-L, if this machine has it.

use std::io::Write;
use std::{env, io};

use compressor::{Engine, OpenError};

/// Whether an engine has ISA-L; if not, a test says that it is skipped, or fails where
/// `REQUIRE_ISAL` is set.
pub fn is_there(engine: &Engine) -> bool {
    match engine.registry().open("isal") {
        Ok(_) => true,
        Err(OpenError::Absent { why }) => {
            assert!(env::var_os("REQUIRE_ISAL").is_none(), "{why}");
            // Not by a macro, whose output the test harness keeps for itself.
            let _ = writeln!(io::stderr(), "skipped, for want of ISA-L: {why}");
            false
        }
        Err(error) => panic!("{error}"),
    }
}
