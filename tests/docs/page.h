// A page of Markdown, taken apart as far as the checks need it.
#pragma once

#include <string>
#include <vector>

namespace vitro::docs {

/// What a check complains about, and where.
struct Finding {
  int line;  // of the page, counted from 1
  std::string what;
};

using Findings = std::vector<Finding>;

/// ```language key=value key="value with spaces"
struct Fence {
  int line;        // of the opening fence
  int line_count;  // of the text
  std::string language;
  std::string info;  // all behind the language
  std::string text;  // each line ends in a newline

  /// The value of `key=…` in the info; "" where there is none.
  std::string option(const std::string& key) const;
};

/// Text in backticks, a link's target, a heading: something on one line.
struct Piece {
  int line;
  std::string text;
};

/// Invariants: lines holds no newline; prose has as many lines, those in fences are empty.
struct Page {
  std::string path;  // from the root of the tree: "docs/book/01_a_neuron.md"
  std::vector<std::string> lines;
  std::vector<Fence> fences;
  std::vector<std::string> prose;  // with code in backticks blanked out
  std::vector<Piece> code;         // what stood in backticks
  std::vector<Piece> links;        // targets of [text](target) and ![text](target)
  std::vector<Piece> headings;     // without the #
  std::vector<Finding> malformed;  // fences that never end
};

Page parse_page(const std::string& path, const std::string& text);

/// As hosts of code make it: lower case, spaces to hyphens, punctuation dropped.
std::string anchor_of(const std::string& heading);

std::vector<std::string> split_lines(const std::string& text);

std::string joined_lines(const std::vector<std::string>& lines);

/// The whole file, "" where there is none.
std::string read_text(const std::string& path);

}  // namespace vitro::docs
