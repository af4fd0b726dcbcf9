//! The Zstandard software codec: zstd over libzstd, dictionaries included.
