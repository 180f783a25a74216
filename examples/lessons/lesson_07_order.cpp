// Lesson 7: attention does not know order; positions tell it, and a mask hides the future.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/matmul.h"
#include "tensor/pictures/heatmap.h"
#include "tensor/positions.h"
#include "tensor/print.h"
#include "tensor/softmax.h"
#include "tensor/views.h"

#include "autograd/ops.h"

#include "nn/layers/self_attention.h"

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

// Rows of x in another order.
Tensor reordered(const Tensor& x, const std::vector<Index>& order) {
  const auto count = static_cast<Index>(order.size());
  return embedding(Variable(x), Indices({count}, order)).value();
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  const std::vector<Scalar> x = a.to_vector();
  const std::vector<Scalar> y = b.to_vector();
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(x[i] - y[i])));
  }
  return largest;
}

// "How are you" and "you are How" give the same rows, in another order.
void no_order() {
  heading("Without positions, order changes nothing");
  Rng rng(1);
  const Tensor x = normal({3, 4}, 0, 1, rng);  // How, are, you
  nn::SelfAttention attention(4, 4, 2, rng);
  const std::vector<Index> order = {2, 1, 0};  // you, are, How
  const Tensor straight = attention(Variable(x)).value();
  const Tensor turned = attention(Variable(reordered(x, order))).value();
  show("attention(How are you)", straight);
  show("attention(you are How)", turned);
  const Tensor table = sinusoidal_positions(3, 4);
  const Tensor placed = attention(Variable(x + table)).value();
  const Tensor turned_placed = attention(Variable(reordered(x, order) + table)).value();
  const bool same_rows = largest_difference(reordered(straight, order), turned) < 1e-6;
  const bool same_placed = largest_difference(reordered(placed, order), turned_placed) < 1e-6;
  std::cout << "the same rows, without positions: " << (same_rows ? "yes" : "no")
            << "\nthe same rows, with positions:    " << (same_placed ? "yes" : "no") << "\n\n";
}

void sinusoids() {
  heading("A row of sines and cosines for each position, width 4");
  show("positions 0 to 2", sinusoidal_positions(3, 4), 6);
}

// Position i sees positions 0 … i: itself, too.
void causal() {
  heading("The causal mask on How / are / you");
  const Tensor scores({3, 3}, {1, 1, 3, 0, 0, 1, 1, 2, 1});  // from 01_attention_by_hand
  const Variable allowed = mask_scores(Variable(scores), {.causal = true});
  const Variable weights = softmax(allowed, /*axis=*/-1);
  show("scaled scores", scores);
  show("masked", allowed.value());
  show("weights", weights.value());
  show("with all scores equal", softmax(mask_scores(Variable(zeros({3, 3})), {.causal = true}),
                                        /*axis=*/-1)
                                    .value());
}

// Scores are not always small. A big number only hides what is much smaller than itself.
void minus_infinity() {
  heading("-inf, or a big number?");
  const Scalar infinity = std::numeric_limits<Scalar>::infinity();
  const Tensor mask({3}, {0, 0, 1});  // the third is hidden
  const Tensor scores({3}, {-9999, -9999, 0});
  show("scores -9999, -9999 and one hidden by -10000",
       softmax(masked_fill(scores, mask, -10000), 0), 6);
  show("the same, hidden by -inf", softmax(masked_fill(scores, mask, -infinity), 0), 6);
  const Tensor everything({3}, {1, 1, 1});
  show("a row in which everything is hidden",
       softmax(masked_fill(scores, everything, -infinity), 0), 6);
}

void lesson() {
  no_order();
  sinusoids();
  causal();
  minus_infinity();
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_07_order",
                                     "positions tell attention the order; a mask hides the future.",
                                     vitro::examples::lesson);
}
