#include "tensor/glyphs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace vitro {
namespace {

struct CodePoint {
  std::uint32_t value;
  std::size_t byte_count;  // 0: no valid UTF-8 begins here
};

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

CodePoint read_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t count = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < count) return {byte(0), 0};
  std::uint32_t value = byte(0) & (0xffu >> (count + 1));
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {byte(0), 0};
    value = value << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::array<std::uint32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < smallest[count] || value > 0x10ffff || surrogate) return {byte(0), 0};
  return {value, count};
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
    const CodePoint point = read_code_point(label);
    const std::size_t byte_count = std::max<std::size_t>(point.byte_count, 1);
    if (point.byte_count == 0) {
      append_ascii("\\x" + hexadecimal(point.value), glyphs);
    } else if (is_hidden(point.value)) {
      append_ascii(escape_of(point.value), glyphs);
    } else if (is_in(kCombining, point.value) && !glyphs.empty()) {
      glyphs.back().text += label.substr(0, byte_count);
    } else {
      const Index width = is_in(kWide, point.value) ? 2 : 1;
      glyphs.push_back({std::string(label.substr(0, byte_count)), width});
    }
    label.remove_prefix(byte_count);
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
