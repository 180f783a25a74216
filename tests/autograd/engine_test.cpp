// The engine: order, accumulation, regions, and the answers that other engines got wrong.
#include <gtest/gtest.h>
#include <numeric>
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

void expect_near(const Values& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(found[i]), expected[i], tolerance) << "element " << i;
  }
}

TEST(Engine, BL17_AValueUsedOnSeveralPaths) {
  const Variable x = number(1);
  const Variable a = number(1);
  const Variable f = x * (x * a) + x * (x * a) + (x * x) * a;
  f.backward();
  EXPECT_EQ(f.item(), 3);
  EXPECT_EQ(grad_of(x), Values{6});
  EXPECT_EQ(grad_of(a), Values{3});

  const Variable b = number(5);
  (b + b).backward();
  EXPECT_EQ(grad_of(b), Values{2});
  const Variable c = number(1);
  (c * c * c).backward();
  EXPECT_EQ(grad_of(c), Values{3});
}

// The late path to h is longer than the early one: h may go on only when both have arrived.
TEST(Engine, BL17_ANodeWaitsForItsLongestPath) {
  for (const bool early_first : {false, true}) {
    const Variable x = number(2);
    const Variable h = x * x;
    const Variable late = (h * Scalar(3)) * Scalar(5);
    (early_first ? h + late : late + h).backward();
    EXPECT_EQ(grad_of(x), Values{64});
  }
}

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

TEST(Engine, BL18_InnerNodesKeepNoGradientsUnlessAsked) {
  const Variable a = number(3);
  const Variable b = number(2);
  const Variable d = number(1);
  const Variable c = a + b;
  const Variable kept = c * Scalar(1);
  kept.keep_grad();
  const Variable e = kept * d;
  e.backward();
  EXPECT_EQ(grad_of(a), Values{1});
  EXPECT_EQ(grad_of(d), Values{5});
  EXPECT_FALSE(c.has_grad());
  EXPECT_FALSE(e.has_grad());
  EXPECT_EQ(grad_of(kept), Values{1});
}

TEST(Engine, BackwardStartsFromAnyGradient) {
  const Variable x = parameter(Tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  const Tensor upstream({2, 3}, {1, 0, -1, 2, 0, Scalar(0.5)});
  (x * x).backward(upstream);
  EXPECT_EQ(grad_of(x), (Values{2, 0, -6, 16, 0, 6}));
  EXPECT_EQ(upstream.to_vector(), (Values{1, 0, -1, 2, 0, Scalar(0.5)}));
}

TEST(Engine, BL23_UpstreamsTellMoreThanASum) {
  const Variable x = parameter(Tensor({3}, {1, 2, 3}));
  softmax(x, -1).backward(ones({3}));
  expect_near(grad_of(x), {0, 0, 0}, 1e-7);
  x.zero_grad();
  softmax(x, -1).backward(Tensor({3}, {1, 0, 0}));
  expect_near(grad_of(x), {0.081925, -0.022033, -0.059892}, 1e-6);
}

TEST(Engine, BL26_StretchedInputsGetTheirOwnShape) {
  struct Case {
    Shape a, b;
    bool product;
  };

  for (const Case& c :
       {Case{{3, 4}, {1, 4}, false}, Case{{1}, {5, 4}, true}, Case{{4, 1}, {1, 4}, true},
        Case{{2, 3, 4}, {4}, false}, Case{{2, 3, 4}, {3, 1}, true}}) {
    const Variable a = parameter(ones(c.a));
    const Variable b = parameter(ones(c.b));
    const Variable y = c.product ? a * b : a + b;
    sum(y).backward();
    const auto repeats = [&y](const Variable& x) {
      return static_cast<Scalar>(y.value().element_count() / x.value().element_count());
    };
    EXPECT_EQ(a.grad().shape(), c.a);
    EXPECT_EQ(b.grad().shape(), c.b);
    for (const Scalar g : grad_of(a)) EXPECT_EQ(g, repeats(a));
    for (const Scalar g : grad_of(b)) EXPECT_EQ(g, repeats(b));
  }
}

TEST(Engine, BL27_BiasGradientSumsOverTheBatch) {
  const Variable w = parameter(ones({5, 2}));
  const Variable bias = parameter(zeros({2}));
  linear(Variable(ones({3, 5})), w, bias).backward(ones({3, 2}));
  EXPECT_EQ(grad_of(bias), (Values{3, 3}));
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

TEST(Engine, BL25_SavedValuesCannotBeOverwritten) {
  const auto grad_with = [](auto&& write) {
    const Variable a = parameter(Tensor({3}, {1, 2, 3}));
    const Variable b = sigmoid(a);
    write(b.value());
    b.backward(ones({3}));
    return grad_of(a);
  };
  const Values expected = grad_with([](const Tensor&) {});
  EXPECT_EQ(grad_with([](Tensor copy) { copy.set({1}, 2); }), expected);
  EXPECT_EQ(grad_with([](const Tensor& b) { narrow(b, 0, 1, 1).mutable_data()[0] = 2; }), expected);
  EXPECT_EQ(grad_with([](const Tensor& b) { reshape(b, {3, 1}).fill(2); }), expected);
}

// Writing into a gradient, as clipping might, changes no other gradient.
TEST(Engine, BL25_GradientsAreNobodyElses) {
  const Variable a = parameter(zeros({3}));
  const Variable b = parameter(zeros({3}));
  (a + b).backward(ones({3}));
  Tensor clipped = a.grad();
  clipped.fill(7);
  a.set_grad(clipped);
  EXPECT_EQ(grad_of(b), (Values{1, 1, 1}));
  EXPECT_EQ(grad_of(a), (Values{7, 7, 7}));
}

TEST(Engine, BL33_MaxGivesItsGradientToOneElement) {
  const Variable x = parameter(Tensor({3}, {2, 2, 1}));
  max(x).backward();
  EXPECT_EQ(grad_of(x), (Values{1, 0, 0}));
  const Variable many = parameter(ones({70000}));
  max(many).backward();
  const Values grads = grad_of(many);
  EXPECT_EQ(std::accumulate(grads.begin(), grads.end(), Scalar(0)), 1);
}

TEST(Engine, BL34_AllTargetsIgnoredIsALossOfZero) {
  const Variable logits = parameter(Tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  const Variable loss = cross_entropy(logits, Indices({2}, {-100, -100}));
  EXPECT_EQ(loss.item(), 0);
  loss.backward();
  EXPECT_EQ(grad_of(logits), Values(6, 0));
}

TEST(Engine, BL36_HugeLogits) {
  const Variable logits = parameter(Tensor({1, 2}, {10000, 0}));
  const Variable wrong = cross_entropy(logits, Indices({1}, {1}));
  EXPECT_EQ(wrong.item(), 10000);
  wrong.backward();
  EXPECT_EQ(grad_of(logits), (Values{1, -1}));
  logits.zero_grad();
  const Variable right = cross_entropy(logits, Indices({1}, {0}));
  EXPECT_EQ(right.item(), 0);
  right.backward();
  EXPECT_EQ(grad_of(logits), (Values{0, 0}));
}

TEST(Engine, BL01_AFullyMaskedQueryHasNoInfluence) {
  const Variable q = parameter(Tensor({2, 2}, {1, 2, 3, 4}));
  const Variable k = parameter(Tensor({2, 2}, {Scalar(0.5), 1, 2, -1}));
  const Variable v = parameter(Tensor({2, 2}, {1, 2, 3, 4}));
  AttentionMask mask;
  mask.mask = Tensor({2, 2}, {0, 0, 1, 1});
  const Variable y = scaled_dot_product_attention(q, k, v, mask);
  EXPECT_EQ(narrow(y.value(), 0, 0, 1).to_vector(), (Values{0, 0}));
  sum(y).backward();
  const Values of_both = grad_of(k);
  EXPECT_EQ(narrow(q.grad(), 0, 0, 1).to_vector(), (Values{0, 0}));
  k.zero_grad();
  sum(scaled_dot_product_attention(narrow(q, 0, 1, 1), k, v)).backward();
  EXPECT_EQ(grad_of(k), of_both);
}

TEST(Engine, BL15_LayerNormOfAZeroRowHasAFiniteGradient) {
  const Variable x = parameter(zeros({1, 4}));
  const Variable gain = parameter(Tensor({4}, {1, 2, 3, 4}));
  const Variable bias = parameter(zeros({4}));
  const Variable distance = layer_norm(x, gain, bias) - Scalar(1);
  sum(distance * distance).backward();
  double total = 0;
  for (const Scalar g : grad_of(x)) total += static_cast<double>(g);
  EXPECT_NEAR(total, 0, 1e-3);  // of gradients of some 1,000: 1/sqrt(epsilon) is 316
}

TEST(Engine, BL90_RepeatedIdsAddUp) {
  const Variable table = parameter(zeros({3, 2}));
  embedding(table, Indices({3}, {1, 1, 0})).backward(ones({3, 2}));
  EXPECT_EQ(grad_of(table), (Values{1, 1, 2, 2, 0, 0}));
}

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
