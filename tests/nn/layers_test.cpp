// Linear, Embedding, positions, norms, Dropout, FeedForward and Block.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/positions.h"
#include "tensor/views.h"

#include "autograd/ops.h"

#include "nn/layers/block.h"
#include "nn/layers/embedding.h"
#include "nn/layers/positions.h"

#include "tests/nn/nn_support.h"
#include "tests/support/reference.h"

namespace vitro::test {
namespace {

using nn::Activation;
using nn::Bias;

TEST(Linear, IsXTimesWPlusB) {
  Rng rng(1);
  nn::Linear layer(2, 3, rng);
  set_named(layer, "weight", Tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  set_named(layer, "bias", Tensor({3}, {10, 20, 30}));
  const Variable x(Tensor({1, 2, 2}, {1, 0, 2, -1}));
  expect_equal(layer(x).value(), {1, 2, 3}, {11, 22, 33, 8, 19, 30});
}

TEST(Linear, WithoutABiasHasOneParameter) {
  Rng rng(1);
  nn::Linear layer(2, 3, rng, Bias::kNo);
  EXPECT_EQ(layer.parameter_count(), 6);
  set_named(layer, "weight", Tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  expect_equal(layer(Variable(Tensor({1, 2}, {1, 1}))).value(), {1, 3}, {5, 7, 9});
}

TEST(Linear, StartsWithinOneOverTheRootOfItsInputsAndABiasOfZero) {
  Rng rng(5);
  const nn::Linear layer(25, 41, rng);
  Scalar largest = 0;
  for (const Scalar w : layer.weight().value().to_vector()) {
    largest = std::max(largest, std::abs(w));
  }
  EXPECT_LE(largest, Scalar(0.2));
  EXPECT_GT(largest, Scalar(0.19));
  expect_same_bits(named(layer, "bias").value(), zeros({41}));
}

TEST(Linear, RefusesWrongSizesAndInputs) {
  Rng rng(1);
  expect_error_contains<std::invalid_argument>([&] { nn::Linear(0, 3, rng); }, "in is 0");
  expect_error_contains<std::invalid_argument>([&] { nn::Linear(3, -1, rng); }, "out is -1");
  nn::Linear layer(5, 3, rng);
  const std::string text = message_of<ShapeError>([&] { layer(Variable(zeros({2, 7}))); });
  EXPECT_NE(text.find("[2, 7]"), std::string::npos) << text;
  EXPECT_NE(text.find("[5, 3]"), std::string::npos) << text;
}

TEST(Embedding, PicksRowsAndRefusesOtherIds) {
  Rng rng(1);
  const nn::Embedding layer(3, 2, rng);
  set_named(layer, "weight", Tensor({3, 2}, {1, 2, 3, 4, 5, 6}));
  expect_equal(layer(Indices({2, 2}, {2, 0, 1, 2})).value(), {2, 2, 2}, {5, 6, 1, 2, 3, 4, 5, 6});
  const auto above = [&] { layer(Indices({1}, {3})); };
  expect_error_contains<std::out_of_range>(above, "3");
  const auto below = [&] { layer(Indices({1}, {-1})); };
  expect_error_contains<std::out_of_range>(below, "-1");
  expect_error_contains<std::invalid_argument>([&] { nn::Embedding(0, 2, rng); }, "count is 0");
  expect_error_contains<std::invalid_argument>([&] { nn::Embedding(2, 0, rng); }, "width is 0");
}

TEST(Embedding, BL90_GradientsOfRepeatedIdsAddUp) {
  for (const Index threads : {1, 4}) {
    const Tensor grad = with_threads(threads, [] {
      Rng rng(1);
      const nn::Embedding layer(2, 2, rng);
      sum(layer(Indices({3}, {1, 1, 0}))).backward();
      return layer.table().grad();
    });
    expect_equal(grad, {2, 2}, {1, 1, 2, 2});
  }
}

TEST(LearnedPositions, AddsARowToEachStep) {
  Rng rng(1);
  nn::LearnedPositions layer(3, 2, rng);
  set_named(layer, "weight", Tensor({3, 2}, {1, 2, 3, 4, 5, 6}));
  const Variable x(full({2, 2, 2}, 10));
  // Not as lists: GCC 12 reads these two from a wrong address where the address sanitizer also
  // looks for uses of the stack after a return.
  const auto twice_from = [](double first) {
    std::vector<double> numbers;
    for (int i = 0; i < 8; ++i) numbers.push_back(first + i % 4);
    return numbers;
  };
  expect_equal(layer(x).value(), {2, 2, 2}, twice_from(11));
  expect_equal(layer(x, 1).value(), {2, 2, 2}, twice_from(13));
}

TEST(Positions, RefuseWhatIsTooLongOrOfAnotherWidth) {
  Rng rng(1);
  nn::LearnedPositions learned(3, 2, rng);
  nn::SinusoidalPositions fixed(3, 2);
  expect_error_contains<ShapeError>([&] { learned(Variable(zeros({4, 2}))); }, "[4, 2]");
  expect_error_contains<ShapeError>([&] { fixed(Variable(zeros({4, 2}))); }, "position 3");
  expect_error_contains<ShapeError>([&] { learned(Variable(zeros({3, 5}))); }, "[3, 5]");
  expect_error_contains<ShapeError>([&] { learned(Variable(zeros({2}))); }, "[2]");
  expect_error_contains<ShapeError>([&] { learned(Variable(zeros({2, 2})), 2); }, "position 2");
  expect_error_contains<ShapeError>([&] { learned(Variable(zeros({1, 2})), -1); }, "position -1");
}

TEST(SinusoidalPositions, AddsTheTableAndTrainsNothing) {
  nn::SinusoidalPositions layer(7, 5);
  EXPECT_EQ(layer.parameter_count(), 0);
  const Tensor table = sinusoidal_positions(7, 5);
  expect_same_bits(layer(Variable(zeros({3, 5}))).value(), narrow(table, 0, 0, 3));
  expect_same_bits(layer.forward(Variable(zeros({3, 5})), 4).value(), narrow(table, 0, 4, 3));
}

TEST(Norms, LayersAreTheOperationsWithTheirOwnGainAndBias) {
  Rng rng(3);
  const Variable x(random_tensor({5, 7}, rng));
  nn::LayerNorm layer(7, Scalar(0.01));
  nn::RmsNorm rms(7, Scalar(0.01));
  expect_same_bits(layer(x).value(),
                   layer_norm(x, Variable(ones({7})), Variable(zeros({7})), Scalar(0.01)).value());
  expect_same_bits(rms(x).value(), rms_norm(x, Variable(ones({7})), Scalar(0.01)).value());
  randomize(layer, rng);
  randomize(rms, rng);
  expect_same_bits(
      layer(x).value(),
      layer_norm(x, named(layer, "weight"), named(layer, "bias"), Scalar(0.01)).value());
  expect_same_bits(rms(x).value(), rms_norm(x, named(rms, "weight"), Scalar(0.01)).value());
  EXPECT_EQ(rms.parameter_count(), 7);
}

TEST(Norms, RefuseWrongSizes) {
  expect_error_contains<std::invalid_argument>([] { nn::LayerNorm(0); }, "width is 0");
  expect_error_contains<std::invalid_argument>([] { nn::RmsNorm(3, -1); }, "epsilon is -1");
  nn::LayerNorm layer(3);
  expect_error_contains<ShapeError>([&] { layer(Variable(zeros({2, 5}))); }, "[2, 5]");
}

Tensor mask_of(std::uint64_t seed) {
  Rng rng(seed);
  nn::Dropout layer(Scalar(0.25), rng);
  return layer(Variable(ones({13, 17}))).value();
}

TEST(Dropout, BL78_TheSeedDecidesTheMask) {
  expect_same_bits(mask_of(3), mask_of(3));
  EXPECT_NE(mask_of(3).to_vector(), mask_of(4).to_vector());
}

TEST(Dropout, DropsAboutItsShareAndScalesTheRest) {
  Index dropped = 0;
  for (const Scalar value : mask_of(3).to_vector()) {
    if (value == 0) {
      ++dropped;
    } else {
      EXPECT_EQ(value, 1 / (1 - Scalar(0.25)));
    }
  }
  EXPECT_GT(dropped, 30);  // of 221: 55 expected
  EXPECT_LT(dropped, 85);
}

TEST(Dropout, DrawsAnewEachTimeWhateverElseIsDrawn) {
  Rng rng(3);
  nn::Dropout layer(Scalar(0.5), rng);
  const Variable x(ones({13, 17}));
  const Tensor first = layer(x).value();
  const Tensor second = layer(x).value();
  EXPECT_NE(first.to_vector(), second.to_vector());
  Rng same(3);
  nn::Dropout other(Scalar(0.5), same);
  same.next();  // the layer's generator is its own
  expect_same_bits(other(x).value(), first);
  same.next();
  expect_same_bits(other(x).value(), second);
}

TEST(Dropout, IsTheIdentityAfterEvalAndWithProbabilityZero) {
  Rng rng(3);
  nn::Dropout layer(Scalar(0.5), rng);
  nn::Dropout none(0, rng);
  const Variable x(ones({13, 17}));
  layer.eval();
  EXPECT_EQ(layer(x).shared_node(), x.shared_node());
  EXPECT_EQ(none(x).shared_node(), x.shared_node());
}

TEST(Dropout, RefusesWhatIsNoProbability) {
  Rng rng(1);
  for (const double p : {-0.1, 1.0, 1.5, std::nan("")}) {
    const auto make = [&] { nn::Dropout(static_cast<Scalar>(p), rng); };
    expect_error_contains<std::invalid_argument>(make, "from 0 to below 1");
  }
}

TEST(FeedForward, EachActivationIsItsOperation) {
  Rng rng(4);
  const Variable x(random_tensor({2, 3, 5}, rng));
  const auto by_hand = [&](Activation kind, const Variable& h) {
    switch (kind) {
      case Activation::kGeluTanh:
        return gelu(h, Gelu::kTanh);
      case Activation::kGeluErf:
        return gelu(h, Gelu::kErf);
      case Activation::kRelu:
        return relu(h);
      default:
        return silu(h);
    }
  };
  std::vector<std::vector<Scalar>> results;
  for (const Activation kind :
       {Activation::kGeluTanh, Activation::kGeluErf, Activation::kRelu, Activation::kSilu}) {
    Rng seed(9);
    nn::FeedForward layer(5, 13, kind, seed);
    randomize(layer, seed);
    const Variable hidden = linear(x, named(layer, "expand.weight"), named(layer, "expand.bias"));
    const Variable y = linear(by_hand(kind, hidden), named(layer, "contract.weight"),
                              named(layer, "contract.bias"));
    expect_same_bits(layer(x).value(), y.value());
    results.push_back(y.value().to_vector());
  }
  for (std::size_t i = 1; i < results.size(); ++i) EXPECT_NE(results[i], results[i - 1]);
  const nn::FeedForward bare(5, 13, Activation::kRelu, rng, Bias::kNo);
  EXPECT_EQ(bare.parameter_count(), 2 * 5 * 13);
}

}  // namespace
}  // namespace vitro::test
