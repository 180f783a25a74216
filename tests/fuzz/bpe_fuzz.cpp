// The two files of a byte-pair encoding, one of them damaged: a FileError or a tokenizer that
// works. The first byte chooses which one the rest of the input is: v is the vocabulary, all else
// the merges.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/files/file_error.h"

#include "nn/text/bpe_tokenizer.h"

#include "tests/fuzz/round_trip.h"

namespace vitro::fuzz {
namespace {

const nn::BpeTokenizer& sound() {
  static const nn::BpeTokenizer tokenizer = nn::BpeTokenizer::train(
      "hello hello, it's 12 o'clock: it's 12!  hello", {.vocab_size = 270, .min_count = 1});
  return tokenizer;
}

void check_round_trip(const nn::BpeTokenizer& tokenizer, std::string_view text) {
  require(tokenizer.decode(tokenizer.encode(text)) == text, "decoding gives the text");
  if (!tokenizer.end_of_text().has_value()) return;
  require(tokenizer.decode(tokenizer.encode(text, nn::SpecialText::kToken)) == text,
          "decoding gives the text, <|endoftext|> included");
}

std::optional<nn::BpeTokenizer> parsed(std::string_view input) {
  static const std::string sound_vocabulary = sound().vocabulary_text();
  static const std::string sound_merges = sound().merges_text();
  const std::string_view damaged = input.substr(1);
  try {
    return input[0] == 'v' ? nn::BpeTokenizer::parse(damaged, sound_merges)
                           : nn::BpeTokenizer::parse(sound_vocabulary, damaged);
  } catch (const FileError&) {
    return std::nullopt;
  }
}

void run(std::string_view input) {
  if (input.empty()) return;
  check_round_trip(sound(), input);
  const std::optional<nn::BpeTokenizer> tokenizer = parsed(input);
  if (!tokenizer.has_value()) return;
  check_round_trip(*tokenizer, input);
  const nn::BpeTokenizer again =
      nn::BpeTokenizer::parse(tokenizer->vocabulary_text(), tokenizer->merges_text());
  require(again.encode(input) == tokenizer->encode(input), "what is written is read back");
}

}  // namespace
}  // namespace vitro::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  vitro::fuzz::run({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
