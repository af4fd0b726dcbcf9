// A compression manager for RocksDB that asks Rust for each block.
//
// Everything here wraps the built-in manager: what the Rust side does not take goes to RocksDB's
// own code. The formats and the compatibility name are the built-in ones, so files need neither.
//
// RocksDB is not exception-safe and Rust does not catch C++: nothing here lets an exception out.
// The functions that RocksDB calls are noexcept; the callbacks do not unwind.

#include "shim.h"

#include <memory>
#include <string>
#include <utility>

#include "rocksdb/advanced_compression.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

// The definition in RocksDB's db/c.cc, which no header has.
struct rocksdb_options_t {
  ROCKSDB_NAMESPACE::Options rep;
};

namespace {

using ROCKSDB_NAMESPACE::CacheEntryRole;
using ROCKSDB_NAMESPACE::CompressionManager;
using ROCKSDB_NAMESPACE::CompressionManagerWrapper;
using ROCKSDB_NAMESPACE::CompressionOptions;
using ROCKSDB_NAMESPACE::CompressionType;
using ROCKSDB_NAMESPACE::Compressor;
using ROCKSDB_NAMESPACE::CompressorWrapper;
using ROCKSDB_NAMESPACE::Decompressor;
using ROCKSDB_NAMESPACE::DecompressorWrapper;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::kNoCompression;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// The Rust side's manager, dropped with the last that uses it.
class RustManager {
 public:
  RustManager(const crdb_callbacks* callbacks, const void* pointer)
      : callbacks_(callbacks), pointer_(pointer) {}
  RustManager(RustManager&& other) noexcept
      : callbacks_(other.callbacks_), pointer_(std::exchange(other.pointer_, nullptr)) {}
  RustManager(const RustManager&) = delete;
  RustManager& operator=(const RustManager&) = delete;
  RustManager& operator=(RustManager&&) = delete;
  ~RustManager() {
    if (pointer_ != nullptr) {
      callbacks_->drop_manager(pointer_);
    }
  }
  const crdb_callbacks& callbacks() const { return *callbacks_; }
  const void* get() const { return pointer_; }

 private:
  const crdb_callbacks* callbacks_;
  const void* pointer_;
};

// The Rust side's writer for one choice of options, dropped with the last clone that uses it.
class RustWriter {
 public:
  RustWriter(std::shared_ptr<const RustManager> manager, const void* pointer)
      : manager_(std::move(manager)), pointer_(pointer) {}
  RustWriter(const RustWriter&) = delete;
  RustWriter& operator=(const RustWriter&) = delete;
  ~RustWriter() {
    if (pointer_ != nullptr) {
      callbacks().drop_writer(pointer_);
    }
  }
  const crdb_callbacks& callbacks() const { return manager_->callbacks(); }
  const std::shared_ptr<const RustManager>& manager() const { return manager_; }
  const void* get() const { return pointer_; }

 private:
  std::shared_ptr<const RustManager> manager_;
  const void* pointer_;
};

Status Failure(const crdb_outcome& outcome) {
  const Slice text(outcome.text, outcome.text_length);
  switch (outcome.code) {
    case CRDB_CORRUPT:
      return Status::Corruption("Compressed block", text);
    case CRDB_MEMORY:
      return Status::MemoryLimit("Compression", text);
    default:
      return Status::IOError("Compression provider", text);
  }
}

// RocksDB's own code, but for what a block may declare.
class CheckedDecompressor : public DecompressorWrapper {
 public:
  CheckedDecompressor(std::shared_ptr<Decompressor> stock,
                      std::shared_ptr<const RustManager> manager)
      : DecompressorWrapper(std::move(stock)), manager_(std::move(manager)) {}

  // RocksDB allocates what the block declares, so it may not declare what it cannot hold.
  Status ExtractUncompressedSize(Args& args) noexcept override {
    Status status = wrapped_->ExtractUncompressedSize(args);
    if (status.ok() &&
        !manager_->callbacks().plausible(args.compression_type, args.compressed_data.data(),
                                         args.compressed_data.size(), args.uncompressed_size)) {
      return Status::Corruption("Compressed block declares more than it can hold");
    }
    return status;
  }

 protected:
  const std::shared_ptr<const RustManager> manager_;
};

class AcceleratedDecompressor final : public CheckedDecompressor {
 public:
  using CheckedDecompressor::CheckedDecompressor;

  const char* Name() const noexcept override { return "AcceleratedDecompressor"; }

  // The Rust side keeps a pool: most reads of RocksDB come without a working area.
  ManagedWorkingArea ObtainWorkingArea(CompressionType) noexcept override { return {}; }
  void ReleaseWorkingArea(WorkingArea*) noexcept override {}

  Status DecompressBlock(const Args& args, char* output) noexcept override {
    const crdb_outcome outcome = manager_->callbacks().decompress(
        manager_->get(), args.compression_type, args.compressed_data.data(),
        args.compressed_data.size(), output, static_cast<size_t>(args.uncompressed_size));
    switch (outcome.code) {
      case CRDB_DONE:
        return Status::OK();
      case CRDB_STOCK:
        return wrapped_->DecompressBlock(args, output);
      default:
        return Failure(outcome);
    }
  }

  // Blocks with a dictionary are read by RocksDB's own code.
  Status MaybeCloneForDict(const Slice& dict,
                           std::unique_ptr<Decompressor>* out) noexcept override {
    std::unique_ptr<Decompressor> stock;
    Status status = wrapped_->MaybeCloneForDict(dict, &stock);
    if (status.ok() && stock != nullptr) {
      *out = std::make_unique<CheckedDecompressor>(std::move(stock), manager_);
    }
    return status;
  }
};

// Null stays null: a file without compressed blocks.
std::shared_ptr<Decompressor> Accelerate(std::shared_ptr<Decompressor> stock,
                                         const std::shared_ptr<const RustManager>& manager) {
  if (stock == nullptr) {
    return stock;
  }
  return std::make_shared<AcceleratedDecompressor>(std::move(stock), manager);
}

class AcceleratedCompressor final : public CompressorWrapper {
 public:
  AcceleratedCompressor(std::unique_ptr<Compressor> stock, std::shared_ptr<const RustWriter> writer)
      : CompressorWrapper(std::move(stock)),
        writer_(std::move(writer)),
        type_(wrapped_->GetPreferredCompressionType()) {}

  const char* Name() const noexcept override { return "AcceleratedCompressor"; }

  std::unique_ptr<Compressor> Clone() const noexcept override {
    return std::make_unique<AcceleratedCompressor>(wrapped_->Clone(), writer_);
  }

  // Not null for blocks with a dictionary, which RocksDB's own code writes.
  std::unique_ptr<Compressor> MaybeCloneSpecialized(CacheEntryRole role,
                                                    DictConfigArgs&& dict) const noexcept override {
    return wrapped_->MaybeCloneSpecialized(role, std::move(dict));
  }

  ManagedWorkingArea ObtainWorkingArea() noexcept override {
    void* session = writer_->callbacks().session(writer_->get());
    return {static_cast<WorkingArea*>(session), this};
  }

  void ReleaseWorkingArea(WorkingArea* area) noexcept override {
    if (area != nullptr) {
      writer_->callbacks().drop_session(area);
    }
  }

  Status CompressBlock(Slice input, char* output, size_t* output_size, CompressionType* output_type,
                       ManagedWorkingArea* area) noexcept override {
    void* session = area != nullptr && area->owner() == this ? area->get() : nullptr;
    const crdb_outcome outcome = writer_->callbacks().compress(
        writer_->get(), session, input.data(), input.size(), output, *output_size);
    switch (outcome.code) {
      case CRDB_DONE:
        *output_size = outcome.length;
        *output_type = type_;
        return Status::OK();
      case CRDB_DECLINED:
        // RocksDB counts 1 as tried and rejected, 0 as not tried.
        *output_size = outcome.length;
        *output_type = kNoCompression;
        return Status::OK();
      case CRDB_STOCK:
        return wrapped_->CompressBlock(input, output, output_size, output_type, nullptr);
      default:
        *output_size = 0;
        *output_type = kNoCompression;
        return Failure(outcome);
    }
  }

  std::shared_ptr<Decompressor> GetOptimizedDecompressor() const noexcept override {
    return Accelerate(wrapped_->GetOptimizedDecompressor(), writer_->manager());
  }

 private:
  const std::shared_ptr<const RustWriter> writer_;
  const CompressionType type_;
};

class AcceleratedManager final : public CompressionManagerWrapper {
 public:
  explicit AcceleratedManager(std::shared_ptr<const RustManager> manager)
      : CompressionManagerWrapper(ROCKSDB_NAMESPACE::GetBuiltinV2CompressionManager()),
        manager_(std::move(manager)) {}

  // CompatibilityName is the wrapper's, the built-in one.
  const char* Name() const noexcept override { return "AcceleratedCompressionManager"; }

  std::unique_ptr<Compressor> GetCompressorForSST(const FilterBuildingContext& context,
                                                  const CompressionOptions& options,
                                                  CompressionType preferred) noexcept override {
    return Accelerate(wrapped_->GetCompressorForSST(context, options, preferred), options);
  }

  std::unique_ptr<Compressor> GetCompressor(const CompressionOptions& options,
                                            CompressionType type) noexcept override {
    return Accelerate(wrapped_->GetCompressor(options, type), options);
  }

  std::shared_ptr<Decompressor> GetDecompressor() noexcept override {
    return ::Accelerate(wrapped_->GetDecompressor(), manager_);
  }

  std::shared_ptr<Decompressor> GetDecompressorOptimizeFor(CompressionType type) noexcept override {
    return ::Accelerate(wrapped_->GetDecompressorOptimizeFor(type), manager_);
  }

  std::shared_ptr<Decompressor> GetDecompressorForTypes(
      const CompressionType* begin, const CompressionType* end) noexcept override {
    return ::Accelerate(wrapped_->GetDecompressorForTypes(begin, end), manager_);
  }

 private:
  // Null stays null: no compression. The type is the wrapped compressor's, for RocksDB chooses
  // LZ4 or LZ4HC by the level, and the default type where one is not supported.
  std::unique_ptr<Compressor> Accelerate(std::unique_ptr<Compressor> stock,
                                         const CompressionOptions& options) const {
    if (stock == nullptr) {
      return stock;
    }
    const crdb_wanted wanted = {options.level, options.window_bits, options.strategy,
                                static_cast<uint8_t>(stock->GetPreferredCompressionType()),
                                static_cast<uint8_t>(options.checksum)};
    const void* writer = manager_->callbacks().writer(manager_->get(), &wanted);
    if (writer == nullptr) {
      return stock;
    }
    return std::make_unique<AcceleratedCompressor>(
        std::move(stock), std::make_shared<const RustWriter>(manager_, writer));
  }

  const std::shared_ptr<const RustManager> manager_;
};

}  // namespace

int32_t compressor_rocksdb_install(rocksdb_options_t* options, const crdb_callbacks* callbacks,
                                   const void* manager) noexcept {
  RustManager taken(callbacks, manager);
  try {
    options->rep.compression_manager = std::make_shared<AcceleratedManager>(
        std::make_shared<const RustManager>(std::move(taken)));
    return 0;
  } catch (...) {
    return 1;
  }
}
