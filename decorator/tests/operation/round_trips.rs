use std::sync::Arc;

use compressor_api::{Compressor, Direction, Format, Selected, Spec};
use compressor_decorator::Options;
use proptest::prelude::*;

use super::support::{Process, Rig, codec};

/// libdeflate before zlib, for real.
fn libdeflate(spec: &Spec) -> Rig {
    let provider = provider_libdeflate::factory();
    let accelerators = provider
        .capabilities()
        .iter()
        .filter(|capabilities| capabilities.format == spec.format())
        .map(|capabilities| {
            Selected::new(
                provider.id(),
                *capabilities,
                provider.compressor(spec).unwrap(),
            )
        })
        .collect::<Vec<_>>();
    assert_eq!(accelerators.len(), 2);
    Process::new().rig(spec, Options::new(), accelerators)
}

const DEFLATE: [Format; 3] = [Format::Zlib, Format::DeflateRaw, Format::Gzip];

#[test]
fn libdeflate_passes_its_self_check_at_every_level() {
    for format in DEFLATE {
        for level in 0..=9 {
            let spec = Spec::new(format).with_level(level).unwrap();
            let rig = libdeflate(&spec);
            for direction in Direction::BOTH {
                let why = rig.accelerated.unaccelerated(direction);
                assert_eq!(why, None, "{format} {level}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_libdeflate_and_zlib_make_of_it_is_the_same(
        content in proptest::collection::vec(0_u8..16, 0..70_000),
        format in 0_usize..3,
    ) {
        let mut rig = libdeflate(&Spec::new(DEFLATE[format]));
        for direction in Direction::BOTH {
            rig.run(direction, &content);
            prop_assert_eq!(rig.counters(direction).software.ops, 0);
        }
    }
}

#[test]
fn exact_room_does_and_one_byte_less_does_not() {
    use compressor_api::ErrorKind;
    for format in Format::ALL {
        let spec = Spec::new(format);
        let codec: Arc<dyn Compressor> = codec(format).compressor(&spec).unwrap();
        let accelerators = Direction::BOTH.map(|direction| {
            let capabilities = super::support::unlimited(format, direction);
            Selected::new(super::misbehaving::ID, capabilities, codec.clone())
        });
        let mut rig = Process::new().rig(&spec, super::PLAIN, accelerators);
        let content = super::support::text(1, 3_000);
        let unit = rig.unit(&content);
        assert_eq!(rig.try_compress(&content, unit.len()).unwrap(), unit);
        let short = rig.try_compress(&content, unit.len() - 1).unwrap_err();
        assert_eq!(short.kind(), ErrorKind::OutputTooSmall, "{format}");

        let mut out = vec![0; content.len() - 1];
        let short = rig.decompress.decompress(&unit, &mut out).unwrap_err();
        assert_eq!(short.kind(), ErrorKind::OutputTooSmall, "{format}");
        for len in [content.len() - 1, content.len() + 1] {
            let mut out = vec![0; len];
            let not_exact = rig
                .decompress
                .decompress_exact(&unit, &mut out)
                .unwrap_err();
            assert_eq!(not_exact.kind(), ErrorKind::CorruptInput, "{format}");
        }
    }
}
