//! A template for plugins in Rust.
//!
//! `cargo build --release` makes `libexample_plugin_rust.so`; `compressor list --plugin PATH` shows
//! it. Give the provider a name of yours, and open what you have in place of the copying codec:
//! `compressor_api::stored` is a complete provider to start from.

use std::sync::Arc;

use compressor_api::{
    CompressorFactory, Format, Open, OpenError, Params, ProviderClass, ProviderEntry, ProviderId,
    stored,
};

compressor_plugin::export_plugin!(PROVIDER);

static PROVIDER: ProviderEntry = ProviderEntry::new(
    ProviderId::new("example.rust"),
    ProviderClass::Accelerator,
    "Copies, as an example of a plugin in Rust",
    &[Format::None],
    &Opener,
);

struct Opener;

impl Open for Opener {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        // Load the library and probe the device here. None there: `OpenError::Absent`.
        Ok(stored::factory())
    }
}
