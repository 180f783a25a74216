#include "tensor/loss.h"

#include <cmath>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::expect_close;
using test::expect_equal;
using test::expect_same_bits;
using test::kNan;
using test::message_of;
using test::scattered;

// The definition in double: the mean of what the counted rows cost, and its gradient.
struct Plain {
  double loss = 0;
  std::vector<double> grad;
};

Plain plain_cross_entropy(const Tensor& logits, const Indices& targets, double smoothing,
                          Index ignore_index) {
  const auto classes = static_cast<std::size_t>(logits.size(-1));
  const std::vector<Scalar> x = logits.to_vector();
  Plain result{0, std::vector<double>(x.size(), 0)};
  double counted = 0;
  for (const Index target : targets.values()) counted += target == ignore_index ? 0 : 1;
  for (std::size_t row = 0; row < targets.values().size(); ++row) {
    if (targets.values()[row] == ignore_index) continue;
    double sum = 0;
    for (std::size_t j = 0; j < classes; ++j)
      sum += std::exp(static_cast<double>(x[row * classes + j]));
    for (std::size_t j = 0; j < classes; ++j) {
      const double log_p = static_cast<double>(x[row * classes + j]) - std::log(sum);
      const double hit = static_cast<Index>(j) == targets.values()[row] ? 1 - smoothing : 0;
      const double wanted = hit + smoothing / static_cast<double>(classes);
      result.loss -= wanted * log_p / counted;
      result.grad[row * classes + j] = (std::exp(log_p) - wanted) / counted;
    }
  }
  return result;
}

TEST(CrossEntropy, AgreesWithTheDefinition) {
  Rng rng(109);
  const Tensor logits = uniform({3, 5, 19}, -4, 4, rng);
  const Indices targets({3, 5}, {0, 18, 7, 7, -100, 3, 4, 5, -100, 6, 1, 2, 18, 0, 9});
  for (const double smoothing : {0.0, 0.1, 0.75}) {
    CrossEntropyOptions options;
    options.label_smoothing = static_cast<Scalar>(smoothing);
    const Plain plain = plain_cross_entropy(logits, targets, smoothing, -100);
    const CrossEntropy parts = cross_entropy_parts(logits, targets, options);
    EXPECT_EQ(parts.counted, 13);
    expect_close(parts.loss, {}, {plain.loss});
    expect_same_bits(cross_entropy(scattered(logits), targets, options), parts.loss);
    const Tensor grad = cross_entropy_backward(parts, targets, options, 1);
    expect_close(grad, {15, 19}, plain.grad);
    expect_same_bits(cross_entropy_backward(parts, targets, options, 4), grad * 4);
  }
}

TEST(CrossEntropy, IgnoresAnyIndexItIsTold) {
  const Tensor logits({3, 2}, {0, 0, 3, 1, 2, 2});
  CrossEntropyOptions options;
  options.ignore_index = 1;
  const Indices targets({3}, {0, 1, 0});
  expect_close(cross_entropy(logits, targets, options), {}, {std::log(2)});
  options.ignore_index = 77;
  expect_close(cross_entropy(logits, Indices({3}, {0, 77, 0}), options), {}, {std::log(2)});
  EXPECT_THROW(cross_entropy(logits, Indices({3}, {0, -100, 0}), options), std::out_of_range);
}

TEST(CrossEntropy, TakesOneRowWithoutOuterAxes) {
  expect_close(cross_entropy(Tensor({4}, {1, 1, 1, 1}), Indices({}, {2})), {}, {std::log(4)});
}

TEST(Pitfall, BL34_AllTargetsIgnored) {
  const Indices targets({2}, {-100, -100});
  const CrossEntropy parts = cross_entropy_parts(Tensor({2, 3}, {1, 2, 3, 4, 5, 6}), targets, {});
  EXPECT_EQ(parts.counted, 0);
  expect_equal(parts.loss, {}, {0});
  expect_equal(cross_entropy_backward(parts, targets, {}, 1), {2, 3}, std::vector<double>(6, 0));
}

TEST(Pitfall, BL36_HugeLogits) {
  const Tensor logits({1, 2}, {10000, 0});
  const Indices second({1}, {1});
  const Indices first({1}, {0});
  const CrossEntropy wrong = cross_entropy_parts(logits, second, {});
  expect_equal(wrong.loss, {}, {10000});
  expect_equal(cross_entropy_backward(wrong, second, {}, 1), {1, 2}, {1, -1});
  const CrossEntropy right = cross_entropy_parts(logits, first, {});
  expect_equal(right.loss, {}, {0});
  expect_equal(cross_entropy_backward(right, first, {}, 1), {1, 2}, {0, 0});
}

// The mean over a batch is found again from the losses and counts of its parts.
TEST(Pitfall, BL37_CountsLetPartsBeJoined) {
  Rng rng(113);
  const Tensor logits = uniform({5, 7}, -2, 2, rng);
  const std::vector<Index> ids{3, -100, 0, 6, 2};
  const CrossEntropy whole = cross_entropy_parts(logits, Indices({5}, ids), {});
  const CrossEntropy front =
      cross_entropy_parts(narrow(logits, 0, 0, 2), Indices({2}, {3, -100}), {});
  const CrossEntropy back =
      cross_entropy_parts(narrow(logits, 0, 2, 3), Indices({3}, {0, 6, 2}), {});
  EXPECT_EQ(front.counted, 1);
  EXPECT_EQ(back.counted, 3);
  const Tensor joined = (front.loss * 1 + back.loss * 3) / 4;
  expect_close(joined, {}, {static_cast<double>(whole.loss.item())});
}

TEST(CrossEntropy, TakesNothing) {
  expect_equal(cross_entropy(zeros({0, 5}), Indices({0}, {})), {}, {0});
  expect_equal(cross_entropy(zeros({0, 0}), Indices()), {}, {0});
  expect_equal(cross_entropy(zeros({2, 0}), Indices({2}, {-100, -100})), {}, {0});
  const CrossEntropy parts = cross_entropy_parts(zeros({0, 5}), Indices(), {});
  expect_equal(cross_entropy_backward(parts, Indices(), {}, 1), {0, 5}, {});
  EXPECT_THROW(cross_entropy(zeros({1, 0}), Indices({1}, {0})), std::out_of_range);
}

TEST(CrossEntropy, NamesWhatIsWrong) {
  const Tensor logits = zeros({2, 3});
  const Indices targets({2}, {0, 2});
  EXPECT_EQ(
      message_of<ShapeError>([&] {
        cross_entropy(logits, Indices({3}, {0, 1, 2}));
      }),
      "cross_entropy: logits are [2, 3], targets are [3]; logits must be [targets.., classes]");
  EXPECT_THROW(cross_entropy(Tensor({}, {1}), Indices({}, {0})), ShapeError);
  EXPECT_EQ(
      message_of<std::out_of_range>([&] {
        cross_entropy(logits, Indices({2}, {0, 3}));
      }),
      "cross_entropy: target 3 of 3 classes; it must be from 0 to below that, or ignore_index "
      "(-100)");
  EXPECT_THROW(cross_entropy(logits, Indices({2}, {0, -1})), std::out_of_range);
  CrossEntropyOptions options;
  for (const double smoothing : {1.25, -0.5, std::nan("")}) {
    options.label_smoothing = static_cast<Scalar>(smoothing);
    EXPECT_THROW(cross_entropy(logits, targets, options), std::invalid_argument);
  }
  options.label_smoothing = 2;
  EXPECT_EQ(message_of<std::invalid_argument>([&] { cross_entropy(logits, targets, options); }),
            "cross_entropy: label_smoothing is 2; it must be from 0 to 1");
  const CrossEntropy parts = cross_entropy_parts(logits, targets, {});
  EXPECT_EQ(
      message_of<ShapeError>([&] { cross_entropy_backward(parts, Indices({1}, {0}), {}, 1); }),
      "cross_entropy_backward: targets are [1], the parts have 2 rows; there must be one "
      "target a row");
  EXPECT_THROW(cross_entropy_backward(parts, Indices({2}, {0, 3}), {}, 1), std::out_of_range);
}

TEST(MeanSquaredError, AgreesWithTheDefinition) {
  const Tensor a({2, 2}, {1, 2, 3, 4});
  expect_equal(mean_squared_error(a, Tensor({2, 2}, {1, 0, 3, 0})), {}, {5});
  expect_equal(mean_squared_error(transpose(a, 0, 1), a), {}, {0.5});
  expect_equal(mean_squared_error(Tensor(), Tensor()), {}, {kNan});
  EXPECT_EQ(message_of<ShapeError>([&] { mean_squared_error(a, zeros({2})); }),
            "mean_squared_error: a is [2, 2], b is [2]; they must be equal");
}

}  // namespace
}  // namespace vitro
