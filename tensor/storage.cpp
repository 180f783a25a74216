#include "tensor/storage.h"

#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "tensor/error.h"
#include "tensor/float_check.h"
#include "tensor/memory_regions.h"
#include "tensor/system.h"

namespace vitro {
namespace {

// Where a block starts that is not cut from a region: at a cache line, or, if it is large, at a
// large page.
std::align_val_t alignment_of(Index byte_count) {
  return std::align_val_t{byte_count < kLargePage ? 64 : static_cast<std::size_t>(kLargePage)};
}

// Rounded up so that tensors of nearly one size share blocks: to a multiple of an eighth of the
// power of two below. At most 12.5 % are lost, and a training step meets few different sizes.
Index rounded_size(Index byte_count) {
  Index step = 64;
  while (step * 16 <= byte_count) step *= 2;
  return (byte_count + step - 1) / step * step;
}

// Freed blocks by size. Why: the system hands out large blocks as unmapped pages and every first
// touch of one is a page fault; a step that frees and asks again would spend its time there.
class BlockCache {
 public:
  void* take(Index byte_count) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      std::vector<void*>& free_blocks = free_blocks_[byte_count];
      if (!free_blocks.empty()) {
        void* block = free_blocks.back();
        free_blocks.pop_back();
        counts_.bytes_kept -= byte_count;
        counts_.bytes_in_use += byte_count;
        return block;
      }
    }
    void* block = from_system(byte_count);
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_.bytes_in_use += byte_count;
    ++counts_.system_requests;
    return block;
  }

  void give_back(void* block, Index byte_count) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_.bytes_in_use -= byte_count;
    try {
      free_blocks_[byte_count].push_back(block);
      counts_.bytes_kept += byte_count;
    } catch (const std::bad_alloc&) {
      if (!regions_.hold(block)) ::operator delete(block, alignment_of(byte_count));
    }
  }

  void release() {
    const std::lock_guard<std::mutex> lock(mutex_);
    regions_.give_back_unused(free_blocks_);
    counts_.bytes_kept = 0;
    for (auto& [byte_count, blocks] : free_blocks_) {
      std::erase_if(blocks, [&, alignment = alignment_of(byte_count)](void* block) {
        if (regions_.hold(block)) return false;
        ::operator delete(block, alignment);
        return true;
      });
      counts_.bytes_kept += byte_count * static_cast<Index>(blocks.size());
    }
  }

  MemoryCounts counts() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return counts_;
  }

 private:
  // When the system refuses, the kept blocks go back to it and it is asked once more.
  void* from_system(Index byte_count) {
    check_floats();  // before the first number is stored anywhere
    void* block = new_block(byte_count);
    if (block == nullptr) {
      release();
      block = new_block(byte_count);
    }
    if (block == nullptr) throw OutOfMemory(byte_count);
    return block;
  }

  void* new_block(Index byte_count) {
    if (MemoryRegions::serve(byte_count)) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (void* const block = regions_.cut(byte_count)) return block;
    }
    void* const block = ::operator new(static_cast<std::size_t>(byte_count),
                                       alignment_of(byte_count), std::nothrow);
    // Rounding may have added an eighth, which nobody touches: it is to stay out of large pages,
    // since those are filled whole.
    const Index touched = (byte_count - byte_count / 8) / kLargePage * kLargePage;
    if (block != nullptr && touched > 0) prefer_large_pages(block, touched);
    return block;
  }

  std::mutex mutex_;
  FreeBlocks free_blocks_;
  MemoryRegions regions_;
  MemoryCounts counts_{};
};

// Never destroyed: tensors with static lifetime may give their memory back after main.
BlockCache& block_cache() {
  static BlockCache& cache = *std::make_unique<BlockCache>().release();
  return cache;
}

}  // namespace

OutOfMemory::OutOfMemory(Index byte_count)
    : text_(std::make_shared<const std::string>(
          error_text({"not enough memory: the system does not give ", byte_count,
                      " bytes for a tensor; take smaller sizes"}))) {}

inline namespace VITRO_SCALAR_NAMESPACE {

Storage::Storage(Index count) {
  const Index header = static_cast<Index>(sizeof(StorageBlock));
  const Index numbers = (count > 0 ? count : 1) * static_cast<Index>(sizeof(Scalar));
  const Index byte_count = rounded_size(header + numbers);
  block_ = new (block_cache().take(byte_count)) StorageBlock{{1}, byte_count};
  data_ = reinterpret_cast<Scalar*>(block_ + 1);
}

void Storage::let_go() noexcept {
  if (block_->owner_count.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    block_cache().give_back(block_, block_->byte_count);
  }
}

// Acquire: what a former owner on another thread read, it read before our first write.
bool Storage::is_unique() const {
  return block_ != nullptr && block_->owner_count.load(std::memory_order_acquire) == 1;
}

}  // namespace VITRO_SCALAR_NAMESPACE

MemoryCounts memory_counts() { return block_cache().counts(); }

void release_kept_memory() { block_cache().release(); }

}  // namespace vitro
