// Lists and pairs from text files: one item a line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vitro::nn {

/// The lines of a text without their ends, LF or CR LF; empty ones are left out. A list of names.
std::vector<std::string> split_lines(std::string_view text);

/// A source and its translation.
using TextPair = std::pair<std::string, std::string>;

/// Lines of the form "source TAB target"; further columns are left out. `name` says what the text
/// is, for errors: "pairs.tsv". Throws std::invalid_argument naming the first line that has no tab,
/// or nothing on one side of it.
std::vector<TextPair> split_pairs(std::string_view text, const std::string& name);

}  // namespace vitro::nn
