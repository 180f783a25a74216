// Glyphs: labels from anywhere (tokens, file names) as text that is safe and visible to show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/scalar.h"

namespace vitro {

/// One character as it is shown: valid UTF-8, and the columns it takes in a terminal.
struct Glyph {
  std::string text;
  Index width;
};

/// The characters of `label`. What cannot be seen, or would do something to a terminal or an XML
/// file, is spelled out: a space alone as "␣", a newline as "\n", other control, direction and
/// unassigned characters as "\u{202e}", bytes that are no UTF-8 as "\xff".
std::vector<Glyph> glyphs_of(std::string_view label);

/// The same as one text, shortened with "…" where it is wider than `max_width` columns.
std::string visible_text(std::string_view label, Index max_width = 1'000'000);

/// The columns that a visible_text takes in a terminal.
Index display_width(std::string_view visible);

}  // namespace vitro
