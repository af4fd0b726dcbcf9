//! The Deflate software codec: zlib, deflate-raw and gzip over zlib.
