// Exercises 7, 8 and 9: chapters 9 and 10.
#include <gtest/gtest.h>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/normalize.h"

#include "nn/optim/adam.h"
#include "nn/text/sampling.h"

#include "examples/exercises/exercises.h"

#include "tests/exercises/grading.h"

namespace vitro::exercises {
namespace {

TEST(Exercise07, IsTheGradientOfLayerNorm) {
  const Tensor x = some({5, 7});
  const Tensor grad = some({5, 7}, 2);
  const Tensor gain = ones({7});
  const Tensor bias = zeros({7});
  const Normalized parts = layer_norm_parts(x, gain, bias, 1e-5);
  expect_equal(layer_norm_rows_backward(x, grad, 1e-5),
               layer_norm_backward(x, gain, parts, grad).x);
}

TEST(Exercise07, StaysFiniteForAConstantRow) {
  const Tensor found = layer_norm_rows_backward(full({1, 3}, 5), Tensor({1, 3}, {1, 2, 6}), 1e-2);
  expect_equal(found, Tensor({1, 3}, {-20, -10, 30}));  // (G - mean(G)) / √0.01
}

TEST(Exercise08, MakesTheStepsOfTheLibrarysAdam) {
  Variable parameter = vitro::parameter(some({3, 5}), "parameter");
  nn::Adam optimizer({{"parameter", parameter}},
                     {.learning_rate = 0.1, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3});
  Tensor value = parameter.value();
  Tensor m = zeros({3, 5});
  Tensor v = zeros({3, 5});
  for (Index step = 1; step <= 4; ++step) {
    const Tensor grad = some({3, 5}, static_cast<std::uint64_t>(step + 10));
    parameter.set_grad(grad);
    optimizer.step();
    adam_step(grad, step, 0.1, 0.8, 0.9, 1e-3, m, v, value);
    expect_equal(value, parameter.value());
  }
}

TEST(Exercise08, TheFirstStepIsTheLearningRate) {
  Tensor m = zeros({2});
  Tensor v = zeros({2});
  Tensor value = zeros({2});
  adam_step(Tensor({2}, {1e-3, -1e3}), 1, 0.1, 0.9, 0.999, 0, m, v, value);
  expect_equal(value, Tensor({2}, {-0.1, 0.1}));
}

TEST(Exercise09, DrawsAsTheLibraryDoes) {
  const Tensor logits = some({11});
  std::vector<double> mine(11);
  std::vector<double> theirs(11);
  Rng rng(1);
  Rng library_rng(2);
  for (int i = 0; i < 20'000; ++i) {
    const Index token = sample_top_k(logits, 4, rng);
    ASSERT_TRUE(token >= 0 && token < 11) << token;
    mine[static_cast<std::size_t>(token)] += 1.0 / 20'000;
    theirs[static_cast<std::size_t>(nn::sample(logits, {.top_k = 4}, library_rng))] += 1.0 / 20'000;
  }
  for (std::size_t i = 0; i < mine.size(); ++i) {
    EXPECT_NEAR(mine[i], theirs[i], 0.02) << "token " << i;  // 4 standard deviations
    EXPECT_EQ(mine[i] == 0, theirs[i] == 0) << "token " << i;
  }
}

TEST(Exercise09, OneIsTheMostLikely) {
  Rng rng(1);
  const Tensor logits({4}, {1, 3, 3, 2});
  for (int i = 0; i < 100; ++i) ASSERT_EQ(sample_top_k(logits, 1, rng), 1);
}

TEST(Exercise09, LargeLogitsDoNotOverflow) {
  Rng rng(1);
  const Tensor logits({3}, {10'000, 0, -10'000});
  for (int i = 0; i < 100; ++i) ASSERT_EQ(sample_top_k(logits, 3, rng), 0);
}

}  // namespace
}  // namespace vitro::exercises
