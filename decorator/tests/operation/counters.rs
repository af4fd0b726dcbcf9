use std::sync::Arc;

use compressor_api::{Compressor, Direction, Format};
use compressor_decorator::Reason;

use super::misbehaving::Behaves;
use super::support::unlimited;
use super::{PLAIN, rig};

#[test]
fn bytes_are_counted_on_the_side_that_served_them() {
    let capabilities = unlimited(Format::None, Direction::Compress).with_input(0, 100);
    let mut rig = rig(capabilities, PLAIN, Arc::new(Behaves));
    for _ in 0..3 {
        rig.try_compress(&[7; 100], 100).unwrap();
        rig.try_compress(&[7; 101], 101).unwrap();
    }
    rig.try_compress(&[7; 101], 100).unwrap_err();
    let counters = rig.counters(Direction::Compress);
    let side = counters.accelerated;
    assert_eq!((side.ops, side.bytes_in, side.bytes_out), (3, 300, 300));
    let side = counters.software;
    assert_eq!((side.ops, side.bytes_in, side.bytes_out), (4, 404, 303));
    assert_eq!(counters.software_ops(Reason::AboveMax), 4);
}

#[test]
fn counts_of_sessions_add_up_while_they_work_and_after() {
    let capabilities = unlimited(Format::None, Direction::Compress);
    let rig = rig(capabilities, PLAIN, Arc::new(Behaves));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let mut session = rig.accelerated.compress_session().unwrap();
                    for _ in 0..100 {
                        session.compress(b"abc", &mut [0; 3]).unwrap();
                    }
                }
            });
        }
        // Reading meanwhile never shows less than before.
        let mut last = 0;
        for _ in 0..100 {
            let ops = rig.counters(Direction::Compress).accelerated.ops;
            assert!(ops >= last);
            last = ops;
        }
    });
    assert_eq!(rig.counters(Direction::Compress).accelerated.ops, 4_000);
}
