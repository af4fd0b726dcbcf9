use std::sync::Arc;

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Dictionary, DictionarySupport, Direction,
    Effective, Error, ErrorKind, Format, LevelRange, OutputNeed, Selected, Spec,
};
use compressor_decorator::Reason;

use super::misbehaving::{Behaves, Codec, ID, Misbehaviour, selected};
use super::support::{Process, Rig, software, text, unlimited};
use super::{FORMATS_WITH_WINDOW, PLAIN, rig};

/// Runs one operation and says where it ran.
fn served_by(rig: &mut Rig, direction: Direction, content: &[u8]) -> Option<Reason> {
    let before = rig.counters(direction);
    match direction {
        Direction::Compress => rig.run(direction, content),
        Direction::Decompress => {
            let unit = rig.unit(content);
            let mut decoded = vec![0; content.len()];
            let n = rig.decompress.decompress(&unit, &mut decoded);
            assert_eq!(n, Ok(content.len()));
            assert!(decoded == content);
        }
    }
    let after = rig.counters(direction);
    assert_eq!(
        after.accelerated.ops + after.software.ops,
        before.accelerated.ops + before.software.ops + 1
    );
    after
        .reasons()
        .find(|(reason, ops)| *ops > before.software_ops(*reason))
        .map(|(reason, _)| reason)
}

#[test]
fn input_is_offered_at_each_limit_and_not_one_past_it() {
    let capabilities = unlimited(Format::Zlib, Direction::Compress).with_input(100, 1_000);
    let mut rig = rig(capabilities, PLAIN, Arc::new(Behaves));
    for (len, reason) in [
        (0, Some(Reason::BelowMin)),
        (99, Some(Reason::BelowMin)),
        (100, None),
        (1_000, None),
        (1_001, Some(Reason::AboveMax)),
    ] {
        let served = served_by(&mut rig, Direction::Compress, &text(1, len));
        assert_eq!(served, reason, "{len}");
    }
}

#[test]
fn output_is_offered_at_its_limit_and_not_one_past_it() {
    for format in Format::ALL {
        let capabilities = unlimited(format, Direction::Decompress).with_max_output(1_000);
        let mut rig = rig(capabilities, PLAIN, Arc::new(Behaves));
        for (len, reason) in [(1_000, None), (1_001, Some(Reason::AboveMax))] {
            let served = served_by(&mut rig, Direction::Decompress, &text(1, len));
            assert_eq!(served, reason, "{format} {len}");
        }
    }
}

#[test]
fn a_device_that_needs_the_bound_is_offered_no_less() {
    let capabilities = unlimited(Format::Zlib, Direction::Compress).with_output(OutputNeed::Bound);
    let mut rig = rig(capabilities, PLAIN, Arc::new(Behaves));
    let content = text(1, 3_000);
    let bound = rig.software.max_compressed_len(content.len()).unwrap();
    rig.try_compress(&content, bound - 1).unwrap();
    let counters = rig.counters(Direction::Compress);
    assert_eq!(counters.software_ops(Reason::OutputShort), 1);
    rig.try_compress(&content, bound).unwrap();
    assert_eq!(rig.counters(Direction::Compress).accelerated.ops, 1);
}

#[test]
fn the_bound_is_enough_for_a_device_that_needs_more_than_software() {
    /// Says twice what the codec says.
    #[derive(Debug)]
    struct Wide(Arc<dyn Compressor>);
    impl Compressor for Wide {
        fn spec(&self) -> &Spec {
            self.0.spec()
        }

        fn effective(&self) -> &Effective {
            self.0.effective()
        }

        fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
            self.0.max_compressed_len(src_len).map(|len| 2 * len)
        }

        fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
            self.0.decompressed_len(src)
        }

        fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
            self.0.compress_session()
        }

        fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
            self.0.decompress_session()
        }
    }
    let spec = Spec::new(Format::Zlib);
    for (output, times) in [(OutputNeed::Bound, 2), (OutputNeed::Exact, 1)] {
        let capabilities = unlimited(Format::Zlib, Direction::Compress).with_output(output);
        let device = Selected::new(ID, capabilities, Arc::new(Wide(software(&spec))));
        let mut rig = Process::new().rig(&spec, PLAIN, [device]);
        let softwares = rig.software.max_compressed_len(3_000).unwrap();
        let bound = rig.accelerated.max_compressed_len(3_000);
        assert_eq!(bound, Some(times * softwares));
        rig.run(Direction::Compress, &text(1, 3_000));
        assert_eq!(rig.counters(Direction::Compress).accelerated.ops, 1);
    }
}

#[test]
fn a_unit_that_reaches_back_too_far_is_not_offered() {
    for format in FORMATS_WITH_WINDOW {
        let with_window = |window| {
            let capabilities = unlimited(format, Direction::Decompress).with_window(window);
            rig(capabilities, PLAIN, Arc::new(Behaves))
        };
        // zlib: 32 KiB whatever the content. zstd: the content, in a single segment.
        let needs = if format == Format::Zlib {
            32 << 10
        } else {
            3_000
        };
        let content = text(1, 3_000);
        let served = served_by(&mut with_window(needs), Direction::Decompress, &content);
        assert_eq!(served, None, "{format}");
        let served = served_by(&mut with_window(needs - 1), Direction::Decompress, &content);
        assert_eq!(served, Some(Reason::Window), "{format}");
    }
}

#[test]
fn the_call_for_an_exact_length_passes_the_same_gates() {
    let capabilities = unlimited(Format::Zlib, Direction::Decompress).with_window((32 << 10) - 1);
    let mut rig = rig(capabilities, PLAIN, Arc::new(Behaves));
    let content = text(1, 3_000);
    let unit = rig.unit(&content);
    let mut decoded = vec![0; content.len()];
    rig.decompress
        .decompress_exact(&unit, &mut decoded)
        .unwrap();
    assert_eq!(decoded, content);
    let counters = rig.counters(Direction::Decompress);
    assert_eq!(counters.software_ops(Reason::Window), 1);
    assert_eq!(counters.accelerated.ops, 0);
}

#[test]
fn an_exact_length_that_the_header_denies_is_not_believed() {
    /// Says that it filled the whole buffer.
    #[derive(Debug)]
    struct Fills;
    impl Misbehaviour for Fills {
        fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
            codec(dst).map(|_| dst.len())
        }
    }
    let capabilities = unlimited(Format::Zstd, Direction::Decompress);
    let mut rig = rig(capabilities, PLAIN, Arc::new(Fills));
    let unit = rig.unit(&text(1, 3_000));
    let exact = rig.decompress.decompress_exact(&unit, &mut [0; 3_001]);
    assert!(exact.is_err());
    assert_eq!(rig.counters(Direction::Decompress).implausible, 1);
}

#[test]
fn lz4_that_software_wrote_beyond_a_devices_history_goes_to_software() {
    // As QAT: 32 KiB of history.
    let capabilities = unlimited(Format::Lz4Sized, Direction::Decompress).with_window(32 << 10);
    let mut rig = rig(capabilities, PLAIN, Arc::new(Behaves));
    let served = served_by(&mut rig, Direction::Decompress, &text(1, 32 << 10));
    assert_eq!(served, None);
    let served = served_by(&mut rig, Direction::Decompress, &text(1, (32 << 10) + 1));
    assert_eq!(served, Some(Reason::Window));
}

#[test]
fn an_output_buffer_that_cannot_do_costs_no_device_time() {
    let mut rig = rig(
        unlimited(Format::Zstd, Direction::Decompress),
        PLAIN,
        Arc::new(Behaves),
    );
    let unit = rig.unit(&text(1, 3_000));
    let short = rig.decompress.decompress(&unit, &mut [0; 2_999]);
    assert_eq!(short.unwrap_err().kind(), ErrorKind::OutputTooSmall);
    let counters = rig.counters(Direction::Decompress);
    assert_eq!(counters.software_ops(Reason::OutputShort), 1);
    assert_eq!(counters.accelerator_errors(ErrorKind::OutputTooSmall), 0);
}

#[test]
fn a_frame_that_needs_another_dictionary_is_not_offered() {
    let dictionary = |seed| {
        let samples: Vec<Vec<u8>> = (0..500_u64).map(|n| text(seed + n, 300)).collect();
        let samples: Vec<&[u8]> = samples.iter().map(|sample| &sample[..]).collect();
        compressor_zstd::train(&samples, 4_096).unwrap()
    };
    let own = Spec::new(Format::Zstd)
        .with_dictionary(dictionary(0))
        .unwrap();
    let other = Spec::new(Format::Zstd)
        .with_dictionary(dictionary(1_000_000))
        .unwrap();
    let capabilities =
        unlimited(Format::Zstd, Direction::Decompress).with_dictionary(DictionarySupport::Any);
    let device = selected(Arc::new(Behaves), capabilities, software(&own));
    let mut rig = Process::new().rig(&own, PLAIN, [device]);
    let content = text(1, 3_000);
    assert_eq!(served_by(&mut rig, Direction::Decompress, &content), None);

    let mut unit = vec![0; 4_000];
    let n = software(&other)
        .compress_session()
        .unwrap()
        .compress(&content, &mut unit)
        .unwrap();
    let wrong = rig.decompress.decompress(&unit[..n], &mut [0; 3_000]);
    assert_eq!(wrong.unwrap_err().kind(), ErrorKind::WrongDictionary);
    let counters = rig.counters(Direction::Decompress);
    assert_eq!(counters.software_ops(Reason::Dictionary), 1);
    assert_eq!(counters.accelerated.ops, 1);
}

#[test]
fn a_device_that_falls_short_of_the_spec_is_left_out() {
    let dictionary = Dictionary::raw(text(9, 4_000)).unwrap();
    let with_dictionary = Spec::new(Format::Zstd).with_dictionary(dictionary).unwrap();
    let fast = LevelRange::new(1, 3, 1);
    for (spec, capabilities, reason) in [
        (
            with_dictionary,
            unlimited(Format::Zstd, Direction::Compress),
            Reason::Dictionary,
        ),
        (
            Spec::new(Format::Zlib),
            unlimited(Format::Zlib, Direction::Compress).with_levels(fast),
            Reason::Level,
        ),
    ] {
        let device = selected(Arc::new(Behaves), capabilities, software(&spec));
        let mut rig = Process::new().rig(&spec, PLAIN, [device]);
        let served = served_by(&mut rig, Direction::Compress, &text(1, 3_000));
        assert_eq!(served, Some(reason));
    }
}
