#include "tensor/utf8.h"

#include <algorithm>

namespace vitro {
namespace {

// How a sequence goes on after its first byte. The second byte's range shuts out overlong forms,
// surrogates and everything above U+10FFFF; later bytes are always 80 … BF.
struct Sequence {
  std::size_t length;  // 0 where no sequence may start so
  unsigned second_low;
  unsigned second_high;
};

Sequence sequence_after(unsigned first) {
  if (first < 0x80) return {1, 0, 0};
  if (first < 0xC2) return {0, 0, 0};
  if (first < 0xE0) return {2, 0x80, 0xBF};
  if (first == 0xE0) return {3, 0xA0, 0xBF};
  if (first == 0xED) return {3, 0x80, 0x9F};
  if (first < 0xF0) return {3, 0x80, 0xBF};
  if (first == 0xF0) return {4, 0x90, 0xBF};
  if (first < 0xF4) return {4, 0x80, 0xBF};
  if (first == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const Sequence sequence = sequence_after(byte_at(text, 0));
  if (sequence.length > text.size()) return 0;
  for (std::size_t i = 1; i < sequence.length; ++i) {
    const unsigned low = i == 1 ? sequence.second_low : 0x80;
    const unsigned high = i == 1 ? sequence.second_high : 0xBF;
    const unsigned byte = byte_at(text, i);
    if (byte < low || byte > high) return 0;
  }
  return sequence.length;
}

std::string_view first_character(std::string_view text) {
  return text.substr(0, std::max<std::size_t>(1, utf8_length(text)));
}

Index find_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) return static_cast<Index>(i);
    i += length;
  }
  return -1;
}

char32_t utf8_code_point(std::string_view bytes) {
  // A first byte has as many leading ones as there are bytes, then a zero, then the highest bits.
  const unsigned first = byte_at(bytes, 0);
  char32_t code_point = bytes.size() == 1 ? first : first & (0x7FU >> bytes.size());
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    code_point = code_point << 6 | (byte_at(bytes, i) & 0x3F);
  }
  return code_point;
}

std::string utf8_bytes(char32_t code_point) {
  const auto continuation = [code_point](int shift) {
    return static_cast<char>(0x80 | ((code_point >> shift) & 0x3F));
  };
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  if (code_point < 0x800) return {static_cast<char>(0xC0 | (code_point >> 6)), continuation(0)};
  if (code_point < 0x10000) {
    return {static_cast<char>(0xE0 | (code_point >> 12)), continuation(6), continuation(0)};
  }
  return {static_cast<char>(0xF0 | (code_point >> 18)), continuation(12), continuation(6),
          continuation(0)};
}

}  // namespace vitro
