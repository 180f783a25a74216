// Every rule is fed with samples that it must find and samples that it must leave alone.
#include "tests/structure/rules.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace vitro::structure {
namespace {

// The lines that a rule complains about.
std::vector<int> lines(Rule rule, const std::string& path, const std::string& text) {
  std::vector<int> found;
  for (const Finding& finding : rule(make_source_file(path, text))) found.push_back(finding.line);
  return found;
}

using Lines = std::vector<int>;

std::vector<std::string> texts(const std::string& source) {
  std::vector<std::string> found;
  for (const Token& token : tokenize(source)) found.push_back(token.text);
  return found;
}

TEST(Tokens, CommentsVanishAndQuotedTextIsOneToken) {
  EXPECT_EQ(texts("a /* b\n c */ d // e"), (std::vector<std::string>{"a", "d"}));
  EXPECT_EQ(texts("x = \"// no \\\" comment\";"),
            (std::vector<std::string>{"x", "=", "\"// no \\\" comment\"", ";"}));
  EXPECT_EQ(texts("R\"x(new \" )x\" y"), (std::vector<std::string>{"\"x(new \" )x\"", "y"}));
  EXPECT_EQ(texts("'\\'' z"), (std::vector<std::string>{"'\\''", "z"}));
}

TEST(Tokens, NumbersAreWhole) {
  EXPECT_EQ(texts("1'000.5e-3f+2"), (std::vector<std::string>{"1'000.5e-3f", "+", "2"}));
  EXPECT_EQ(texts("0x1.8p-3f 0xe-1"), (std::vector<std::string>{"0x1.8p-3f", "0xe", "-", "1"}));
}

TEST(Tokens, DirectivesJoinContinuedLines) {
  const std::vector<Token> tokens = tokenize("\n  #  define A \\\n 1  // one\nint b; // # c\n");
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_EQ(tokens[0].text, "define A  1");
  EXPECT_EQ(tokens[0].line, 2);
  EXPECT_EQ(tokens[1].line, 4);
}

TEST(Rules, IncludesPointDown) {
  const std::string text = "#include \"tensor/a.h\"\n#include \"nn/b.h\"\n#include <vector>\n";
  EXPECT_EQ(lines(includes_point_down, "tensor/x.cpp", text), Lines{2});
  EXPECT_EQ(lines(includes_point_down, "autograd/ops/x.cpp", text), Lines{2});
  EXPECT_EQ(lines(includes_point_down, "nn/x.cpp", text), Lines{});
  EXPECT_EQ(lines(includes_point_down, "examples/x.cpp", text), Lines{});
  EXPECT_EQ(lines(includes_point_down, "tensor/x.cpp", "// #include \"nn/b.h\"\n"), Lines{});
  EXPECT_EQ(lines(includes_point_down, "examples/x.cpp", "#include \"tests/a.h\""), Lines{1});
}

TEST(Rules, IncludePathsStartAtRoot) {
  const auto rule = include_paths_start_at_root;
  EXPECT_EQ(lines(rule, "nn/x.cpp", "#include \"x.h\"\n#include \"nn/../x.h\"\n"), (Lines{1, 2}));
  EXPECT_EQ(lines(rule, "nn/x.cpp", "\n#include <tensor/shape.h>\n"), Lines{2});
  EXPECT_EQ(lines(rule, "nn/x.cpp", "#include \"nn/x.h\"\n#include <gtest/gtest.h>\n"), Lines{});
}

TEST(Rules, OwnHeaderComesFirst) {
  const auto rule = own_header_comes_first;
  EXPECT_EQ(lines(rule, "nn/x.cpp", "#include <vector>\n#include \"nn/x.h\"\n"), Lines{2});
  EXPECT_EQ(lines(rule, "nn/x.cpp", "#include \"nn/x.h\"\n#include <vector>\n"), Lines{});
}

TEST(Rules, HeadersStartWithPragmaOnce) {
  const auto rule = headers_start_with_pragma_once;
  EXPECT_EQ(lines(rule, "nn/x.h", "// What.\n#include <vector>\n#pragma once\n"), Lines{2});
  EXPECT_EQ(lines(rule, "nn/x.h", "// Only a comment: #pragma once\n"), Lines{1});
  EXPECT_EQ(lines(rule, "nn/x.h", "// What.\n#pragma once\nint x;\n"), Lines{});
  EXPECT_EQ(lines(rule, "nn/x.cpp", "int x;\n"), Lines{});
}

TEST(Rules, PublicHeadersHoldNoKernels) {
  const std::string text = "#pragma once\n#include \"tensor/kernels/lanes.h\"\n";
  EXPECT_EQ(lines(public_headers_hold_no_kernels, "tensor/x.h", text), Lines{2});
  EXPECT_EQ(lines(public_headers_hold_no_kernels, "nn/x.h", text), Lines{2});
  EXPECT_EQ(lines(public_headers_hold_no_kernels, "tensor/x.cpp", text), Lines{});
  EXPECT_EQ(lines(public_headers_hold_no_kernels, "tensor/kernels/x.h", text), Lines{});
}

TEST(Rules, NoMissingHeaders) {
  const std::string text = "#include <format>\n#include <vector>\n#include <source_location>\n";
  EXPECT_EQ(lines(no_missing_headers, "nn/x.h", text), (Lines{1, 3}));
}

TEST(Rules, NoLibraryMathematics) {
  const auto rule = no_library_mathematics;
  EXPECT_EQ(lines(rule, "nn/x.cpp", "a = std::exp(b);\nc = ::tanh(d);\n"), (Lines{1, 2}));
  EXPECT_EQ(lines(rule, "nn/x.cpp", "using std::pow;\nreturn ::sin(x);\n"), (Lines{1, 2}));
  EXPECT_EQ(lines(rule, "nn/x.cpp", "expf(x); __builtin_erf(x);\nf(sinl (x));"), (Lines{1, 1, 2}));
  EXPECT_EQ(lines(rule, "nn/x.cpp", "std::reduce(a, b);\nstd::transform_reduce(c);"),
            (Lines{1, 2}));
  EXPECT_EQ(lines(rule, "nn/x.cpp", "std::normal_distribution<double> d;\nstd::shuffle(a, b, r);"),
            (Lines{1, 2}));
  EXPECT_EQ(lines(rule, "nn/x.cpp", "std::sqrt(x); std::fma(a, b, c); std::floor(x);"), Lines{});
  EXPECT_EQ(lines(rule, "nn/x.cpp", "exp(x); vitro::log(x); x.pow(2); // std::exp"), Lines{});
  EXPECT_EQ(lines(rule, "nn/x.cpp", "Variable exp(const Variable& x); int self(int inf);"),
            Lines{});
  EXPECT_EQ(lines(rule, "tensor/math.h", "std::exp(x);"), Lines{});
  EXPECT_EQ(lines(rule, "tests/nn/x.cpp", "std::exp(x);"), Lines{});
}

TEST(Rules, NoConditionalCode) {
  const std::string text = "#pragma once\n#ifdef A\nint x;\n#else\n#endif\n# if B\n#endif\n";
  EXPECT_EQ(lines(no_conditional_code, "nn/x.h", text), (Lines{2, 4, 6}));
  EXPECT_EQ(lines(no_conditional_code, "tensor/scalar.h", text), Lines{});
  EXPECT_EQ(lines(no_conditional_code, "nn/x.h", "if (a) b();\n#include <if>\n"), Lines{});
}

TEST(Rules, NoMacros) {
  EXPECT_EQ(lines(no_macros, "nn/x.h", "\n#define A(x) \\\n  x\n#undef A\n"), (Lines{2, 4}));
  EXPECT_EQ(lines(no_macros, "nn/x.h", "// #define A\nconst char* s = \"#define\";\n"), Lines{});
}

TEST(Rules, NoFloatLiterals) {
  const auto rule = no_float_literals;
  EXPECT_EQ(lines(rule, "nn/x.cpp", "0.5f;\n1.F;\n1e-3f;\n.5f;\n0x1p3f;\n"),
            (Lines{1, 2, 3, 4, 5}));
  EXPECT_EQ(lines(rule, "nn/x.cpp", "0.5; 0xff; 1e3; half; x1f; 0x1p3; \"0.5f\"; // 0.5f"),
            Lines{});
}

TEST(Rules, NoManualMemory) {
  const auto rule = no_manual_memory;
  EXPECT_EQ(lines(rule, "nn/x.cpp", "auto* p = new int;\ndelete p;\n::free(std::malloc(3));\n"),
            (Lines{1, 2, 3, 3}));
  EXPECT_EQ(lines(rule, "nn/x.cpp", "X(const X&) = delete; // new\n#include <new>\n"), Lines{});
  EXPECT_EQ(lines(rule, "tensor/storage.cpp", "auto* p = new int;"), Lines{});
  EXPECT_EQ(lines(rule, "tensor/memory_regions.cpp", "auto* p = new int;"), Lines{});
}

TEST(Rules, AtMost300Lines) {
  const std::string full(300, '\n');
  EXPECT_EQ(lines(at_most_300_lines, "nn/x.cpp", full), Lines{});
  EXPECT_EQ(lines(at_most_300_lines, "nn/x.cpp", full + "\n"), Lines{301});
}

}  // namespace
}  // namespace vitro::structure
