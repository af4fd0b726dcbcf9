use std::sync::Arc;

use compressor_api::{
    Capabilities, Direction, Format, LevelRange, OnFailure, Open, OpenError, Params, Policy,
    ProviderClass, ProviderEntry, Registry, Spec,
};
use compressor_decorator::{Accelerated, Guards, Options, Reason};

use super::misbehaving::{Behaves, ID, factory};

/// Opens a provider that behaves, with these capabilities.
#[derive(Debug)]
struct Opens(Vec<Capabilities>);

impl Open for Opens {
    fn open(&self, _: &Params) -> Result<Arc<dyn compressor_api::CompressorFactory>, OpenError> {
        let capabilities = Some(self.0.clone());
        Ok(factory(
            Arc::new(Behaves),
            compressor_deflate::factory(),
            capabilities,
        ))
    }
}

fn registry(capabilities: Vec<Capabilities>) -> Registry {
    let entry = ProviderEntry::new(
        ID,
        ProviderClass::Accelerator,
        "Behaves",
        &[Format::Zlib, Format::DeflateRaw],
        Box::leak(Box::new(Opens(capabilities))),
    );
    Registry::builder()
        .provider(&compressor_deflate::PROVIDER)
        .provider(Box::leak(Box::new(entry)))
        .build()
        .unwrap()
}

/// Why each direction is in software.
fn why(registry: &Registry, spec: &Spec, policy: &Policy) -> [Option<Reason>; 2] {
    let selection = registry.select(spec, policy).unwrap();
    let options = Options::new().on_operation_error(OnFailure::Fail);
    let accelerated = Accelerated::from_selection(&selection, &Guards::new(), options).unwrap();
    Direction::BOTH.map(|direction| accelerated.unaccelerated(direction))
}

#[test]
fn a_selections_verdict_is_the_reason_of_its_operations() {
    let spec = Spec::new(Format::Zlib);
    let compress = Capabilities::new(Format::Zlib, Direction::Compress);
    let decompress = Capabilities::new(Format::Zlib, Direction::Decompress);
    let default = Policy::default();

    let both = registry(vec![compress, decompress]);
    assert_eq!(why(&both, &spec, &default), [None, None]);
    let disabled = [Some(Reason::Disabled); 2];
    assert_eq!(why(&both, &spec, &Policy::software_only()), disabled);
    let assigned = Policy::default().assign(Format::Zlib, None, "software.deflate");
    assert_eq!(why(&both, &spec, &assigned), disabled);

    let one_way = registry(vec![compress]);
    assert_eq!(why(&one_way, &spec, &default), [None, Some(Reason::Absent)]);

    let slow = compress.with_levels(LevelRange::new(1, 3, 1));
    let levels = registry(vec![slow, decompress]);
    assert_eq!(why(&levels, &spec, &default), [Some(Reason::Level), None]);

    let window = compress.with_window(32 << 10);
    let narrow = spec.with_window_log(12).unwrap();
    let windows = registry(vec![window, decompress]);
    assert_eq!(
        why(&windows, &narrow, &default),
        [Some(Reason::Window), None]
    );
}

#[test]
fn a_provider_of_the_inner_format_accelerates_the_framed_one() {
    let registry = registry(
        Direction::BOTH
            .map(|direction| Capabilities::new(Format::DeflateRaw, direction))
            .to_vec(),
    );
    let spec = Spec::new(Format::Zlib);
    assert_eq!(why(&registry, &spec, &Policy::default()), [None, None]);
}
