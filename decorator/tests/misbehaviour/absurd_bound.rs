use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use compressor_api::{Compressor, Direction, ErrorKind, Format, OutputNeed, Spec};
use compressor_decorator::{Options, Reason, self_check};

use super::misbehaving::{Misbehaviour, selected};
use super::support::{Process, software, unlimited};
use super::{BLIND, assert_all_in_software};

/// Asks for this much output room, or for what the codec asks for while it is 0.
#[derive(Debug)]
struct Asks(AtomicUsize);

impl Misbehaviour for Asks {
    fn bound(&self, codec: Option<usize>) -> Option<usize> {
        match self.0.load(Ordering::Relaxed) {
            0 => codec,
            room => Some(room),
        }
    }
}

/// More than can be allocated, more than can be counted, and more than anybody needs.
const ABSURD: [usize; 3] = [1 << 46, usize::MAX, 1 << 30];

#[test]
fn a_device_that_asks_for_absurd_room_fails_its_self_check() {
    let spec = Spec::new(Format::Zlib);
    for room in ABSURD {
        for need in [OutputNeed::Exact, OutputNeed::Bound] {
            let asks = Arc::new(Asks(AtomicUsize::new(room)));
            let capabilities = unlimited(Format::Zlib, Direction::Compress).with_output(need);
            let device = selected(asks, capabilities, software(&spec));
            let error = self_check(&device, &*software(&spec)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Device);
            let mut rig = Process::new().rig(&spec, Options::new(), [device]);
            rig.run_times(Direction::Compress, 3);
            assert_all_in_software(&rig, Direction::Compress, Reason::Rejected);
        }
    }
}

#[test]
fn a_bound_that_grows_absurd_in_operation_does_not_reach_the_caller() {
    let spec = Spec::new(Format::Zlib);
    for room in ABSURD {
        let asks = Arc::new(Asks(AtomicUsize::new(0)));
        let capabilities =
            unlimited(Format::Zlib, Direction::Compress).with_output(OutputNeed::Bound);
        let device = selected(asks.clone(), capabilities, software(&spec));
        let mut rig = Process::new().rig(&spec, BLIND, [device]);
        rig.run_times(Direction::Compress, 3);
        assert_eq!(rig.counters(Direction::Compress).accelerated.ops, 3);

        asks.0.store(room, Ordering::Relaxed);
        assert_eq!(
            rig.accelerated.max_compressed_len(3_000),
            rig.software.max_compressed_len(3_000)
        );
        rig.run_times(Direction::Compress, 3);
        let counters = rig.counters(Direction::Compress);
        assert_eq!(counters.software_ops(Reason::AboveMax), 3);
    }
}
