#include "nn/text/lines.h"

#include <algorithm>

#include "tensor/error.h"
#include "tensor/scalar.h"

namespace vitro::nn {
namespace {

// Takes the first line off the text and returns it without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

std::vector<TextPair> split_pairs(std::string_view text, const std::string& name) {
  std::vector<TextPair> pairs;
  for (Index number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    const std::string_view target = tab == std::string_view::npos
                                        ? ""
                                        : line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1);
    if (tab == 0 || target.empty()) {
      throw_invalid({"split_pairs: ", name, ", line ", number,
                     ": there must be a source, a tab and a target"});
    }
    pairs.emplace_back(line.substr(0, tab), target);
  }
  return pairs;
}

}  // namespace vitro::nn
