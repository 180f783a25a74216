// Lesson 5: softmax, cross-entropy, and the smallest model that can be trained: a table that says,
// for each character, how likely each character is to follow.
#include <iostream>
#include <string>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/files/input_file.h"
#include "tensor/loss.h"
#include "tensor/math.h"
#include "tensor/print.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/layers/embedding.h"
#include "nn/optim/adam.h"
#include "nn/text/char_tokenizer.h"
#include "nn/text/sampling.h"
#include "nn/text/token_windows.h"

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

void softmax_by_number() {
  heading("Softmax turns scores into shares");
  const Tensor scores({3}, {1, 2, 3});
  show("softmax(1, 2, 3)", softmax(scores, 0), 6);
  show("softmax(1001, 1002, 1003)", softmax(scores + 1000, 0), 6);
  const Tensor mixed({3}, {1, -2, 3});
  show("softmax(1, -2, 3)", softmax(mixed, 0), 6);
  show("the same without exp, x / Σ x: no shares at all", mixed / sum(mixed).item(), 6);
  const Tensor upstream({3}, {1, 0, 0});
  show("gradient for the upstream gradient (1, 0, 0)",
       softmax_backward(softmax(scores, 0), upstream, 0), 6);
}

void cross_entropy_by_number() {
  heading("Cross-entropy: minus the logarithm of the share that the truth got");
  const Indices truth({1}, {2});
  for (const Scalar score : {Scalar(0), Scalar(1), Scalar(3), Scalar(10)}) {
    const Tensor logits({1, 3}, {0, 0, score});
    std::cout << "logits (0, 0, " << number_text(static_cast<double>(score), 0) << "), truth 2: "
              << number_text(static_cast<double>(cross_entropy(logits, truth).item()), 4) << "\n";
  }
  std::cout << "three equal guesses cost ln 3 = " << number_text(math::log(3.0), 4) << "\n\n";
}

/// The model: row i of the table holds the logits of what follows character i.
class Bigram : public nn::Module {
 public:
  Bigram(Index vocab_size, Rng& rng)
      : table_(add_module<nn::Embedding>("table", vocab_size, vocab_size, rng, Scalar(0.01))) {}

  Variable operator()(const Indices& tokens) {  // [batch, time]
    return table_(tokens);                      // [batch, time, vocab]
  }

 private:
  nn::Embedding& table_;
};

double loss_on(Bigram& model, const nn::TokenWindows& windows) {
  const NoGrad no_grad;
  const nn::Batch all = windows.at({0, windows.count() - 1});
  return static_cast<double>(cross_entropy(model(all.inputs), all.targets).item());
}

// Six lines, and they are the same for every model of this book.
void train(Bigram& model, const nn::TokenWindows& windows, Index step_count, Rng& rng) {
  nn::Adam optimizer(model.named_parameters(), {.learning_rate = Scalar(0.05)});
  for (Index step = 1; step <= step_count; ++step) {
    const nn::Batch batch = windows.random(32, rng);
    const Variable logits = model(batch.inputs);                 // [batch, time, vocab]
    const Variable loss = cross_entropy(logits, batch.targets);  // []
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (step == 1 || step % 100 == 0) {
      std::cout << "step " << right(std::to_string(step), 3) << "  loss "
                << number_text(static_cast<double>(loss.item()), 3) << "\n";
    }
  }
}

std::string written_by(Bigram& model, const nn::CharTokenizer& tokenizer, Rng& rng) {
  const NoGrad no_grad;
  std::vector<Index> tokens = tokenizer.encode("T");
  while (tokens.size() < 60) {
    const Variable logits = model(Indices({1, 1}, {tokens.back()}));  // [1, 1, vocab]
    tokens.push_back(nn::sample(reshape(logits.value(), {-1}), {}, rng));
  }
  std::string text = tokenizer.decode(tokens);
  for (char& letter : text) letter = letter == '\n' ? ' ' : letter;
  return text;
}

void bigram() {
  heading("A table of pairs learns");
  const InputFile file("text", VITRO_DATA_DIR "/seeing_glass.txt");
  const std::string text = file.read_text(0, file.size());
  const nn::CharTokenizer tokenizer{std::string_view(text)};
  const auto [train_tokens, rest] = nn::split_tokens(tokenizer.encode(text), 0.9);
  const nn::TokenWindows windows(train_tokens, 64, "the text");
  const nn::TokenWindows validation(rest, static_cast<Index>(rest.size()) - 1, "the rest");
  const Index vocab_size = tokenizer.vocab_size();
  Rng rng(1);
  Bigram model(vocab_size, rng);
  std::cout << "ln " << vocab_size << " = "
            << number_text(math::log(static_cast<double>(vocab_size)), 3) << "\n";
  train(model, windows, 500, rng);
  std::cout << "on text that it never saw: " << number_text(loss_on(model, validation), 3)
            << "; by counting pairs: "
            << number_text(nn::counting_loss(train_tokens, rest, vocab_size, 1), 3)
            << "\nit writes: " << written_by(model, tokenizer, rng) << "\n";
}

void lesson() {
  softmax_by_number();
  cross_entropy_by_number();
  bigram();
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_05_bigram",
                                     "softmax, cross-entropy and a table that learns pairs.",
                                     vitro::examples::lesson);
}
