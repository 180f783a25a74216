// UTF-8: the encoding of all text, in files and on screens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tensor/scalar.h"

namespace vitro {

/// The byte at which `text` stops being UTF-8 (Unicode Standard, table 3-7: no overlong forms, no
/// surrogates, nothing above U+10FFFF), or -1 where all of it is.
Index find_invalid_utf8(std::string_view text);

/// How many bytes the code point takes that `text` starts with; 0 where the text is empty or does
/// not start with one.
std::size_t utf8_length(std::string_view text);

/// The bytes of that code point, or one byte where there is none; nothing of an empty text.
std::string_view first_character(std::string_view text);

/// The code point whose bytes, all of them and valid, `bytes` are.
char32_t utf8_code_point(std::string_view bytes);

/// The bytes of one code point, which must be a valid one.
std::string utf8_bytes(char32_t code_point);

}  // namespace vitro
