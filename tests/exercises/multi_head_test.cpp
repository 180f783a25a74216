// Exercise 6, chapter 8: the reader's multi-head attention against the library's, and in training.
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "tensor/arithmetic.h"
#include "tensor/join.h"
#include "tensor/views.h"

#include "autograd/gradcheck.h"
#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/layers/embedding.h"
#include "nn/layers/linear.h"
#include "nn/layers/multi_head_attention.h"
#include "nn/layers/positions.h"
#include "nn/optim/adam.h"

#include "examples/exercises/exercises.h"

#include "tests/exercises/grading.h"

namespace vitro::exercises {
namespace {

constexpr Index kChannels = 12;
constexpr Index kHeads = 3;

std::map<std::string, Variable> parameters_of(const nn::Module& module) {
  std::map<std::string, Variable> parameters;
  for (const nn::NamedParameter& p : module.named_parameters()) parameters[p.name] = p.variable;
  return parameters;
}

class Exercise06 : public testing::Test {
 protected:
  // The library's layer with the same weights.
  void copy_weights() {
    std::map<std::string, Variable> mine = parameters_of(*layer_);
    for (const char* name : {"w_q", "w_k", "w_v", "w_o"}) {
      ASSERT_TRUE(mine.contains(name)) << "there is no parameter " << name;
      ASSERT_EQ(mine.at(name).shape(), (Shape{kChannels, kChannels})) << name;
    }
    std::map<std::string, Variable> theirs = parameters_of(library_);
    const auto value = [&](const char* name) { return mine.at(name).value(); };
    theirs.at("w_qkv").set_value(cat({value("w_q"), value("w_k"), value("w_v")}, 1));
    theirs.at("w_o").set_value(value("w_o"));
  }

  Rng rng_{1};
  std::unique_ptr<nn::Layer> layer_ = make_multi_head_attention(kChannels, kHeads, rng_);
  nn::MultiHeadAttention library_{
      {.channels = kChannels, .head_count = kHeads, .bias = nn::Bias::kNo}, rng_};
};

TEST_F(Exercise06, HasFourNamedParametersThatDiffer) {
  std::map<std::string, Variable> mine = parameters_of(*layer_);
  ASSERT_EQ(mine.size(), 4U);
  for (const char* name : {"w_q", "w_k", "w_v", "w_o"}) {
    ASSERT_TRUE(mine.contains(name)) << "there is no parameter " << name;
  }
  EXPECT_NE(mine.at("w_q").value().to_vector(), mine.at("w_k").value().to_vector());
}

TEST_F(Exercise06, EqualsTheLibrarysLayer) {
  ASSERT_NO_FATAL_FAILURE(copy_weights());
  for (const Shape& shape : {Shape{5, kChannels}, Shape{2, 5, kChannels}, Shape{1, 1, kChannels}}) {
    const Variable x(some(shape));
    expect_equal((*layer_)(x).value(), library_(x).value());
  }
}

TEST_F(Exercise06, HasTheLibrarysGradients) {
  ASSERT_NO_FATAL_FAILURE(copy_weights());
  const Variable x = parameter(some({2, 5, kChannels}));
  const Tensor upstream = some({2, 5, kChannels}, 2);
  (*layer_)(x).backward(upstream);
  const Tensor mine = x.grad();
  x.zero_grad();
  library_(x).backward(upstream);
  expect_equal(mine, x.grad());
  for (const auto& [name, parameter] : parameters_of(*layer_)) {
    EXPECT_TRUE(parameter.has_grad()) << name;
  }
}

TEST_F(Exercise06, HasRightGradients) {
  std::vector<Variable> inputs = {parameter(some({5, kChannels}))};
  for (const Variable& parameter : layer_->parameters()) inputs.push_back(parameter);
  ASSERT_EQ(inputs.size(), 5U);
  const GradcheckResult result =
      gradcheck([&](const auto& in) { return (*layer_)(in[0]); }, inputs);
  EXPECT_TRUE(result.passed) << result;
}

/// Symbols in, symbols out, through the reader's layer alone: no residual connection.
class Reverser : public nn::Module {
 public:
  explicit Reverser(Rng& rng)
      : symbols_(add_module<nn::Embedding>("symbols", 10, 16, rng)),
        positions_(add_module<nn::LearnedPositions>("positions", 6, 16, rng)),
        attention_(own("attention", make_multi_head_attention(16, 2, rng))),
        head_(add_module<nn::Linear>("head", 16, 10, rng)) {}

  Variable operator()(const Indices& inputs) {  // [batch, 6]
    return head_(attention_(positions_(symbols_(inputs))));
  }

 private:
  nn::Embedding& symbols_;
  nn::LearnedPositions& positions_;
  nn::Layer& attention_;
  nn::Linear& head_;
};

struct Sequences {
  Indices inputs;
  Indices targets;  // the inputs, reversed
};

Sequences drawn(Index count, Rng& rng) {
  std::vector<Index> inputs;
  std::vector<Index> targets;
  for (Index row = 0; row < count; ++row) {
    for (Index i = 0; i < 6; ++i) inputs.push_back(rng.below(10));
    targets.insert(targets.end(), inputs.rbegin(), inputs.rbegin() + 6);
  }
  return {Indices({count, 6}, inputs), Indices({count, 6}, targets)};
}

TEST_F(Exercise06, LearnsToReverse) {
  Rng rng(1);
  Reverser model(rng);
  ASSERT_GT(model.parameter_count(), 10 * 16 + 6 * 16 + 16 * 10 + 10);
  nn::Adam optimizer(model.named_parameters(), {.learning_rate = 0.01});
  for (int step = 0; step < 150; ++step) {
    const Sequences batch = drawn(32, rng);
    const Variable loss = cross_entropy(model(batch.inputs), batch.targets);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  const NoGrad no_grad;
  const Sequences test = drawn(200, rng);
  const Indices answers = argmax(model(test.inputs).value(), -1);
  Index right = 0;
  for (Index i = 0; i < answers.element_count(); ++i)
    right += answers[i] == test.targets[i] ? 1 : 0;
  EXPECT_GT(right, 200 * 6 * 99 / 100) << "of " << 200 * 6 << " symbols";
}

}  // namespace
}  // namespace vitro::exercises
