#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tests/structure/rules.h"

namespace vitro::structure {

namespace {

using Names = std::set<std::string>;

// Functions whose last bits differ between C libraries and processors. Not here: sqrt, fma, floor
// and other functions with one exact answer.
const Names& inexact_functions() {
  static const Names names = {"exp",   "exp2", "expm1", "log",   "log2",   "log10",  "log1p",
                              "pow",   "sin",  "cos",   "tan",   "asin",   "acos",   "atan",
                              "atan2", "sinh", "cosh",  "tanh",  "asinh",  "acosh",  "atanh",
                              "erf",   "erfc", "cbrt",  "hypot", "tgamma", "lgamma", "beta"};
  return names;
}

// Parts of std that add in no fixed order, or draw differently in every standard library.
const Names& unrepeatable_parts() {
  static const Names names = {"reduce",        "transform_reduce", "shuffle", "sample",
                              "random_device", "random_shuffle",   "rand",    "execution"};
  return names;
}

bool is_code(const SourceFile& file) { return !file.path.starts_with("tests/"); }

// Files for conditional code: the scalar's name, the processor's lanes, the system's differences.
bool may_hold_conditions(const SourceFile& file) {
  static const Names files = {"tensor/scalar.h", "tensor/kernels/lanes.h", "tensor/system.h",
                              "tensor/system.cpp"};
  return files.contains(file.path) || file.path.starts_with("tests/support/");
}

bool is_directive(const Token& token, const Names& words) {
  if (token.kind != TokenKind::kDirective) return false;
  return words.contains(token.text.substr(0, token.text.find_first_of(" \t(!\"<")));
}

// The token at `index + offset`, or an empty symbol outside the file.
Token token_at(const SourceFile& file, std::size_t index, int offset) {
  const auto at = static_cast<std::ptrdiff_t>(index) + offset;
  if (at < 0 || at >= static_cast<std::ptrdiff_t>(file.tokens.size())) {
    return {TokenKind::kSymbol, "", 0};
  }
  return file.tokens[static_cast<std::size_t>(at)];
}

// std::NAME, or ::NAME from the global namespace.
bool is_from_library(const SourceFile& file, std::size_t index) {
  if (token_at(file, index, -1).text != "::") return false;
  const Token scope = token_at(file, index, -2);
  if (scope.text == "std") return true;
  const bool is_scoped = scope.kind == TokenKind::kIdentifier && scope.text != "return";
  return !is_scoped && scope.text != ">";
}

// expf, expl, __builtin_exp: the same functions by names of their own.
bool is_c_function(const std::string& name) {
  const std::string builtin = "__builtin_";
  const bool is_builtin = name.starts_with(builtin);
  const std::string base = is_builtin ? name.substr(builtin.size()) : name;
  if (is_builtin && inexact_functions().contains(base)) return true;
  if (base.size() < 2 || (base.back() != 'f' && base.back() != 'l')) return false;
  // Only exact spellings: "expf" is, "erf" is in the list by itself and "self" is a word.
  return inexact_functions().contains(base.substr(0, base.size() - 1));
}

}  // namespace

SourceFile make_source_file(const std::string& path, const std::string& text) {
  return {path, text, tokenize(text)};
}

Findings no_library_mathematics(const SourceFile& file) {
  // tensor/math holds our own functions, and may use the standard's where Scalar is double.
  if (!is_code(file) || file.path.starts_with("tensor/math")) return {};
  Findings findings;
  for (std::size_t i = 0; i < file.tokens.size(); ++i) {
    const Token& token = file.tokens[i];
    if (token.kind != TokenKind::kIdentifier) continue;
    const bool inexact = inexact_functions().contains(token.text);
    const bool unrepeatable =
        unrepeatable_parts().contains(token.text) || token.text.ends_with("_distribution");
    const bool from_library = (inexact || unrepeatable) && is_from_library(file, i);
    const bool c_call = is_c_function(token.text) && token_at(file, i, 1).text == "(";
    if (!from_library && !c_call) continue;
    findings.push_back({token.line, token.text + " of the standard library differs between " +
                                        "machines: use tensor/math.h, tensor/random.h or a sum " +
                                        "in its written order"});
  }
  return findings;
}

Findings no_conditional_code(const SourceFile& file) {
  if (may_hold_conditions(file)) return {};
  static const Names words = {"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else"};
  Findings findings;
  for (const Token& token : file.tokens) {
    if (is_directive(token, words)) findings.push_back({token.line, "#" + token.text});
  }
  return findings;
}

Findings no_macros(const SourceFile& file) {
  if (may_hold_conditions(file)) return {};
  Findings findings;
  for (const Token& token : file.tokens) {
    if (is_directive(token, {"define", "undef"}))
      findings.push_back({token.line, "#" + token.text});
  }
  return findings;
}

Findings no_float_literals(const SourceFile& file) {
  Findings findings;
  for (const Token& token : file.tokens) {
    if (token.kind != TokenKind::kNumber) continue;
    const bool hexadecimal = token.text.starts_with("0x") || token.text.starts_with("0X");
    const bool has_exponent = token.text.find_first_of("pP") != std::string::npos;
    const bool ends_in_f = token.text.back() == 'f' || token.text.back() == 'F';
    if (!ends_in_f || (hexadecimal && !has_exponent)) continue;
    findings.push_back({token.line, token.text + ": write Scalar(…)"});
  }
  return findings;
}

Findings no_manual_memory(const SourceFile& file) {
  if (file.path.starts_with("tensor/storage.")) return {};
  if (file.path == "tensor/memory_regions.cpp") return {};
  if (file.path == "tests/faults/failing_new.cpp") return {};  // it is the program's operator new
  static const Names c_functions = {"malloc", "calloc", "realloc", "free", "aligned_alloc"};
  Findings findings;
  for (std::size_t i = 0; i < file.tokens.size(); ++i) {
    const Token& token = file.tokens[i];
    if (token.kind != TokenKind::kIdentifier) continue;
    const std::string before = token_at(file, i, -1).text;
    const bool is_new = token.text == "new";
    const bool is_delete = token.text == "delete" && before != "=";  // f() = delete;
    const bool is_c_call = c_functions.contains(token.text) && is_from_library(file, i);
    if (is_new || is_delete || is_c_call) {
      findings.push_back({token.line, token.text + ": memory needs an owner (unique_ptr, vector)"});
    }
  }
  return findings;
}

Findings at_most_300_lines(const SourceFile& file) {
  const auto lines = std::count(file.text.begin(), file.text.end(), '\n');
  if (lines <= 300) return {};
  return {{static_cast<int>(lines), "the file has " + std::to_string(lines) + " lines"}};
}

const std::vector<NamedRule>& all_rules() {
  static const std::vector<NamedRule> rules = {
      {"includes_point_down", includes_point_down},
      {"include_paths_start_at_root", include_paths_start_at_root},
      {"own_header_comes_first", own_header_comes_first},
      {"headers_start_with_pragma_once", headers_start_with_pragma_once},
      {"public_headers_hold_no_kernels", public_headers_hold_no_kernels},
      {"no_missing_headers", no_missing_headers},
      {"no_library_mathematics", no_library_mathematics},
      {"no_conditional_code", no_conditional_code},
      {"no_macros", no_macros},
      {"no_float_literals", no_float_literals},
      {"no_manual_memory", no_manual_memory},
      {"at_most_300_lines", at_most_300_lines},
  };
  return rules;
}

}  // namespace vitro::structure
