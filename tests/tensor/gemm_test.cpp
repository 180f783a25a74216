#include "tensor/kernels/gemm.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "tensor/kernels/gemm_ladder.h"
#include "tensor/parallel.h"

#include "tests/support/multiply_add.h"

namespace vitro::kernels {
namespace {

// Fills gaps between rows and what lies around a matrix: must never be read into a result nor
// written over.
constexpr Scalar kUntouched = Scalar(12345);

std::vector<Scalar> random_values(Index count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Scalar> uniform(-1, 1);
  std::vector<Scalar> values(static_cast<std::size_t>(count));
  for (Scalar& value : values) value = uniform(generator);
  return values;
}

Scalar at(const MatrixView& matrix, Index row, Index column) {
  return matrix.data[row * matrix.row_stride + column * matrix.column_stride];
}

// The definition, element by element.
void gemm_by_definition(const Gemm& product) {
  for (Index i = 0; i < product.m; ++i)
    for (Index j = 0; j < product.n; ++j) {
      Scalar& c = product.c[i * product.c_row_stride + j];
      Scalar sum = product.start == GemmStart::kC ? c : Scalar(0);
      for (Index p = 0; p < product.k; ++p)
        sum = test::multiply_add(at(product.a, i, p), at(product.b, p, j), sum);
      if (product.bias) sum += product.bias[j];
      if (product.residual) sum += product.residual[i * product.residual_row_stride + j];
      c = sum;
    }
}

bool same_bits(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Scalar)) == 0;
}

enum class Layout { rows, columns, padded_rows, strided, broadcast_rows };

constexpr Layout kLayouts[] = {Layout::rows, Layout::columns, Layout::padded_rows, Layout::strided,
                               Layout::broadcast_rows};

// A matrix of random numbers in one of the layouts.
struct Matrix {
  Matrix(Index rows, Index columns, Layout layout, unsigned seed)
      : values(random_values(3 * (rows + 5) * (columns + 5) + 1, seed)) {
    switch (layout) {
      case Layout::rows:
        row_stride = columns, column_stride = 1;
        break;
      case Layout::columns:
        row_stride = 1, column_stride = rows;
        break;
      case Layout::padded_rows:
        row_stride = columns + 5, column_stride = 1;
        break;
      case Layout::strided:
        row_stride = 3, column_stride = 3 * rows + 2;
        break;
      case Layout::broadcast_rows:
        row_stride = 0, column_stride = 1;
        break;
    }
  }

  MatrixView view() const { return {values.data(), row_stride, column_stride}; }

  std::vector<Scalar> values;
  Index row_stride = 0;
  Index column_stride = 0;
};

struct Options {
  GemmStart start = GemmStart::kZero;
  bool bias = false;
  bool residual = false;
};

// Runs a product and its definition on equal memory and compares all of it, bit for bit.
void expect_definition(Index m, Index n, Index k, Layout a_layout, Layout b_layout,
                       Options options = {}) {
  SCOPED_TRACE(::testing::Message()
               << m << " x " << n << " x " << k << ", layouts " << int(a_layout) << int(b_layout));
  const Matrix a(m, k, a_layout, 1);
  const Matrix b(k, n, b_layout, 2);
  const std::vector<Scalar> bias = random_values(n, 3);
  const std::vector<Scalar> residual = random_values(m * (n + 2), 4);
  std::vector<Scalar> actual((m + 1) * (n + 3), kUntouched);
  if (options.start == GemmStart::kC)
    for (Index i = 0; i < m * (n + 3); ++i)
      if (i % (n + 3) < n) actual[static_cast<std::size_t>(i)] = Scalar(i % 17) - Scalar(0.3);
  std::vector<Scalar> expected = actual;

  Gemm product{m, n, k, a.view(), b.view(), actual.data(), n + 3, options.start};
  if (options.bias) product.bias = bias.data();
  if (options.residual) product.residual = residual.data(), product.residual_row_stride = n + 2;
  gemm(product);
  product.c = expected.data();
  gemm_by_definition(product);
  EXPECT_TRUE(same_bits(actual, expected));
}

class GemmTest : public ::testing::Test {
 protected:
  void TearDown() override { set_num_threads(default_threads_); }

  const Index default_threads_ = thread_count();
};

TEST_F(GemmTest, EveryLayoutIsTheChainBitForBit) {
  for (const Layout a : kLayouts)
    for (const Layout b : kLayouts)
      for (const auto& [m, n, k] : {std::tuple{1, 37, 29}, {13, 41, 31}, {113, 67, 53}, {5, 3, 7}})
        expect_definition(m, n, k, a, b);
}

TEST_F(GemmTest, EverySmallSizeIsTheChainBitForBit) {
  for (Index m = 1; m <= 27; ++m)
    for (const Index n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 65})
      for (const Index k : {1, 2, 5, 16}) expect_definition(m, n, k, Layout::rows, Layout::rows);
}

TEST_F(GemmTest, SeveralBlocksOfDepthAndColumnsAreTheChainBitForBit) {
  for (const auto& [m, n, k] :
       {std::tuple{131, 37, 1031}, {3, 67, 1549}, {1, 293, 1031}, {97, 521, 129}, {101, 4133, 3}})
    for (const Layout b : {Layout::rows, Layout::columns}) {
      expect_definition(m, n, k, Layout::rows, b);
      expect_definition(m, n, k, Layout::columns, b);
    }
}

TEST_F(GemmTest, ContinuesFromCAndAddsBiasThenResidual) {
  for (const GemmStart start : {GemmStart::kZero, GemmStart::kC})
    for (const bool bias : {false, true})
      for (const bool residual : {false, true})
        for (const auto& [m, n, k] :
             {std::tuple{1, 35, 19}, {7, 64, 11}, {29, 33, 1031}, {103, 80, 37}, {103, 79, 1031}})
          for (const Layout b : {Layout::rows, Layout::columns})
            expect_definition(m, n, k, Layout::rows, b, {start, bias, residual});
}

TEST_F(GemmTest, EmptySizes) {
  for (const Index m : {0, 1, 3, 101})
    for (const Index n : {0, 5, 71, 4133})
      for (const Index k : {0, 7})
        for (const Layout b : {Layout::rows, Layout::columns})
          for (const GemmStart start : {GemmStart::kZero, GemmStart::kC})
            for (const bool epilogue : {false, true})
              expect_definition(m, n, k, Layout::rows, b, {start, epilogue, epilogue});
}

TEST_F(GemmTest, AnEmptyChainGivesZeroOrKeepsC) {
  std::vector<Scalar> c = {1, 2, 3, 4, 5, 6};
  const Scalar nothing = 0;
  gemm({2, 3, 0, {&nothing, 0, 1}, {&nothing, 3, 1}, c.data(), 3, GemmStart::kC});
  EXPECT_EQ(c, (std::vector<Scalar>{1, 2, 3, 4, 5, 6}));
  gemm({2, 3, 0, {&nothing, 0, 1}, {&nothing, 3, 1}, c.data(), 3});
  EXPECT_EQ(c, (std::vector<Scalar>(6, 0)));
}

TEST_F(GemmTest, WorkedExample) {
  const std::vector<Scalar> a = {1, 2, 3, 4, 5, 6};         // [2, 3]
  const std::vector<Scalar> b = {7, 8, 9, 10, 11, 12};      // [3, 2]
  const std::vector<Scalar> bias = {100, 200};              // [2]
  const std::vector<Scalar> residual = {1000, 0, 0, 2000};  // [2, 2]
  std::vector<Scalar> c(4, kUntouched);
  Gemm product{2, 2, 3, {a.data(), 3, 1}, {b.data(), 2, 1}, c.data(), 2};
  gemm(product);
  EXPECT_EQ(c, (std::vector<Scalar>{58, 64, 139, 154}));
  product.bias = bias.data();
  product.residual = residual.data();
  product.residual_row_stride = 2;
  gemm(product);
  EXPECT_EQ(c, (std::vector<Scalar>{1158, 264, 239, 2354}));
}

TEST_F(GemmTest, NotANumberAndInfinityReachTheirRowsAndColumnsOnly) {
  const Index m = 14, n = 35, k = 3;
  std::vector<Scalar> a(m * k, 1), b(k * n, 1), c(m * n, kUntouched);
  a[4 * k] = std::numeric_limits<Scalar>::quiet_NaN();
  b[34] = std::numeric_limits<Scalar>::infinity();
  gemm({m, n, k, {a.data(), k, 1}, {b.data(), n, 1}, c.data(), n});
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      const Scalar value = c[static_cast<std::size_t>(i * n + j)];
      if (i == 4)
        EXPECT_TRUE(std::isnan(value));
      else if (j == 34)
        EXPECT_TRUE(std::isinf(value));
      else
        EXPECT_EQ(value, 3);
    }
}

TEST_F(GemmTest, ThreadsNeverChangeABit) {
  for (const Index threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    for (const Layout b : {Layout::rows, Layout::columns}) {
      expect_definition(211, 163, 547, Layout::rows, b);    // shared by rows
      expect_definition(2, 2111, 547, Layout::columns, b);  // shared by columns
    }
  }
}

TEST_F(GemmTest, BL82_LargeProductsUseThreadsAndSmallOnesDoNot) {
  set_num_threads(2);
  const auto handoffs_of = [](Index size) {
    const std::vector<Scalar> a = random_values(size * size, 5);
    std::vector<Scalar> c(a.size());
    const Index before = handoff_count();
    gemm({size, size, size, {a.data(), size, 1}, {a.data(), size, 1}, c.data(), size});
    return handoff_count() - before;
  };
  EXPECT_EQ(handoffs_of(32), 0);
  EXPECT_EQ(handoffs_of(64), 0);
  EXPECT_GT(handoffs_of(256), 0);
}

TEST_F(GemmTest, ABatchIsItsProductsOneByOne) {
  const Index m = 19, n = 37, k = 23, count = 11;
  const std::vector<Scalar> a = random_values(count * m * k, 6);
  const std::vector<Scalar> b = random_values(count * k * n, 7);
  const std::vector<Scalar> residual = random_values(count * m * n, 8);
  std::vector<GemmOffsets> offsets;  // B is shared by pairs of products, C lies in reverse
  for (Index i = 0; i < count; ++i)
    offsets.push_back({i * m * k, i / 2 * k * n, (count - 1 - i) * m * n});

  std::vector<Scalar> expected(count * m * n, kUntouched);
  for (const GemmOffsets& offset : offsets)
    gemm_by_definition({m,
                        n,
                        k,
                        {a.data() + offset.a, k, 1},
                        {b.data() + offset.b, n, 1},
                        expected.data() + offset.c,
                        n,
                        GemmStart::kZero,
                        nullptr,
                        residual.data() + offset.c,
                        n});
  for (const Index threads : {1, 2, 3, 20}) {
    set_num_threads(threads);
    std::vector<Scalar> actual(count * m * n, kUntouched);
    gemm_batch({m,
                n,
                k,
                {a.data(), k, 1},
                {b.data(), n, 1},
                actual.data(),
                n,
                GemmStart::kZero,
                nullptr,
                residual.data(),
                n},
               offsets);
    EXPECT_TRUE(same_bits(actual, expected)) << threads << " threads";
  }
}

TEST_F(GemmTest, AnEmptyBatchIsNothing) { gemm_batch({}, {}); }

TEST_F(GemmTest, EveryRungOfTheLadderComputesTheSameProduct) {
  for (const auto& [m, n, k] : {std::tuple{67, 131, 71}, {1, 1, 1}, {5, 200, 0}, {129, 65, 257}}) {
    const std::vector<Scalar> a = random_values(m * k, 9);
    const std::vector<Scalar> b = random_values(k * n, 10);
    std::vector<Scalar> naive(m * n, kUntouched);
    gemm_naive(m, n, k, a.data(), b.data(), naive.data());
    for (const GemmRung& rung : kGemmLadder) {
      std::vector<Scalar> c(m * n, kUntouched);
      rung.multiply(m, n, k, a.data(), b.data(), c.data());
      for (std::size_t i = 0; i < c.size(); ++i)
        ASSERT_NEAR(c[i], naive[i], 1e-5 * (1 + k)) << rung.name << " at " << i;
    }
  }
}

}  // namespace
}  // namespace vitro::kernels
