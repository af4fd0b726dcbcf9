//! A provider whose device is not there, for tests.

use std::sync::Arc;
use std::time::Duration;

use compressor::{
    CompressorFactory, Format, Open, OpenError, ParamKind, ParamSpec, Params, ProviderClass,
    ProviderEntry, ProviderId,
};

/// The provider as listed: before all others, for `zlib`.
pub static PROVIDER: ProviderEntry = ProviderEntry::new(
    ProviderId::new("example.absent"),
    ProviderClass::Accelerator,
    "Looks for a device that does not exist",
    &[Format::Zlib],
    &Opener,
)
.with_priority(100)
.with_params(&[ParamSpec {
    name: "deadline",
    kind: ParamKind::Duration {
        min: Duration::from_micros(1),
        max: Duration::from_secs(1),
    },
    default: "5ms",
    doc: "how long to look for it",
}]);

struct Opener;

impl Open for Opener {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        Err(OpenError::Absent {
            why: "there is no /dev/example".into(),
        })
    }
}
