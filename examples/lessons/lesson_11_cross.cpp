// Lesson 11: an encoder–decoder reads a word and writes it backwards; its cross-attention shows
// where each written letter looked in what was read.
#include <iostream>
#include <string>
#include <vector>

#include "tensor/pictures/heatmap.h"
#include "tensor/print.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/models/decode.h"
#include "nn/models/encoder_decoder.h"
#include "nn/optim/adam.h"

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

constexpr Index kLength = 6;
constexpr Index kLetters = 8;       // a … h
constexpr Index kStart = kLetters;  // begins each target
constexpr Index kStop = kLetters + 1;

/// What the decoder is given, and what it has to guess from it: the same, one place on.
struct Pairs {
  Indices sources;  // [count, length]
  Indices given;    // [count, length + 1]: start, then the right target
  Indices guessed;  // [count, length + 1]: the right target, then stop
};

Pairs draw_pairs(Index count, Rng& rng) {
  std::vector<Index> sources;
  std::vector<Index> given;
  std::vector<Index> guessed;
  for (Index row = 0; row < count; ++row) {
    for (Index i = 0; i < kLength; ++i) sources.push_back(rng.below(kLetters));
    const std::vector<Index> target(sources.rbegin(), sources.rbegin() + kLength);
    given.push_back(kStart);
    given.insert(given.end(), target.begin(), target.end());
    guessed.insert(guessed.end(), target.begin(), target.end());
    guessed.push_back(kStop);
  }
  return {Indices({count, kLength}, sources), Indices({count, kLength + 1}, given),
          Indices({count, kLength + 1}, guessed)};
}

std::string letters_of(const std::vector<Index>& ids) {
  std::string text;
  for (const Index id : ids) {
    text += id == kStart  ? std::string("<")
            : id == kStop ? ">"
                          : std::string(1, static_cast<char>('a' + id));
  }
  return text;
}

void show_a_pair() {
  heading("One pair: the source, what the decoder is given, and what it has to guess");
  Rng rng(3);
  const Pairs pair = draw_pairs(1, rng);
  std::cout << "source   " << letters_of(pair.sources.values()) << "\ngiven    "
            << letters_of(pair.given.values()) << "\nguessed  " << letters_of(pair.guessed.values())
            << "\n\n";
}

// The loop of chapter 5, with two inputs.
void train(nn::EncoderDecoder& model, Index step_count, Rng& rng) {
  nn::Adam optimizer(model.named_parameters(), {.learning_rate = Scalar(0.003)});
  for (Index step = 1; step <= step_count; ++step) {
    const Pairs batch = draw_pairs(32, rng);
    const Variable logits = model(batch.sources, batch.given);   // [batch, length + 1, letters + 2]
    const Variable loss = cross_entropy(logits, batch.guessed);  // []
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (step == 1 || step % 100 == 0) {
      std::cout << "step " << right(std::to_string(step), 3) << "  loss "
                << number_text(static_cast<double>(loss.item()), 4) << "\n";
    }
  }
}

Index right_count(nn::EncoderDecoder& model, Index count, Rng& rng) {
  const Pairs test = draw_pairs(count, rng);
  const std::vector<std::vector<Index>> written = nn::decode_greedily(
      model, test.sources, {.start_token = kStart, .stop_token = kStop, .longest = kLength + 1});
  Index right = 0;
  for (Index row = 0; row < count; ++row) {
    const Indices target = narrow(narrow(test.guessed, 0, row, 1), 1, 0, kLength);
    right += written[static_cast<std::size_t>(row)] == target.values() ? 1 : 0;
  }
  return right;
}

// Of one word: the weights of the only decoder block's cross-attention, mean of its heads.
void show_where_it_looked(nn::EncoderDecoder& model, Rng& rng) {
  const NoGrad no_grad;
  nn::MultiHeadAttention& cross = model.decoder_blocks().front()->cross_attention();
  cross.keep_weights();
  const Pairs pair = draw_pairs(1, rng);
  model(pair.sources, pair.given);
  const Tensor heads = cross.weights().value();  // [1, heads, length + 1, length]
  const Tensor weights = reshape(mean(heads, {1}), {kLength + 1, kLength});
  HeatmapOptions options{.title = "Where each written letter looked in what was read",
                         .row_axis = "written",
                         .column_axis = "read"};
  for (const Index id : pair.guessed.values()) options.row_labels.push_back(letters_of({id}));
  for (const Index id : pair.sources.values()) options.column_labels.push_back(letters_of({id}));
  std::cout << "\n" << heatmap_text(weights, options);
}

void lesson() {
  show_a_pair();
  heading("It learns");
  Rng rng(1);
  nn::EncoderDecoder model({.source = {.vocab_size = kLetters,
                                       .block_size = kLength,
                                       .layer_count = 1,
                                       .block = {.channels = 32, .head_count = 2}},
                            .target_vocab_size = kLetters + 2,
                            .target_block_size = kLength + 1,
                            .decoder_layer_count = 1},
                           rng);
  train(model, 400, rng);
  std::cout << "written right, of 100 words that it goes on from by itself: "
            << right_count(model, 100, rng) << "\n";
  show_where_it_looked(model, rng);
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_11_cross",
                                     "an encoder-decoder writes words backwards.",
                                     vitro::examples::lesson);
}
