// Strings of JSON: escapes read and written.
#include <string>
#include <string_view>

#include "tensor/error.h"
#include "tensor/files/json_reader.h"
#include "tensor/utf8.h"

namespace vitro {
namespace {

bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }

bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

int hex_value(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

}  // namespace

std::string JsonReader::read_string() {
  expect_kind(JsonKind::kString);
  ++position_;
  std::string value;
  while (true) {
    // Everything up to the next letter with a meaning is taken as it is.
    std::size_t end = position_;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\\' &&
           static_cast<unsigned char>(text_[end]) >= 0x20) {
      ++end;
    }
    value.append(text_, position_, end - position_);
    position_ = end;
    if (at_end()) fail_expected("'\"' at the end of a string");
    if (current() == '"') break;
    if (current() != '\\') fail_expected("an escape such as \\n for a control character");
    value += read_escape();
  }
  ++position_;
  return value;
}

std::string JsonReader::read_escape() {
  ++position_;  // the backslash
  const char letter = current();
  if (letter == 'u') return utf8_bytes(read_code_point());
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const std::size_t which = at_end() ? std::string_view::npos : kLetters.find(letter);
  if (which == std::string_view::npos) fail_expected("one of \" \\ / b f n r t u after \\");
  ++position_;
  return {kMeanings[which]};
}

// XXXX of \uXXXX, from the 'u' on.
char32_t JsonReader::read_hex4() {
  ++position_;
  char32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_value(current());
    if (digit < 0) fail_expected("four hexadecimal digits after \\u");
    unit = unit * 16 + static_cast<char32_t>(digit);
    ++position_;
  }
  return unit;
}

// Code points above U+FFFF are two escapes in JSON, a high and a low surrogate.
char32_t JsonReader::read_code_point() {
  const std::size_t start = position_ - 1;
  const char32_t unit = read_hex4();
  const bool is_pair = is_high_surrogate(unit) && text_.substr(position_, 2) == "\\u";
  if (is_pair) ++position_;
  const char32_t second = is_pair ? read_hex4() : 0;
  if (is_low_surrogate(unit) || (is_high_surrogate(unit) && !is_low_surrogate(second))) {
    position_ = start;
    fail({"half of a surrogate pair; \\uD800 to \\uDBFF must be followed by \\uDC00 to \\uDFFF"});
  }
  if (!is_pair) return unit;
  return 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += letter;
    } else if (letter == '\n') {
      result += "\\n";
    } else if (byte < 0x20) {
      result += "\\u00" + hex_text(byte);
    } else {
      result += letter;
    }
  }
  return result + '"';
}

}  // namespace vitro
