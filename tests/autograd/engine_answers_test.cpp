// Small inputs that other engines got wrong, and the right answers.
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/views.h"

#include "autograd/ops.h"

#include "tests/support/expect.h"

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

TEST(EngineAnswers, BL17_AValueUsedOnSeveralPaths) {
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

TEST(EngineAnswers, BL17_ANodeWaitsForItsLongestPath) {
  for (const bool early_first : {false, true}) {
    const Variable x = number(2);
    const Variable h = x * x;
    const Variable late = (h * Scalar(3)) * Scalar(5);
    (early_first ? h + late : late + h).backward();
    EXPECT_EQ(grad_of(x), Values{64});
  }
}

TEST(EngineAnswers, BL18_InnerNodesKeepNoGradientsUnlessAsked) {
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

TEST(EngineAnswers, BL18_ASecondBackwardIsRefusedAndChangesNothing) {
  const Variable a = number(3);
  const Variable b = number(2);
  const Variable d = number(1);
  const Variable e = (a + b) * d;
  e.backward();
  EXPECT_THROW(e.backward(), std::logic_error);
  EXPECT_EQ(grad_of(a), Values{1});
  EXPECT_EQ(grad_of(d), Values{5});
  for (const Variable& leaf : {a, b, d}) leaf.zero_grad();
  EXPECT_THROW(e.backward(), std::logic_error);
  for (const Variable& leaf : {a, b, d}) EXPECT_FALSE(leaf.has_grad());
}

TEST(EngineAnswers, BL23_UpstreamsTellMoreThanASum) {
  const Variable x = parameter(Tensor({3}, {1, 2, 3}));
  softmax(x, -1).backward(ones({3}));
  expect_near(grad_of(x), {0, 0, 0}, 1e-7);
  x.zero_grad();
  softmax(x, -1).backward(Tensor({3}, {1, 0, 0}));
  expect_near(grad_of(x), {0.081925, -0.022033, -0.059892}, 1e-6);
}

TEST(EngineAnswers, BL26_StretchedInputsGetTheirOwnShape) {
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

TEST(EngineAnswers, BL27_BiasGradientSumsOverTheBatch) {
  const Variable w = parameter(ones({5, 2}));
  const Variable bias = parameter(zeros({2}));
  linear(Variable(ones({3, 5})), w, bias).backward(ones({3, 2}));
  EXPECT_EQ(grad_of(bias), (Values{3, 3}));
}

TEST(EngineAnswers, BL25_SavedValuesCannotBeOverwritten) {
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

TEST(EngineAnswers, BL25_GradientsAreNobodyElses) {
  const Variable a = parameter(zeros({3}));
  const Variable b = parameter(zeros({3}));
  (a + b).backward(ones({3}));
  Tensor clipped = a.grad();
  clipped.fill(7);
  a.set_grad(clipped);
  EXPECT_EQ(grad_of(b), (Values{1, 1, 1}));
  EXPECT_EQ(grad_of(a), (Values{7, 7, 7}));
}

TEST(EngineAnswers, BL31_SizesOfZeroGoForwardAndBackward) {
  struct Case {
    Shape a, b, y;
  };

  for (const Case& c :
       {Case{{3, 4}, {4, 0}, {3, 0}}, Case{{3, 0}, {0, 4}, {3, 4}}, Case{{0, 3}, {3, 4}, {0, 4}}}) {
    const Variable a = parameter(ones(c.a));
    const Variable b = parameter(ones(c.b));
    full({3, 4}, 7);  // its memory is what the next tensor of this size gets
    const Variable y = matmul(a, b);
    test::expect_equal(y.value(), c.y, std::vector<double>(std::size_t(c.y.element_count()), 0));
    sum(y).backward();
    test::expect_equal(a.grad(), c.a, std::vector<double>(std::size_t(c.a.element_count()), 0));
    test::expect_equal(b.grad(), c.b, std::vector<double>(std::size_t(c.b.element_count()), 0));
  }
  const Variable empty = parameter(ones({4, 0}));
  const Variable column = parameter(ones({4, 1}));
  const Variable total = sum(empty + column);
  EXPECT_EQ(total.item(), 0);
  total.backward();
  test::expect_equal(empty.grad(), {4, 0}, {});
  test::expect_equal(column.grad(), {4, 1}, {0, 0, 0, 0});
}

TEST(EngineAnswers, BL33_MaxGivesItsGradientToOneElement) {
  const Variable x = parameter(Tensor({3}, {2, 2, 1}));
  max(x).backward();
  EXPECT_EQ(grad_of(x), (Values{1, 0, 0}));
  const Variable many = parameter(ones({70000}));
  max(many).backward();
  const Values grads = grad_of(many);
  EXPECT_EQ(std::accumulate(grads.begin(), grads.end(), Scalar(0)), 1);
}

TEST(EngineAnswers, BL34_AllTargetsIgnoredIsALossOfZero) {
  const Variable logits = parameter(Tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  const Variable loss = cross_entropy(logits, Indices({2}, {-100, -100}));
  EXPECT_EQ(loss.item(), 0);
  loss.backward();
  EXPECT_EQ(grad_of(logits), Values(6, 0));
}

TEST(EngineAnswers, BL36_HugeLogits) {
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

TEST(EngineAnswers, BL15_LayerNormOfAZeroRowHasAFiniteGradient) {
  const Variable x = parameter(zeros({1, 4}));
  const Variable gain = parameter(Tensor({4}, {1, 2, 3, 4}));
  const Variable bias = parameter(zeros({4}));
  const Variable distance = layer_norm(x, gain, bias) - Scalar(1);
  sum(distance * distance).backward();
  double total = 0;
  for (const Scalar g : grad_of(x)) total += static_cast<double>(g);
  EXPECT_NEAR(total, 0, 1e-3);  // of gradients of some 1,000: 1/sqrt(epsilon) is 316
  EXPECT_EQ(grad_of(gain), (Values{0, 0, 0, 0}));
  EXPECT_EQ(grad_of(bias), (Values{-2, -2, -2, -2}));
}

TEST(EngineAnswers, BL90_RepeatedIdsAddUp) {
  const Variable table = parameter(zeros({3, 2}));
  embedding(table, Indices({3}, {1, 1, 0})).backward(ones({3, 2}));
  EXPECT_EQ(grad_of(table), (Values{1, 1, 2, 2, 0, 0}));
}

TEST(EngineAnswers, ReluHidesNoNanAndMakesNone) {
  const Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  const Scalar infinity = std::numeric_limits<Scalar>::infinity();
  const Variable x = parameter(Tensor({5}, {-2, 0, 3, nan, -7}));
  relu(x).backward(Tensor({5}, {infinity, 5, 7, 11, nan}));
  EXPECT_EQ(grad_of(x), (Values{0, 0, 7, 11, 0}));
}

}  // namespace
}  // namespace vitro
