#include "tensor/files/utf8.h"

#include <cstddef>

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

bool is_sequence(std::string_view text, std::size_t start, const Sequence& sequence) {
  if (sequence.length == 0 || sequence.length > text.size() - start) return false;
  for (std::size_t i = 1; i < sequence.length; ++i) {
    const unsigned low = i == 1 ? sequence.second_low : 0x80;
    const unsigned high = i == 1 ? sequence.second_high : 0xBF;
    const unsigned byte = byte_at(text, start + i);
    if (byte < low || byte > high) return false;
  }
  return true;
}

}  // namespace

Index find_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const Sequence sequence = sequence_after(byte_at(text, i));
    if (!is_sequence(text, i, sequence)) return static_cast<Index>(i);
    i += sequence.length;
  }
  return -1;
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
