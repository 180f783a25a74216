// Lesson 10: from logits to the next token: temperature, top-k, top-p.
#include <iostream>
#include <string>
#include <vector>

#include "tensor/print.h"

#include "nn/text/sampling.h"

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

// How often each of five tokens comes up in 10,000 draws.
void draw(const std::string& what, const nn::SamplingOptions& options) {
  const Tensor logits({5}, {3, 2, 1, 0, -1});
  Rng rng(1);
  std::vector<int> counts(5);
  for (int i = 0; i < 10'000; ++i) {
    counts[static_cast<std::size_t>(nn::sample(logits, options, rng))] += 1;
  }
  std::cout << left(what, 22);
  for (const int count : counts) std::cout << right(count / 100.0, 2, 8);
  std::cout << "\n";
}

void lesson() {
  heading("Per cent of 10,000 draws, logits 3, 2, 1, 0, -1");
  draw("temperature 1", {});
  draw("temperature 0.5", {.temperature = Scalar(0.5)});
  draw("temperature 2", {.temperature = 2});
  draw("temperature 0", {.temperature = 0});
  draw("top_k 2", {.top_k = 2});
  draw("top_p 0.9", {.top_p = Scalar(0.9)});
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_10_sampling",
                                     "temperature, top-k and top-p, counted.",
                                     vitro::examples::lesson);
}
