#include "nn/layers/self_attention.h"

#include <cmath>

#include "tensor/arithmetic.h"
#include "tensor/reduce.h"
#include "tensor/select.h"
#include "tensor/views.h"

#include "tests/nn/nn_support.h"
#include "tests/support/reference.h"

namespace vitro::test {
namespace {

using nn::SelfAttention;

// d_model 2, all three weights the identity: Q = K = V = X.
void use_identity(const SelfAttention& layer) {
  for (const char* name : {"w_q", "w_k", "w_v"}) set_named(layer, name, identity(2));
}

AttentionMask with_mask(const Tensor& mask) {
  AttentionMask result;
  result.mask = mask;
  return result;
}

AttentionMask causal() {
  AttentionMask result;
  result.causal = true;
  return result;
}

TEST(SelfAttention, EqualsThePlainFormula) {
  Rng rng(1);
  SelfAttention layer(5, 3, 7, rng);  // d_k is not d_v
  const Variable x(random_tensor({2, 11, 5}, rng));
  const Reference q =
      multiplied(reference_of(x.value()), reference_of(named(layer, "w_q").value()));
  const Reference k =
      multiplied(reference_of(x.value()), reference_of(named(layer, "w_k").value()));
  const Reference v =
      multiplied(reference_of(x.value()), reference_of(named(layer, "w_v").value()));
  const Reference scores = multiplied(q, transposed(k, 1, 2));
  const Reference powers = make_reference(
      scores.sizes, [&](const Places& at) { return std::exp(scores.at(at) / std::sqrt(3.0)); });
  const Reference sums = folded(powers, {2}, [](const std::vector<double>& row) {
    double sum = 0;
    for (const double power : row) sum += power;
    return sum;
  });
  const Reference weights = make_reference(scores.sizes, [&](const Places& at) {
    return powers.at(at) / sums.at({at[0], at[1], 0});
  });
  layer.keep_weights();
  expect_close(layer(x).value(), multiplied(weights, v), kTolerance);
  expect_close(layer.weights().value(), weights, kTolerance);
}

TEST(SelfAttention, StartsWithWeightsOfTheDocumentedShapes) {
  Rng rng(1);
  const SelfAttention layer(5, 3, 7, rng);
  EXPECT_EQ(named(layer, "w_q").shape(), (Shape{5, 3}));
  EXPECT_EQ(named(layer, "w_k").shape(), (Shape{5, 3}));
  EXPECT_EQ(named(layer, "w_v").shape(), (Shape{5, 7}));
  EXPECT_EQ(layer.parameter_count(), 5 * 13);
}

TEST(SelfAttention, BL93_WeightsOfEachQueryAddUpToOneAndThoseOfAKeyDoNot) {
  Rng rng(2);
  SelfAttention layer(5, 3, 7, rng);
  randomize(layer, rng);
  layer.keep_weights();
  layer(Variable(random_tensor({3, 11, 5}, rng)), causal());
  const Tensor weights = layer.weights().value();
  expect_close(sum(weights, {-1}), {3, 11}, std::vector<double>(33, 1.0));
  Index off = 0;
  for (const Scalar total : sum(weights, {-2}).to_vector()) {
    if (std::abs(total - 1) > Scalar(0.01)) ++off;
  }
  EXPECT_GT(off, 22);
}

TEST(SelfAttention, PermutingTokensPermutesOutputs) {
  Rng rng(3);
  SelfAttention layer(5, 3, 7, rng);
  randomize(layer, rng);
  const Tensor x = random_tensor({11, 5}, rng);
  const Indices order({11}, rng.permutation(11));
  const Tensor of_permuted = layer(Variable(embedding(x, order))).value();
  const Tensor permuted = embedding(layer(Variable(x)).value(), order);
  expect_close(of_permuted, reference_of(permuted), kTolerance);
}

TEST(SelfAttention, BL04_TheCausalMaskSeesItselfAndWhatCameBefore) {
  Rng rng(4);
  SelfAttention layer(2, 2, 2, rng);
  layer.keep_weights();
  layer(Variable(zeros({3, 2})), causal());  // all scores are 0
  const double third = static_cast<double>(Scalar(1) / 3);
  expect_close(layer.weights().value(), {3, 3}, {1, 0, 0, 0.5, 0.5, 0, third, third, third});
  EXPECT_EQ(layer.weights().value().at({0, 0}), 1);
  EXPECT_EQ(layer.weights().value().at({0, 1}), 0);
  EXPECT_EQ(layer.weights().value().at({1, 2}), 0);
}

TEST(SelfAttention, BL01_AFullyMaskedQueryGivesZerosAndZeroGradients) {
  Rng rng(5);
  SelfAttention layer(2, 2, 2, rng);
  use_identity(layer);
  layer.keep_weights();
  const Variable x = parameter(Tensor({2, 2}, {1, 2, 3, 4}));
  const Variable y = layer(x, with_mask(Tensor({2, 2}, {0, 0, 1, 1})));
  expect_equal(narrow(layer.weights().value(), 0, 0, 1), {1, 2}, {0, 0});
  expect_equal(narrow(y.value(), 0, 0, 1), {1, 2}, {0, 0});

  const Tensor free = layer(x).value();
  expect_same_bits(narrow(y.value(), 0, 1, 1), narrow(free, 0, 1, 1));

  // A loss of row 0 alone moves nothing, neither through Q and K nor through V.
  sum(narrow(y, 0, 0, 1)).backward();
  for (const char* name : {"w_q", "w_k", "w_v"}) {
    expect_equal(named(layer, name).grad(), {2, 2}, {0, 0, 0, 0});
  }
  expect_equal(x.grad(), {2, 2}, {0, 0, 0, 0});
}

TEST(SelfAttention, BL01_GradientsOfTheOtherQueriesAreAsIfTheMaskedOneWereNotThere) {
  Rng rng(5);
  SelfAttention layer(2, 2, 2, rng);
  const Tensor x = Tensor({2, 2}, {1, 2, 3, 4});
  sum(narrow(layer(Variable(x)), 0, 1, 1)).backward();
  std::vector<Tensor> expected;
  for (const Variable& parameter : layer.parameters()) expected.push_back(parameter.grad());
  layer.zero_grad();
  sum(layer(Variable(x), with_mask(Tensor({2, 2}, {0, 0, 1, 1})))).backward();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expect_same_bits(layer.parameters()[i].grad(), expected[i]);
  }
}

TEST(SelfAttention, APaddingMaskHidesPaddedKeysExactly) {
  Rng rng(6);
  SelfAttention layer(5, 3, 7, rng);
  layer.keep_weights();
  Tensor x = random_tensor({2, 7, 5}, rng);
  // [batch, 1, time]: sequence 0 has 4 tokens, sequence 1 all 7.
  const Tensor mask({2, 1, 7}, {1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1});
  const Tensor y = layer(Variable(x), with_mask(mask)).value();
  for (Index query = 0; query < 7; ++query) {
    for (Index key = 4; key < 7; ++key) {
      EXPECT_EQ(layer.weights().value().at({0, query, key}), 0);
    }
  }
  const Tensor alone = layer(Variable(narrow(narrow(x, 0, 0, 1), 1, 0, 4))).value();
  expect_close(narrow(narrow(y, 0, 0, 1), 1, 0, 4), reference_of(alone), kTolerance);
  for (Index time = 4; time < 7; ++time) x.set({0, time, 2}, 100);
  const Tensor other = layer(Variable(x), with_mask(mask)).value();
  expect_same_bits(narrow(narrow(other, 0, 0, 1), 1, 0, 4), narrow(narrow(y, 0, 0, 1), 1, 0, 4));
  expect_same_bits(narrow(other, 0, 1, 1), narrow(y, 0, 1, 1));
}

TEST(SelfAttention, ABiasIsAddedToTheScaledScores) {
  Rng rng(7);
  SelfAttention layer(2, 2, 2, rng);
  layer.keep_weights();
  AttentionMask mask;
  mask.bias = Tensor({2, 2}, {std::log(Scalar(3)), 0, 0, 0});
  layer(Variable(zeros({2, 2})), mask);
  expect_close(layer.weights().value(), {2, 2}, {0.75, 0.25, 0.5, 0.5});
}

TEST(SelfAttention, BL13_ALengthOfOneKeepsItsAxisAndItsWeightIsOne) {
  Rng rng(8);
  SelfAttention layer(5, 3, 7, rng);
  layer.keep_weights();
  const Variable x(random_tensor({1, 1, 5}, rng));
  EXPECT_EQ(layer(x).shape(), (Shape{1, 1, 7}));
  expect_equal(layer.weights().value(), {1, 1, 1}, {1});
  EXPECT_EQ(layer(Variable(random_tensor({3, 1, 5}, rng)), causal()).shape(), (Shape{3, 1, 7}));
  EXPECT_EQ(layer(Variable(random_tensor({1, 5, 5}, rng)), causal()).shape(), (Shape{1, 5, 7}));
}

TEST(SelfAttention, BL09_AStridedInputGivesTheBitsOfItsCopy) {
  Rng rng(9);
  SelfAttention layer(48, 16, 32, rng);
  const Tensor x = random_tensor({2, 2, 37, 48}, rng);
  const Tensor expected = layer(Variable(x), causal()).value();
  const Tensor turned = transpose(contiguous(transpose(x, 1, 2)), 1, 2);
  ASSERT_FALSE(turned.is_contiguous());
  with_threads(4, [&] {
    for (int run = 0; run < 20; ++run) {
      expect_same_bits(layer(Variable(turned), causal()).value(), expected);
      expect_same_bits(layer(Variable(scattered(x)), causal()).value(), expected);
    }
    return 0;
  });
}

TEST(SelfAttention, AnyNumberOfThreadsGivesTheSameBitsForwardAndBackward) {
  const auto run = [] {
    Rng rng(10);
    SelfAttention layer(48, 31, 29, rng);
    const Variable x = parameter(random_tensor({5, 61, 48}, rng));
    const Variable y = layer(x, causal());
    y.backward(random_tensor({5, 61, 29}, rng));
    return std::vector<Tensor>{y.value(), x.grad(), layer.parameters()[0].grad(),
                               layer.parameters()[1].grad(), layer.parameters()[2].grad()};
  };
  const std::vector<Tensor> one = with_threads(1, run);
  for (const Index threads : {2, 3, 7}) {
    const Index before = handoff_count();
    const std::vector<Tensor> many = with_threads(threads, run);
    EXPECT_GT(handoff_count(), before);  // else nothing was shared
    for (std::size_t i = 0; i < one.size(); ++i) expect_same_bits(many[i], one[i]);
  }
}

TEST(SelfAttention, KeepingWeightsNeverChangesTheOutput) {
  Rng rng(11);
  SelfAttention layer(5, 3, 7, rng);
  const Variable x(random_tensor({2, 11, 5}, rng));
  const Tensor before = layer(x, causal()).value();
  layer.keep_weights();
  expect_same_bits(layer(x, causal()).value(), before);
}

TEST(SelfAttention, WeightsThatWereNotKeptAreAnError) {
  Rng rng(12);
  SelfAttention layer(5, 3, 7, rng);
  layer(Variable(zeros({2, 5})));
  expect_error_contains<std::logic_error>([&] { layer.weights(); }, "keep_weights()");
  layer.keep_weights();
  expect_error_contains<std::logic_error>([&] { layer.weights(); }, "before forward");
}

TEST(SelfAttention, RefusesWrongShapes) {
  Rng rng(13);
  expect_error_contains<std::invalid_argument>([&] { SelfAttention(0, 3, 7, rng); }, " 0;");
  expect_error_contains<std::invalid_argument>([&] { SelfAttention(5, 0, 7, rng); }, " 0;");
  expect_error_contains<std::invalid_argument>([&] { SelfAttention(5, 3, -7, rng); }, " -7;");
  SelfAttention layer(5, 3, 7, rng);
  expect_error_contains<ShapeError>([&] { layer(Variable(zeros({2, 4}))); }, "[2, 4]");
  expect_error_contains<ShapeError>([&] { layer(Variable(zeros({5}))); }, "[5]");
  const Variable x(zeros({2, 11, 5}));
  const auto wrong = [&] { layer(x, with_mask(ones({11, 7}))); };
  expect_error_contains<ShapeError>(wrong, "[11, 7]");
}

}  // namespace
}  // namespace vitro::test
