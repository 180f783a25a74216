#include "nn/text/bpe_splitter.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "tensor/utf8.h"

#include "nn/text/unicode_ranges.h"

namespace vitro::nn {
namespace {

enum class Class { kLetter, kNumber, kSpace, kOther };

struct Character {
  Class kind;
  std::size_t length;  // in bytes
};

constexpr Class ascii_class(unsigned byte) {
  if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')) return Class::kLetter;
  if (byte >= '0' && byte <= '9') return Class::kNumber;
  if (byte == ' ' || (byte >= '\t' && byte <= '\r')) return Class::kSpace;
  return Class::kOther;
}

Class class_of(char32_t code_point) {
  if (is_letter(code_point)) return Class::kLetter;
  if (is_number(code_point)) return Class::kNumber;
  if (is_space(code_point)) return Class::kSpace;
  return Class::kOther;
}

// The character at `start`, which must lie inside the text.
Character character_at(std::string_view text, std::size_t start) {
  const auto byte = static_cast<unsigned char>(text[start]);
  if (byte < 0x80) return {ascii_class(byte), 1};
  const std::string_view rest = text.substr(start);
  const std::size_t length = utf8_length(rest);
  if (length == 0) return {Class::kOther, 1};
  return {class_of(utf8_code_point(rest.substr(0, length))), length};
}

// Where the run of characters of one class ends that starts at `start`.
std::size_t run_end(std::string_view text, std::size_t start, Class kind) {
  std::size_t end = start;
  while (end < text.size()) {
    const Character character = character_at(text, end);
    if (character.kind != kind) break;
    end += character.length;
  }
  return end;
}

// How many bytes of white space the word takes. `\s+(?!\S)` gives the last character back where
// something else follows; where that leaves nothing, `\s+` takes the one.
std::size_t space_length(std::string_view text) {
  std::size_t end = 0;
  std::size_t last = 0;  // where the run's last character starts
  while (end < text.size()) {
    const Character character = character_at(text, end);
    if (character.kind != Class::kSpace) break;
    last = end;
    end += character.length;
  }
  return end == text.size() || last == 0 ? end : last;
}

std::size_t contraction_length(std::string_view text) {
  constexpr std::array<std::string_view, 7> kContractions = {"'s", "'t",  "'re", "'ve",
                                                             "'m", "'ll", "'d"};
  const auto opens_text = [text](std::string_view word) { return text.starts_with(word); };
  const auto* found = std::find_if(kContractions.begin(), kContractions.end(), opens_text);
  return found == kContractions.end() ? 0 : found->size();
}

}  // namespace

std::string_view first_word(std::string_view text) {
  if (text.empty()) return text;
  if (const std::size_t length = contraction_length(text); length > 0)
    return text.substr(0, length);
  const std::size_t start = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const Class kind = character_at(text, start).kind;
  const std::size_t end = kind == Class::kSpace ? space_length(text) : run_end(text, start, kind);
  return text.substr(0, end);
}

}  // namespace vitro::nn
