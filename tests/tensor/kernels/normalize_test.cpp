// Layer and RMS normalization rows against plain double references, and their hard cases.
#include "tensor/kernels/normalize.h"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/tensor/kernels/kernel_values.h"

namespace vitro {
namespace {

using namespace test_support;

constexpr double kTolerance = kIsFloat ? 2e-6 : 1e-13;
constexpr Scalar kEpsilon = Scalar(1e-5);
constexpr Index kRows = 11;

void expect_near(const Values& actual, Index i, const Doubles& expected) {
  const Index columns = static_cast<Index>(expected.size());
  const Doubles row = row_of(actual, i, columns);
  for (std::size_t j = 0; j < expected.size(); ++j) {
    ASSERT_NEAR(row[j], expected[j], kTolerance * (1 + std::fabs(expected[j])))
        << "row " << i << ", column " << j << " of " << columns;
  }
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

TEST(Norm, ForwardMatchesThePlainReference) {
  for (const Index columns : {2, 5, 16, 31, 64, 67}) {
    const Values x = numbers(kRows * columns, 51);
    const Values gain = numbers(columns, 52);
    const Values bias = numbers(columns, 53);
    Values y(x.size());
    Values mean(kRows);
    Values scale(kRows);
    kernels::layer_norm_rows(x.data(), gain.data(), bias.data(), kEpsilon, y.data(), mean.data(),
                             scale.data(), kRows, columns);
    for (Index i = 0; i < kRows; ++i) {
      const PlainNorm row = plain_norm(row_of(x, i, columns), true);
      Doubles expected = row.normalized;
      for (std::size_t j = 0; j < expected.size(); ++j) {
        expected[j] = expected[j] * static_cast<double>(gain[j]) + static_cast<double>(bias[j]);
      }
      expect_near(y, i, expected);
      expect_near(mean, i, {row.mean});
      expect_near(scale, i, {row.scale});
    }
    kernels::rms_norm_rows(x.data(), gain.data(), kEpsilon, y.data(), scale.data(), kRows, columns);
    for (Index i = 0; i < kRows; ++i) {
      const PlainNorm row = plain_norm(row_of(x, i, columns), false);
      Doubles expected = row.normalized;
      for (std::size_t j = 0; j < expected.size(); ++j) expected[j] *= static_cast<double>(gain[j]);
      expect_near(y, i, expected);
      expect_near(scale, i, {row.scale});
    }
  }
}

TEST(Norm, BackwardMatchesTheFullJacobian) {
  for (const Index columns : {2, 5, 16, 31, 67}) {
    const Values x = numbers(kRows * columns, 54);
    const Values gain = numbers(columns, 55, 2);
    const Values bias(gain.size(), 0);
    const Values grad = numbers(kRows * columns, 56, 1);
    Values y(x.size());
    Values grad_x(x.size());
    Values mean(kRows);
    Values scale(kRows);
    Values grad_gain(gain.size(), 99);
    Values grad_bias(gain.size(), 99);
    for (const bool centered : {true, false}) {
      if (centered) {
        kernels::layer_norm_rows(x.data(), gain.data(), bias.data(), kEpsilon, y.data(),
                                 mean.data(), scale.data(), kRows, columns);
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

TEST(Norm, AZeroRowHasFiniteGradientsThatSumToZero) {
  const Values x(4, 0);
  const Values gain(4, 1);
  const Values bias(4, 0);
  Values y(4);
  Scalar mean = 9;
  Scalar scale = 9;
  kernels::layer_norm_rows(x.data(), gain.data(), bias.data(), kEpsilon, y.data(), &mean, &scale, 1,
                           4);
  EXPECT_EQ(y, Values(4, 0));
  Values grad(4);  // of the loss Σ (y - 1)², and once more with unequal parts
  for (std::size_t j = 0; j < 4; ++j) grad[j] = 2 * (y[j] - 1) + static_cast<Scalar>(j * j);
  Values grad_x(4);
  Values grad_gain(4);
  Values grad_bias(4);
  kernels::layer_norm_rows_backward(x.data(), gain.data(), &mean, &scale, grad.data(),
                                    grad_x.data(), grad_gain.data(), grad_bias.data(), 1, 4);
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
  const Values gain(4, 1);
  const Values bias(4, 0);
  Values y(4);
  Scalar mean = 0;
  Scalar scale = 0;
  kernels::layer_norm_rows(x.data(), gain.data(), bias.data(), kEpsilon, y.data(), &mean, &scale, 1,
                           4);
  const double expected[] = {-1.341635, -0.447212, 0.447212, 1.341635};
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(y[j], expected[j], 1e-3);
}

// Recorded once; every compiler, processor and build type must reproduce them.
TEST(Norm, BitsAreTheSameEverywhere) {
  BitHash hash;
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
    kernels::layer_norm_rows(x.data(), gain.data(), bias.data(), kEpsilon, y.data(), mean.data(),
                             scale.data(), kRows, columns);
    kernels::layer_norm_rows_backward(x.data(), gain.data(), mean.data(), scale.data(), grad.data(),
                                      grad_x.data(), grad_gain.data(), grad_bias.data(), kRows,
                                      columns);
    for (const Values& values : {y, grad_x, mean, scale, grad_gain, grad_bias}) hash.add(values);
    kernels::rms_norm_rows(x.data(), gain.data(), kEpsilon, y.data(), scale.data(), kRows, columns);
    kernels::rms_norm_rows_backward(x.data(), gain.data(), scale.data(), grad.data(), grad_x.data(),
                                    grad_gain.data(), kRows, columns);
    for (const Values& values : {y, grad_x, scale, grad_gain}) hash.add(values);
  }
  EXPECT_EQ(hash.value(), kIsFloat ? 7146595155089510654U : 12504790168499182919U);
}

}  // namespace
}  // namespace vitro
