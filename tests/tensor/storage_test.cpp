#include "tensor/storage.h"

#include <cstdint>
#include <thread>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/matmul.h"
#include "tensor/softmax.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

TEST(Storage, CountsItsOwners) {
  Storage first(5);
  EXPECT_TRUE(first.is_unique());
  {
    const Storage second = first;
    EXPECT_EQ(second.data(), first.data());
    EXPECT_FALSE(first.is_unique());
  }
  EXPECT_TRUE(first.is_unique());
  const Storage moved = std::move(first);
  EXPECT_TRUE(moved.is_unique());
  EXPECT_FALSE(Storage().is_unique());
}

TEST(Storage, StartsAtAMultipleOf64Bytes) {
  for (const Index count : {0, 1, 2, 15, 16, 17, 997, 65537}) {
    const Storage storage(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(storage.data()) % 64, 0u) << count;
    storage.data()[0] = 1;
    if (count > 0) storage.data()[count - 1] = 1;
  }
}

TEST(Storage, KeepsFreedBlocksForTheNextRequest) {
  release_kept_memory();
  const Scalar* place = nullptr;
  const MemoryCounts before = memory_counts();
  {
    const Storage storage(1009);
    place = storage.data();
    const MemoryCounts during = memory_counts();
    EXPECT_EQ(during.system_requests, before.system_requests + 1);
    EXPECT_GE(during.bytes_in_use - before.bytes_in_use, 1009 * Index{sizeof(Scalar)});
  }
  EXPECT_EQ(memory_counts().bytes_in_use, before.bytes_in_use);
  EXPECT_GE(memory_counts().bytes_kept, 1009 * Index{sizeof(Scalar)});
  const Storage again(1009);
  EXPECT_EQ(again.data(), place);
  EXPECT_EQ(memory_counts().system_requests, before.system_requests + 1);
  EXPECT_EQ(memory_counts().bytes_kept, 0);
}

TEST(Storage, GivesKeptBlocksBack) {
  { const Storage storage(1013); }
  EXPECT_GT(memory_counts().bytes_kept, 0);
  const Index in_use = memory_counts().bytes_in_use;
  release_kept_memory();
  EXPECT_EQ(memory_counts().bytes_kept, 0);
  EXPECT_EQ(memory_counts().bytes_in_use, in_use);
  const Index requests = memory_counts().system_requests;
  { const Storage storage(1013); }
  EXPECT_EQ(memory_counts().system_requests, requests + 1);
}

// No block loses more than an eighth to rounding, plus the header of 64 bytes and one step.
TEST(Storage, LosesLittleToRounding) {
  for (Index count = 1; count < 200000; count = count * 5 / 4 + 1) {
    const Index before = memory_counts().bytes_in_use;
    const Storage storage(count);
    const Index bytes = count * Index{sizeof(Scalar)};
    const Index taken = memory_counts().bytes_in_use - before;
    EXPECT_GE(taken, bytes + 64);
    EXPECT_LE(taken, bytes + 64 + (bytes + 64) / 8 + 64) << count;
  }
}

TEST(Storage, ASecondRoundAsksTheSystemForNothing) {
  Rng rng(5);
  const Tensor x = test::random_tensor({7, 11, 13}, rng);
  const Tensor w = test::random_tensor({13, 17}, rng);
  const auto round = [&] {
    const Tensor scores = softmax(matmul(x, w) / 3 + ones({17}), 1);
    return (scores * scores - maximum(scores, zeros({11, 1}))).at({6, 10, 16});
  };
  round();
  const Index requests = memory_counts().system_requests;
  const Index in_use = memory_counts().bytes_in_use;
  for (int i = 0; i < 3; ++i) round();
  EXPECT_EQ(memory_counts().system_requests, requests);
  EXPECT_EQ(memory_counts().bytes_in_use, in_use);
}

TEST(Storage, HandlesMayBeCopiedOnManyThreads) {
  const Index in_use = memory_counts().bytes_in_use;
  {
    const Tensor shared = full({997}, 3);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&shared, i] {
        for (int round = 0; round < 200; ++round) {
          Tensor mine = shared;
          mine.set({i}, 7);
          EXPECT_EQ(mine.at({i}), 7);
          EXPECT_EQ(mine.at({996}), 3);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(shared.is_unique());
    EXPECT_EQ(shared.at({0}), 3);
  }
  EXPECT_EQ(memory_counts().bytes_in_use, in_use);
}

TEST(Storage, SaysHowManyBytesThereAreNot) {
  try {
    Storage(Index{1} << 54);
    FAIL() << "the system gave 2^54 numbers";
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("not enough memory: the system does not give "),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace vitro
