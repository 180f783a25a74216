#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/docs/checks.h"

namespace vitro::docs {

namespace {

bool is_identifier_path(const std::string& text) {
  static const std::regex pattern(R"([A-Za-z_]\w*((::|\.|->)~?[A-Za-z_]\w*)*(\(\))?)");
  return std::regex_match(text, pattern);
}

// FILE, NAME, OP__NNN: stand for something that the reader puts in.
bool is_placeholder(const std::string& word) {
  return word.size() > 2 && std::none_of(word.begin(), word.end(), [](unsigned char letter) {
           return std::islower(letter) != 0;
         });
}

// Words that are names elsewhere: the language, its library, other programs.
bool is_foreign(const std::string& word) {
  if (is_placeholder(word)) return true;
  static const std::set<std::string> foreign = {
      "std",       "int",   "double", "float",      "bool",          "char",   "void",
      "const",     "auto",  "true",   "new",        "false",         "delete", "git",
      "pandoc",    "ctest", "next",   "step",       "print",         "until",  "sh",
      "diff",      "cpp",   "from",   "text",       "break",         "out",    "build",
      "redirects", "tee",   "device", "local_rank", "AttributeError"};
  return foreign.contains(word);
}

// Names that a piece of code in backticks claims to exist.
std::vector<std::string> claimed_names(const std::string& code) {
  static const std::regex word(R"([A-Za-z_]\w*)");
  static const std::regex call(R"(([A-Za-z_]\w*)\s*\()");
  const bool is_name = is_identifier_path(code);
  const std::regex& pattern = is_name ? word : call;
  std::vector<std::string> names;
  for (std::sregex_iterator it(code.begin(), code.end(), pattern), end; it != end; ++it) {
    names.push_back(is_name ? it->str() : (*it)[1].str());
  }
  return names;
}

bool has_file_named(const Tree& tree, const std::string& name) {
  return std::any_of(tree.files.begin(), tree.files.end(),
                     [&](const std::string& path) { return path.ends_with("/" + name); });
}

bool looks_like_path(const std::string& code) {
  static const std::regex path(R"([\w.][\w.+-]*(/[\w.+*-]+)+/?)");
  static const std::regex file(R"(\w[\w-]*\.(h|cpp|md|txt|py|svg|json|cmake|js))");
  return std::regex_match(code, path) || std::regex_match(code, file);
}

// build/PRESET/examples/NAME, build/PRESET/tests/NAME: made by the build, from programs we know.
bool is_built_program(const std::string& path, const Tree& tree) {
  static const std::regex program(R"(build/[\w-]+/(examples|tests|tests/benchmark)/(\w+))");
  std::smatch match;
  if (!std::regex_match(path, match, program)) return false;
  return tree.programs.contains(match[2].str()) || tree.names.contains(match[2].str());
}

bool path_exists(std::string path, const Tree& tree) {
  while (path.ends_with("/")) path.pop_back();
  if (path.find('*') != std::string::npos || path.starts_with("out/")) return true;
  if (path.starts_with("build/")) {
    return is_built_program(path, tree) || path.find("/examples/") == std::string::npos;
  }
  return tree.has(path) || has_file_named(tree, path);
}

std::string option_name(const std::string& option) {
  std::string name = option.substr(2, option.find_first_of(" =") - 2);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<std::string> words_of(const std::string& command) {
  static const std::regex word(R"(\S+)");
  std::vector<std::string> words;
  for (std::sregex_iterator it(command.begin(), command.end(), word), end; it != end; ++it) {
    const std::string text = it->str();
    if (text == "#" || text.starts_with("#")) break;
    words.push_back(text);
  }
  return words;
}

Findings faults_of_command(const std::string& command, int line, const Tree& tree) {
  Findings findings;
  bool is_ours = false;
  for (const std::string& word : words_of(command)) {
    if (word == "&&" || word == "|") is_ours = false;
    const bool is_program = word.starts_with("build/") && word.find("/examples/") != word.npos;
    is_ours = is_ours || is_program;
    if (is_program && !is_built_program(word, tree)) {
      findings.push_back({line, "no program " + word});
    }
    if (is_ours && word.starts_with("--") && !tree.names.contains(option_name(word))) {
      findings.push_back({line, "no program knows the option " + word});
    }
  }
  return findings;
}

}  // namespace

Findings paths_exist(const Page& page, const Tree& tree) {
  Findings findings;
  for (const Piece& piece : page.code) {
    if (looks_like_path(piece.text) && !path_exists(piece.text, tree)) {
      findings.push_back({piece.line, "no file or folder " + piece.text});
    }
  }
  return findings;
}

Findings symbols_exist(const Page& page, const Tree& tree) {
  Findings findings;
  for (const Piece& piece : page.code) {
    if (looks_like_path(piece.text)) continue;
    if (piece.text.starts_with("--")) {
      if (!tree.names.contains(option_name(piece.text))) {
        findings.push_back({piece.line, "no program knows the option " + piece.text});
      }
      continue;
    }
    if (tree.programs.contains(piece.text)) continue;
    for (const std::string& name : claimed_names(piece.text)) {
      if (tree.names.contains(name) || is_foreign(name)) continue;
      findings.push_back({piece.line, "the code has no name " + name});
    }
  }
  return findings;
}

Findings links_resolve(const Page& page, const Tree& tree) {
  namespace fs = std::filesystem;
  Findings findings;
  for (const Piece& link : page.links) {
    if (link.text.find("://") != std::string::npos) continue;
    const std::size_t hash = link.text.find('#');
    const std::string target = link.text.substr(0, hash);
    const fs::path beside = fs::path(page.path).parent_path() / target;
    const std::string path =
        target.empty() ? page.path : beside.lexically_normal().generic_string();
    if (!tree.has(path) && !tree.has(path.substr(0, path.size() - 1))) {
      findings.push_back({link.line, "no file " + path});
      continue;
    }
    if (hash == std::string::npos) continue;
    const Page there =
        target.empty() ? page : parse_page(path, read_text(VITRO_SOURCE_DIR "/" + path));
    const std::string anchor = link.text.substr(hash + 1);
    if (std::none_of(there.headings.begin(), there.headings.end(),
                     [&](const Piece& heading) { return anchor_of(heading.text) == anchor; })) {
      findings.push_back({link.line, path + " has no heading for #" + anchor});
    }
  }
  return findings;
}

Findings commands_exist(const Page& page, const Tree& tree) {
  Findings findings;
  for (const Fence& fence : page.fences) {
    if (fence.language != "sh") continue;
    int line = fence.line;
    for (const std::string& command : split_lines(fence.text)) {
      const Findings faults = faults_of_command(command, ++line, tree);
      findings.insert(findings.end(), faults.begin(), faults.end());
    }
  }
  return findings;
}

}  // namespace vitro::docs
