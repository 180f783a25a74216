#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/structure/rules.h"

namespace vitro::structure {

namespace {

constexpr std::array<const char*, 5> kFloors = {"tensor", "autograd", "nn", "examples", "tests"};
constexpr int kNoFloor = -1;

int floor_of(const std::string& path) {
  const std::string folder = path.substr(0, path.find('/'));
  const auto* const found = std::find(kFloors.begin(), kFloors.end(), folder);
  if (found == kFloors.end() || folder.size() == path.size()) return kNoFloor;
  return static_cast<int>(found - kFloors.begin());
}

struct Include {
  std::string path;
  bool quoted;
  int line;
};

std::vector<Include> includes_of(const SourceFile& file) {
  std::vector<Include> includes;
  for (const Token& token : file.tokens) {
    if (token.kind != TokenKind::kDirective || !token.text.starts_with("include")) continue;
    const std::size_t open = token.text.find_first_of("\"<");
    const std::size_t close = token.text.find_last_of("\">");
    if (open == std::string::npos || close <= open) continue;
    const std::string path = token.text.substr(open + 1, close - open - 1);
    includes.push_back({path, token.text[open] == '"', token.line});
  }
  return includes;
}

std::string without_extension(const std::string& path) { return path.substr(0, path.rfind('.')); }

bool is_header(const SourceFile& file) { return file.path.ends_with(".h"); }

}  // namespace

Findings includes_point_down(const SourceFile& file) {
  Findings findings;
  const int own_floor = floor_of(file.path);
  for (const Include& include : includes_of(file)) {
    const int floor = floor_of(include.path);
    if (floor == kNoFloor || floor <= own_floor) continue;
    findings.push_back({include.line, kFloors[own_floor] + std::string("/ includes \"") +
                                          include.path + "\", which lies above it"});
  }
  return findings;
}

Findings include_paths_start_at_root(const SourceFile& file) {
  Findings findings;
  for (const Include& include : includes_of(file)) {
    const bool ours = floor_of(include.path) != kNoFloor;
    const bool climbs = include.path.find("..") != std::string::npos;
    if (include.quoted && (!ours || climbs)) {
      findings.push_back({include.line, "\"" + include.path + "\" does not start at the root"});
    }
    if (!include.quoted && ours) {
      findings.push_back({include.line, "<" + include.path + "> is ours: write it in quotes"});
    }
  }
  return findings;
}

Findings own_header_comes_first(const SourceFile& file) {
  const std::vector<Include> includes = includes_of(file);
  const std::string own = without_extension(file.path) + ".h";
  for (std::size_t i = 1; i < includes.size() && !is_header(file); ++i) {
    if (includes[i].path == own) return {{includes[i].line, "\"" + own + "\" is not the first"}};
  }
  return {};
}

Findings headers_start_with_pragma_once(const SourceFile& file) {
  if (!is_header(file)) return {};
  if (file.tokens.empty()) return {{1, "no #pragma once"}};
  const Token& first = file.tokens.front();
  if (first.kind == TokenKind::kDirective && first.text == "pragma once") return {};
  return {{first.line, "#pragma once is not the first line of code"}};
}

Findings public_headers_hold_no_kernels(const SourceFile& file) {
  const std::string kernels = "tensor/kernels/";
  const bool in_library = floor_of(file.path) >= 0 && floor_of(file.path) <= floor_of("nn/x");
  if (!is_header(file) || !in_library || file.path.starts_with(kernels)) return {};
  Findings findings;
  for (const Include& include : includes_of(file)) {
    if (!include.path.starts_with(kernels)) continue;
    findings.push_back({include.line, "\"" + include.path + "\" in a public header"});
  }
  return findings;
}

Findings no_missing_headers(const SourceFile& file) {
  static const std::vector<std::string> missing = {"format",   "source_location", "print",
                                                   "expected", "stacktrace",      "execution"};
  Findings findings;
  for (const Include& include : includes_of(file)) {
    if (std::find(missing.begin(), missing.end(), include.path) == missing.end()) continue;
    findings.push_back({include.line, "<" + include.path + "> is not in GCC 12 and Clang 14"});
  }
  return findings;
}

}  // namespace vitro::structure
