//! A reader whose accelerator fails one call in ten.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chunk_file::{Reader, ReaderOptions};
use compressor::Compressor;
use compressor::decorator::{Accelerated, Guards, Options, Verify};
use compressor_api::{Capabilities, DecompressSession, Direction, Error, ErrorKind, Spec};

use crate::misbehaving::{self, Misbehaviour};
use crate::support::{CLASSES, ENGINE, made, mixed, params};

const THREADS: u64 = 16;

/// Scribbles and fails, one call in ten; or, if it lies, says OK all the same.
#[derive(Debug)]
struct FailsOneInTen {
    lies: bool,
    calls: AtomicU64,
}

impl Misbehaviour for FailsOneInTen {
    fn decompress(
        &self,
        codec: &mut dyn DecompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let n = codec.decompress(src, dst)?;
        if self.calls.fetch_add(1, Ordering::Relaxed) % 10 == 9 {
            dst[..n]
                .iter_mut()
                .step_by(7)
                .for_each(|byte| *byte ^= 0x55);
            if !self.lies {
                return Err(misbehaving::error(ErrorKind::Device));
            }
        }
        Ok(n)
    }
}

/// A codec whose reading is left to somebody who behaves like that.
fn accelerated(behaviour: Arc<impl Misbehaviour>, spec: &Spec, verify: Verify) -> Arc<Accelerated> {
    let software: Arc<dyn Compressor> = ENGINE.select(spec).unwrap().software;
    let capabilities = Capabilities::new(spec.format(), Direction::Decompress);
    let selected = misbehaving::selected(behaviour, capabilities, software.clone());
    let accelerated = Accelerated::builder(software, &Guards::new())
        .accelerator(selected)
        .options(Options::new().verify(verify).without_self_check())
        .build();
    Arc::new(accelerated.unwrap())
}

#[test]
fn sixteen_threads_read_no_wrong_byte() {
    let content = mixed(400_000);
    let params = params(CLASSES[0], 4, "1.1");
    let (_dir, pair) = made(&params, &content);
    for (lies, verify) in [(false, Verify::default()), (true, Verify::Always)] {
        let behaviour = Arc::new(FailsOneInTen {
            lies,
            calls: AtomicU64::new(0),
        });
        let accelerated = accelerated(behaviour.clone(), params.spec(), verify);
        let options = ReaderOptions::default().crc_check_chance(0.5);
        let reader = Reader::open_as(&pair, accelerated.clone(), options).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (reader, content) = (&reader, &content);
                scope.spawn(move || read_about(reader, content, thread));
            }
        });
        let counters = accelerated.counters().decompress;
        assert!(counters.accelerated.ops > 0, "{counters:?}");
        assert!(counters.software.ops > 0, "{counters:?}");
        let caught = counters.mismatches + counters.accelerator_errors(ErrorKind::Device);
        assert!(caught > 0, "{counters:?}");
        assert!(behaviour.calls.load(Ordering::Relaxed) >= 10);
    }
}

/// Reads here and there, by every way there is.
fn read_about(reader: &Reader, content: &[u8], thread: u64) {
    let len = content.len() as u64;
    let mut place = thread;
    for _ in 0..60 {
        place = (place * 6_364_136_223 + 1_442_695_041) % (len - 9000);
        let mut buf = vec![0; 9000];
        reader.read_at(place, &mut buf).unwrap();
        assert!(buf == content[place as usize..][..9000]);

        let ranges: Vec<_> = (0..20_u64)
            .map(|i| (place + i * 3571) % (len - 100))
            .map(|start| start..start + 100)
            .collect();
        for (range, result) in ranges.iter().zip(reader.read_many(&ranges)) {
            assert!(result.unwrap() == content[range.start as usize..range.end as usize]);
        }
    }
    let mut all = Vec::new();
    std::io::Read::read_to_end(&mut reader.sequential(), &mut all).unwrap();
    assert!(all == content);
}

/// Says that a byte less came of it.
#[derive(Debug)]
struct OneByteShort;

impl Misbehaviour for OneByteShort {
    fn decompress(
        &self,
        codec: &mut dyn DecompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        Ok(codec.decompress(src, dst)? - 1)
    }
}

#[test]
fn a_content_that_came_out_short_is_not_called_corrupt_before_software_has_read_it() {
    let content = mixed(100_000);
    // Its units do not say how long they are.
    let params = params(CLASSES[4], 4, "0");
    let (_dir, pair) = made(&params, &content);
    let accelerated = accelerated(Arc::new(OneByteShort), params.spec(), Verify::Never);
    let reader = Reader::open_as(&pair, accelerated.clone(), ReaderOptions::default()).unwrap();
    let half = content.len() as u64 / 2;
    let halves = reader.read_many(&[0..half, half..2 * half]);
    let halves: Vec<_> = halves.into_iter().map(Result::unwrap).collect();
    assert!(halves.concat() == content);
    assert!(accelerated.counters().decompress.software.ops > 0);
}
