// Lesson 9: what keeps a deep stack trainable: norms, residuals, initial weights, AdamW, schedules.
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/math.h"
#include "tensor/normalize.h"
#include "tensor/print.h"
#include "tensor/reduce.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/layers/block.h"
#include "nn/models/gpt.h"
#include "nn/optim/adam.h"
#include "nn/optim/schedule.h"

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

void norms() {
  heading("Layer norm: mean 0, variance 1, per token");
  const Tensor x({2, 4}, {1, 2, 3, 4, 100, 100, 100, 100});
  show("x", x);
  show("layer_norm(x)", layer_norm(x, ones({4}), zeros({4})));
  show("rms_norm(x)", rms_norm(x, ones({4})));
}

double stddev_of(const Tensor& x) { return std::sqrt(static_cast<double>(var(x).item())); }

// How large the numbers are after some layers, with x replaced by f(x) or by x + f(x).
void depth() {
  heading("What depth does: standard deviation of the activations and of the gradient");
  std::cout << "layers   tanh(x W)   gradient    x + tanh(norm(x) W)   gradient\n";
  for (const Index layers : {1, 8, 32}) {
    std::cout << right(std::to_string(layers), 6);
    for (const bool residual : {false, true}) {
      Rng rng(1);
      const Variable x = parameter(normal({16, 64}, 0, 1, rng), "x");
      Variable y = x;  // [16, 64]
      const Variable gain(ones({64}));
      const Variable bias(zeros({64}));
      for (Index i = 0; i < layers; ++i) {
        const Variable w(normal({64, 64}, 0, Scalar(0.0625), rng));  // half of 1/√64
        y = residual ? y + tanh(matmul(layer_norm(y, gain, bias), w)) : tanh(matmul(y, w));
      }
      const double forward = stddev_of(y.value());
      y.backward(normal({16, 64}, 0, 1, rng));
      std::cout << right(number_text(forward, 3, true), residual ? 23 : 12)
                << right(number_text(stddev_of(x.grad()), 1, true), residual ? 11 : 11)
                << (residual ? "\n" : "");
    }
  }
  std::cout << "\n";
}

void first_loss() {
  heading("The first loss of a GPT is near ln V");
  for (const Index vocab_size : {10, 65, 1000}) {
    Rng rng(1);
    nn::Gpt model({.vocab_size = vocab_size,
                   .block_size = 16,
                   .layer_count = 4,
                   .head_count = 4,
                   .channels = 32},
                  rng);
    std::vector<Index> tokens;
    for (int i = 0; i < 8 * 16; ++i) tokens.push_back(rng.below(vocab_size));
    const NoGrad no_grad;
    const Indices inputs({8, 16}, tokens);
    const Variable loss = cross_entropy(model(inputs), inputs);
    std::cout << "V = " << left(std::to_string(vocab_size), 5) << "loss "
              << number_text(static_cast<double>(loss.item()), 3) << "   ln V "
              << number_text(math::log(static_cast<double>(vocab_size)), 3) << "\n";
  }
  std::cout << "\n";
}

// One parameter, the same gradient three times: the step is the learning rate, whatever the scale.
void adam() {
  heading("Adam: the step does not depend on the gradient's scale");
  for (const Scalar gradient : {Scalar(0.004), Scalar(4), Scalar(4000)}) {
    Variable weight = parameter(Tensor({1}, {1}), "weight");
    nn::Adam optimizer({{"weight", weight}}, {.learning_rate = Scalar(0.1)});
    std::cout << "gradient " << left(number_text(static_cast<double>(gradient), 3), 9) << "1";
    for (int step = 0; step < 3; ++step) {
      weight.set_grad(Tensor({1}, {gradient}));
      optimizer.step();
      std::cout << " → " << number_text(static_cast<double>(weight.value().item()), 4);
    }
    std::cout << "\n";
  }
  std::cout << "\n";
}

void schedule() {
  heading("Warmup, then a cosine: the learning rate of steps 0 to 100");
  const nn::WarmupCosine options{.warmup = 10, .total = 100, .max_rate = 0.01, .min_rate = 0.001};
  for (const Index step : {0, 5, 9, 10, 55, 99, 100, 200}) {
    std::cout << "step " << right(std::to_string(step), 3) << "  "
              << number_text(nn::warmup_cosine(step, options), 6) << "\n";
  }
  std::cout << "\n";
}

void dropout_on_ones() {
  heading("Dropout with p = 0.5 on a 6 x 6 of ones");
  Rng rng(123);
  show("what is kept is doubled, so the mean stays 1 on average",
       dropout(Variable(ones({6, 6})), Scalar(0.5), rng).value());
}

void lesson() {
  norms();
  depth();
  first_loss();
  adam();
  schedule();
  dropout_on_ones();
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_09_block",
                                     "norms, residuals, initial weights, Adam and schedules.",
                                     vitro::examples::lesson);
}
