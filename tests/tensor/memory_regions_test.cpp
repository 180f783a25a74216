#include "tensor/memory_regions.h"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "tensor/storage.h"

namespace vitro {
namespace {

constexpr Index kBlock = Index{640} << 10;  // bytes

std::vector<void*> cut_blocks(MemoryRegions& regions, int count) {
  std::vector<void*> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back(regions.cut(kBlock));
  return blocks;
}

TEST(MemoryRegions, ServeMiddleSizes) {
  EXPECT_FALSE(MemoryRegions::serve(4096));
  EXPECT_TRUE(MemoryRegions::serve(Index{64} << 10));
  EXPECT_TRUE(MemoryRegions::serve(kBlock));
  EXPECT_FALSE(MemoryRegions::serve(2 * kLargePage));
}

// 200 blocks of 640 KB fill several regions; each keeps what was written into it.
TEST(MemoryRegions, BlocksDoNotOverlap) {
  MemoryRegions regions;
  FreeBlocks all;
  all[kBlock] = cut_blocks(regions, 200);
  for (std::size_t i = 0; i < 200; ++i) {
    ASSERT_NE(all[kBlock][i], nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all[kBlock][i]) % 64, 0u);
    std::memset(all[kBlock][i], static_cast<int>(i), static_cast<std::size_t>(kBlock));
  }
  for (std::size_t i = 0; i < 200; ++i) {
    const auto* bytes = static_cast<const unsigned char*>(all[kBlock][i]);
    EXPECT_EQ(bytes[0], i);
    EXPECT_EQ(bytes[kBlock - 1], i);
    EXPECT_TRUE(regions.hold(bytes + kBlock - 1));
  }
  regions.give_back_unused(all);
  EXPECT_TRUE(all[kBlock].empty());
}

TEST(MemoryRegions, ARegionStaysWhileABlockIsInUse) {
  MemoryRegions regions;
  FreeBlocks free_blocks;
  free_blocks[kBlock] = cut_blocks(regions, 3);
  void* const in_use = free_blocks[kBlock].back();
  free_blocks[kBlock].pop_back();
  regions.give_back_unused(free_blocks);
  EXPECT_EQ(free_blocks[kBlock].size(), 2u);
  EXPECT_TRUE(regions.hold(in_use));

  free_blocks[2 * kBlock].push_back(regions.cut(2 * kBlock));  // sizes may differ in one region
  free_blocks[kBlock].push_back(in_use);
  regions.give_back_unused(free_blocks);
  EXPECT_TRUE(free_blocks[kBlock].empty());
  EXPECT_TRUE(free_blocks[2 * kBlock].empty());
}

// Blocks that were not cut here are left to their owner.
TEST(MemoryRegions, OtherBlocksAreLeftAlone) {
  MemoryRegions regions;
  Index elsewhere = 0;
  FreeBlocks free_blocks;
  free_blocks[kBlock] = cut_blocks(regions, 1);
  free_blocks[64].push_back(&elsewhere);
  EXPECT_FALSE(regions.hold(&elsewhere));
  regions.give_back_unused(free_blocks);
  EXPECT_TRUE(free_blocks[kBlock].empty());
  EXPECT_EQ(free_blocks[64], std::vector<void*>{&elsewhere});
}

// What tensors see: a kept block can go once its neighbours are free as well.
TEST(MemoryRegions, StorageGivesBackWholeRegions) {
  release_kept_memory();
  const Index kept = memory_counts().bytes_kept;
  const Index count = kBlock / Index{sizeof(Scalar)};
  {
    const Storage stays(count);
    { const Storage goes(count); }
    release_kept_memory();
    EXPECT_GE(memory_counts().bytes_kept, kept + kBlock);
    const Storage again(count);
    EXPECT_EQ(memory_counts().bytes_kept, kept);
  }
  release_kept_memory();
  EXPECT_EQ(memory_counts().bytes_kept, kept);
}

}  // namespace
}  // namespace vitro
