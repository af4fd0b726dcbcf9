//! ISA-L for the tests, if this machine has it.

use std::io::Write;
use std::sync::{Arc, LazyLock};
use std::{env, io, process};

use compressor_api::{CompressorFactory, OpenError, Params};
use provider_isal::PROVIDER;

/// The opened provider. Without ISA-L on the machine it ends the test program with a word about it:
/// everything in there is about ISA-L. Successfully, unless `REQUIRE_ISAL` is set.
pub fn factory() -> Arc<dyn CompressorFactory> {
    static FACTORY: LazyLock<Arc<dyn CompressorFactory>> = LazyLock::new(|| match open(&[]) {
        Ok(factory) => factory,
        Err(OpenError::Absent { why }) => {
            // Not by a macro, whose output the test harness keeps for itself.
            let _ = writeln!(io::stderr(), "skipped, for want of ISA-L: {why}");
            process::exit(env::var_os("REQUIRE_ISAL").is_some().into())
        }
        Err(error) => panic!("{error}"),
    });
    Arc::clone(&FACTORY)
}

/// The provider opened with these parameters.
pub fn open(given: &[(&str, &str)]) -> Result<Arc<dyn CompressorFactory>, OpenError> {
    let params = Params::parse(PROVIDER.params, given.iter().copied())?;
    PROVIDER.opener.open(&params)
}
