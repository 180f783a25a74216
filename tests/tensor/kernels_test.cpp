// Array and row kernels against the scalar functions and plain double references.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <type_traits>
#include <vector>

#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/reduce.h"
#include "tensor/math.h"

namespace vitro {
namespace {

using Values = std::vector<Scalar>;

constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();
constexpr Scalar kNan = std::numeric_limits<Scalar>::quiet_NaN();
constexpr bool kIsFloat = sizeof(Scalar) == 4;

/// Numbers in (-scale, scale) from a small linear generator, the same on every machine.
Values numbers(Index count, std::uint32_t seed, Scalar scale = 4) {
  Values result(static_cast<std::size_t>(count));
  for (Scalar& value : result) {
    seed = seed * 1664525U + 1013904223U;
    value = scale * (static_cast<Scalar>(seed >> 8) / 8388608 - 1);
  }
  return result;
}

bool same_bits(Scalar a, Scalar b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

using ArrayKernel = void (*)(const Scalar*, Scalar*, Index);
using BackwardKernel = void (*)(const Scalar*, const Scalar*, Scalar*, Index);

struct ScalarCase {
  const char* name;
  ArrayKernel kernel;
  Scalar (*function)(Scalar);
};

const ScalarCase kScalarCases[] = {
    {"exp", kernels::exp_array, math::exp},
    {"log", kernels::log_array, math::log},
    {"sqrt", kernels::sqrt_array, math::sqrt},
    {"tanh", kernels::tanh_array, math::tanh},
    {"sigmoid", kernels::sigmoid_array, math::sigmoid},
    {"erf", kernels::erf_array, math::erf},
};

/// Hard inputs and ordinary ones, in an order that moves every kind through every lane.
Values mixed_inputs(Index count) {
  const Scalar tiny = std::numeric_limits<Scalar>::denorm_min();
  const Values hard = {0,  -Scalar(0), kInfinity,   -kInfinity,   kNan,          tiny, -tiny, 88,
                       89, -87,        Scalar(-95), Scalar(-104), Scalar(1e-20), 1,    -1,    4};
  Values x = numbers(count, static_cast<std::uint32_t>(count) + 1, 10);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] = hard[(i + x.size()) % hard.size()];
  return x;
}

TEST(Elementwise, ArrayKernelsGiveTheBitsOfTheScalarFunctions) {
  for (const ScalarCase& test : kScalarCases) {
    for (Index count = 0; count <= 67; ++count) {
      const Values x = mixed_inputs(count);
      Values y(x.size() + 1, Scalar(123));
      test.kernel(x.data(), y.data(), count);
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_TRUE(same_bits(y[i], test.function(x[i])))
            << test.name << "(" << x[i] << ") is " << y[i] << ", count " << count;
      }
      ASSERT_EQ(y.back(), 123) << test.name << " wrote behind its end, count " << count;
    }
  }
}

double normal_cdf(double x) { return 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }

double reference_gelu_tanh(double x) {
  return 0.5 * x *
         (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

double reference_gelu_erf(double x) { return x * normal_cdf(x); }

double reference_silu(double x) { return x / (1 + std::exp(-x)); }

struct ActivationCase {
  const char* name;
  ArrayKernel kernel;
  BackwardKernel backward;
  double (*reference)(double);
};

// These take x in the backward pass; tanh, sigmoid and exp take y and are tested below.
const ActivationCase kActivations[] = {
    {"gelu_tanh", kernels::gelu_tanh_array, kernels::gelu_tanh_array_backward, reference_gelu_tanh},
    {"gelu_erf", kernels::gelu_erf_array, kernels::gelu_erf_array_backward, reference_gelu_erf},
    {"silu", kernels::silu_array, kernels::silu_array_backward, reference_silu},
};

TEST(Elementwise, ActivationsAndTheirSlopesMatchDoubleReferences) {
  constexpr double kTolerance = kIsFloat ? 4e-7 : 1e-14;
  constexpr double kSlopeTolerance = kIsFloat ? 1e-6 : 1e-8;  // central differences limit double
  constexpr double kStep = 1e-5;
  for (const ActivationCase& test : kActivations) {
    const Values x = numbers(1009, 5, 6);
    const Values grad = numbers(1009, 6, 1);
    Values y(x.size());
    Values grad_x(x.size());
    test.kernel(x.data(), y.data(), 1009);
    test.backward(x.data(), grad.data(), grad_x.data(), 1009);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = static_cast<double>(x[i]);
      ASSERT_NEAR(static_cast<double>(y[i]), test.reference(at), kTolerance * (1 + std::fabs(at)))
          << test.name << " at " << at;
      const double slope = (test.reference(at + kStep) - test.reference(at - kStep)) / (2 * kStep);
      ASSERT_NEAR(static_cast<double>(grad_x[i]), static_cast<double>(grad[i]) * slope,
                  kSlopeTolerance)
          << test.name << " backward at " << at;
    }
  }
}

TEST(Elementwise, ResultsDoNotDependOnThePositionInTheArray) {
  const Values x = numbers(67, 9, 5);
  const Values grad = numbers(67, 10, 2);
  for (const ActivationCase& test : kActivations) {
    Values whole(67);
    Values single(67);
    test.kernel(x.data(), whole.data(), 67);
    for (std::size_t i = 0; i < 67; ++i) test.kernel(&x[i], &single[i], 1);
    EXPECT_EQ(whole, single) << test.name;
    test.backward(x.data(), grad.data(), whole.data(), 67);
    for (std::size_t i = 0; i < 67; ++i) test.backward(&x[i], &grad[i], &single[i], 1);
    EXPECT_EQ(whole, single) << test.name << " backward";
  }
}

TEST(Elementwise, ActivationsKeepNanAndSettleAtTheEnds) {
  const Scalar x[] = {kNan, Scalar(-1e4), Scalar(1e4), 0};
  for (const ActivationCase& test : kActivations) {
    Scalar y[4];
    test.kernel(x, y, 4);
    EXPECT_TRUE(std::isnan(y[0])) << test.name;
    EXPECT_EQ(y[1], 0) << test.name;
    EXPECT_EQ(y[2], Scalar(1e4)) << test.name;
    EXPECT_EQ(y[3], 0) << test.name;
    const Scalar ones[] = {1, 1, 1, 1};
    test.backward(x, ones, y, 4);
    EXPECT_TRUE(std::isnan(y[0])) << test.name;
    EXPECT_EQ(y[1], 0) << test.name;
    EXPECT_EQ(y[2], 1) << test.name;
    EXPECT_EQ(y[3], Scalar(0.5)) << test.name;
  }
}

TEST(Elementwise, BackwardFromTheResult) {
  for (Index count = 0; count <= 67; ++count) {
    const Values y = numbers(count, 3, 1);
    const Values grad = numbers(count, 4);
    Values by_exp(y.size());
    Values by_tanh(y.size());
    Values by_sigmoid(y.size());
    kernels::exp_array_backward(y.data(), grad.data(), by_exp.data(), count);
    kernels::tanh_array_backward(y.data(), grad.data(), by_tanh.data(), count);
    kernels::sigmoid_array_backward(y.data(), grad.data(), by_sigmoid.data(), count);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Scalar square = y[i] * y[i];
      const Scalar slope = y[i] * (1 - y[i]);
      ASSERT_EQ(by_exp[i], grad[i] * y[i]);
      ASSERT_NEAR(by_tanh[i], grad[i] * (1 - square), 1e-6);
      ASSERT_NEAR(by_sigmoid[i], grad[i] * slope, 1e-6);
    }
  }
}

TEST(Elementwise, Relu) {
  const Scalar x[] = {-2, -Scalar(0), 0, 3, kNan, -kInfinity, kInfinity};
  const Scalar grad[] = {10, 20, 30, 40, 50, 60, 70};
  Scalar y[7];
  kernels::relu_array(x, y, 7);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 0);
  EXPECT_EQ(y[3], 3);
  EXPECT_TRUE(std::isnan(y[4]));
  EXPECT_EQ(y[5], 0);
  EXPECT_EQ(y[6], kInfinity);
  kernels::relu_array_backward(x, grad, y, 7);
  EXPECT_EQ(Values(y, y + 7), (Values{0, 0, 0, 40, 0, 0, 70}));
}

// Recorded once; every compiler, processor and build type must reproduce them.
TEST(Elementwise, ActivationBitsAreTheSameEverywhere) {
  using Bits = std::conditional_t<kIsFloat, std::uint32_t, std::uint64_t>;
  const Values x = numbers(9973, 13, 12);
  const Values grad = numbers(9973, 14, 1);
  Values y(x.size());
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto fold = [&] {
    for (const Scalar value : y) hash = (hash ^ std::bit_cast<Bits>(value)) * 0x100000001b3U;
  };
  for (const ActivationCase& test : kActivations) {
    test.kernel(x.data(), y.data(), 9973);
    fold();
    test.backward(x.data(), grad.data(), y.data(), 9973);
    fold();
  }
  EXPECT_EQ(hash, kIsFloat ? 0U : 1U);
}

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
