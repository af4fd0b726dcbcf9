//! Sessions: each call is as if it were the first, on whatever thread.

use std::thread;

use compressor_api::{Error, ErrorKind, Format, Job, Spec};

use super::{FORMATS, compress, compressor, decompress, noise, readable, reader, served, text};

#[test]
fn other_formats_are_unsupported() {
    for format in [Format::None, Format::Zstd, Format::Lz4Sized, Format::Snappy] {
        let refused = crate::factory().compressor(&Spec::new(format)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unsupported, "{format}");
        assert_eq!(refused.provider(), crate::factory().id());
    }
}

#[test]
fn a_failed_compression_leaves_no_trace() {
    let (content, other) = (text(9_000), noise(5, 3_000));
    for format in FORMATS {
        for level in served([0, 1, 6, 9]) {
            let mut session = compressor(format, level).compress_session().unwrap();
            let mut dst = vec![0; content.len() + 100];
            let n = session.compress(&content, &mut dst).unwrap();
            let unit = dst[..n].to_vec();
            for _ in 0..3 {
                for short in [0, 1, 100] {
                    let failed = session.compress(&other, &mut dst[..short]);
                    assert_eq!(failed.unwrap_err().kind(), ErrorKind::OutputTooSmall);
                    let n = session.compress(&content, &mut dst).unwrap();
                    assert!(dst[..n] == unit, "{format}, level {level}");
                }
            }
        }
    }
}

#[test]
fn a_failed_decompression_leaves_no_trace() {
    let content = text(9_000);
    for format in readable() {
        let unit = compress(format, 6, &content);
        let mut flipped = unit.clone();
        flipped[unit.len() / 2] ^= 0x10;
        let failures: [(&[u8], usize); 5] = [
            (&unit, content.len() - 1),
            (&unit, 0),
            (&unit[..unit.len() / 2], content.len()),
            (&flipped, content.len() / 3),
            (b"", content.len()),
        ];
        let mut session = compressor(format, 6).decompress_session().unwrap();
        let mut dst = vec![0; content.len()];
        for (src, room) in failures {
            assert!(session.decompress(src, &mut dst[..room]).is_err());
            dst.fill(0);
            let n = session.decompress(&unit, &mut dst).unwrap();
            assert!(dst[..n] == content, "{format}");
        }
    }
}

#[test]
fn empty_buffers_are_legal() {
    for format in FORMATS {
        for level in served([0, 6]) {
            let mut session = compressor(format, level).compress_session().unwrap();
            let too_small = session.compress(&[], &mut []).unwrap_err();
            assert_eq!(too_small.kind(), ErrorKind::OutputTooSmall);
            let too_small = session.compress(b"a", &mut []).unwrap_err();
            assert_eq!(too_small.kind(), ErrorKind::OutputTooSmall);
            let unit = compress(format, level, &[]);
            assert_eq!(decompress(format, &unit, 0), Ok(vec![]), "{format}");
            assert_eq!(decompress(format, &[], 0), Err(ErrorKind::CorruptInput));
        }
    }
}

#[test]
fn a_batch_gives_each_job_its_own_result() {
    for format in readable() {
        let units = [
            compress(format, 6, b"one"),
            b"broken".to_vec(),
            compress(format, 6, b"three"),
        ];
        let mut room = [[0; 5]; 3];
        let mut jobs: Vec<Job<'_>> = units
            .iter()
            .zip(&mut room)
            .map(|(unit, dst)| Job::new(unit, dst))
            .collect();
        let mut session = compressor(format, 6).decompress_session().unwrap();
        session.decompress_many(&mut jobs);
        let results: Vec<_> = jobs
            .iter()
            .map(|job| job.result.map_err(Error::kind))
            .collect();
        assert_eq!(results, [Ok(3), Err(ErrorKind::CorruptInput), Ok(5)]);
    }
}

#[test]
fn threads_share_a_compressor_and_pass_sessions_on() {
    for format in FORMATS {
        let (compressor, reader) = (compressor(format, 6), reader(format));
        let made_here: Vec<_> = (0..4)
            .map(|_| {
                let compress = compressor.compress_session().unwrap();
                (compress, reader.decompress_session().unwrap())
            })
            .collect();
        thread::scope(|scope| {
            for (number, (mut compress, mut decompress)) in made_here.into_iter().enumerate() {
                let compressor = &compressor;
                scope.spawn(move || {
                    for turn in 0..20 {
                        let content = text(1_000 * (number + 1) + turn);
                        let bound = compressor.max_compressed_len(content.len()).unwrap();
                        let (mut unit, mut out) = (vec![0; bound], vec![0; content.len()]);
                        let n = compress.compress(&content, &mut unit).unwrap();
                        decompress.decompress_exact(&unit[..n], &mut out).unwrap();
                        assert!(out == content);
                    }
                });
            }
        });
    }
}
