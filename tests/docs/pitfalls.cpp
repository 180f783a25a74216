#include "tests/docs/pitfalls.h"

#include <algorithm>
#include <map>
#include <regex>

namespace vitro::docs {

namespace {

// One row of the table.
struct Row {
  int line;
  std::set<std::string> tests;
};

std::map<std::string, Row> rows_of(const Page& page, Findings& findings) {
  static const std::regex start(R"(\| BL-(\d\d) \|)");
  std::map<std::string, Row> rows;
  for (std::size_t i = 0; i < page.lines.size(); ++i) {
    std::smatch match;
    if (!std::regex_search(page.lines[i], match, start, std::regex_constants::match_continuous)) {
      continue;
    }
    const int line = static_cast<int>(i) + 1;
    if (!rows.try_emplace(match[1].str(), Row{line, {}}).second) {
      findings.push_back({line, "BL-" + match[1].str() + " has another row"});
    }
  }
  for (auto& [id, row] : rows) {
    static const std::regex test(R"(\w+\.\w+)");
    for (const Piece& piece : page.code) {
      if (piece.line == row.line && std::regex_match(piece.text, test))
        row.tests.insert(piece.text);
    }
  }
  return rows;
}

// "19" where a test is named after BL-19; "" where it is named after none.
std::string id_of(const std::string& test) {
  const std::size_t at = test.find(".BL");
  return at == std::string::npos ? "" : test.substr(at + 3, 2);
}

bool has_the_form(const std::string& test) {
  static const std::regex form(R"(\w+\.BL\d\d_[A-Za-z]\w*)");
  return std::regex_match(test, form);
}

void check_row(const std::string& id, const Row& row, const std::set<std::string>& tests,
               Findings& findings) {
  const auto is_own = [&id](const std::string& test) { return id_of(test) == id; };
  if (std::none_of(row.tests.begin(), row.tests.end(), is_own)) {
    findings.push_back({row.line, "no test is named after BL-" + id});
  }
  for (const std::string& test : row.tests) {
    if (!tests.contains(test)) {
      findings.push_back({row.line, "there is no test " + test});
    } else if (!is_own(test)) {
      findings.push_back({row.line, test + " is not named after BL-" + id});
    }
  }
}

}  // namespace

const std::vector<std::string>& pitfall_ids() {
  static const std::vector<std::string> ids{
      "01", "03", "04", "06", "07", "08", "09", "10", "12", "13", "15", "16", "17", "18",
      "19", "21", "22", "23", "24", "25", "26", "27", "28", "30", "31", "33", "34", "36",
      "37", "39", "40", "42", "43", "45", "46", "48", "49", "51", "52", "54", "55", "57",
      "58", "60", "61", "62", "63", "64", "66", "67", "69", "70", "72", "73", "75", "76",
      "78", "79", "80", "81", "82", "84", "85", "87", "88", "90", "91", "93"};
  return ids;
}

std::set<std::string> tests_of_source(const std::string& text) {
  static const std::regex test(R"((?:^|\n)TEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), test), end; it != end; ++it) {
    names.insert((*it)[1].str() + "." + (*it)[2].str());
  }
  return names;
}

std::set<std::string> tests_of_build_flags(const std::string& text) {
  static const std::regex test(R"((?:NAME build_flags\.|vitro_flag_test\()(BL\w+))");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), test), end; it != end; ++it) {
    names.insert("build_flags." + (*it)[1].str());
  }
  return names;
}

Findings pitfall_faults(const Page& page, const std::set<std::string>& tests,
                        const std::vector<std::string>& ids) {
  Findings findings;
  const std::map<std::string, Row> rows = rows_of(page, findings);
  for (const std::string& id : ids) {
    if (!rows.contains(id)) findings.push_back({0, "BL-" + id + " has no row"});
  }
  for (const auto& [id, row] : rows) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
      findings.push_back({row.line, "BL-" + id + " is no known pitfall"});
    }
    check_row(id, row, tests, findings);
  }
  for (const std::string& test : tests) {
    if (id_of(test).empty()) continue;
    const auto row = rows.find(id_of(test));
    if (!has_the_form(test)) findings.push_back({0, test + " must have the form BL01_Words"});
    if (row == rows.end() || !row->second.tests.contains(test)) {
      findings.push_back({0, test + " is in no row of its id"});
    }
  }
  return findings;
}

}  // namespace vitro::docs
