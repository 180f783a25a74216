// Elementwise kernels against the scalar functions and plain double references.
#include "tensor/kernels/elementwise.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

#include "tensor/math.h"

#include "tests/tensor/kernels/kernel_values.h"

namespace vitro {
namespace {

using namespace test_support;

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

TEST(Elementwise, Relu) {
  const Scalar x[] = {-2, -Scalar(0), 0, 3, kNan, -kInfinity, kInfinity};
  Scalar y[7];
  kernels::relu_array(x, y, 7);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 0);
  EXPECT_EQ(y[3], 3);
  EXPECT_TRUE(std::isnan(y[4]));
  EXPECT_EQ(y[5], 0);
  EXPECT_EQ(y[6], kInfinity);
}

// Recorded once; every compiler, processor and build type must reproduce them.
TEST(Elementwise, ActivationBitsAreTheSameEverywhere) {
  const Values x = numbers(9973, 13, 12);
  const Values grad = numbers(9973, 14, 1);
  Values y(x.size());
  BitHash hash;
  for (const ActivationCase& test : kActivations) {
    test.kernel(x.data(), y.data(), 9973);
    hash.add(y);
    test.backward(x.data(), grad.data(), y.data(), 9973);
    hash.add(y);
  }
  EXPECT_EQ(hash.value(), kIsFloat ? 3512964428466245041U : 18378867636438193379U);
}

}  // namespace
}  // namespace vitro
