// All rules, applied to every source file of the tree.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/structure/rules.h"

namespace vitro::structure {
namespace {

namespace fs = std::filesystem;

std::vector<SourceFile> read_tree() {
  const fs::path root = VITRO_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const char* floor : {"tensor", "autograd", "nn", "examples", "tests"}) {
    if (!fs::exists(root / floor)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / floor)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp") continue;
      std::ifstream stream(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(stream), {}};
      files.push_back(make_source_file(path.lexically_relative(root).generic_string(), text));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> files = read_tree();
  return files;
}

class Tree : public testing::TestWithParam<NamedRule> {};

TEST_P(Tree, KeepsTheRule) {
  for (const SourceFile& file : tree()) {
    for (const Finding& finding : GetParam().check(file)) {
      ADD_FAILURE() << file.path << ":" << finding.line << ": " << finding.what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, Tree, testing::ValuesIn(all_rules()),
                         [](const auto& rule) { return std::string(rule.param.name); });

TEST(TreeFiles, AreFound) {
  const auto is_scalar = [](const SourceFile& file) { return file.path == "tensor/scalar.h"; };
  EXPECT_TRUE(std::any_of(tree().begin(), tree().end(), is_scalar));
}

// Include paths name files that exist, so that nothing is found by luck of the include folders.
TEST(TreeFiles, IncludedFilesExist) {
  for (const SourceFile& file : tree()) {
    for (const Token& token : file.tokens) {
      if (token.kind != TokenKind::kDirective || !token.text.starts_with("include \"")) continue;
      const std::string path = token.text.substr(9, token.text.size() - 10);
      EXPECT_TRUE(fs::exists(fs::path(VITRO_SOURCE_DIR) / path))
          << file.path << ":" << token.line << ": no file " << path;
    }
  }
}

// What this build was compiled with, every file of it.
TEST(CompileCommands, BL07_HoldNoFastMath) {
  std::ifstream stream(VITRO_BINARY_DIR "/compile_commands.json", std::ios::binary);
  const std::string commands{std::istreambuf_iterator<char>(stream), {}};
  if (commands.empty()) GTEST_SKIP() << "no compile_commands.json here: flags were NOT looked at";
  EXPECT_NE(commands.find("tensor/float_check.cpp"), std::string::npos);
  for (const char* flag :
       {"-ffast-math", "-Ofast", "-funsafe-math-optimizations", "-ffinite-math-only",
        "-fassociative-math", "-freciprocal-math", "-fno-signed-zeros", "/fp:fast"}) {
    EXPECT_EQ(commands.find(flag), std::string::npos) << flag;
  }
}

// What a command prints.
std::string output_of(const std::string& command) {
  const auto close = [](std::FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  std::string output;
  std::array<char, 4096> buffer{};
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) {
    output += buffer.data();
  }
  return output;
}

TEST(Format, ClangFormatChangesNothing) {
  const std::string version = output_of("clang-format --version 2>/dev/null");
  if (version.find("version 14.") == std::string::npos) {
    GTEST_SKIP() << "clang-format 14 is not installed: formatting was NOT checked ("
                 << (version.empty() ? "none found" : version) << ")";
  }
  std::string command = "cd '" VITRO_SOURCE_DIR "' && clang-format --dry-run";
  for (const SourceFile& file : tree()) command += " " + file.path;
  EXPECT_EQ(output_of(command + " 2>&1"), "");
}

}  // namespace
}  // namespace vitro::structure
