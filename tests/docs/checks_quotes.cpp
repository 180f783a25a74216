#include <algorithm>
#include <cstddef>
#include <optional>

#include "tests/docs/checks.h"

namespace vitro::docs {

namespace {

// Lines of recorded output; the first line of a record is the command and is not part of it.
Quote quoted_output(const Fence& fence, const std::string& record) {
  std::vector<std::string> lines = split_lines(record);
  if (!lines.empty() && lines.front().starts_with("$ ")) lines.erase(lines.begin());
  const std::string start = fence.option("start");
  const auto first = std::find_if(lines.begin(), lines.end(),
                                  [&](const std::string& line) { return line.starts_with(start); });
  if (first == lines.end()) return {"", "no line starts with \"" + start + "\""};
  auto last = start.empty() ? lines.end() : std::find(first, lines.end(), "");
  if (const std::string count = fence.option("lines"); !count.empty()) {
    last = first + std::min<std::ptrdiff_t>(std::stoi(count), lines.end() - first);
  }
  return {joined_lines({first, last}), ""};
}

// Lines with "-" or " " in front stand in the file, lines with "+" do not have to.
std::string fault_of_diff(const Fence& fence, const std::string& source) {
  const std::vector<std::string> lines = split_lines(source);
  for (const std::string& line : split_lines(fence.text)) {
    if (line.empty() || line[0] == '+') continue;
    const std::string there = line.substr(1);
    if (std::find(lines.begin(), lines.end(), there) == lines.end()) {
      return "the file has no line \"" + there + "\"";
    }
  }
  return "";
}

std::string source_path(const Fence& fence) {
  const std::string from = fence.option("from");
  return from.substr(0, from.find('#'));
}

Findings faults_of_fence(const Fence& fence, const Tree& tree) {
  const bool quotes = !fence.option("from").empty();
  const bool must_quote =
      fence.language == "cpp" || fence.language == "text" || fence.language == "diff";
  if (!quotes) {
    if (!must_quote) return {};
    return {{fence.line, "a fence of " + fence.language + " needs from=: what does it quote?"}};
  }
  if (fence.language == "diff") {
    const auto source = tree.sources.find(source_path(fence));
    if (source == tree.sources.end()) return {{fence.line, "no file " + source_path(fence)}};
    const std::string fault = fault_of_diff(fence, source->second);
    if (fault.empty()) return {};
    return {{fence.line, source_path(fence) + ": " + fault}};
  }
  const Quote quote = quoted_text(fence, tree);
  if (!quote.error.empty()) return {{fence.line, fence.option("from") + ": " + quote.error}};
  if (quote.text == fence.text) return {};
  return {{fence.line, "differs from " + fence.option("from") + "; run test_docs --update"}};
}

}  // namespace

Quote quoted_text(const Fence& fence, const Tree& tree) {
  const std::string from = fence.option("from");
  const std::string path = source_path(fence);
  if (const auto output = tree.outputs.find(path); output != tree.outputs.end()) {
    return quoted_output(fence, output->second);
  }
  const auto source = tree.sources.find(path);
  if (source == tree.sources.end()) return {"", "no such source or recorded output"};
  if (path == from) return {source->second, ""};
  const std::string name = from.substr(path.size() + 1);
  const std::optional<std::string> definition = find_definition(source->second, name);
  if (!definition) return {"", "defines no function or class of that name"};
  return {*definition, ""};
}

Findings quotes_are_true(const Page& page, const Tree& tree) {
  Findings findings = page.malformed;
  for (const Fence& fence : page.fences) {
    const Findings faults = faults_of_fence(fence, tree);
    findings.insert(findings.end(), faults.begin(), faults.end());
  }
  return findings;
}

}  // namespace vitro::docs
