// The rules of this house that a program can check, one small function each. Every rule is fed with
// one file's path and text, so its own test can feed it bad samples.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/structure/tokens.h"

namespace vitro::structure {

struct SourceFile {
  std::string path;  // from the root, with '/': "tensor/shape.h"
  std::string text;
  std::vector<Token> tokens;
};

SourceFile make_source_file(const std::string& path, const std::string& text);

struct Finding {
  int line;
  std::string what;
};

using Findings = std::vector<Finding>;
using Rule = Findings (*)(const SourceFile&);

// rules_includes.cpp

/// Floors: tensor, autograd, nn, examples, tests. A file includes from its own floor or from below.
Findings includes_point_down(const SourceFile& file);
/// `#include "folder/file.h"` with the path from the root; `<…>` is for the standard library.
Findings include_paths_start_at_root(const SourceFile& file);
/// x.cpp includes its own x.h first, if it includes it at all.
Findings own_header_comes_first(const SourceFile& file);
/// The first line of code in a header.
Findings headers_start_with_pragma_once(const SourceFile& file);
/// Kernel headers depend on this build's processor flags: no header outside tensor/kernels/
/// includes them, so none of them is ever compiled by somebody else.
Findings public_headers_hold_no_kernels(const SourceFile& file);
/// Not in GCC 12 or Clang 14, or not the same everywhere.
Findings no_missing_headers(const SourceFile& file);

// rules_code.cpp

/// The standard's exp, log, sin, … and its distributions differ between machines in the last bit;
/// its reduce adds in any order.
Findings no_library_mathematics(const SourceFile& file);
/// `#if…` stands in the few files made for it.
Findings no_conditional_code(const SourceFile& file);
Findings no_macros(const SourceFile& file);
/// 0.5f is a float in the double build as well: write Scalar(0.5).
Findings no_float_literals(const SourceFile& file);
/// Memory has owners: unique_ptr, vector, Storage.
Findings no_manual_memory(const SourceFile& file);
/// Files stay short enough to be read in one sitting.
Findings at_most_300_lines(const SourceFile& file);

struct NamedRule {
  const char* name;
  Rule check;

  /// How a test's parameter is shown.
  friend std::ostream& operator<<(std::ostream& stream, const NamedRule& rule) {
    return stream << rule.name;
  }
};

/// All of the above.

const std::vector<NamedRule>& all_rules();

}  // namespace vitro::structure
