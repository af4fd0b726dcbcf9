//! `lz4-block`: lz4_flex, safe as it is by default.

use compressor_api::{Error, ProviderId, Spec};
use lz4_flex::block::{CompressTable, compress_into_with_table, decompress_into};

use crate::peer::Peer;

/// Up to this length the small table serves.
const SMALL: usize = 64 << 10;

pub struct Lz4Flex {
    small: CompressTable,
    large: CompressTable,
}

impl Peer for Lz4Flex {
    const ID: ProviderId = ProviderId::new("lz4-flex");

    fn new(_: &Spec) -> Result<Self, Error> {
        Ok(Self {
            small: CompressTable::small(),
            large: CompressTable::large(),
        })
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let table = if src.len() < SMALL {
            &mut self.small
        } else {
            &mut self.large
        };
        compress_into_with_table(src, dst, table).map_err(|_| Self::refused())
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        decompress_into(unit, dst).map_err(|_| Self::refused())
    }
}
