// Softmax and normalization rows against plain double references, and their hard cases.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "tensor/kernels/layer_norm.h"
#include "tensor/kernels/reduce.h"
#include "tensor/kernels/softmax.h"

namespace vitro {
namespace {

using Values = std::vector<Scalar>;
using Doubles = std::vector<double>;

constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();
constexpr Scalar kNan = std::numeric_limits<Scalar>::quiet_NaN();
constexpr bool kIsFloat = sizeof(Scalar) == 4;
constexpr double kTolerance = kIsFloat ? 2e-6 : 1e-13;
constexpr Scalar kEpsilon = Scalar(1e-5);

Values numbers(Index count, std::uint32_t seed, Scalar scale = 4) {
  Values result(static_cast<std::size_t>(count));
  for (Scalar& value : result) {
    seed = seed * 1664525U + 1013904223U;
    value = scale * (static_cast<Scalar>(seed >> 8) / 8388608 - 1);
  }
  return result;
}

/// Row i of a [rows, columns] matrix, as double.
Doubles row_of(const Values& x, Index i, Index columns) {
  return Doubles(x.begin() + i * columns, x.begin() + (i + 1) * columns);
}

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
    Values in_place = x;
    kernels::softmax_rows_in_place(in_place.data(), kRows, columns);
    EXPECT_EQ(in_place, y);
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

/// What a normalization computes for one row, in double and by the definition.
struct PlainNorm {
  double mean = 0;
  double scale = 0;
  Doubles normalized;
};

PlainNorm plain_norm(const Doubles& x, bool centered) {
  const double count = static_cast<double>(x.size());
  PlainNorm result;
  if (centered) {
    for (const double value : x) result.mean += value / count;
  }
  double variance = 0;
  for (const double value : x) variance += (value - result.mean) * (value - result.mean) / count;
  result.scale = 1 / std::sqrt(variance + static_cast<double>(kEpsilon));
  for (const double value : x) result.normalized.push_back((value - result.mean) * result.scale);
  return result;
}

/// grad_x by the full Jacobian: d x̂_k / d x_j = scale (δ_kj - centered/n - x̂_k x̂_j / n).
Doubles plain_norm_grad(const PlainNorm& row, const Doubles& g, bool centered) {
  const double count = static_cast<double>(g.size());
  Doubles result(g.size());
  for (std::size_t j = 0; j < g.size(); ++j) {
    for (std::size_t k = 0; k < g.size(); ++k) {
      const double same = j == k ? 1 : 0;
      const double shift = centered ? 1 / count : 0;
      const double turn = row.normalized[k] * row.normalized[j] / count;
      result[j] += g[k] * row.scale * (same - shift - turn);
    }
  }
  return result;
}

TEST(Norm, ForwardMatchesThePlainReferenceWithAndWithoutGainAndBias) {
  for (const Index columns : {2, 5, 16, 31, 64, 67}) {
    const Values x = numbers(kRows * columns, 51);
    const Values gain = numbers(columns, 52);
    const Values bias = numbers(columns, 53);
    for (const bool has_gain : {false, true}) {
      for (const bool has_bias : {false, true}) {
        Values y(x.size());
        Values rms_y(x.size());
        Values mean(kRows);
        Values scale(kRows);
        const Scalar* gain_or_null = has_gain ? gain.data() : nullptr;
        const Scalar* bias_or_null = has_bias ? bias.data() : nullptr;
        kernels::layer_norm_rows(x.data(), gain_or_null, bias_or_null, kEpsilon, y.data(),
                                 mean.data(), scale.data(), kRows, columns);
        for (Index i = 0; i < kRows; ++i) {
          const PlainNorm row = plain_norm(row_of(x, i, columns), true);
          Doubles expected = row.normalized;
          for (std::size_t j = 0; j < expected.size(); ++j) {
            if (has_gain) expected[j] *= static_cast<double>(gain[j]);
            if (has_bias) expected[j] += static_cast<double>(bias[j]);
          }
          expect_near(y, i, expected);
          expect_near(mean, i, {row.mean});
          expect_near(scale, i, {row.scale});
        }
        kernels::rms_norm_rows(x.data(), gain_or_null, kEpsilon, rms_y.data(), scale.data(), kRows,
                               columns);
        for (Index i = 0; i < kRows; ++i) {
          const PlainNorm row = plain_norm(row_of(x, i, columns), false);
          Doubles expected = row.normalized;
          for (std::size_t j = 0; j < expected.size(); ++j) {
            if (has_gain) expected[j] *= static_cast<double>(gain[j]);
          }
          expect_near(rms_y, i, expected);
        }
      }
    }
  }
}

TEST(Norm, BackwardMatchesTheFullJacobian) {
  for (const Index columns : {2, 5, 16, 31, 67}) {
    const Values x = numbers(kRows * columns, 54);
    const Values gain = numbers(columns, 55, 2);
    const Values grad = numbers(kRows * columns, 56, 1);
    Values y(x.size());
    Values grad_x(x.size());
    Values mean(kRows);
    Values scale(kRows);
    Values grad_gain(gain.size(), 99);
    Values grad_bias(gain.size(), 99);
    for (const bool centered : {true, false}) {
      if (centered) {
        kernels::layer_norm_rows(x.data(), gain.data(), nullptr, kEpsilon, y.data(), mean.data(),
                                 scale.data(), kRows, columns);
        kernels::layer_norm_rows_backward(x.data(), gain.data(), mean.data(), scale.data(),
                                          grad.data(), grad_x.data(), grad_gain.data(),
                                          grad_bias.data(), kRows, columns);
      } else {
        kernels::rms_norm_rows(x.data(), gain.data(), kEpsilon, y.data(), scale.data(), kRows,
                               columns);
        kernels::rms_norm_rows_backward(x.data(), gain.data(), scale.data(), grad.data(),
                                        grad_x.data(), grad_gain.data(), kRows, columns);
      }
      Doubles expected_gain(gain.size());
      Doubles expected_bias(gain.size());
      for (Index i = 0; i < kRows; ++i) {
        const PlainNorm row = plain_norm(row_of(x, i, columns), centered);
        const Doubles grad_row = row_of(grad, i, columns);
        Doubles g = grad_row;
        for (std::size_t j = 0; j < g.size(); ++j) {
          g[j] *= static_cast<double>(gain[j]);
          expected_gain[j] += grad_row[j] * row.normalized[j];
          expected_bias[j] += grad_row[j];
        }
        const Doubles expected = plain_norm_grad(row, g, centered);
        for (std::size_t j = 0; j < g.size(); ++j) {
          ASSERT_NEAR(row_of(grad_x, i, columns)[j], expected[j], kTolerance * (1 + row.scale));
        }
      }
      expect_near(grad_gain, 0, expected_gain);
      if (centered) expect_near(grad_bias, 0, expected_bias);
    }
  }
}

TEST(Norm, BackwardWithoutGainEqualsAGainOfOnes) {
  constexpr Index kColumns = 23;
  const Values x = numbers(kRows * kColumns, 57);
  const Values grad = numbers(kRows * kColumns, 58);
  const Values ones(kColumns, 1);
  Values y(x.size());
  Values mean(kRows);
  Values scale(kRows);
  Values with_ones(x.size());
  Values without(x.size());
  kernels::layer_norm_rows(x.data(), nullptr, nullptr, kEpsilon, y.data(), mean.data(),
                           scale.data(), kRows, kColumns);
  kernels::layer_norm_rows_backward(x.data(), ones.data(), mean.data(), scale.data(), grad.data(),
                                    with_ones.data(), nullptr, nullptr, kRows, kColumns);
  kernels::layer_norm_rows_backward(x.data(), nullptr, mean.data(), scale.data(), grad.data(),
                                    without.data(), nullptr, nullptr, kRows, kColumns);
  EXPECT_EQ(with_ones, without);
}

TEST(Norm, AZeroRowHasFiniteGradientsThatSumToZero) {
  const Values x(4, 0);
  Values y(4);
  Scalar mean = 9;
  Scalar scale = 9;
  kernels::layer_norm_rows(x.data(), nullptr, nullptr, kEpsilon, y.data(), &mean, &scale, 1, 4);
  EXPECT_EQ(y, Values(4, 0));
  Values grad(4);  // of the loss Σ (y - 1)², and once more with unequal parts
  for (std::size_t j = 0; j < 4; ++j) grad[j] = 2 * (y[j] - 1) + static_cast<Scalar>(j * j);
  Values grad_x(4);
  kernels::layer_norm_rows_backward(x.data(), nullptr, &mean, &scale, grad.data(), grad_x.data(),
                                    nullptr, nullptr, 1, 4);
  Scalar sum = 0;
  for (const Scalar value : grad_x) {
    EXPECT_TRUE(std::isfinite(value));
    sum += value;
  }
  EXPECT_NEAR(sum, 0, 1e-3);  // of terms near 1000
  EXPECT_GT(std::fabs(grad_x[3]), 100);
}

TEST(Norm, ALargeMeanDoesNotCancelTheVariance) {
  const Values x = {40000, 40001, 40002, 40003};
  Values y(4);
  Scalar mean = 0;
  Scalar scale = 0;
  kernels::layer_norm_rows(x.data(), nullptr, nullptr, kEpsilon, y.data(), &mean, &scale, 1, 4);
  const double expected[] = {-1.341635, -0.447212, 0.447212, 1.341635};
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(y[j], expected[j], 1e-3);
}

/// Folds the bits of results into a hash (FNV-1a over whole numbers).
void fold(std::uint64_t& hash, const Values& values) {
  using Bits = std::conditional_t<kIsFloat, std::uint32_t, std::uint64_t>;
  for (const Scalar value : values) hash = (hash ^ std::bit_cast<Bits>(value)) * 0x100000001b3U;
}

// Recorded once; every compiler, processor and build type must reproduce them.
TEST(RowKernels, BitsAreTheSameEverywhere) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (Index columns = 1; columns <= 131; columns += 5) {
    const Values x = numbers(kRows * columns, 61);
    const Values grad = numbers(kRows * columns, 62);
    const Values gain = numbers(columns, 63);
    const Values bias = numbers(columns, 64);
    Values y(x.size());
    Values grad_x(x.size());
    Values mean(kRows);
    Values scale(kRows);
    Values grad_gain(gain.size());
    Values grad_bias(gain.size());
    kernels::softmax_rows(x.data(), y.data(), kRows, columns);
    kernels::softmax_rows_backward(y.data(), grad.data(), grad_x.data(), kRows, columns);
    fold(hash, y);
    fold(hash, grad_x);
    kernels::log_softmax_rows(x.data(), y.data(), kRows, columns);
    kernels::log_softmax_rows_backward(y.data(), grad.data(), grad_x.data(), kRows, columns);
    fold(hash, y);
    fold(hash, grad_x);
    kernels::layer_norm_rows(x.data(), gain.data(), bias.data(), kEpsilon, y.data(), mean.data(),
                             scale.data(), kRows, columns);
    kernels::layer_norm_rows_backward(x.data(), gain.data(), mean.data(), scale.data(), grad.data(),
                                      grad_x.data(), grad_gain.data(), grad_bias.data(), kRows,
                                      columns);
    for (const Values& values : {y, grad_x, mean, scale, grad_gain, grad_bias}) fold(hash, values);
    kernels::rms_norm_rows(x.data(), gain.data(), kEpsilon, y.data(), scale.data(), kRows, columns);
    kernels::rms_norm_rows_backward(x.data(), gain.data(), scale.data(), grad.data(), grad_x.data(),
                                    grad_gain.data(), kRows, columns);
    for (const Values& values : {y, grad_x, scale, grad_gain}) fold(hash, values);
  }
  EXPECT_EQ(hash, kIsFloat ? 0U : 1U);
}

}  // namespace
}  // namespace vitro
