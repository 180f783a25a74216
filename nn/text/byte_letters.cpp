#include "nn/text/byte_letters.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "tensor/utf8.h"

namespace vitro::nn {
namespace {

constexpr char32_t kLastLetter = 0x143;

bool is_printable(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

std::array<char32_t, 256> make_byte_letters() {
  std::array<char32_t, 256> letters{};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) letters[byte] = is_printable(byte) ? byte : next++;
  return letters;
}

std::array<unsigned char, 256> make_bytes_by_letter() {
  std::array<unsigned char, 256> bytes{};
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  std::sort(bytes.begin(), bytes.end(),
            [](unsigned char a, unsigned char b) { return byte_letters()[a] < byte_letters()[b]; });
  return bytes;
}

// By letter: its byte, or -1.
std::array<int, kLastLetter + 1> make_letter_bytes() {
  std::array<int, kLastLetter + 1> bytes{};
  bytes.fill(-1);
  for (int byte = 0; byte < 256; ++byte)
    bytes[byte_letters()[static_cast<std::size_t>(byte)]] = byte;
  return bytes;
}

}  // namespace

const std::array<char32_t, 256>& byte_letters() {
  static const std::array<char32_t, 256> letters = make_byte_letters();
  return letters;
}

const std::array<unsigned char, 256>& bytes_by_letter() {
  static const std::array<unsigned char, 256> bytes = make_bytes_by_letter();
  return bytes;
}

std::string letters_of(std::string_view bytes) {
  std::string letters;
  for (const char byte : bytes) {
    letters += utf8_bytes(byte_letters()[static_cast<unsigned char>(byte)]);
  }
  return letters;
}

std::optional<std::string> bytes_of(std::string_view letters) {
  static const std::array<int, kLastLetter + 1> letter_bytes = make_letter_bytes();
  std::string bytes;
  while (!letters.empty()) {
    const std::size_t length = utf8_length(letters);
    if (length == 0) return std::nullopt;
    const char32_t letter = utf8_code_point(letters.substr(0, length));
    const int byte = letter < letter_bytes.size() ? letter_bytes[letter] : -1;
    if (byte < 0) return std::nullopt;
    bytes += static_cast<char>(byte);
    letters.remove_prefix(length);
  }
  return bytes;
}

}  // namespace vitro::nn
