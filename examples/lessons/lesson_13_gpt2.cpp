// Lesson 13: GPT-2's tokens, and GPT-2's names for what our Gpt holds.
#include <iostream>
#include <string>
#include <vector>

#include "tensor/files/input_file.h"
#include "tensor/print.h"

#include "nn/models/gpt2_files.h"
#include "nn/text/bpe_tokenizer.h"

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

void tokens() {
  heading("Byte pairs, learned from the text of lesson 10");
  const InputFile file("text", VITRO_DATA_DIR "/seeing_glass.txt");
  const std::string text = file.read_text(0, file.size());
  for (const Index vocab_size : {257, 300, 500, 1000}) {
    const nn::BpeTokenizer tokenizer = nn::BpeTokenizer::train(text, {.vocab_size = vocab_size});
    const std::vector<Index> ids = tokenizer.encode("The glass bells rang.");
    std::cout << right(std::to_string(vocab_size), 4) << " tokens: ";
    for (const Index id : ids) std::cout << "[" << tokenizer.decode({id}) << "]";
    std::cout << "  " << ids.size() << "\n";
  }
  std::cout << "\n";
}

void names() {
  heading("What GPT-2's file calls our parameters");
  Rng rng(1);
  const nn::Gpt model({.vocab_size = 300,
                       .block_size = 16,
                       .layer_count = 1,
                       .head_count = 2,
                       .channels = 8,
                       .head = nn::Head::kTied},
                      rng);
  for (const nn::NamedParameter& parameter : model.named_parameters()) {
    std::cout << left(parameter.name, 36) << left(parameter.variable.shape().to_string(), 12)
              << nn::gpt2_name(parameter.name) << "\n";
  }
  std::cout << "\nparameters: " << model.parameter_count() << "\n";
}

void lesson() {
  tokens();
  names();
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_13_gpt2", "GPT-2's tokens and names.",
                                     vitro::examples::lesson);
}
