use super::*;
use crate::{EffectiveSide, Job};

const ID: ProviderId = ProviderId::new("test.inner");

/// An inner codec of literals alone: one stored Deflate block, or one LZ4 literal run.
#[derive(Debug)]
struct Literals(Spec, Effective);

impl Literals {
    fn of(format: Format) -> Arc<dyn Compressor> {
        let effective = Effective::both(EffectiveSide::new(ID, 0, 0));
        Arc::new(Self(Spec::new(format), effective))
    }

    fn head(&self, len: u8) -> Vec<u8> {
        match self.0.format() {
            Format::Lz4Block => vec![len << 4],
            _ => vec![1, len, 0, !len, 255],
        }
    }
}

impl Compressor for Literals {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn effective(&self) -> &Effective {
        &self.1
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        src_len.checked_add(5)
    }

    fn decompressed_len(&self, _: &[u8]) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        Ok(Box::new(LiteralsSession(Self(
            self.0.clone(),
            self.1.clone(),
        ))))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        Ok(Box::new(LiteralsSession(Self(
            self.0.clone(),
            self.1.clone(),
        ))))
    }
}

struct LiteralsSession(Literals);

impl CompressSession for LiteralsSession {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let unit = [self.0.head(src.len() as u8).as_slice(), src].concat();
        let room = dst
            .get_mut(..unit.len())
            .ok_or(Error::new(ErrorKind::OutputTooSmall, ID))?;
        room.copy_from_slice(&unit);
        Ok(unit.len())
    }
}

impl DecompressSession for LiteralsSession {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let head = self.0.head(0).len();
        let content = src
            .get(head..)
            .ok_or(Error::new(ErrorKind::CorruptInput, ID))?;
        if src[..head] != self.0.head(content.len() as u8) {
            return Err(Error::new(ErrorKind::CorruptInput, ID));
        }
        let room = dst
            .get_mut(..content.len())
            .ok_or(Error::new(ErrorKind::OutputTooSmall, ID))?;
        room.copy_from_slice(content);
        Ok(content.len())
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

const FRAMED: [Format; 3] = [Format::Lz4Sized, Format::Zlib, Format::Gzip];

fn framed(format: Format) -> Arc<dyn Compressor> {
    compressor(&Spec::new(format), Literals::of(format.inner().unwrap())).unwrap()
}

fn unit(format: Format, content: &[u8]) -> Vec<u8> {
    let mut dst = vec![0; 64];
    let n = framed(format)
        .compress_session()
        .unwrap()
        .compress(content, &mut dst)
        .unwrap();
    dst.truncate(n);
    dst
}

fn decompress(format: Format, src: &[u8], room: usize) -> Result<Vec<u8>, ErrorKind> {
    let mut dst = vec![0xAA; room];
    let n = framed(format)
        .decompress_session()
        .unwrap()
        .decompress(src, &mut dst);
    n.map(|n| dst[..n].to_vec()).map_err(Error::kind)
}

#[test]
fn units_are_the_bytes_of_the_format() {
    assert_eq!(unit(Format::Lz4Sized, b"hello"), b"\x05\0\0\0\x50hello");
    assert_eq!(
        unit(Format::Zlib, b"abc"),
        [
            &b"\x78\x9c\x01\x03\0\xfc\xffabc"[..],
            &0x024d_0127_u32.to_be_bytes()
        ]
        .concat()
    );
    assert_eq!(
        unit(Format::Gzip, b"abc"),
        [
            &b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\x03\0\xfc\xffabc"[..],
            &0x3524_41c2_u32.to_le_bytes(),
            &3_u32.to_le_bytes()
        ]
        .concat()
    );
}

#[test]
fn content_comes_back_into_an_exact_fit_and_not_into_less() {
    for format in FRAMED {
        for content in [&b""[..], b"a", b"hello"] {
            let unit = unit(format, content);
            assert_eq!(
                decompress(format, &unit, content.len()).unwrap(),
                content,
                "{format}"
            );
            if let Some(less) = content.len().checked_sub(1) {
                assert_eq!(
                    decompress(format, &unit, less),
                    Err(ErrorKind::OutputTooSmall)
                );
            }
            let mut session = framed(format).compress_session().unwrap();
            assert_eq!(
                session.compress(content, &mut vec![0; unit.len()]),
                Ok(unit.len())
            );
            let less = session.compress(content, &mut vec![0; unit.len() - 1]);
            assert_eq!(less.unwrap_err().kind(), ErrorKind::OutputTooSmall);
        }
    }
}

#[test]
fn every_changed_byte_and_every_truncation_is_found() {
    for format in FRAMED {
        let unit = unit(format, b"hello");
        for end in 0..unit.len() {
            assert_eq!(
                decompress(format, &unit[..end], 5),
                Err(ErrorKind::CorruptInput)
            );
        }
        let longer = [unit.as_slice(), b"\0"].concat();
        assert_eq!(
            decompress(format, &longer, 64),
            Err(ErrorKind::CorruptInput),
            "{format}"
        );
        for at in 0..unit.len() {
            let mut changed = unit.clone();
            changed[at] ^= 0x10;
            let result = decompress(format, &changed, 5);
            // What a frame does not cover: LZ4's content, the level hint of zlib (whose check
            // bits then fail), time and system of gzip.
            let uncovered = match format {
                Format::Lz4Sized => at >= 5,
                Format::Gzip => (4..10).contains(&at),
                _ => false,
            };
            assert_eq!(result.is_ok(), uncovered, "{format} byte {at}: {result:?}");
        }
    }
}

#[test]
fn a_length_that_lies_is_corrupt_even_when_it_does_not_fit() {
    for declared in [4_u32, 6, 64] {
        let lie = [&declared.to_le_bytes()[..], b"\x50hello"].concat();
        assert_eq!(
            decompress(Format::Lz4Sized, &lie, 5),
            Err(ErrorKind::CorruptInput)
        );
    }
}

#[test]
fn a_preset_dictionary_is_unsupported() {
    let unit = b"\x78\xbb\x01\x02\x03\x04\x01\0\0\xff\xff\0\0\0\x01";
    assert_eq!(
        decompress(Format::Zlib, unit, 8),
        Err(ErrorKind::Unsupported)
    );
}

#[test]
fn only_the_inner_format_can_be_framed() {
    assert!(compressor(&Spec::new(Format::Zlib), Literals::of(Format::Lz4Block)).is_none());
    assert!(compressor(&Spec::new(Format::Snappy), Literals::of(Format::DeflateRaw)).is_none());
}

#[test]
fn a_batch_gives_each_job_its_own_result() {
    let units = [
        unit(Format::Zlib, b"one"),
        b"broken".to_vec(),
        unit(Format::Zlib, b"three"),
    ];
    let mut room = [[0; 5]; 3];
    let mut jobs: Vec<Job<'_>> = units
        .iter()
        .zip(&mut room)
        .map(|(unit, dst)| Job::new(unit, dst))
        .collect();
    framed(Format::Zlib)
        .decompress_session()
        .unwrap()
        .decompress_many(&mut jobs);
    let results: Vec<_> = jobs
        .iter()
        .map(|job| job.result.map_err(Error::kind))
        .collect();
    assert_eq!(results, [Ok(3), Err(ErrorKind::CorruptInput), Ok(5)]);
}
