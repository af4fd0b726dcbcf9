//! The LZ4 software codec: lz4-block and lz4-sized over liblz4.
