// Classes of Unicode code points, as regular expressions name them.
#pragma once

namespace vitro::nn {

/// \p{L}: letters of every script.
bool is_letter(char32_t code_point);

/// \p{N}: digits of every script, fractions, Roman numerals, …
bool is_number(char32_t code_point);

/// \s: Unicode's White_Space. JavaScript's own \s differs in two code points: it lacks U+0085 and
/// has U+FEFF.
bool is_space(char32_t code_point);

}  // namespace vitro::nn
