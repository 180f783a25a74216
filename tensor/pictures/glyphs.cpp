#include "tensor/pictures/glyphs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "tensor/utf8.h"

namespace vitro {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

template <std::size_t kCount>
bool is_in(const std::array<Range, kCount>& ranges, std::uint32_t value) {
  return std::any_of(ranges.begin(), ranges.end(), [value](const Range& range) {
    return value >= range.first && value <= range.last;
  });
}

// Control characters, invisible ones, those that turn the direction of text, private ones.
constexpr std::array<Range, 13> kHidden = {{{0x00, 0x1f},
                                            {0x7f, 0xa0},
                                            {0xad, 0xad},
                                            {0x61c, 0x61c},
                                            {0x180e, 0x180e},
                                            {0x2000, 0x200f},
                                            {0x2028, 0x202f},
                                            {0x205f, 0x206f},
                                            {0xe000, 0xf8ff},
                                            {0xfdd0, 0xfdef},
                                            {0xfeff, 0xfeff},
                                            {0xfff0, 0xfffb},
                                            {0xe0000, 0x10ffff}}};

// East Asian and emoji characters take two columns.
constexpr std::array<Range, 9> kWide = {{{0x1100, 0x115f},
                                         {0x2e80, 0xa4cf},
                                         {0xac00, 0xd7a3},
                                         {0xf900, 0xfaff},
                                         {0xfe30, 0xfe6f},
                                         {0xff00, 0xff60},
                                         {0xffe0, 0xffe6},
                                         {0x1f300, 0x1faff},
                                         {0x20000, 0x3fffd}}};

// Combining marks stand on the character before them.
constexpr std::array<Range, 4> kCombining = {
    {{0x300, 0x36f}, {0x1ab0, 0x1aff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}}};

bool is_hidden(std::uint32_t value) {
  return is_in(kHidden, value) || (value & 0xfffe) == 0xfffe;  // U+FFFE, U+1FFFF: no characters
}

std::string hexadecimal(std::uint32_t value) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return {digits.data(), end};
}

std::string escape_of(std::uint32_t value) {
  if (value == '\n') return "\\n";
  if (value == '\t') return "\\t";
  if (value == '\r') return "\\r";
  return "\\u{" + hexadecimal(value) + "}";
}

// "\n" as the glyphs '\' and 'n'.
void append_ascii(const std::string& text, std::vector<Glyph>& glyphs) {
  for (const char letter : text) glyphs.push_back({std::string(1, letter), 1});
}

}  // namespace

std::vector<Glyph> glyphs_of(std::string_view label) {
  std::vector<Glyph> glyphs;
  if (label.find_first_not_of(' ') == std::string_view::npos) {  // spaces alone would be invisible
    for (std::size_t i = 0; i < label.size(); ++i) glyphs.push_back({"␣", 1});
    return glyphs;
  }
  while (!label.empty()) {
    const std::size_t length = utf8_length(label);
    if (length == 0) {  // no valid UTF-8
      append_ascii("\\x" + hexadecimal(static_cast<unsigned char>(label[0])), glyphs);
      label.remove_prefix(1);
      continue;
    }
    const std::string_view character = label.substr(0, length);
    const char32_t code_point = utf8_code_point(character);
    if (is_hidden(code_point)) {
      append_ascii(escape_of(code_point), glyphs);
    } else if (is_in(kCombining, code_point) && !glyphs.empty()) {
      glyphs.back().text += character;
    } else {
      glyphs.push_back({std::string(character), is_in(kWide, code_point) ? 2 : 1});
    }
    label.remove_prefix(length);
  }
  return glyphs;
}

std::string visible_text(std::string_view label, Index max_width) {
  const std::vector<Glyph> glyphs = glyphs_of(label);
  Index width = 0;
  for (const Glyph& glyph : glyphs) width += glyph.width;
  const bool shorten = width > max_width;
  std::string text;
  Index used = shorten ? 1 : 0;  // the column of "…"
  for (const Glyph& glyph : glyphs) {
    if (used + glyph.width > max_width) break;
    text += glyph.text;
    used += glyph.width;
  }
  return shorten ? text + "…" : text;
}

Index display_width(std::string_view visible) {
  Index width = 0;
  for (const Glyph& glyph : glyphs_of(visible)) width += glyph.width;
  return width;
}

}  // namespace vitro
