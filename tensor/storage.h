// Storage: the memory behind tensors, counted by its owners and kept for reuse when freed.
#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "tensor/scalar.h"

namespace vitro {

/// The system has no memory for a tensor; what() says how many bytes were asked for.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(Index byte_count);

  const char* what() const noexcept override { return text_->c_str(); }

 private:
  std::shared_ptr<const std::string> text_;  // copying an exception must not throw
};

inline namespace VITRO_SCALAR_NAMESPACE {

/// Header that lies directly before a storage's numbers.
struct alignas(64) StorageBlock {
  std::atomic<Index> owner_count;
  Index byte_count;  // of the whole block, header included: the size it is kept under when freed
};

/// A handle to memory for a fixed number of Scalars, shared between the tensors that copy it.
/// The count is atomic: handles of one storage may be copied and dropped on different threads.
/// The numbers are not initialised, start at a multiple of 64 bytes, and never move.
class Storage {
 public:
  Storage() = default;
  /// Memory for `count` Scalars (at least one). Throws OutOfMemory where there is none.
  explicit Storage(Index count);

  Storage(const Storage& other) : data_(other.data_), block_(other.block_) {
    if (block_ != nullptr) block_->owner_count.fetch_add(1, std::memory_order_relaxed);
  }

  Storage(Storage&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), block_(std::exchange(other.block_, nullptr)) {}

  Storage& operator=(Storage other) noexcept {
    std::swap(data_, other.data_);
    std::swap(block_, other.block_);
    return *this;
  }

  ~Storage() {
    if (block_ != nullptr) let_go();
  }

  Scalar* data() const { return data_; }

  /// How many Scalars fit: at least as many as were asked for; 0 without memory.
  Index capacity() const {
    const auto header = static_cast<Index>(sizeof(StorageBlock));
    return block_ == nullptr ? 0
                             : (block_->byte_count - header) / static_cast<Index>(sizeof(Scalar));
  }

  /// True where this handle is the only one: whoever asks may write.
  bool is_unique() const;

 private:
  void let_go() noexcept;

  Scalar* data_ = nullptr;
  StorageBlock* block_ = nullptr;
};

}  // namespace VITRO_SCALAR_NAMESPACE

/// What the memory does, for tests and benchmarks.
struct MemoryCounts {
  Index bytes_in_use;     ///< in blocks that some tensor owns
  Index bytes_kept;       ///< in freed blocks that wait for the next request of their size
  Index system_requests;  ///< blocks ever asked from the system: does not grow in a steady step
};

MemoryCounts memory_counts();

/// Gives kept blocks back to the system: all but those cut from a region (tensor/memory_regions.h)
/// in which another block is in use.
void release_kept_memory();

}  // namespace vitro
