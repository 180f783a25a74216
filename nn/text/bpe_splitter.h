// The first step of byte-pair encoding: cutting a text into words, which no token crosses.
#pragma once

#include <string_view>

namespace vitro::nn {

/// The word that `text` starts with; empty only where the text is. GPT-2's pattern (Radford et al.,
/// 2019), of whose alternatives the first that fits is taken, as long as it can be:
///
///     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
///
/// So a word takes one space before it along, contractions are lower case only, and a run of white
/// space ends before its last character where something else follows. A byte that is not valid
/// UTF-8 counts as a character that is no letter, no number and no space. The words of a text, one
/// after the other, are the text.
std::string_view first_word(std::string_view text);

}  // namespace vitro::nn
