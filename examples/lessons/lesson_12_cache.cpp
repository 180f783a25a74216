// Lesson 12: what a key-value cache saves, and how rotary positions see distance alone.
#include <iostream>
#include <string>
#include <vector>

#include "tensor/matmul.h"
#include "tensor/positions.h"
#include "tensor/print.h"
#include "tensor/views.h"

#include "nn/models/generate.h"

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

void rotary_sees_distance() {
  heading("Rotary positions: q · k depends on the distance only");
  const Tensor q({1, 4}, {1, 2, 3, 4});
  const Tensor k({1, 4}, {Scalar(0.5), -1, 2, 1});
  const auto product = [&](Index query_place, Index key_place) {
    const Tensor turned_q = rotary(q, 10000, query_place);  // [1, 4]
    const Tensor turned_k = rotary(k, 10000, key_place);    // [1, 4]
    return static_cast<double>(matmul(turned_q, transpose(turned_k, 0, 1)).item());
  };
  for (const Index distance : {0, 1, 5}) {
    std::cout << "distance " << distance << ":";
    for (const Index place : {0, 7, 40}) {
      std::cout << "  at " << right(std::to_string(place), 2)
                << right(product(place + distance, place), 4, 9);
    }
    std::cout << "\n";
  }
  std::cout << "\n";
  show("(1, 0, 1, 0) at positions 0, 1 and 2: each pair turns by its own angle",
       rotary(Tensor({3, 4}, {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0})));
}

// The same tokens with and without; only the number of computed positions differs.
void cache_saves_work() {
  heading("Generating with and without a cache");
  Rng rng(1);
  nn::Gpt model(
      {.vocab_size = 11, .block_size = 32, .layer_count = 2, .head_count = 2, .channels = 16}, rng);
  const std::vector<Index> prompt = {3, 1, 4};
  const Index count = 20;
  std::vector<std::vector<Index>> results;
  for (const nn::Cache cache : {nn::Cache::kNo, nn::Cache::kYes}) {
    Rng draws(2);
    results.push_back(nn::generate(model, prompt, count, {}, draws, cache));
  }
  std::cout << "the same tokens: " << (results[0] == results[1] ? "yes" : "no") << "\n";
  Index without = 0;
  for (Index i = 0; i < count; ++i) without += static_cast<Index>(prompt.size()) + i;
  std::cout << "positions computed without: " << without
            << "\npositions computed with:    " << static_cast<Index>(prompt.size()) + count - 1
            << "\n";
}

void lesson() {
  rotary_sees_distance();
  cache_saves_work();
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_12_cache",
                                     "what a cache saves, and what rotary positions see.",
                                     vitro::examples::lesson);
}
