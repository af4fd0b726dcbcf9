// What the shim and src/ffi.rs agree on. Each side of a declaration here has its twin there.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// How a call ended.
enum crdb_code : int32_t {
  CRDB_DONE = 0,      // `length` bytes were written
  CRDB_DECLINED = 1,  // stays raw; `length` is 1 if it did not shrink enough, 0 if that was not tried
  CRDB_CORRUPT = 2,   // the block is not what its type says
  CRDB_STOCK = 3,     // not for this framework: RocksDB's own code is to serve
  CRDB_FAILED = 4,    // a provider failed, and the policy forbids software to serve
  CRDB_MEMORY = 5,    // memory could not be had
};

struct crdb_outcome {
  int32_t code;
  // Static, not terminated; empty where there is nothing to say.
  const char* text;
  size_t text_length;
  size_t length;
};

// The part of CompressionOptions that the bytes depend on.
struct crdb_wanted {
  int32_t level;
  int32_t window_bits;
  int32_t strategy;
  uint8_t type;
  uint8_t checksum;
};

// The functions of the Rust side. None of them unwinds. All may be called from any thread; a
// session by one thread at a time.
struct crdb_callbacks {
  void (*drop_manager)(const void* manager);
  // The writer for a file, or null: RocksDB's own code is to serve.
  const void* (*writer)(const void* manager, const crdb_wanted* wanted);
  void (*drop_writer)(const void* writer);
  // A working area of a writer; null if none can be had.
  void* (*session)(const void* writer);
  void (*drop_session)(void* session);
  // `session` may be null.
  crdb_outcome (*compress)(const void* writer, void* session, const char* src, size_t src_length,
                           char* dst, size_t dst_length);
  // Whether a block (without the length in front) can hold `length`.
  int32_t (*plausible)(uint8_t type, const char* src, size_t src_length, uint64_t length);
  // Fills `dst` exactly.
  crdb_outcome (*decompress)(const void* manager, uint8_t type, const char* src, size_t src_length,
                             char* dst, size_t dst_length);
};

struct rocksdb_options_t;

// Makes a compression manager over `manager` that of `options`. Takes `manager` over, and drops it
// with the last database, table or options that use it, or at once if it fails. Returns 0, or 1 if
// memory could not be had. `callbacks` live for ever.
int32_t compressor_rocksdb_install(rocksdb_options_t* options, const crdb_callbacks* callbacks,
                                   const void* manager) noexcept;
}
