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
    EXPECT_EQ(kernels::sum_array(x.data(), count), sum_in_order(x)) << count;
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

/// sum[j] = Σ x[i, j] over the rows from `begin` to before `end`, from top to bottom.
Values column_sums(const Values& x, Index begin, Index end, Index columns) {
  Values sum(static_cast<std::size_t>(columns), 0);
  for (Index i = begin; i < end; ++i) {
    for (Index j = 0; j < columns; ++j) {
      sum[static_cast<std::size_t>(j)] += x[static_cast<std::size_t>(i * columns + j)];
    }
  }
  return sum;
}

TEST(Reduce, RowChunksAreCombinedPairwise) {
  constexpr Index kColumns = 19;
  for (const Index rows : {1, 7, 16, 53}) {
    const Values x = numbers(rows * kColumns, 31);
    Values partial;
    for (Index chunk = 0; chunk < kernels::kRowChunkCount; ++chunk) {
      const auto [begin, end] = kernels::row_chunk(rows, chunk);
      const Values sums = column_sums(x, begin, end, kColumns);
      partial.insert(partial.end(), sums.begin(), sums.end());
    }
    const Values before = partial;
    Values sum(kColumns);
    kernels::combine_row_chunks(partial.data(), sum.data(), kColumns);
    for (std::size_t j = 0; j < kColumns; ++j) {
      Values chunks;
      for (std::size_t chunk = 0; chunk < 16; ++chunk)
        chunks.push_back(before[chunk * kColumns + j]);
      EXPECT_EQ(sum[j], sum_in_order(chunks)) << rows;
    }
  }
}

TEST(Reduce, SumsOfColumnsAddChunksOfRowsInOrder) {
  constexpr Index kColumns = 19;
  constexpr Index kStride = 23;  // the matrix is part of a wider one
  for (const Index rows : {0, 1, 7, 16, 53}) {
    const Values wide = numbers(rows * kStride, 32);
    Values x;
    for (Index i = 0; i < rows; ++i) {
      x.insert(x.end(), wide.begin() + i * kStride, wide.begin() + i * kStride + kColumns);
    }
    Values expected(kColumns, 0);
    for (Index chunk = 0; chunk < 16; ++chunk) {
      const Values sums = column_sums(x, rows * chunk / 16, rows * (chunk + 1) / 16, kColumns);
      for (std::size_t j = 0; j < kColumns; ++j) expected[j] += sums[j];
    }
    Values sum(kColumns, 7);
    kernels::sum_columns(wide.data(), rows, kStride, kColumns, sum.data());
    EXPECT_EQ(sum, expected) << rows;
  }
}

}  // namespace
}  // namespace vitro
