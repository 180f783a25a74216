// Lesson 6: attention without weights, two tokens forward and backward, and why √d_k.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/print.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"
#include "tensor/views.h"

#include "autograd/ops.h"

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

// Every word looks at every word, and likeness alone decides: no weights, nothing to learn.
Tensor attention_without_weights(const Tensor& x) {     // [words, width]
  const Tensor scores = matmul(x, transpose(x, 0, 1));  // [words, words]
  const Tensor weights = softmax(scores, /*axis=*/-1);  // [words, words]
  show("weights = softmax of each row of X Xᵀ", weights);
  return matmul(weights, x);  // [words, width]
}

void without_weights() {
  heading("Attention without weights, on How / are / you");
  const Tensor x({3, 4}, {1, 0, 0, 1,    // How: asks, polite
                          0, 1, 0, 0,    // are: acts
                          0, 0, 1, 1});  // you: person, polite
  show("mixture = weights X", attention_without_weights(x));
}

// Everything between input and gradient, for two tokens of width 2 and W_Q = W_K = W_V = 1.
void two_tokens() {
  heading("Two tokens, d_k = 2, forward and backward");
  const Variable x = parameter(identity(2), "x");         // [2, 2]
  const Variable scores = matmul(x, transpose(x, 0, 1));  // [2, 2]
  const Variable scaled = scores / std::sqrt(Scalar(2));  // [2, 2]
  const Variable weights = softmax(scaled, /*axis=*/-1);  // [2, 2]
  const Variable mixture = matmul(weights, x);            // [2, 2]
  const Variable loss = sum(mixture * Variable(Tensor({2, 2}, {1, 0, 0, 0})));
  for (const Variable* inner : {&scores, &scaled, &weights, &mixture}) inner->keep_grad();
  loss.backward();
  show("scores", scores.value(), 6);
  show("scaled", scaled.value(), 6);
  show("weights", weights.value(), 6);
  show("mixture", mixture.value(), 6);
  std::cout << "loss = mixture[0, 0] = " << number_text(static_cast<double>(loss.item()), 6)
            << "\n\n";
  show("gradient of mixture", mixture.grad(), 6);
  show("gradient of weights = gradient of mixture · Vᵀ", weights.grad(), 6);
  show("gradient of scaled = weights · (G - Σ G·weights)", scaled.grad(), 6);
  show("gradient of scores = that / √d_k", scores.grad(), 6);
  show("gradient of x, as query, key and value together", x.grad(), 6);
}

double variance_of(const Tensor& x) { return static_cast<double>(var(x).item()); }

struct Saturation {
  double largest_weight;  // mean over the queries
  double gradient_norm;   // of the scores, when the loss is one weight of each query
};

// What softmax makes of scores [queries, keys].
Saturation saturation_of(const Tensor& scores) {
  const Tensor weights = softmax(scores, -1);  // [queries, keys]
  const Tensor first = Tensor::filled({1, scores.size(1)}, [&](Scalar* out) {
    std::fill_n(out, scores.size(1), Scalar(0));
    out[0] = 1;
  });
  const Tensor upstream = broadcast_to(first, scores.shape());  // 1 at the first key
  const Tensor gradient = softmax_backward(weights, upstream, -1);
  return {static_cast<double>(mean(max(weights, {-1})).item()),
          static_cast<double>(mean(sqrt(sum(gradient * gradient, {-1}))).item())};
}

// Queries and keys of independent numbers of variance 1, as at the start of training.
void why_sqrt_d_k() {
  heading("Why divide by √d_k: 256 random queries on 16 random keys");
  std::cout << "            plain scores                     divided by √d_k\n"
            << "  d_k   variance  weight  gradient      variance  weight  gradient\n";
  Rng rng(1);
  for (const Index d_k : {4, 16, 64, 256, 1024}) {
    const Tensor q = normal({256, d_k}, 0, 1, rng);
    const Tensor k = normal({16, d_k}, 0, 1, rng);
    const Tensor plain = matmul(q, transpose(k, 0, 1));  // [256, 16]
    const Tensor scaled = plain / std::sqrt(static_cast<Scalar>(d_k));
    std::cout << right(std::to_string(d_k), 5);
    const std::array<Tensor, 2> pair = {plain, scaled};
    for (const Tensor& scores : pair) {
      const Saturation found = saturation_of(scores);
      std::cout << right(variance_of(scores), 2, 11) << right(found.largest_weight, 3, 8)
                << right(found.gradient_norm, 4, 10) << (&scores == &pair[0] ? "   " : "\n");
    }
  }
}

void lesson() {
  without_weights();
  two_tokens();
  why_sqrt_d_k();
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_06_attention",
                                     "attention without weights, backward, and why √d_k.",
                                     vitro::examples::lesson);
}
