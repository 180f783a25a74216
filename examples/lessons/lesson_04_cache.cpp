// Lesson 4: what the first rungs of the matmul ladder do to a cache, counted on a simulated one.
#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <utility>
#include <vector>

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

/// 8 KB in lines of 64 bytes, 8 lines in each of 16 sets; the line unused for longest is replaced.
class SimulatedCache {
 public:
  void touch(Index address) {
    const Index line = address / kLineBytes;
    std::vector<Index>& set = sets_[static_cast<std::size_t>(line % kSets)];
    const auto found = std::find(set.begin(), set.end(), line);
    if (found == set.end()) {
      ++miss_count_;
      if (set.size() == kWays) set.pop_back();
      set.insert(set.begin(), line);
    } else {
      std::rotate(set.begin(), found, found + 1);  // the latest stands first
    }
  }

  Index miss_count() const { return miss_count_; }

 private:
  static constexpr Index kLineBytes = 64;
  static constexpr Index kSets = 16;
  static constexpr std::size_t kWays = 8;
  std::array<std::vector<Index>, kSets> sets_;
  Index miss_count_ = 0;
};

constexpr Index kSize = 192;  // A, B and C are 192 x 192 floats: 144 KB each
constexpr Index kFloatBytes = 4;

/// What one multiplication c[i, j] += a[i, p] · b[p, j] touches.
struct Product {
  SimulatedCache cache;

  void step(Index i, Index p, Index j) {
    cache.touch(place(0, i, p));
    cache.touch(place(1, p, j));
    cache.touch(place(2, i, j));
  }

  static Index place(Index matrix, Index row, Index column) {
    return ((matrix * kSize + row) * kSize + column) * kFloatBytes;
  }
};

void naive(Product& product) {
  for (Index i = 0; i < kSize; ++i)
    for (Index j = 0; j < kSize; ++j)
      for (Index p = 0; p < kSize; ++p) product.step(i, p, j);
}

void row_order(Product& product) {
  for (Index i = 0; i < kSize; ++i)
    for (Index p = 0; p < kSize; ++p)
      for (Index j = 0; j < kSize; ++j) product.step(i, p, j);
}

// A tile of B of 24 x 48 floats (4.5 KB) is used by every row of A before the next one is fetched.
void cache_tiles(Product& product) {
  constexpr Index kDepth = 24;
  constexpr Index kWidth = 48;
  for (Index p0 = 0; p0 < kSize; p0 += kDepth)
    for (Index j0 = 0; j0 < kSize; j0 += kWidth)
      for (Index i = 0; i < kSize; ++i)
        for (Index p = p0; p < p0 + kDepth; ++p)
          for (Index j = j0; j < j0 + kWidth; ++j) product.step(i, p, j);
}

void lesson() {
  heading("Lines fetched from memory, for each 1,000 multiplications");
  const std::array<std::pair<const char*, std::function<void(Product&)>>, 3> rungs = {
      {{"naive", naive}, {"row order", row_order}, {"cache tiles", cache_tiles}}};
  const auto multiplications = static_cast<double>(kSize * kSize * kSize);
  for (const auto& [name, multiply] : rungs) {
    Product product;
    multiply(product);
    std::cout << left(name, 14)
              << right(1000 * static_cast<double>(product.cache.miss_count()) / multiplications, 1,
                       8)
              << "\n";
  }
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_04_cache",
                                     "cache misses of the first rungs, counted.",
                                     vitro::examples::lesson);
}
