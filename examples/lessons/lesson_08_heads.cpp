// Lesson 8: several heads, how they are split and merged, and a mistake that trains.
#include <iostream>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/print.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/layers/embedding.h"
#include "nn/layers/linear.h"
#include "nn/layers/multi_head_attention.h"
#include "nn/layers/positions.h"
#include "nn/optim/adam.h"

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

// What merging without the transpose gives: the right numbers in the wrong places.
Variable scrambled_merge(const Variable& x) {  // [.., heads, time, head_size]
  std::vector<Index> sizes = x.shape().sizes();
  const Index head_count = sizes[sizes.size() - 3];
  sizes.erase(sizes.end() - 3);
  sizes.back() *= head_count;
  return reshape(x, sizes);  // [.., time, heads·head_size], but not by token
}

void split_and_merge() {
  heading("Split and merge: two heads of size 2, two tokens");
  const Tensor x({2, 4}, {1, 2, 5, 6,    // token 0
                          3, 4, 7, 8});  // token 1
  const Variable heads = nn::split_heads(Variable(x), 2);
  show("split_heads(x)", heads.value());
  show("merge_heads of that: token 0 is whole again", nn::merge_heads(heads).value());
  show("merged without transpose: token 0 holds both tokens of head 0",
       scrambled_merge(heads).value());
}

enum class Merge { kRight, kScrambled };

/// Attention with two heads; `merge` says how they are put together.
class TwoHeads : public nn::Layer {
 public:
  TwoHeads(Index channels, Merge merge, Rng& rng)
      : q_(add_module<nn::Linear>("q", channels, channels, rng)),
        k_(add_module<nn::Linear>("k", channels, channels, rng)),
        v_(add_module<nn::Linear>("v", channels, channels, rng)),
        o_(add_module<nn::Linear>("o", channels, channels, rng)),
        merge_(merge) {}

  Variable forward(const Variable& x) override { return forward(x, AttentionMask{}); }

  Variable forward(const Variable& x, const AttentionMask& mask) {  // [batch, time, channels]
    const Variable q = nn::split_heads(q_(x), 2);  // [batch, heads, time, head_size]
    const Variable k = nn::split_heads(k_(x), 2);  // [batch, heads, time, head_size]
    const Variable v = nn::split_heads(v_(x), 2);  // [batch, heads, time, head_size]
    const Variable y = scaled_dot_product_attention(q, k, v, mask);
    return o_(merge_ == Merge::kRight ? nn::merge_heads(y) : scrambled_merge(y));
  }

 private:
  nn::Linear& q_;
  nn::Linear& k_;
  nn::Linear& v_;
  nn::Linear& o_;
  const Merge merge_;
};

/// Symbols in, symbols out, with a residual connection around the attention.
class Copier : public nn::Module {
 public:
  Copier(Index length, Index symbol_count, Merge merge, Rng& rng)
      : symbols_(add_module<nn::Embedding>("symbols", symbol_count, 16, rng)),
        positions_(add_module<nn::LearnedPositions>("positions", length, 16, rng)),
        attention_(add_module<TwoHeads>("attention", 16, merge, rng)),
        head_(add_module<nn::Linear>("head", 16, symbol_count, rng)) {}

  Variable operator()(const Indices& inputs) {        // [batch, length]
    const Variable x = positions_(symbols_(inputs));  // [batch, length, 16]
    return head_(x + attention_(x));                  // [batch, length, symbols]
  }

 private:
  nn::Embedding& symbols_;
  nn::LearnedPositions& positions_;
  TwoHeads& attention_;
  nn::Linear& head_;
};

constexpr Index kLength = 8;
constexpr Index kSymbolCount = 10;

enum class Task { kCopy, kReverse };

Indices drawn(Index batch, Rng& rng) {
  std::vector<Index> symbols;
  for (Index i = 0; i < batch * kLength; ++i) symbols.push_back(rng.below(kSymbolCount));
  return Indices({batch, kLength}, symbols);
}

Indices answers(const Indices& inputs, Task task) {
  std::vector<Index> symbols;
  for (Index row = 0; row < inputs.size(0); ++row) {
    for (Index i = 0; i < kLength; ++i) {
      const Index place = task == Task::kCopy ? i : kLength - 1 - i;
      symbols.push_back(inputs[row * kLength + place]);
    }
  }
  return Indices(inputs.shape(), symbols);
}

/// The share of right symbols, of sequences drawn after training for 150 steps.
double trained_accuracy(Task task, Merge merge) {
  Rng rng(1);
  Copier model(kLength, kSymbolCount, merge, rng);
  nn::Adam optimizer(model.named_parameters(), {.learning_rate = Scalar(0.01)});
  for (int step = 0; step < 150; ++step) {
    const Indices inputs = drawn(32, rng);
    const Variable loss = cross_entropy(model(inputs), answers(inputs, task));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  const NoGrad no_grad;
  const Indices inputs = drawn(200, rng);
  const Indices found = argmax(model(inputs).value(), -1);
  const Indices right_ones = answers(inputs, task);
  Index right_count = 0;
  for (Index i = 0; i < found.element_count(); ++i)
    right_count += found[i] == right_ones[i] ? 1 : 0;
  return static_cast<double>(right_count) / static_cast<double>(found.element_count());
}

void a_mistake_that_trains() {
  heading("Right symbols after 150 steps");
  std::cout << "heads merged    copy   reverse\n";
  for (const Merge merge : {Merge::kRight, Merge::kScrambled}) {
    std::cout << left(merge == Merge::kRight ? "by token" : "scrambled", 11)
              << right(100 * trained_accuracy(Task::kCopy, merge), 1, 7) << " %"
              << right(100 * trained_accuracy(Task::kReverse, merge), 1, 7) << " %\n";
  }
}

// Under a causal mask, what comes out at places 0 … 3 must not move when token 4 does.
void what_catches_it() {
  heading("Token 4 changes, under the causal mask: how far do outputs 0 to 3 move?");
  for (const Merge merge : {Merge::kRight, Merge::kScrambled}) {
    Rng rng(1);
    TwoHeads attention(4, merge, rng);
    const Tensor before = normal({kLength, 4}, 0, 1, rng);
    Tensor after = before;
    after.set({4, 0}, 100);
    const auto first_outputs = [&](const Tensor& x) {
      return narrow(attention.forward(Variable(x), {.causal = true}).value(), 0, 0, 4);
    };
    const Tensor moved = abs(first_outputs(after) - first_outputs(before));
    std::cout << left(merge == Merge::kRight ? "by token" : "scrambled", 11)
              << right(static_cast<double>(max(moved).item()), 4, 9) << "\n";
  }
}

void lesson() {
  split_and_merge();
  a_mistake_that_trains();
  std::cout << "\n";
  what_catches_it();
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_08_heads",
                                     "how heads are split and merged, and a mistake that trains.",
                                     vitro::examples::lesson);
}
