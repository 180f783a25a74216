#include "tensor/normalize.h"

#include <cmath>
#include <limits>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::expect_close;
using test::expect_equal;
using test::expect_same_bits;
using test::message_of;
using test::random_tensor;
using test::scattered;

std::vector<double> doubles(const Tensor& x) {
  const std::vector<Scalar> values = x.to_vector();
  return std::vector<double>(values.begin(), values.end());
}

// The definitions, spelled out with reductions over the last axis.
Tensor spelled_layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, Scalar epsilon) {
  const Tensor deviation = x - mean(x, {-1}, KeepAxes::kYes);
  return deviation / sqrt(var(x, {-1}, KeepAxes::kYes) + epsilon) * gain + bias;
}

Tensor spelled_rms_norm(const Tensor& x, const Tensor& gain, Scalar epsilon) {
  return x / sqrt(mean(x * x, {-1}, KeepAxes::kYes) + epsilon) * gain;
}

TEST(Normalize, AgreesWithTheDefinition) {
  Rng rng(101);
  for (const Shape& outer :
       {Shape{}, Shape{1}, Shape{7}, Shape{2, 3, 5}, Shape{1, 2, 1, 3, 1, 2, 1}}) {
    for (const Index width : {1, 2, 13, 37}) {
      const Tensor x = random_tensor(outer.with_axis_inserted(outer.rank(), width), rng);
      const Tensor gain = random_tensor({width}, rng);
      const Tensor bias = random_tensor({width}, rng);
      const Scalar epsilon = Scalar(0.01);
      const Tensor y = layer_norm(x, gain, bias, epsilon);
      expect_close(y, x.shape(), doubles(spelled_layer_norm(x, gain, bias, epsilon)),
                   5 * test::kTolerance);
      expect_same_bits(layer_norm(scattered(x), scattered(gain), scattered(bias), epsilon), y);
      const Tensor rms = rms_norm(x, gain, epsilon);
      expect_close(rms, x.shape(), doubles(spelled_rms_norm(x, gain, epsilon)),
                   5 * test::kTolerance);
      expect_same_bits(rms_norm(scattered(x), scattered(gain), epsilon), rms);
    }
  }
}

TEST(Pitfall, BL16_LargeMean) {
  const Tensor x({4}, {40000, 40001, 40002, 40003});
  expect_close(layer_norm(x, ones({4}), zeros({4})), {4},
               {-1.341635, -0.447212, 0.447212, 1.341635}, 1e-3);
  expect_close(var(x), {}, {1.25});
}

TEST(Pitfall, BL15_ConstantRowHasFiniteGradients) {
  for (const Scalar constant : {Scalar(0), Scalar(3)}) {
    const Tensor x = full({2, 4}, constant);
    const Tensor gain({4}, {1, 2, -1, 3});
    const Normalized parts = layer_norm_parts(x, gain, zeros({4}), Scalar(1e-5));
    expect_equal(parts.y, {2, 4}, std::vector<double>(8, 0));
    const NormalizeGradients grads = layer_norm_backward(x, gain, parts, 2 * (parts.y - 1));
    for (const Tensor& grad : {grads.x, grads.gain, grads.bias}) {
      for (const Scalar value : grad.to_vector()) EXPECT_TRUE(std::isfinite(value));
    }
    expect_close(sum(grads.x, {1}), {2}, {0, 0}, 1e-3);
    const Normalized rms = rms_norm_parts(x, gain, Scalar(1e-5));
    for (const Scalar value : rms_norm_backward(x, gain, rms, ones({2, 4})).x.to_vector()) {
      EXPECT_TRUE(std::isfinite(value));
    }
  }
}

// Against difference quotients of Σ grad · y. In float they see little: two digits are asked.
template <typename Forward>
void check_gradient(const Tensor& at, const Tensor& computed, const Tensor& grad,
                    const Forward& forward) {
  const Scalar step = sizeof(Scalar) == 8 ? Scalar(1e-5) : Scalar(0x1p-6);
  std::vector<double> expected;
  for (Index i = 0; i < at.element_count(); ++i) {
    Tensor up = at;
    up.mutable_data()[i] += step;
    Tensor down = at;
    down.mutable_data()[i] -= step;
    const Tensor difference = sum(grad * (forward(up) - forward(down)));
    expected.push_back(static_cast<double>(difference.item()) / 2 / static_cast<double>(step));
  }
  expect_close(computed, at.shape(), expected, sizeof(Scalar) == 8 ? 1e-8 : 2e-2);
}

TEST(Normalize, BackwardIsTheSlope) {
  Rng rng(103);
  const Tensor x = random_tensor({3, 2, 7}, rng);
  const Tensor gain = random_tensor({7}, rng);
  const Tensor bias = random_tensor({7}, rng);
  const Tensor grad = random_tensor({3, 2, 7}, rng);
  const Scalar e = Scalar(0.1);
  const Normalized parts = layer_norm_parts(x, gain, bias, e);
  const NormalizeGradients grads =
      layer_norm_backward(scattered(x), scattered(gain), parts, scattered(grad));
  check_gradient(x, grads.x, grad, [&](const Tensor& t) { return layer_norm(t, gain, bias, e); });
  check_gradient(gain, grads.gain, grad,
                 [&](const Tensor& t) { return layer_norm(x, t, bias, e); });
  check_gradient(bias, grads.bias, grad,
                 [&](const Tensor& t) { return layer_norm(x, gain, t, e); });
  const NormalizeGradients rms =
      rms_norm_backward(scattered(x), gain, rms_norm_parts(x, gain, e), grad);
  check_gradient(x, rms.x, grad, [&](const Tensor& t) { return rms_norm(t, gain, e); });
  check_gradient(gain, rms.gain, grad, [&](const Tensor& t) { return rms_norm(x, t, e); });
}

TEST(Normalize, HasTheSameBitsOnAnyNumberOfThreads) {
  Rng rng(107);
  const Tensor x = random_tensor({1009, 37}, rng);
  const Tensor gain = random_tensor({37}, rng);
  const auto all = [&] {
    const Normalized parts = layer_norm_parts(x, gain, gain, Scalar(1e-5));
    const NormalizeGradients grads = layer_norm_backward(x, gain, parts, x);
    const NormalizeGradients rms =
        rms_norm_backward(x, gain, rms_norm_parts(x, gain, Scalar(1e-5)), x);
    return parts.y + grads.x + grads.gain + grads.bias + rms.x + rms.gain;
  };
  const Tensor expected = test::with_threads(1, all);
  for (const Index threads : {2, 3, 7})
    expect_same_bits(test::with_threads(threads, all), expected);
}

TEST(Normalize, KeepsNaNToItsRow) {
  Tensor x = arange(6);
  x = Tensor({2, 3}, x.to_vector());
  x.set({0, 1}, std::numeric_limits<Scalar>::quiet_NaN());
  const Tensor y = layer_norm(x, ones({3}), zeros({3}));
  EXPECT_TRUE(std::isnan(y.at({0, 0})));
  EXPECT_TRUE(std::isfinite(y.at({1, 0})));
}

TEST(Normalize, TakesNothing) {
  for (const Shape& shape : {Shape{0}, Shape{0, 3}, Shape{3, 0}, Shape{2, 0, 3}}) {
    const Index width = shape[-1];
    const Tensor x = zeros(shape);
    const Tensor gain = ones({width});
    const Normalized parts = layer_norm_parts(x, gain, gain, 0);
    expect_equal(parts.y, shape, {});
    const NormalizeGradients grads = layer_norm_backward(x, gain, parts, x);
    expect_equal(grads.x, shape, {});
    expect_equal(grads.gain, {width}, std::vector<double>(static_cast<std::size_t>(width), 0));
    expect_equal(grads.bias, {width}, std::vector<double>(static_cast<std::size_t>(width), 0));
    const NormalizeGradients rms = rms_norm_backward(x, gain, rms_norm_parts(x, gain, 0), x);
    expect_equal(rms.gain, {width}, std::vector<double>(static_cast<std::size_t>(width), 0));
  }
}

TEST(Normalize, NamesWhatIsWrong) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(message_of<ShapeError>([&] { layer_norm(x, ones({2}), zeros({3})); }),
            "layer_norm: x is [2, 3], gain is [2]; gain must be [last size of x]");
  EXPECT_EQ(message_of<ShapeError>([&] {
              layer_norm(x, ones({3}), zeros({1, 3}));
            }),
            "layer_norm: x is [2, 3], bias is [1, 3]; bias must be [last size of x]");
  EXPECT_THROW(rms_norm(Tensor({}, {1}), Tensor({}, {1})), ShapeError);
  EXPECT_EQ(message_of<std::invalid_argument>([&] { rms_norm(x, ones({3}), -1); }),
            "rms_norm: epsilon is -1; it must be 0 or more");
  EXPECT_THROW(layer_norm(x, ones({3}), ones({3}), static_cast<Scalar>(test::kNan)),
               std::invalid_argument);
  const Normalized parts = layer_norm_parts(x, ones({3}), zeros({3}), 1);
  EXPECT_EQ(message_of<ShapeError>([&] { layer_norm_backward(x, ones({3}), parts, zeros({3})); }),
            "layer_norm_backward: the gradient is [3], the output is [2, 3]; they must be equal");
  EXPECT_EQ(
      message_of<ShapeError>([&] {
        rms_norm_backward(ones({4, 3}), ones({3}), parts, ones({4, 3}));
      }),
      "rms_norm_backward: the parts hold [2] rows, x is [4, 3]; they must come from the same x");
  const Normalized rms_parts = rms_norm_parts(x, ones({3}), 1);  // without means
  EXPECT_EQ(
      message_of<ShapeError>([&] {
        layer_norm_backward(x, ones({3}), rms_parts, ones({2, 3}));
      }),
      "layer_norm_backward: the parts hold [0] rows, x is [2, 3]; they must come from the same x");
}

}  // namespace
}  // namespace vitro
