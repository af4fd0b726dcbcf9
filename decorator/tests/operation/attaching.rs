use std::sync::Arc;
use std::sync::atomic::Ordering;

use compressor_api::{Compressor, Direction, ErrorKind, Format, Spec};
use compressor_decorator::{Accelerated, Guards, Reason, Route, self_check};

use super::PLAIN;
use super::misbehaving::{Behaves, ID, PermanentError, PrivateFormat, error, selected};
use super::support::{Process, software, unlimited};

fn device(spec: &Spec, direction: Direction) -> compressor_api::Selected {
    let capabilities = unlimited(spec.format(), direction);
    selected(Arc::new(Behaves), capabilities, software(spec))
}

#[test]
fn sessions_in_use_take_up_an_accelerator_that_turns_up() {
    let spec = Spec::new(Format::Lz4Sized);
    let mut rig = Process::new().rig(&spec, PLAIN, []);
    for direction in Direction::BOTH {
        rig.run_times(direction, 2);
        let before = rig.counters(direction);
        assert_eq!(before.software_ops(Reason::Absent), before.software.ops);
        assert_eq!(
            rig.accelerated.unaccelerated(direction),
            Some(Reason::Absent)
        );

        rig.accelerated.attach(&device(&spec, direction)).unwrap();
        rig.run_times(direction, 2);
        let after = rig.counters(direction);
        assert_eq!(after.software, before.software);
        assert_eq!(after.accelerated, before.software);
        assert_eq!(rig.accelerated.unaccelerated(direction), None);
    }
}

#[test]
fn effective_names_who_really_serves_each_direction() {
    let spec = Spec::new(Format::Lz4Sized);
    let rig = Process::new().rig(&spec, PLAIN, []);
    let own = rig.software.effective().clone();
    let who = || {
        let effective = rig.accelerated.effective();
        [&effective.compress, &effective.decompress].map(|side| side.unwrap().provider)
    };
    let software = own.compress.unwrap().provider;
    assert_eq!(who(), [software; 2]);
    let attach = |direction| rig.accelerated.attach(&device(&spec, direction)).unwrap();
    attach(Direction::Decompress);
    assert_eq!(who(), [software, ID]);
    attach(Direction::Compress);
    assert_eq!(who(), [ID; 2]);
}

#[test]
fn each_direction_takes_one_accelerator_of_its_own_spec() {
    let spec = Spec::new(Format::Zlib);
    let accelerated = Accelerated::builder(software(&spec), &Guards::new())
        .accelerator(device(&spec, Direction::Compress))
        .build()
        .unwrap();
    let other = Spec::new(Format::Gzip);
    let level = spec.clone().with_level(1).unwrap();
    for misplaced in [
        device(&spec, Direction::Compress),
        device(&other, Direction::Decompress),
        device(&level, Direction::Decompress),
    ] {
        let error = accelerated.attach(&misplaced).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
    let twice = Accelerated::builder(software(&spec), &Guards::new())
        .accelerator(device(&spec, Direction::Compress))
        .accelerator(device(&spec, Direction::Compress))
        .build();
    assert_eq!(twice.unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn what_a_route_gave_to_software_takes_no_accelerator() {
    let spec = Spec::new(Format::Zlib);
    for direction in Direction::BOTH {
        let accelerated = Accelerated::builder(software(&spec), &Guards::new())
            .routes(direction, vec![Route::new(usize::MAX, None)])
            .build()
            .unwrap();
        let error = accelerated.attach(&device(&spec, direction)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let why = accelerated.unaccelerated(direction);
        assert_eq!(why, Some(Reason::Disabled));
    }
}

#[test]
fn a_direction_stays_free_after_an_accelerator_was_refused() {
    let spec = Spec::new(Format::Zlib);
    let accelerated = Accelerated::builder(software(&spec), &Guards::new())
        .build()
        .unwrap();
    let capabilities = unlimited(Format::Zlib, Direction::Compress);
    let private = selected(Arc::new(PrivateFormat), capabilities, software(&spec));
    assert!(accelerated.attach(&private).is_err());
    let why = accelerated.unaccelerated(Direction::Compress);
    assert_eq!(why, Some(Reason::Rejected));
    accelerated
        .attach(&device(&spec, Direction::Compress))
        .unwrap();
    assert_eq!(accelerated.unaccelerated(Direction::Compress), None);
}

#[test]
fn the_bound_and_the_declared_length_are_softwares() {
    let spec = Spec::new(Format::Zstd);
    let accelerators = Direction::BOTH.map(|direction| device(&spec, direction));
    let rig = Process::new().rig(&spec, PLAIN, accelerators);
    for len in [0, 1, 4_096, 1 << 20] {
        assert_eq!(
            rig.accelerated.max_compressed_len(len),
            rig.software.max_compressed_len(len)
        );
    }
    let unit = rig.unit(b"hello");
    assert_eq!(rig.accelerated.decompressed_len(&unit), Ok(Some(5)));
    assert_eq!(rig.accelerated.spec(), &spec);
    let text = format!("{:?}", rig.accelerated);
    assert!(text.contains("misbehaving"), "{text}");
}

#[test]
fn a_self_check_asks_nothing_beyond_the_limits() {
    let spec = Spec::new(Format::Zlib);
    // No unit of zlib is as short.
    let capabilities = unlimited(Format::Zlib, Direction::Decompress).with_input(0, 1);
    let fails = Arc::new(PermanentError::new(error(ErrorKind::Device)));
    let device = selected(fails.clone(), capabilities, software(&spec));
    assert_eq!(self_check(&device, &*software(&spec)), Ok(()));
    assert_eq!(fails.attempts.load(Ordering::Relaxed), 0);
}

#[test]
fn what_is_not_built_yet_can_be_printed_without_asking_the_provider() {
    let spec = Spec::new(Format::Zlib);
    let builder = Accelerated::builder(software(&spec), &Guards::new())
        .accelerator(device(&spec, Direction::Compress));
    assert!(format!("{builder:?}").contains("[Contained { .. }]"));
}
