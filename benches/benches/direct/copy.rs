//! `none`: a copy.

use super::Direct;

pub struct Copy;

impl Direct for Copy {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        dst[..src.len()].copy_from_slice(src);
        src.len()
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> usize {
        dst[..unit.len()].copy_from_slice(unit);
        unit.len()
    }
}
