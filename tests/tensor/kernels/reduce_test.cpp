// Sums follow their documented order bit for bit; maxima keep NaN.
#include "tensor/kernels/reduce.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "tests/tensor/kernels/kernel_values.h"

namespace vitro {
namespace {

using namespace test_support;

/// The promised order of a sum, spelled out.
Scalar sum_in_order(const Values& terms) {
  Values lane(16, 0);
  for (std::size_t i = 0; i < terms.size(); ++i) lane[i % 16] += terms[i];
  for (const std::size_t half : {8U, 4U, 2U, 1U}) {
    for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  }
  return lane[0];
}

TEST(Reduce, SumsFollowTheDocumentedOrderBitForBit) {
  for (Index count = 0; count <= 149; ++count) {
    const Values x = numbers(count, 21, 1000);
    const Values y = numbers(count, 22, 3);
    Values products(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) products[i] = x[i] * y[i];
    EXPECT_EQ(kernels::sum_array(x.data(), count), sum_in_order(x)) << count;
    EXPECT_EQ(kernels::dot_array(x.data(), y.data(), count), sum_in_order(products)) << count;
  }
}

TEST(Reduce, MaxFindsTheLargestAndKeepsNan) {
  EXPECT_EQ(kernels::max_array(nullptr, 0), -kInfinity);
  for (Index count = 1; count <= 67; ++count) {
    Values x = numbers(count, 23);
    EXPECT_EQ(kernels::max_array(x.data(), count), *std::max_element(x.begin(), x.end()));
    for (Scalar& value : x) {
      const Scalar before = value;
      value = 50;
      EXPECT_EQ(kernels::max_array(x.data(), count), 50) << count;
      value = kNan;
      EXPECT_TRUE(std::isnan(kernels::max_array(x.data(), count))) << count;
      value = before;
    }
  }
}

TEST(Reduce, RowChunksCoverEachRowOnce) {
  for (Index rows = 0; rows < 100; ++rows) {
    Index next = 0;
    for (Index chunk = 0; chunk < kernels::kRowChunkCount; ++chunk) {
      const kernels::RowRange range = kernels::row_chunk(rows, chunk);
      EXPECT_EQ(range.begin, next);
      EXPECT_GE(range.end, range.begin);
      EXPECT_LE(range.end - range.begin, rows / 16 + 1);
      next = range.end;
    }
    EXPECT_EQ(next, rows);
  }
}

TEST(Reduce, SumsOfRowsInChunks) {
  constexpr Index kColumns = 19;
  for (const Index rows : {1, 7, 16, 53}) {
    const Values x = numbers(rows * kColumns, 31);
    Values partial(16 * kColumns);
    for (Index chunk = 0; chunk < 16; ++chunk) {
      const auto [begin, end] = kernels::row_chunk(rows, chunk);
      kernels::sum_rows(x.data() + begin * kColumns, partial.data() + chunk * kColumns, end - begin,
                        kColumns);
    }
    Values sum(kColumns);
    kernels::combine_row_chunks(partial.data(), sum.data(), kColumns);
    for (Index j = 0; j < kColumns; ++j) {
      Values chunks;
      for (Index chunk = 0; chunk < 16; ++chunk) {
        const auto [begin, end] = kernels::row_chunk(rows, chunk);
        Scalar total = 0;
        for (Index i = begin; i < end; ++i) total += x[static_cast<std::size_t>(i * kColumns + j)];
        chunks.push_back(total);
      }
      EXPECT_EQ(sum[static_cast<std::size_t>(j)], sum_in_order(chunks)) << rows;
    }
  }
}

}  // namespace
}  // namespace vitro
