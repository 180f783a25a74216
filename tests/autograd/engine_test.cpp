// The engine: accumulation, regions, numbers as operands, and what keeps no history.
#include <gtest/gtest.h>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "tests/autograd/gradcheck_table.h"

namespace vitro {
namespace {

using Values = std::vector<Scalar>;

Values grad_of(const Variable& x) { return x.grad().to_vector(); }

Variable number(double value) { return parameter(Tensor({}, {static_cast<Scalar>(value)})); }

// The late path to h is longer than the early one: h may go on only when both have arrived.
TEST(Engine, GradientsAddUpOverBackwardCallsUntilZeroed) {
  const Variable w = number(3);
  (w * w).backward();
  (w * w).backward();
  EXPECT_EQ(grad_of(w), Values{12});
  w.zero_grad();
  EXPECT_FALSE(w.has_grad());
  (w * w).backward();
  EXPECT_EQ(grad_of(w), Values{6});
}

TEST(Engine, BackwardStartsFromAnyGradient) {
  const Variable x = parameter(Tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  const Tensor upstream({2, 3}, {1, 0, -1, 2, 0, Scalar(0.5)});
  (x * x).backward(upstream);
  EXPECT_EQ(grad_of(x), (Values{2, 0, -6, 16, 0, 6}));
  EXPECT_EQ(upstream.to_vector(), (Values{1, 0, -1, 2, 0, Scalar(0.5)}));
}

TEST(Engine, RegionsThatOverlapAddUp) {
  const Variable x = parameter(arange(7));
  const Variable y = narrow(x, 0, 0, 4) * Scalar(10) + narrow(x, 0, 2, 4);
  sum(y).backward();
  EXPECT_EQ(grad_of(x), (Values{10, 10, 11, 11, 1, 1, 0}));
}

// A region that arrives after, or before, a gradient of the whole that others share.
TEST(Engine, RegionsAndWholeGradientsAddUpInAnyOrder) {
  for (const bool whole_first : {false, true}) {
    const Variable x = parameter(zeros({5}));
    const Variable other = parameter(zeros({5}));
    const Variable whole = x + other;  // x and other get the same tensor as their gradient
    const Variable region = sum(narrow(x, 0, 1, 2)) * Scalar(100);
    (whole_first ? region + sum(whole) : sum(whole) + region).backward();
    EXPECT_EQ(grad_of(x), (Values{1, 101, 101, 1, 1}));
    EXPECT_EQ(grad_of(other), (Values{1, 1, 1, 1, 1}));
  }
}

TEST(Engine, RegionsMayNameTheirAxisFromTheEnd) {
  const Variable x = parameter(zeros({2, 3}));
  const Variable y =
      record("last_column", narrow(x.value(), 1, 2, 1), {x},
             [](const Tensor& grad) -> Gradients { return {Gradient::of_region(-1, 2, grad)}; });
  y.backward(ones({2, 1}));
  EXPECT_EQ(grad_of(x), (Values{0, 0, 1, 0, 0, 1}));
}

// Writing into a gradient, as clipping might, changes no other gradient.
// No operation drops the history in silence: whatever the table calls leads back to every input.
TEST(Engine, BL22_EveryOperationReachesEveryInput) {
  for (const GradcheckRow& row : gradcheck_table()) {
    const Variable result = row.function(row.inputs);
    ASSERT_TRUE(result.requires_grad()) << row.operation << ", " << row.variant;
    Rng rng(7);
    result.backward(uniform(result.shape(), Scalar(0.5), 1, rng));
    for (const Variable& input : row.inputs) {
      ASSERT_TRUE(input.has_grad()) << row.operation << ", " << row.variant;
      EXPECT_NE(grad_of(input), Values(grad_of(input).size(), 0))
          << row.operation << ", " << row.variant;
    }
  }
}

TEST(Engine, NumbersStandOnBothSides) {
  const Variable x = parameter(Tensor({2}, {2, 4}));
  EXPECT_EQ((x + 1).value().to_vector(), (Values{3, 5}));
  EXPECT_EQ((1 + x).value().to_vector(), (Values{3, 5}));
  EXPECT_EQ((x - 1).value().to_vector(), (Values{1, 3}));
  EXPECT_EQ((1 - x).value().to_vector(), (Values{-1, -3}));
  EXPECT_EQ((x * 3).value().to_vector(), (Values{6, 12}));
  EXPECT_EQ((0.5 * x).value().to_vector(), (Values{1, 2}));
  EXPECT_EQ((x / Scalar(2)).value().to_vector(), (Values{1, 2}));
  EXPECT_EQ((8 / x).value().to_vector(), (Values{4, 2}));
  EXPECT_EQ(maximum(x, 3).value().to_vector(), (Values{3, 4}));
  EXPECT_EQ(where(Tensor({2}, {1, 0}), x, 9).value().to_vector(), (Values{2, 9}));
}

TEST(Engine, DetachAndNoGradKeepNoHistory) {
  const Variable w = number(3);
  const Variable cut = (w * w).detach() * w;
  cut.backward();
  EXPECT_EQ(grad_of(w), Values{9});
  {
    const NoGrad outer;
    {
      const NoGrad inner;
      EXPECT_FALSE((w * w).requires_grad());
    }
    EXPECT_FALSE((w * w).requires_grad());
  }
  EXPECT_TRUE((w * w).requires_grad());
  try {
    const NoGrad no_grad;
    throw 1;
  } catch (int) {
    EXPECT_TRUE((w * w).requires_grad());
  }
}

TEST(Engine, ConstantsGetNoGradient) {
  const Variable w = number(2);
  const Variable constant(Tensor({}, {5}));
  (w * constant).backward();
  EXPECT_EQ(grad_of(w), Values{5});
  EXPECT_FALSE(constant.has_grad());
}

}  // namespace
}  // namespace vitro
