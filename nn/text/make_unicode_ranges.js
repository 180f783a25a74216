// Writes nn/text/unicode_ranges.cpp: which code points are letters, numbers and white space.
//
//     node nn/text/make_unicode_ranges.js > nn/text/unicode_ranges.cpp
//
// The classes are those of the Unicode version that Node.js brings along.
'use strict';

const kColumns = 100;

// The [first, last] of every run of code points that match.
function rangesOf(pattern) {
  const ranges = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; ++codePoint) {
    const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
    if (isSurrogate || !pattern.test(String.fromCodePoint(codePoint))) continue;
    const last = ranges[ranges.length - 1];
    if (last !== undefined && last[1] === codePoint - 1) {
      last[1] = codePoint;
    } else {
      ranges.push([codePoint, codePoint]);
    }
  }
  return ranges;
}

function hex(codePoint) {
  return '0x' + codePoint.toString(16).toUpperCase().padStart(4, '0');
}

function table(name, comment, pattern) {
  const ranges = rangesOf(pattern);
  const lines = ['   '];
  for (const [first, last] of ranges) {
    const entry = ` {${hex(first)}, ${hex(last)}},`;
    if (lines[lines.length - 1].length + entry.length > kColumns) lines.push('   ');
    lines[lines.length - 1] += entry;
  }
  return `// ${comment}
constexpr std::array<CodePointRange, ${ranges.length}> ${name} = {{
${lines.join('\n')}
}};
`;
}

process.stdout.write(`// Made by nn/text/make_unicode_ranges.js from Unicode ${process.versions.unicode}; not to be edited by hand.
#include "nn/text/unicode_ranges.h"

#include <algorithm>
#include <array>

namespace vitro::nn {
namespace {

// Both ends belong to it.
struct CodePointRange {
  char32_t first;
  char32_t last;
};

// clang-format off
${table('kLetters', 'General category L.', /^\p{L}$/u)}
${table('kNumbers', 'General category N.', /^\p{N}$/u)}
${table('kSpaces', 'Property White_Space.', /^\p{White_Space}$/u)}// clang-format on

template <typename Ranges>
bool contains(const Ranges& ranges, char32_t code_point) {
  const auto ends_before = [](const CodePointRange& range, char32_t value) {
    return range.last < value;
  };
  const auto found = std::lower_bound(ranges.begin(), ranges.end(), code_point, ends_before);
  return found != ranges.end() && found->first <= code_point;
}

}  // namespace

bool is_letter(char32_t code_point) { return contains(kLetters, code_point); }

bool is_number(char32_t code_point) { return contains(kNumbers, code_point); }

bool is_space(char32_t code_point) { return contains(kSpaces, code_point); }

}  // namespace vitro::nn
`);
