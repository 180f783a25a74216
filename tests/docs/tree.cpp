#include "tests/docs/tree.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <regex>

#include "tests/docs/page.h"
#include "tests/structure/tokens.h"

namespace vitro::docs {

namespace {

namespace fs = std::filesystem;

bool is_skipped(const std::string& path) {
  return path.starts_with("build") || path.starts_with(".") || path.starts_with("out") ||
         path.find("__pycache__") != std::string::npos;
}

void add_words(const std::string& text, std::set<std::string>& names) {
  static const std::regex word(R"([A-Za-z_]\w*)");
  for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) {
    names.insert(it->str());
  }
}

// "n_layer" and "--all": how programs spell their options, layers their parameters.
void add_quoted_name(const std::string& literal, std::set<std::string>& names) {
  static const std::regex name(R"x("(?:--)?([A-Za-z_]\w*)")x");
  std::smatch match;
  if (std::regex_match(literal, match, name)) names.insert(match[1].str());
}

void add_file(Tree& tree, const std::string& root, const std::string& path) {
  tree.files.insert(path);
  const fs::path file(path);
  const std::string extension = file.extension().string();
  if (extension == ".h" || extension == ".cpp") {
    const std::string text = read_text(root + "/" + path);
    tree.sources[path] = text;
    for (const structure::Token& token : structure::tokenize(text)) {
      if (token.kind == structure::TokenKind::kIdentifier) tree.names.insert(token.text);
      if (token.kind == structure::TokenKind::kText) add_quoted_name(token.text, tree.names);
    }
  } else if (file.filename() == "CMakeLists.txt" || file.filename() == "CMakePresets.json" ||
             extension == ".py" || extension == ".cmake" || extension == ".sh" ||
             extension.empty()) {
    add_words(read_text(root + "/" + path), tree.names);
  } else if (path.starts_with("examples/expected/") || path.starts_with("docs/performance/")) {
    tree.outputs[path] = read_text(root + "/" + path);
  }
  const std::string folder = file.parent_path().generic_string();
  const bool is_program_folder = folder == "examples" || folder == "examples/lessons";
  if (is_program_folder && extension == ".cpp") tree.programs.insert(file.stem().string());
}

bool is_definition_start(const std::string& line) {
  if (line.empty() || std::isspace(static_cast<unsigned char>(line[0])) != 0) return false;
  return !line.starts_with("//") && !line.starts_with("#") && !line.starts_with("}") &&
         !line.starts_with("namespace") && !line.starts_with("using");
}

// The line on which the definition that starts at `first` opens its body; nothing where it is only
// declared.
std::optional<std::size_t> body_line(const std::vector<std::string>& lines, std::size_t first) {
  for (std::size_t i = first; i < lines.size() && i < first + 12; ++i) {
    if (lines[i].ends_with("{") || lines[i].ends_with("}") || lines[i].ends_with("};")) return i;
    if (lines[i].ends_with(";")) return std::nullopt;
  }
  return std::nullopt;
}

std::size_t last_line(const std::vector<std::string>& lines, std::size_t body) {
  if (!lines[body].ends_with("{")) return body;
  for (std::size_t i = body + 1; i < lines.size(); ++i) {
    if (lines[i].starts_with("}")) return i;
  }
  return lines.size() - 1;
}

// Whether the head of a definition, its lines joined, defines `name`.
bool defines(const std::string& head, const std::string& name) {
  static const std::regex special(R"([.^$|()\[\]{}*+?\\])");
  const std::string escaped = std::regex_replace(name, special, R"(\$&)");
  const std::regex function("(^|[\\s*&])" + escaped + "\\s*\\(");
  const std::regex type("^(class|struct|enum class)\\s+" + escaped + "\\b");
  const std::regex value("[\\s*&]" + escaped + "(\\s*=|\\s*\\{|\\[)");
  const std::string before_body = head.substr(0, head.find('{'));
  return std::regex_search(before_body, function) || std::regex_search(head, type) ||
         std::regex_search(head, value);
}

}  // namespace

Tree read_tree(const std::string& root) {
  Tree tree;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::end(it); ++it) {
    const std::string path = it->path().lexically_relative(root).generic_string();
    if (is_skipped(path)) {
      if (it->is_directory()) it.disable_recursion_pending();
    } else if (it->is_directory()) {
      tree.folders.insert(path);
    } else {
      add_file(tree, root, path);
    }
  }
  return tree;
}

std::vector<std::string> page_paths(const Tree& tree) {
  std::vector<std::string> pages;
  const auto is_page = [](const std::string& path) { return path.ends_with(".md"); };
  std::copy_if(tree.files.begin(), tree.files.end(), std::back_inserter(pages), is_page);
  return pages;
}

std::optional<std::string> find_definition(const std::string& source, const std::string& name) {
  std::smatch match;
  std::string plain = name;
  int wanted = 1;
  if (std::regex_match(name, match, std::regex(R"((.*)\((\d+)\))"))) {
    plain = match[1].str();
    wanted = std::stoi(match[2].str());
  }
  const std::vector<std::string> lines = split_lines(source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_definition_start(lines[i])) continue;
    const std::optional<std::size_t> body = body_line(lines, i);
    if (!body) continue;
    std::string head;
    for (std::size_t j = i; j <= *body; ++j) head += lines[j] + " ";
    const std::size_t last = last_line(lines, *body);
    if (defines(head, plain) && --wanted == 0) {
      std::size_t first = i;
      while (first > 0 && lines[first - 1].starts_with("//")) --first;
      return joined_lines({lines.begin() + static_cast<std::ptrdiff_t>(first),
                           lines.begin() + static_cast<std::ptrdiff_t>(last) + 1});
    }
    i = last;
  }
  return std::nullopt;
}

}  // namespace vitro::docs
