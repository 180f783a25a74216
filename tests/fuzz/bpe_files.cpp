// The two files of a byte-pair encoding, one of them damaged: a FileError or a tokenizer that
// works. The first byte chooses which one the rest of the input stands for.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/files/file_error.h"

#include "nn/text/bpe_tokenizer.h"

namespace vitro {
namespace {

const nn::BpeTokenizer& sound() {
  static const nn::BpeTokenizer tokenizer = nn::BpeTokenizer::train(
      "hello hello, it's 12 o'clock: it's 12!  hello", {.vocab_size = 270, .min_count = 1});
  return tokenizer;
}

void expect_round_trip(const nn::BpeTokenizer& tokenizer, std::string_view text) {
  for (const nn::SpecialText special : {nn::SpecialText::plain, nn::SpecialText::token}) {
    if (special == nn::SpecialText::token && !tokenizer.end_of_text().has_value()) continue;
    if (tokenizer.decode(tokenizer.encode(text, special)) != text) std::abort();
  }
}

void run(std::string_view input) {
  if (input.empty()) return;
  const bool is_vocabulary = input[0] == 'v';
  const std::string_view damaged = input.substr(1);
  expect_round_trip(sound(), damaged);
  try {
    const nn::BpeTokenizer tokenizer =
        is_vocabulary ? nn::BpeTokenizer::parse(damaged, sound().merges_text())
                      : nn::BpeTokenizer::parse(sound().vocabulary_text(), damaged);
    expect_round_trip(tokenizer, damaged);
    // What is written is read again, and says the same.
    const nn::BpeTokenizer again =
        nn::BpeTokenizer::parse(tokenizer.vocabulary_text(), tokenizer.merges_text());
    if (again.encode(damaged) != tokenizer.encode(damaged)) std::abort();
  } catch (const FileError&) {
    return;
  }
}

}  // namespace
}  // namespace vitro

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> letters(data, data + size);
  vitro::run({letters.data(), letters.size()});
  return 0;
}
