//! The libdeflate accelerator: zlib, gzip and deflate-raw, whole buffers on the CPU.
