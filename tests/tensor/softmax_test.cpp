#include "tensor/softmax.h"

#include <cmath>
#include <limits>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::expect_close;
using test::expect_equal;
using test::expect_same_bits;
using test::kInf;
using test::message_of;
using test::scattered;

constexpr Scalar kNaN = std::numeric_limits<Scalar>::quiet_NaN();
constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();

// The plain definition in double, over [outer, size, inner]; no shift, so for modest numbers only.
std::vector<double> weights(const Tensor& x, Index outer, Index size, Index inner) {
  const std::vector<Scalar> values = x.to_vector();
  std::vector<double> result(values.size());
  const auto place = [=](Index o, Index s, Index i) {
    return static_cast<std::size_t>((o * size + s) * inner + i);
  };
  for (Index o = 0; o < outer; ++o) {
    for (Index i = 0; i < inner; ++i) {
      double sum = 0;
      for (Index s = 0; s < size; ++s) sum += std::exp(static_cast<double>(values[place(o, s, i)]));
      for (Index s = 0; s < size; ++s) {
        result[place(o, s, i)] = std::exp(static_cast<double>(values[place(o, s, i)])) / sum;
      }
    }
  }
  return result;
}

TEST(Softmax, AgreesWithTheDefinitionAlongEveryAxis) {
  Rng rng(79);
  const Shape shape{3, 37, 5};
  const Tensor x = uniform(shape, -4, 4, rng);
  const Index outers[] = {1, 3, 111};
  for (Index axis = 0; axis < 3; ++axis) {
    const Index outer = outers[axis];
    const std::vector<double> expected = weights(x, outer, shape[axis], 555 / outer / shape[axis]);
    expect_close(softmax(x, axis), shape, expected);
    expect_same_bits(softmax(scattered(x), axis - 3), softmax(x, axis));
    std::vector<double> logs;
    for (const double weight : expected) logs.push_back(std::log(weight));
    expect_close(log_softmax(x, axis), shape, logs, 3 * test::kTolerance);
    expect_same_bits(log_softmax(scattered(x), axis), log_softmax(x, axis));
  }
}

TEST(Pitfall, BL93_OnlyTheNamedAxisSumsToOne) {
  Rng rng(83);
  const Tensor y = softmax(uniform({2, 3, 4}, -2, 2, rng), -1);
  expect_close(sum(y, {2}), {2, 3}, std::vector<double>(6, 1));
  for (const Scalar total : sum(y, {1}).to_vector()) EXPECT_GT(std::fabs(total - 1), 0.01);
  for (const Scalar total : sum(y, {0}).to_vector()) EXPECT_GT(std::fabs(total - 1), 0.01);
}

TEST(Softmax, TakesSmallAndEmptyShapes) {
  expect_equal(softmax(Tensor({1}, {-88}), 0), {1}, {1});
  expect_equal(softmax(Tensor({3, 1}, {1, 2, 3}), 1), {3, 1}, {1, 1, 1});
  expect_equal(log_softmax(Tensor({1}, {-88}), 0), {1}, {0});
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 3}}) {
    for (Index axis = 0; axis < shape.rank(); ++axis) {
      expect_equal(softmax(zeros(shape), axis), shape, {});
      expect_equal(log_softmax(zeros(shape), axis), shape, {});
      expect_equal(softmax_backward(zeros(shape), zeros(shape), axis), shape, {});
      expect_equal(log_softmax_backward(zeros(shape), zeros(shape), axis), shape, {});
    }
  }
  expect_equal(softmax(Tensor(), 0), {0}, {});
}

TEST(Softmax, HugeNumbersDoNotOverflow) {
  const Scalar large = std::numeric_limits<Scalar>::max();
  expect_equal(softmax(Tensor({2}, {large, 0}), 0), {2}, {1, 0});
  expect_equal(softmax(Tensor({2}, {-large, -large}), 0), {2}, {0.5, 0.5});
  expect_equal(log_softmax(Tensor({3}, {10000, 0, -10000}), 0), {3}, {0, -10000, -20000});
}

// Documented choice: zeros, for a masked entry and for a row of nothing else.
TEST(Pitfall, BL01_MaskedEntriesAreExactlyZero) {
  const Tensor x({3, 3},
                 {-kInfinity, 1, 1, -kInfinity, -kInfinity, -kInfinity, 5, -kInfinity, -kInfinity});
  const Tensor y = softmax(x, 1);
  expect_equal(y, {3, 3}, {0, 0.5, 0.5, 0, 0, 0, 1, 0, 0});
  expect_equal(softmax_backward(y, Tensor({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), 1), {3, 3},
               {0, -0.25, 0.25, 0, 0, 0, 0, 0, 0});
  const Tensor logs = log_softmax(x, 1);
  expect_close(logs, {3, 3},
               {-kInf, -std::log(2), -std::log(2), -kInf, -kInf, -kInf, 0, -kInf, -kInf});
  expect_close(log_softmax_backward(logs, ones({3, 3}), 1), {3, 3},
               {1, -0.5, -0.5, 0, 0, 0, -2, 1, 1});
}

TEST(Pitfall, BL06_SoftmaxDoesNotHideNaN) {
  expect_equal(softmax(Tensor({3}, {1, kNaN, 2}), 0), {3}, {test::kNan, test::kNan, test::kNan});
  expect_equal(softmax(Tensor({2}, {kInfinity, 0}), 0), {2}, {test::kNan, test::kNan});
  for (const Index place : {0, 1, 17, 36}) {
    Tensor x = zeros({3, 37});
    x.set({1, place}, kNaN);
    Tensor with_infinity = zeros({3, 37});
    with_infinity.set({1, place}, kInfinity);
    for (const Tensor& bad : {x, with_infinity}) {
      for (const Tensor& y : {softmax(bad, 1), exp(log_softmax(bad, 1))}) {
        for (Index i = 0; i < 37; ++i) {
          EXPECT_TRUE(std::isnan(y.at({1, i})));
          EXPECT_NEAR(y.at({0, i}), 1.0 / 37, 1e-6);
          EXPECT_NEAR(y.at({2, i}), 1.0 / 37, 1e-6);
        }
      }
    }
  }
}

TEST(Pitfall, BL23_SoftmaxGradient) {
  const Tensor y = softmax(Tensor({3}, {1, 2, 3}), 0);
  expect_close(softmax_backward(y, ones({3}), 0), {3}, {0, 0, 0}, 1e-6);
  expect_close(softmax_backward(y, Tensor({3}, {1, 0, 0}), 0), {3},
               {0.081925, -0.022033, -0.059892}, 1e-6);
}

// y · (G - Σ G·y) and G - e^y · Σ G, spelled out with other operations.
TEST(Softmax, BackwardFollowsItsFormula) {
  Rng rng(89);
  const Tensor x = uniform({5, 3, 19}, -3, 3, rng);
  const Tensor grad = uniform({5, 3, 19}, -1, 1, rng);
  for (Index axis = 0; axis < 3; ++axis) {
    const Tensor y = softmax(x, axis);
    const Tensor spelled = y * (grad - sum(grad * y, {axis}, KeepAxes::kYes));
    const std::vector<Scalar> a = spelled.to_vector();
    expect_close(softmax_backward(y, grad, axis), x.shape(),
                 std::vector<double>(a.begin(), a.end()));
    expect_same_bits(softmax_backward(scattered(y), scattered(grad), axis),
                     softmax_backward(y, grad, axis));
    const Tensor logs = log_softmax(x, axis);
    const std::vector<Scalar> b =
        (grad - exp(logs) * sum(grad, {axis}, KeepAxes::kYes)).to_vector();
    expect_close(log_softmax_backward(logs, grad, axis), x.shape(),
                 std::vector<double>(b.begin(), b.end()), 3 * test::kTolerance);
  }
}

TEST(Softmax, HasTheSameBitsOnAnyNumberOfThreads) {
  Rng rng(97);
  const Tensor x = uniform({211, 67}, -3, 3, rng);
  for (const Index axis : {0, 1}) {
    const auto both = [&] {
      const Tensor y = softmax(x, axis);
      return softmax_backward(y, x, axis) + log_softmax_backward(log_softmax(x, axis), y, axis);
    };
    const Tensor expected = test::with_threads(1, both);
    for (const Index threads : {2, 3, 7}) {
      expect_same_bits(test::with_threads(threads, both), expected);
    }
  }
}

TEST(Softmax, NamesWhatIsWrong) {
  EXPECT_EQ(message_of<ShapeError>([] {
              softmax(zeros({2, 3}), 2);
            }),
            "softmax: axis 2 is not an axis of [2, 3]; it must be from -2 to 1");
  EXPECT_EQ(message_of<ShapeError>([] { log_softmax(Tensor({}, {1}), -1); }),
            "log_softmax: axis -1 of shape []; a rank-0 tensor has no axes");
  EXPECT_EQ(message_of<ShapeError>([] {
              softmax_backward(zeros({2, 3}), zeros({3, 2}), 1);
            }),
            "softmax_backward: the gradient is [3, 2], the output is [2, 3]; they must be equal");
  EXPECT_THROW(log_softmax_backward(zeros({2, 3}), zeros({3}), 1), ShapeError);
}

}  // namespace
}  // namespace vitro
