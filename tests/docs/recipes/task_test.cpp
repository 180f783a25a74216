// The recipe "a task" of docs/extending.md, followed literally.
#include <gtest/gtest.h>
#include <vector>

#include "tensor/reduce.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/layers/embedding.h"
#include "nn/layers/linear.h"
#include "nn/layers/positions.h"
#include "nn/layers/self_attention.h"
#include "nn/optim/adam.h"
#include "nn/text/token_windows.h"

namespace vitro {
namespace {

constexpr Index kLength = 8;
constexpr Index kSymbolCount = 10;

enum class Part { kTrain, kTest };

// Which part a sequence belongs to follows from the sequence itself: none is ever in both.
Part part_of(const std::vector<Index>& symbols) {
  Index sum = 0;
  for (const Index symbol : symbols) sum = (31 * sum + symbol) % 1009;
  return sum % 5 == 0 ? Part::kTest : Part::kTrain;
}

// Each symbol moves two places on; those at the end come round to the front.
nn::Batch draw_shift_batch(Part part, Index count, Rng& rng) {
  std::vector<Index> inputs;
  std::vector<Index> targets;
  while (static_cast<Index>(inputs.size()) < count * kLength) {
    std::vector<Index> symbols;
    for (Index i = 0; i < kLength; ++i) symbols.push_back(rng.below(kSymbolCount));
    if (part_of(symbols) != part) continue;
    inputs.insert(inputs.end(), symbols.begin(), symbols.end());
    targets.insert(targets.end(), symbols.end() - 2, symbols.end());
    targets.insert(targets.end(), symbols.begin(), symbols.end() - 2);
  }
  return {Indices({count, kLength}, inputs), Indices({count, kLength}, targets)};
}

class Shifter : public nn::Module {
 public:
  explicit Shifter(Rng& rng)
      : symbols_(add_module<nn::Embedding>("symbols", kSymbolCount, 32, rng)),
        positions_(add_module<nn::LearnedPositions>("positions", kLength, 32, rng)),
        attention_(add_module<nn::SelfAttention>("attention", 32, 32, 32, rng)),
        head_(add_module<nn::Linear>("head", 32, kSymbolCount, rng)) {}

  Variable operator()(const Indices& inputs) {               // [batch, length]
    return head_(attention_(positions_(symbols_(inputs))));  // [batch, length, symbols]
  }

 private:
  nn::Embedding& symbols_;
  nn::LearnedPositions& positions_;
  nn::SelfAttention& attention_;
  nn::Linear& head_;
};

// The share of test sequences without a single wrong symbol.
double exact_match(Shifter& model, Rng& rng) {
  const NoGrad no_grad;
  const nn::Batch test = draw_shift_batch(Part::kTest, 200, rng);
  const Indices answers = argmax(model(test.inputs).value(), -1);  // [200, length]
  Index right = 0;
  for (Index row = 0; row < 200; ++row) {
    right += narrow(answers, 0, row, 1) == narrow(test.targets, 0, row, 1) ? 1 : 0;
  }
  return static_cast<double>(right) / 200;
}

double train_shifter(Index step_count) {
  Rng rng(1);
  Shifter model(rng);
  nn::Adam optimizer(model.named_parameters(), {.learning_rate = Scalar(0.01)});
  for (Index step = 0; step < step_count; ++step) {
    const nn::Batch batch = draw_shift_batch(Part::kTrain, 64, rng);
    const Variable loss = cross_entropy(model(batch.inputs), batch.targets);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  return exact_match(model, rng);
}

TEST(Recipe, ATask) { EXPECT_EQ(train_shifter(100), 1); }

}  // namespace
}  // namespace vitro
