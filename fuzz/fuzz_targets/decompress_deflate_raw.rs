#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    compressor_fuzz::decompress(compressor::Format::DeflateRaw, data);
});
