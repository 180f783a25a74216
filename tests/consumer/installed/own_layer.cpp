// Somebody's own layer: two heads of attention from public parts, trained to reverse 8 symbols.
#include <cstdio>

#include "autograd/ops.h"

#include "nn/layers/embedding.h"
#include "nn/layers/linear.h"
#include "nn/layers/positions.h"
#include "nn/layers/self_attention.h"
#include "nn/optim/adam.h"

using namespace vitro;

class TwoHeads : public nn::Layer {
 public:
  TwoHeads(Index width, Rng& rng)
      : one_(add_module<nn::SelfAttention>("one", width, width / 2, width / 2, rng)),
        two_(add_module<nn::SelfAttention>("two", width, width / 2, width / 2, rng)),
        mix_(add_module<nn::Linear>("mix", width, width, rng)) {}

  Variable forward(const Variable& x) override { return mix_(cat({one_(x), two_(x)}, -1)); }

 private:
  nn::SelfAttention& one_;
  nn::SelfAttention& two_;
  nn::Linear& mix_;
};

struct Reverser : nn::Module {
  explicit Reverser(Rng& rng)
      : tokens(add_module<nn::Embedding>("tokens", 10, 32, rng)),
        positions(add_module<nn::LearnedPositions>("positions", 8, 32, rng)),
        heads(add_module<TwoHeads>("heads", 32, rng)),
        out(add_module<nn::Linear>("out", 32, 10, rng)) {}

  Variable operator()(const Indices& ids) { return out(heads(positions(tokens(ids)))); }

  nn::Embedding& tokens;
  nn::LearnedPositions& positions;
  TwoHeads& heads;
  nn::Linear& out;
};

int main() {
  Rng rng(1);
  Reverser model(rng);
  nn::Adam optimizer(model.named_parameters(), {.learning_rate = Scalar(0.01)});
  Scalar loss_now = 0;
  for (int step = 0; step < 150; ++step) {
    std::vector<Index> symbols, reversed;
    for (int i = 0; i < 64 * 8; ++i) symbols.push_back(rng.below(10));
    for (int i = 0; i < 64 * 8; ++i) reversed.push_back(symbols[i / 8 * 8 + 7 - i % 8]);
    optimizer.zero_grad();
    const Variable loss =
        cross_entropy(model(Indices({64, 8}, symbols)), Indices({64, 8}, reversed));
    loss.backward();
    optimizer.step();
    loss_now = loss.item();
  }
  std::printf("%sloss after 150 steps: %g\n", nn::parameter_table(model).c_str(), loss_now);
  return loss_now < Scalar(0.01) ? 0 : 1;
}
