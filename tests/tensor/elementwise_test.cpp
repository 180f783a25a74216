#include "tensor/elementwise.h"

#include <cmath>
#include <limits>

#include "tensor/create.h"
#include "tensor/views.h"

#include "tests/support/expect.h"
#include "tests/support/reference.h"

namespace vitro {
namespace {

using test::expect_close;
using test::expect_equal;
using test::expect_same_bits;
using test::kInf;
using test::kNan;
using test::message_of;
using test::scattered;

struct Function {
  const char* name;
  Tensor (*tensor)(const Tensor&);
  double (*number)(double);
};

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

double gelu_tanh_of(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

double gelu_erf_of(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

std::vector<Function> functions() {
  return {
      {"exp", exp, std::exp},
      {"log", log, std::log},
      {"sqrt", sqrt, std::sqrt},
      {"abs", abs, std::fabs},
      {"tanh", tanh, std::tanh},
      {"sigmoid", sigmoid, sigmoid_of},
      {"relu", relu, [](double x) { return x > 0 ? x : 0 * x; }},
      {"silu", silu, [](double x) { return x * sigmoid_of(x); }},
      {"gelu tanh", [](const Tensor& x) { return gelu(x); }, gelu_tanh_of},
      {"gelu erf", [](const Tensor& x) { return gelu(x, Gelu::kErf); }, gelu_erf_of},
  };
}

std::vector<double> mapped(const Tensor& x, double (*number)(double)) {
  std::vector<double> result;
  for (const Scalar value : x.to_vector()) result.push_back(number(static_cast<double>(value)));
  return result;
}

TEST(Elementwise, AgreesWithTheDefinitions) {
  Rng rng(29);
  for (const Function& f : functions()) {
    SCOPED_TRACE(f.name);
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{0}, Shape{3, 0, 5}, Shape{7, 5, 3},
                               Shape{2, 1, 2, 1, 3, 1, 5, 1}, Shape{9001}}) {
      const Tensor x = uniform(shape, -5, 5, rng);
      expect_close(f.tensor(x), shape, mapped(x, f.number), 3 * test::kTolerance);
      expect_same_bits(f.tensor(scattered(x)), f.tensor(x));
    }
    const Tensor one({}, {Scalar(0.75)});
    expect_close(f.tensor(broadcast_to(one, {2, 3})), Shape{2, 3},
                 std::vector<double>(6, f.number(0.75)));
  }
}

TEST(Elementwise, HasTheSameBitsOnAnyNumberOfThreads) {
  Rng rng(31);
  const Tensor x = uniform({20011}, -3, 3, rng);
  for (const Function& f : functions()) {
    const Tensor expected = test::with_threads(1, [&] { return f.tensor(x); });
    for (const Index threads : {2, 3, 7}) {
      expect_same_bits(test::with_threads(threads, [&] { return f.tensor(x); }), expected);
    }
  }
}

TEST(Elementwise, FollowsNaNAndInfinity) {
  const Scalar infinity = std::numeric_limits<Scalar>::infinity();
  const Tensor x({5}, {std::numeric_limits<Scalar>::quiet_NaN(), infinity, -infinity, 0, -1});
  for (const Function& f : functions()) EXPECT_TRUE(std::isnan(f.tensor(x).at({0}))) << f.name;
  expect_close(exp(x), {5}, {kNan, kInf, 0, 1, std::exp(-1)});
  expect_equal(log(x), {5}, {kNan, kInf, kNan, -kInf, kNan});
  expect_equal(sqrt(x), {5}, {kNan, kInf, kNan, 0, kNan});
  expect_equal(abs(x), {5}, {kNan, kInf, kInf, 0, 1});
  expect_close(tanh(x), {5}, {kNan, 1, -1, 0, std::tanh(-1.0)});
  expect_equal(relu(x), {5}, {kNan, kInf, 0, 0, 0});
  expect_close(sigmoid(x), {5}, {kNan, 1, 0, 0.5, sigmoid_of(-1)});
}

// Against the slope of the definition, by a difference quotient in double.
TEST(Elementwise, GeluBackwardIsTheSlope) {
  Rng rng(37);
  const Tensor x = uniform({7, 11}, -4, 4, rng);
  const Tensor grad = uniform({7, 11}, -1, 1, rng);
  for (const Gelu kind : {Gelu::kTanh, Gelu::kErf}) {
    const auto f = kind == Gelu::kTanh ? gelu_tanh_of : gelu_erf_of;
    std::vector<double> expected;
    for (Index i = 0; i < 77; ++i) {
      const auto at = static_cast<double>(x.data()[i]);
      expected.push_back(static_cast<double>(grad.data()[i]) * (f(at + 1e-6) - f(at - 1e-6)) /
                         2e-6);
    }
    expect_close(gelu_backward(x, grad, kind), {7, 11}, expected, 3e-6);
    expect_same_bits(gelu_backward(scattered(x), scattered(grad), kind),
                     gelu_backward(x, grad, kind));
    expect_equal(gelu_backward(zeros({0, 3}), zeros({0, 3}), kind), {0, 3}, {});
  }
  EXPECT_EQ(message_of<ShapeError>([&] { gelu_backward(x, zeros({11}), Gelu::kErf); }),
            "gelu_backward: the gradient is [11], the output is [7, 11]; they must be equal");
}

// x² overflows here; the slope is 0 or 1 all the same.
TEST(Elementwise, GeluBackwardOfHugeNumbersIsTheUpstreamGradientOrZero) {
  const Scalar huge = std::numeric_limits<Scalar>::max() / 4;
  const Tensor x({5}, {-huge, -1000, 1000, huge, std::numeric_limits<Scalar>::quiet_NaN()});
  for (const Gelu kind : {Gelu::kTanh, Gelu::kErf}) {
    expect_equal(gelu(x, kind), {5}, {0, 0, 1000, static_cast<double>(huge), kNan});
    expect_equal(gelu_backward(x, full({5}, 3), kind), {5}, {0, 0, 3, 3, kNan});
  }
}

}  // namespace
}  // namespace vitro
