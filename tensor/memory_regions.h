// MemoryRegions: middle-sized blocks of memory, cut from large pieces.
//
// A processor looks up where each page of memory lies. Pages of 2 MB make that 512 times rarer than
// those of 4 KB, and the system gives them to pieces that are large and start at a multiple of
// 2 MB: a training step of some hundred MB runs a fifth to a third faster there.
#pragma once

#include <map>
#include <vector>

#include "tensor/scalar.h"

namespace vitro {

constexpr Index kLargePage = Index{2} << 20;  ///< bytes

/// Freed blocks by their size in bytes.
using FreeBlocks = std::map<Index, std::vector<void*>>;

/// Not safe for several threads at once: its owner holds a lock.
class MemoryRegions {
 public:
  MemoryRegions() = default;
  MemoryRegions(const MemoryRegions&) = delete;
  MemoryRegions& operator=(const MemoryRegions&) = delete;

  /// True for sizes worth cutting: smaller blocks do not fill a page, larger ones have their own.
  static bool serve(Index byte_count);

  /// A block of `byte_count` bytes, a multiple of 64 that serve() accepts; null where the system
  /// has no room for another region.
  void* cut(Index byte_count);

  /// True if the block was cut here.
  bool hold(const void* block) { return region_of(block) != nullptr; }

  /// Gives regions back of which all that was cut is among `free_blocks`, and removes it there.
  void give_back_unused(FreeBlocks& free_blocks) noexcept;

 private:
  struct Region {
    char* start;
    Index used;  // bytes cut so far
    Index free;  // of them, bytes in free blocks; counted while regions are given back
  };

  Region* region_of(const void* block);

  std::vector<Region> regions_;  // the last one is being cut
};

}  // namespace vitro
