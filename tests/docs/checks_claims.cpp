#include <algorithm>
#include <cstddef>
#include <regex>

#include "tests/docs/checks.h"

namespace vitro::docs {

namespace {

const std::vector<std::string>& chapter_parts() {
  static const std::vector<std::string> parts = {
      "The idea", "The mathematics", "The code",  "Run it",          "Step through it",
      "Break it", "Exercises",       "Questions", "Where to go next"};
  return parts;
}

bool is_chapter(const Page& page) {
  static const std::regex chapter(R"(docs/book/\d\d_\w+\.md)");
  return std::regex_match(page.path, chapter);
}

bool holds_timing(const std::string& text) {
  static const std::regex timing(
      R"(\d[\d.,]*\s?(ms|ns|us|µs|s|sec|seconds?|minutes?|min|hours?|GFLOP/s|GFLOPS|GB/s|tokens/s|tokens a second|times faster|times slower|times as fast)(?![\w-]))");
  return std::regex_search(text, timing);
}

bool quotes_record(const Fence& fence) {
  return fence.option("from").starts_with("docs/performance/") ||
         fence.option("from").starts_with("examples/expected/");
}

// The pages of docs/performance/ are themselves the record, where they say what was measured on.
bool is_record_page(const Page& page) {
  if (!page.path.starts_with("docs/performance/")) return false;
  const std::string record = read_text(VITRO_SOURCE_DIR "/docs/performance/README.md");
  const auto names = [&](const char* word) { return record.find(word) != std::string::npos; };
  return names("machine") && names("compiler") && names("flags");
}

// What is wrong inside one formula, "" where nothing is.
std::string fault_of_formula(const std::string& formula) {
  int depth = 0;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    if (formula[i] == '\\') {
      ++i;  // \{ is no brace
    } else if (formula[i] == '{' || formula[i] == '}') {
      depth += formula[i] == '{' ? 1 : -1;
      if (depth < 0) return "a } without its {";
    }
  }
  if (depth != 0) return "a { without its }";
  const auto count = [&](const char* pattern) {
    const std::regex regex(pattern);
    return std::distance(std::sregex_iterator(formula.begin(), formula.end(), regex), {});
  };
  if (count(R"(\\left\b)") != count(R"(\\right\b)")) return "\\left and \\right differ in number";
  if (count(R"(\\begin\{)") != count(R"(\\end\{)")) return "\\begin and \\end differ in number";
  return "";
}

// Formulas between $$ … $$ and $ … $ of a paragraph, and whether a $ stays alone.
Findings faults_of_paragraph(const std::string& text, int line) {
  Findings findings;
  std::size_t at = 0;
  while ((at = text.find('$', at)) != std::string::npos) {
    const std::string mark = text.compare(at, 2, "$$") == 0 ? "$$" : "$";
    const std::size_t close = text.find(mark, at + mark.size());
    if (close == std::string::npos) {
      findings.push_back({line, "a " + mark + " without its partner"});
      return findings;
    }
    const std::string formula = text.substr(at + mark.size(), close - at - mark.size());
    const std::string fault = fault_of_formula(formula);
    if (!fault.empty()) findings.push_back({line, fault + " in " + formula});
    if (mark == "$" && (formula.starts_with(" ") || formula.ends_with(" "))) {
      findings.push_back({line, "a space at the edge of $" + formula + "$: it is not read as one"});
    }
    at = close + mark.size();
  }
  return findings;
}

// Names that map.md has to mention: operations of the menu, classes of nn/, public headers.
std::set<std::string> names_for_map(const Tree& tree) {
  std::set<std::string> names;
  static const std::regex operation(R"(\nVariable (\w+)\()");
  static const std::regex module(
      R"(\nclass (\w+) (final )?: public (Module|Layer|Positions|Optimizer|Adam)\b)");
  const auto collect = [&](const std::string& text, const std::regex& pattern) {
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
      names.insert((*it)[1].str());
    }
  };
  for (const auto& [path, text] : tree.sources) {
    if (path == "autograd/ops.h") collect(text, operation);
    if (path.starts_with("nn/") && path.ends_with(".h")) collect(text, module);
  }
  names.erase("operator");
  return names;
}

// Whether the map names a file itself or the room in which it lies.
bool map_has_file(const std::set<std::string>& named, const std::string& path) {
  if (named.contains(path)) return true;
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    const std::string room = path.substr(0, slash + 1);
    if (std::count(room.begin(), room.end(), '/') > 1 && named.contains(room)) return true;
  }
  return false;
}

bool belongs_on_map(const std::string& path) {
  const bool is_library =
      path.starts_with("tensor/") || path.starts_with("autograd/") || path.starts_with("nn/");
  if (is_library && path.ends_with(".h")) return true;
  static const std::regex program(R"(examples/\d\d_\w+\.cpp)");
  return std::regex_match(path, program);
}

}  // namespace

int word_count(const Page& page) {
  static const std::regex word(R"(\S*[A-Za-z0-9]\S*)");
  std::ptrdiff_t count = 0;
  for (const std::string& line : page.prose) {
    count += std::distance(std::sregex_iterator(line.begin(), line.end(), word), {});
  }
  return static_cast<int>(count);
}

Findings timings_are_recorded(const Page& page, const Tree&) {
  if (is_record_page(page)) return {};
  Findings findings;
  const std::string advice = ": quote it from a benchmark's record";
  for (std::size_t i = 0; i < page.prose.size(); ++i) {
    if (holds_timing(page.prose[i])) {
      findings.push_back({static_cast<int>(i) + 1, "a time or speed" + advice});
    }
  }
  for (const Fence& fence : page.fences) {
    const bool may_hold = quotes_record(fence) || fence.language == "sh" || fence.language == "cpp";
    if (!may_hold && holds_timing(fence.text)) {
      findings.push_back({fence.line, "a time or speed" + advice});
    }
  }
  return findings;
}

Findings formulas_are_balanced(const Page& page, const Tree&) {
  Findings findings;
  std::string paragraph;
  int begin = 1;
  for (std::size_t i = 0; i <= page.prose.size(); ++i) {
    const bool ends = i == page.prose.size() || page.prose[i].empty();
    if (!ends) {
      if (paragraph.empty()) begin = static_cast<int>(i) + 1;
      paragraph += page.prose[i] + "\n";
      continue;
    }
    const Findings faults = faults_of_paragraph(paragraph, begin);
    findings.insert(findings.end(), faults.begin(), faults.end());
    paragraph.clear();
  }
  return findings;
}

Findings chapters_are_whole(const Page& page, const Tree&) {
  if (!is_chapter(page)) return {};
  Findings findings;
  auto at = page.headings.begin();
  for (const std::string& part : chapter_parts()) {
    const auto found = std::find_if(at, page.headings.end(),
                                    [&](const Piece& heading) { return heading.text == part; });
    if (found == page.headings.end()) {
      findings.push_back({1, "no part \"" + part + "\" at its place"});
    } else {
      at = found;
    }
  }
  const int words = word_count(page);
  if (words < 800 || words > 1800) {
    findings.push_back({1, std::to_string(words) + " words; a chapter has 800 to 1,800"});
  }
  return findings;
}

Findings map_is_complete(const Page& page, const Tree& tree) {
  if (page.path != "docs/map.md") return {};
  std::set<std::string> named;
  for (const Piece& piece : page.code) named.insert(piece.text);
  Findings findings;
  for (const std::string& name : names_for_map(tree)) {
    if (!named.contains(name)) findings.push_back({1, "the map does not name " + name});
  }
  for (const std::string& path : tree.files) {
    if (belongs_on_map(path) && !map_has_file(named, path)) {
      findings.push_back({1, "the map does not name " + path});
    }
  }
  for (const std::string& folder : tree.folders) {
    const bool is_test_room =
        folder.starts_with("tests/") && std::count(folder.begin(), folder.end(), '/') == 1;
    const bool mirrors = folder == "tests/tensor" || folder == "tests/autograd" ||
                         folder == "tests/nn" || folder == "tests/examples";
    if (is_test_room && !mirrors && !named.contains(folder + "/")) {
      findings.push_back({1, "the map does not name " + folder + "/"});
    }
  }
  return findings;
}

const std::vector<NamedCheck>& all_checks() {
  static const std::vector<NamedCheck> checks = {
      {"quotes_are_true", quotes_are_true},
      {"paths_exist", paths_exist},
      {"symbols_exist", symbols_exist},
      {"links_resolve", links_resolve},
      {"commands_exist", commands_exist},
      {"timings_are_recorded", timings_are_recorded},
      {"formulas_are_balanced", formulas_are_balanced},
      {"chapters_are_whole", chapters_are_whole},
      {"map_is_complete", map_is_complete},
  };
  return checks;
}

}  // namespace vitro::docs
