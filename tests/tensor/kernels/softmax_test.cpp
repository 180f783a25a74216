// Softmax and log-softmax rows against plain double references, and their hard cases.
#include "tensor/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "tests/tensor/kernels/kernel_values.h"

namespace vitro {
namespace {

using namespace test_support;

constexpr double kTolerance = kIsFloat ? 2e-6 : 1e-13;

void expect_near(const Values& actual, Index i, const Doubles& expected) {
  const Index columns = static_cast<Index>(expected.size());
  const Doubles row = row_of(actual, i, columns);
  for (std::size_t j = 0; j < expected.size(); ++j) {
    ASSERT_NEAR(row[j], expected[j], kTolerance * (1 + std::fabs(expected[j])))
        << "row " << i << ", column " << j << " of " << columns;
  }
}

Doubles plain_softmax(const Doubles& x) {
  Doubles y(x.size());
  double highest = -std::numeric_limits<double>::infinity();
  for (const double value : x) highest = std::max(highest, value);
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += y[j] = std::exp(x[j] - highest);
  for (double& value : y) value /= sum;
  return y;
}

constexpr Index kRows = 11;

TEST(Softmax, MatchesThePlainReference) {
  for (Index columns = 1; columns <= 67; ++columns) {
    Values x = numbers(kRows * columns, 41, 8);
    for (std::size_t i = 2; i < x.size(); i += 5) x[i] = -kInfinity;  // masked
    for (Index i = 0; i < kRows; ++i) x[static_cast<std::size_t>(i * columns)] = 2;
    Values y(x.size());
    Values log_y(x.size());
    kernels::softmax_rows(x.data(), y.data(), kRows, columns);
    kernels::log_softmax_rows(x.data(), log_y.data(), kRows, columns);
    for (Index i = 0; i < kRows; ++i) {
      expect_near(y, i, plain_softmax(row_of(x, i, columns)));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == -kInfinity) {
        ASSERT_EQ(y[i], 0);
        ASSERT_EQ(log_y[i], -kInfinity);
      } else {
        ASSERT_NEAR(std::exp(log_y[i]), y[i], kTolerance);
      }
    }
  }
}

TEST(Softmax, BackwardMatchesThePlainReference) {
  for (Index columns = 1; columns <= 67; columns += 3) {
    const Values x = numbers(kRows * columns, 42);
    const Values grad = numbers(kRows * columns, 43);
    Values y(x.size());
    Values grad_x(x.size());
    Values log_grad_x(x.size());
    kernels::softmax_rows(x.data(), y.data(), kRows, columns);
    kernels::softmax_rows_backward(y.data(), grad.data(), grad_x.data(), kRows, columns);
    Values log_y(x.size());
    kernels::log_softmax_rows(x.data(), log_y.data(), kRows, columns);
    kernels::log_softmax_rows_backward(log_y.data(), grad.data(), log_grad_x.data(), kRows,
                                       columns);
    for (Index i = 0; i < kRows; ++i) {
      const Doubles p = plain_softmax(row_of(x, i, columns));
      const Doubles g = row_of(grad, i, columns);
      Doubles expected(p.size());
      Doubles expected_log(p.size());
      for (std::size_t j = 0; j < p.size(); ++j) {
        for (std::size_t k = 0; k < p.size(); ++k) {  // the full Jacobian, entry by entry
          const double same = j == k ? 1 : 0;
          expected[j] += g[k] * p[k] * (same - p[j]);
          expected_log[j] += g[k] * (same - p[j]);
        }
      }
      expect_near(grad_x, i, expected);
      for (std::size_t j = 0; j < p.size(); ++j) {
        const double actual = row_of(log_grad_x, i, columns)[j];
        ASSERT_NEAR(actual, expected_log[j], 10 * kTolerance) << columns;
      }
    }
  }
}

TEST(Softmax, AFullyMaskedRowGivesZerosAndZeroGradients) {
  for (const Index columns : {1, 5, 16, 37}) {
    const std::size_t size = static_cast<std::size_t>(columns);
    const Values x(size, -kInfinity);
    const Values zeros(size, 0);
    const Values grad = numbers(columns, 44);
    Values y(size, 7);
    Values grad_x(size, 7);
    kernels::softmax_rows(x.data(), y.data(), 1, columns);
    kernels::softmax_rows_backward(y.data(), grad.data(), grad_x.data(), 1, columns);
    EXPECT_EQ(y, zeros);
    EXPECT_EQ(grad_x, zeros);
    kernels::log_softmax_rows(x.data(), y.data(), 1, columns);
    kernels::log_softmax_rows_backward(y.data(), grad.data(), grad_x.data(), 1, columns);
    EXPECT_EQ(y, x);
    EXPECT_EQ(grad_x, zeros);
  }
}

TEST(Softmax, NanAndInfinitySpoilTheirRowAndNoOther) {
  for (const Index columns : {3, 16, 35}) {
    for (const Scalar bad : {kNan, kInfinity}) {
      for (Index position = 0; position < columns; ++position) {
        Values x = numbers(3 * columns, 45);
        Values clean(x.size());
        kernels::softmax_rows(x.data(), clean.data(), 3, columns);
        x[static_cast<std::size_t>(columns + position)] = bad;
        Values y(x.size());
        Values log_y(x.size());
        kernels::softmax_rows(x.data(), y.data(), 3, columns);
        kernels::log_softmax_rows(x.data(), log_y.data(), 3, columns);
        for (Index i = 0; i < 3 * columns; ++i) {
          const std::size_t at = static_cast<std::size_t>(i);
          const bool spoiled = i / columns == 1;
          ASSERT_EQ(std::isnan(y[at]), spoiled);
          ASSERT_EQ(std::isnan(log_y[at]), spoiled);
          if (!spoiled) {
            ASSERT_EQ(y[at], clean[at]);
          }
        }
      }
    }
  }
}

TEST(Softmax, LargeLogitsDoNotOverflow) {
  const Values x = {1000, 1000, -1000};
  Values y(3);
  kernels::softmax_rows(x.data(), y.data(), 1, 3);
  EXPECT_EQ(y, (Values{Scalar(0.5), Scalar(0.5), 0}));
  kernels::log_softmax_rows(x.data(), y.data(), 1, 3);
  EXPECT_NEAR(y[0], -std::log(2.0), kTolerance);
  EXPECT_NEAR(y[2], -2000 - std::log(2.0), 2000 * kTolerance);
}

// Recorded once; every compiler, processor and build type must reproduce them.
TEST(Softmax, BitsAreTheSameEverywhere) {
  BitHash hash;
  for (Index columns = 1; columns <= 131; columns += 5) {
    const Values x = numbers(kRows * columns, 61);
    const Values grad = numbers(kRows * columns, 62);
    Values y(x.size());
    Values grad_x(x.size());
    kernels::softmax_rows(x.data(), y.data(), kRows, columns);
    kernels::softmax_rows_backward(y.data(), grad.data(), grad_x.data(), kRows, columns);
    hash.add(y);
    hash.add(grad_x);
    kernels::log_softmax_rows(x.data(), y.data(), kRows, columns);
    kernels::log_softmax_rows_backward(y.data(), grad.data(), grad_x.data(), kRows, columns);
    hash.add(y);
    hash.add(grad_x);
  }
  EXPECT_EQ(hash.value(), kIsFloat ? 17210556784877114466U : 14683112309473969270U);
}

}  // namespace
}  // namespace vitro
