#include "tensor/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <functional>
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
using test::Places;
using test::random_tensor;
using test::reference_of;
using test::scattered;

constexpr Scalar kNaN = std::numeric_limits<Scalar>::quiet_NaN();
constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();

struct PairOperation {
  const char* name;
  Tensor (*tensor)(const Tensor&, const Tensor&);
  double (*number)(double, double);
};

std::vector<PairOperation> pair_operations() {
  return {
      // cppcheck-suppress syntaxError ; cppcheck 2.10 does not know this name of a function
      {"add", operator+, [](double a, double b) { return a + b; }},
      {"subtract", operator-, [](double a, double b) { return a - b; }},
      {"multiply", operator*, [](double a, double b) { return a * b; }},
      {"divide", operator/, [](double a, double b) { return a / b; }},
      {"maximum", maximum, [](double a, double b) { return std::max(a, b); }},
      {"minimum", minimum, [](double a, double b) { return std::min(a, b); }},
      {"greater", greater, [](double a, double b) { return a > b ? 1.0 : 0.0; }},
      {"greater_equal", greater_equal, [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
      {"equal", equal, [](double a, double b) { return a == b ? 1.0 : 0.0; }},
  };
}

// Some of the sizes become 1, some in front go.
Places part_of(Places sizes, Rng& rng) {
  for (Index& size : sizes) {
    if (rng.below(3) == 0) size = 1;
  }
  while (!sizes.empty() && rng.below(4) == 0) sizes.erase(sizes.begin());
  return sizes;
}

// Quarters: sums, products and comparisons of them are exact, and ties are frequent.
Tensor quarters(const Places& sizes, Rng& rng) {
  const Shape shape(sizes);
  Tensor x = zeros(shape);
  Scalar* data = x.mutable_data();
  for (Index i = 0; i < shape.element_count(); ++i) {
    data[i] = static_cast<Scalar>(1 + rng.below(8)) / 4 * (rng.below(2) == 0 ? -1 : 1);
  }
  return x;
}

TEST(Arithmetic, BroadcastsLikeAPlainLoop) {
  Rng rng(17);
  constexpr Index kPrimes[] = {2, 3, 5, 7};
  for (int round = 0; round < 150; ++round) {
    Places sizes;
    for (Index axis = rng.below(5); axis > 0; --axis) sizes.push_back(kPrimes[rng.below(4)]);
    if (!sizes.empty() && rng.below(12) == 0) sizes[0] = 0;
    const Tensor a = quarters(part_of(sizes, rng), rng);
    const Tensor b = quarters(part_of(sizes, rng), rng);
    const Tensor seen_a = round % 2 == 0 ? a : scattered(a);
    const Tensor seen_b = round % 3 == 0 ? b : scattered(b);
    for (const PairOperation& operation : pair_operations()) {
      SCOPED_TRACE(operation.name);
      expect_close(operation.tensor(seen_a, seen_b),
                   zipped(reference_of(a), reference_of(b), operation.number), test::kTolerance);
      if (HasFailure()) return;
    }
  }
}

// Long rows, cut into pieces for the threads, with a last piece of another length.
TEST(Arithmetic, TakesLongRowsOnAnyNumberOfThreads) {
  Rng rng(19);
  const Tensor a = random_tensor({2, 40009}, rng);
  const Tensor b = random_tensor({40009}, rng);
  const Tensor expected = test::with_threads(1, [&] { return a + b; });
  expect_close(expected,
               zipped(reference_of(a), reference_of(b), [](double x, double y) { return x + y; }),
               test::kTolerance);
  for (const Index threads : {2, 3, 7}) {
    expect_same_bits(test::with_threads(threads, [&] { return a + b; }), expected);
    expect_same_bits(test::with_threads(threads, [&] { return scattered(a) + b; }), expected);
    expect_same_bits(
        test::with_threads(threads,
                           [&] { return transpose(transpose(a, 0, 1) + unsqueeze(b, 1), 0, 1); }),
        expected);
  }
}

TEST(Arithmetic, TakesNumbers) {
  const Tensor x({3}, {1, 2, 4});
  expect_equal(x + 1, {3}, {2, 3, 5});
  expect_equal(x - 1, {3}, {0, 1, 3});
  expect_equal(x * 3, {3}, {3, 6, 12});
  expect_equal(x / 2, {3}, {0.5, 1, 2});
  expect_equal(1 + x, {3}, {2, 3, 5});
  expect_equal(1 - x, {3}, {0, -1, -3});
  expect_equal(3 * x, {3}, {3, 6, 12});
  expect_equal(8 / x, {3}, {8, 4, 2});
  expect_equal(-x, {3}, {-1, -2, -4});
  expect_equal(Tensor({}, {2}) + 1, {}, {3});
  expect_equal(Tensor() * 2, {0}, {});
}

TEST(Arithmetic, FollowsNaNAndInfinity) {
  const Tensor a({4}, {kNaN, 1, kInfinity, -kInfinity});
  const Tensor b({4}, {1, kNaN, kInfinity, 0});
  expect_equal(maximum(a, b), {4}, {kNan, kNan, kInf, 0});
  expect_equal(minimum(a, b), {4}, {kNan, kNan, kInf, -kInf});
  expect_equal(a - b, {4}, {kNan, kNan, kNan, -kInf});
  expect_equal(greater(a, b), {4}, {0, 0, 0, 0});
  expect_equal(greater_equal(a, b), {4}, {0, 0, 1, 0});
  expect_equal(equal(a, b), {4}, {0, 0, 1, 0});
  expect_equal(equal(a, a), {4}, {0, 1, 1, 1});
  expect_equal(Tensor({3}, {1, -1, 0}) / 0, {3}, {kInf, -kInf, kNan});
}

TEST(Arithmetic, Powers) {
  const Tensor x({5}, {0, 1, 4, -2, kNaN});
  expect_close(pow(x, Scalar(0.5)), {5}, {0, 1, 2, kNan, kNan});
  expect_equal(pow(x, 2), {5}, {0, 1, 16, 4, kNan});
  expect_equal(pow(x, 0), {5}, {1, 1, 1, 1, 1});
  expect_equal(pow(x, -1), {5}, {kInf, 1, 0.25, -0.5, kNan});
  expect_equal(pow(scattered(Tensor({2, 2}, {1, 2, 3, 4})), 3), {2, 2}, {1, 8, 27, 64});
}

TEST(Arithmetic, Clamps) {
  const Tensor x({5}, {-3, -1, 0, 2, kNaN});
  expect_equal(clamp(x, -1, 1), {5}, {-1, -1, 0, 1, kNan});
  expect_equal(clamp(x, 1, 1), {5}, {1, 1, 1, 1, kNan});
  EXPECT_EQ(message_of<std::invalid_argument>([&] { clamp(x, 2, 1); }),
            "clamp: low is 2, high is 1; low must not be above high");
  EXPECT_THROW(clamp(x, kNaN, 1), std::invalid_argument);
  EXPECT_THROW(clamp(Tensor(), 0, kNaN), std::invalid_argument);
}

TEST(Arithmetic, ChoosesByCondition) {
  const Tensor condition({2, 1}, {1, 0});
  const Tensor a({3}, {1, 2, 3});
  expect_equal(where(condition, a, Tensor({}, {9})), {2, 3}, {1, 2, 3, 9, 9, 9});
  expect_equal(where(scattered(condition), scattered(Tensor({2, 3}, {1, 2, 3, 4, 5, 6})), a),
               {2, 3}, {1, 2, 3, 1, 2, 3});
  // What is not chosen plays no part, not even as NaN.
  expect_equal(where(Tensor({2}, {1, 0}), Tensor({2}, {5, kNaN}), Tensor({2}, {kNaN, 6})), {2},
               {5, 6});
  expect_equal(where(zeros({0}), zeros({0}), ones({1})), {0}, {});
  EXPECT_EQ(message_of<ShapeError>([&] { where(condition, a, zeros({2})); }),
            "where: shapes do not broadcast: a is [3], b is [2]; axis -1 has sizes 3 and 2, which "
            "must be equal or one of them 1");
  EXPECT_EQ(message_of<ShapeError>([&] { where(zeros({2}), a, a); }),
            "where, condition against values: shapes do not broadcast: a is [2], b is [3]; axis -1 "
            "has sizes 2 and 3, which must be equal or one of them 1");
}

TEST(Arithmetic, FillsMasked) {
  const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_equal(masked_fill(x, Tensor({3}, {0, 1, -2}), -kInfinity), {2, 3},
               {1, -kInf, -kInf, 4, -kInf, -kInf});
  expect_equal(masked_fill(transpose(x, 0, 1), Tensor({}, {0}), 7), {3, 2}, {1, 4, 2, 5, 3, 6});
  EXPECT_EQ(message_of<ShapeError>([&] {
              masked_fill(x, zeros({2, 2, 3}), 0);
            }),
            "masked_fill: the mask is [2, 2, 3], x is [2, 3]; the mask must stretch to x");
}

TEST(Arithmetic, NamesTheOperationInErrors) {
  const Tensor a = zeros({2, 3});
  const Tensor b = zeros({2, 5});
  for (const PairOperation& operation : pair_operations()) {
    EXPECT_EQ(message_of<ShapeError>([&] { operation.tensor(a, b); }),
              std::string(operation.name) +
                  ": shapes do not broadcast: a is [2, 3], b is [2, 5]; axis -1 has sizes 3 and 5, "
                  "which must be equal or one of them 1");
  }
}

TEST(Arithmetic, WorksAtRank8) {
  const Shape shape{2, 1, 2, 1, 3, 1, 2, 1};
  const Shape across{1, 2, 1, 2, 1, 2, 1, 3};
  Rng rng(23);
  const Tensor a = random_tensor(shape, rng);
  const Tensor b = random_tensor(across, rng);
  expect_close(a * b,
               zipped(reference_of(a), reference_of(b), [](double x, double y) { return x * y; }),
               test::kTolerance);
}

// Inputs are never written, and results share memory with nothing.
TEST(Arithmetic, LeavesItsInputsAlone) {
  const Tensor a({2}, {1, 2});
  Tensor y = a + 0;
  EXPECT_TRUE(y.is_unique());
  y.fill(9);
  expect_equal(a, {2}, {1, 2});
  Tensor z = where(ones({2}), a, a);
  EXPECT_TRUE(z.is_unique());
}

}  // namespace
}  // namespace vitro
