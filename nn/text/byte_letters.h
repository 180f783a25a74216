// Byte letters: how files of byte-pair encoding show bytes as printable text.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace vitro::nn {

/// The letter of each byte (GPT-2's choice): the 188 printable characters of Latin-1 stand for
/// themselves, the other 68 bytes in order for U+0100 … U+0143. A space so becomes Ġ (U+0120), a
/// line feed Ċ (U+010A).
const std::array<char32_t, 256>& byte_letters();

/// All bytes in the order of their letters, in which GPT-2 numbers them: '!' comes first.
const std::array<unsigned char, 256>& bytes_by_letter();

/// Bytes as letters, in UTF-8.
std::string letters_of(std::string_view bytes);

/// The inverse; nothing where `letters` is not UTF-8 or holds a character that is no byte's letter.
std::optional<std::string> bytes_of(std::string_view letters);

}  // namespace vitro::nn
