#include "tests/support/menu.h"

#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

namespace vitro::testing_support {
namespace {

// "const Operand& x" → "x", "Gelu kind = Gelu::kTanh" → "kind".
std::string parameter_name(const std::string& text) {
  const std::string declared = text.substr(0, text.find('='));
  std::smatch match;
  return std::regex_search(declared, match, std::regex(R"((\w+)\s*$)")) ? match[1].str() : "";
}

// The parameters' names: commas inside <…>, {…} and (…) do not part them.
std::string parameter_names(const std::string& list) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char letter : list) {
    depth += std::string("<{(").find(letter) != std::string::npos ? 1 : 0;
    depth -= std::string(">})").find(letter) != std::string::npos ? 1 : 0;
    if (letter == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  std::string names;
  for (const std::string& part : parts) {
    names += (names.empty() ? "" : ", ") + parameter_name(part);
  }
  return names;
}

}  // namespace

std::string menu() {
  std::ifstream file(VITRO_SOURCE_DIR "/autograd/ops.h");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> declared_functions(const std::string& header) {
  const std::string code = std::regex_replace(header, std::regex("//[^\n]*"), "");
  const std::regex function(R"([\w:<>]+\s+(operator[^\s\w(]+|\w+)\s*\(([^;]*)\)\s*;)");
  std::set<std::string> functions;
  for (std::sregex_iterator it(code.begin(), code.end(), function), end; it != end; ++it) {
    functions.insert((*it)[1].str() + "(" + parameter_names((*it)[2].str()) + ")");
  }
  return functions;
}

}  // namespace vitro::testing_support
