use std::sync::Arc;

use compressor_api::{Capabilities, DecompressSession, Direction, Error, ErrorKind, Format, Spec};
use compressor_decorator::{BreakerState, Reason, self_check};

use super::misbehaving::{Behaves, Misbehaviour, PermanentError, error, selected};
use super::support::{Process, software, text, unlimited};
use super::{ALWAYS, BLIND, assert_all_in_software, rig};

#[test]
fn bad_data_does_not_count_against_the_device() {
    for format in Format::ALL.into_iter().filter(|f| *f != Format::None) {
        let (_process, mut rig) = rig(format, BLIND, Arc::new(Behaves));
        let mut out = vec![0; 3_000];
        let mut unit = rig.unit(&text(1, 3_000));
        unit.truncate(unit.len() - 1);
        for _ in 0..200 {
            let error = rig.decompress.decompress(&unit, &mut out).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CorruptInput, "{format}");
        }
        assert_all_in_software(&rig, Direction::Decompress, Reason::BadInput);
        assert_eq!(rig.state(Direction::Decompress), BreakerState::Closed);
    }
}

#[test]
fn a_device_that_calls_good_data_bad_does_count() {
    let behaviour = Arc::new(PermanentError::new(error(ErrorKind::CorruptInput)));
    let (_process, mut rig) = rig(Format::Zlib, BLIND, behaviour);
    rig.run_times(Direction::Decompress, 4);
    assert_all_in_software(&rig, Direction::Decompress, Reason::DeviceError);
    assert_eq!(rig.state(Direction::Decompress), BreakerState::Open);
}

#[test]
fn a_lax_device_does_not_make_bad_data_good_where_it_is_looked_at() {
    /// Drops the last four bytes, the checksum, and never looks at them.
    #[derive(Debug)]
    struct IgnoresChecksum;
    impl Misbehaviour for IgnoresChecksum {
        fn decompress(
            &self,
            _: &mut dyn DecompressSession,
            _: &Spec,
            src: &[u8],
            dst: &mut [u8],
        ) -> Result<usize, Error> {
            let body = &src[2..src.len() - 4];
            software(&Spec::new(Format::DeflateRaw))
                .decompress_session()?
                .decompress(body, dst)
        }
    }
    // The self-check finds it.
    let spec = Spec::new(Format::Zlib);
    let device = || {
        let capabilities: Capabilities = unlimited(Format::Zlib, Direction::Decompress);
        selected(Arc::new(IgnoresChecksum), capabilities, software(&spec))
    };
    assert!(self_check(&device(), &*software(&spec)).is_err());

    // So does verification, but bad data is nobody's proof.
    let mut rig = Process::new().rig(&spec, ALWAYS, [device()]);
    let mut unit = rig.unit(&text(1, 3_000));
    *unit.last_mut().unwrap() ^= 1;
    for _ in 0..100 {
        let error = rig
            .decompress
            .decompress(&unit, &mut [0; 3_000])
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CorruptInput);
    }
    assert_all_in_software(&rig, Direction::Decompress, Reason::BadInput);
    assert_eq!(rig.counters(Direction::Decompress).mismatches, 0);
    assert_eq!(rig.state(Direction::Decompress), BreakerState::Closed);
}

#[test]
fn a_unit_that_decoders_may_refuse_does_not_count() {
    // A match of distance 0, which the reference library reads and others refuse.
    let block = b"\x10A\0\0\x50BBBBB";
    let sized = [&10_u32.to_le_bytes()[..], block].concat();
    for (format, unit) in [(Format::Lz4Block, &block[..]), (Format::Lz4Sized, &sized)] {
        let behaviour = Arc::new(PermanentError::new(error(ErrorKind::CorruptInput)));
        let (_process, mut rig) = rig(format, BLIND, behaviour);
        let read = rig.software.decompress_session().unwrap();
        let expected = { read }.decompress(unit, &mut [0; 10]);
        for _ in 0..100 {
            assert_eq!(rig.decompress.decompress(unit, &mut [0; 10]), expected);
        }
        assert_all_in_software(&rig, Direction::Decompress, Reason::BadInput);
        assert_eq!(rig.state(Direction::Decompress), BreakerState::Closed);
    }
}

/// A unit of 3,000 bytes that declares a window of 256 and keeps to 32 KiB.
fn understated(rig: &super::support::Rig) -> Vec<u8> {
    let mut unit = rig.unit(&text(1, 3_000));
    unit[0] = 0x08;
    unit[1] = 31 - (u16::from_be_bytes([unit[0], 0]) % 31) as u8;
    unit
}

#[test]
fn a_zlib_unit_that_understates_its_window_does_not_count() {
    let behaviour = Arc::new(PermanentError::new(error(ErrorKind::CorruptInput)));
    let (_process, mut rig) = rig(Format::Zlib, BLIND, behaviour);
    let unit = understated(&rig);
    let mut decoded = vec![0; 3_000];
    for _ in 0..100 {
        assert_eq!(rig.decompress.decompress(&unit, &mut decoded), Ok(3_000));
        assert!(decoded == text(1, 3_000));
    }
    assert_all_in_software(&rig, Direction::Decompress, Reason::BadInput);
    assert_eq!(rig.state(Direction::Decompress), BreakerState::Closed);

    // Content that fits the declared window is no excuse.
    let mut unit = rig.unit(&text(1, 256));
    (unit[0], unit[1]) = (0x08, 0x1D);
    while rig.state(Direction::Decompress) == BreakerState::Closed {
        assert_eq!(rig.decompress.decompress(&unit, &mut decoded), Ok(256));
    }
    let counters = rig.counters(Direction::Decompress);
    assert_eq!(counters.software_ops(Reason::DeviceError), 8);
}

#[test]
fn an_understated_window_does_not_excuse_other_faults() {
    let behaviour = Arc::new(PermanentError::new(error(ErrorKind::Device)));
    let (_process, mut rig) = rig(Format::Zlib, BLIND, behaviour);
    let unit = understated(&rig);
    for _ in 0..8 {
        let n = rig.decompress.decompress(&unit, &mut [0; 3_000]);
        assert_eq!(n, Ok(3_000));
    }
    assert_eq!(rig.state(Direction::Decompress), BreakerState::Open);
}
