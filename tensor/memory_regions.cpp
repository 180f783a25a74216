#include "tensor/memory_regions.h"

#include <functional>
#include <new>

#include "tensor/system.h"

namespace vitro {
namespace {

constexpr Index kRegionBytes = 16 * kLargePage;
constexpr Index kSmallest = Index{64} << 10;
constexpr Index kTooLarge =
    2 * kLargePage;  // at most an eighth of a region is left over at its end
constexpr std::align_val_t kAlignment{static_cast<std::size_t>(kLargePage)};

}  // namespace

bool MemoryRegions::serve(Index byte_count) {
  return byte_count >= kSmallest && byte_count < kTooLarge;
}

void* MemoryRegions::cut(Index byte_count) {
  if (regions_.empty() || regions_.back().used + byte_count > kRegionBytes) {
    regions_.reserve(regions_.size() + 1);  // first: what throws must not lose a region
    void* const start =
        ::operator new(static_cast<std::size_t>(kRegionBytes), kAlignment, std::nothrow);
    if (start == nullptr) return nullptr;
    prefer_large_pages(start, kRegionBytes);
    regions_.push_back({static_cast<char*>(start), 0, 0});
  }
  Region& region = regions_.back();
  char* const block = region.start + region.used;
  region.used += byte_count;
  return block;
}

MemoryRegions::Region* MemoryRegions::region_of(const void* block) {
  const std::less<const void*> before;  // < alone says nothing about pointers of different pieces
  for (Region& region : regions_)
    if (!before(block, region.start) && before(block, region.start + kRegionBytes)) return &region;
  return nullptr;
}

void MemoryRegions::give_back_unused(FreeBlocks& free_blocks) noexcept {
  for (Region& region : regions_) region.free = 0;
  for (const auto& [byte_count, blocks] : free_blocks)
    for (const void* block : blocks)
      if (Region* const region = region_of(block)) region->free += byte_count;

  for (auto& [byte_count, blocks] : free_blocks)
    std::erase_if(blocks, [this](const void* block) {
      const Region* const region = region_of(block);
      return region != nullptr && region->free == region->used;
    });
  std::erase_if(regions_, [](const Region& region) {
    if (region.free != region.used) return false;
    ::operator delete(region.start, kAlignment);
    return true;
  });
}

}  // namespace vitro
