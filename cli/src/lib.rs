//! The compressor command: list, bench, block.
