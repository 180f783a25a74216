#include "tests/docs/page.h"

#include <cctype>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <regex>

namespace vitro::docs {

namespace {

const std::string kFence = "```";

Fence opened_fence(const std::string& line, int number) {
  const std::string rest = line.substr(kFence.size());
  const std::size_t space = rest.find(' ');
  Fence fence{number, 0, rest.substr(0, space), "", ""};
  if (space != std::string::npos) fence.info = rest.substr(space + 1);
  return fence;
}

// Takes what stands in backticks out of a line of prose.
std::string take_code(const std::string& line, int number, std::vector<Piece>& code) {
  std::string rest;
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t open = line.find('`', at);
    const std::size_t close = open == std::string::npos ? open : line.find('`', open + 1);
    if (close == std::string::npos) break;
    code.push_back({number, line.substr(open + 1, close - open - 1)});
    rest += line.substr(at, open - at) + " ";
    at = close + 1;
  }
  return rest + (at < line.size() ? line.substr(at) : "");
}

void find_links(const std::string& prose, int number, std::vector<Piece>& links) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  for (std::sregex_iterator it(prose.begin(), prose.end(), link), end; it != end; ++it) {
    links.push_back({number, (*it)[1].str()});
  }
}

void add_prose(Page& page, const std::string& line, int number) {
  page.prose.push_back(take_code(line, number, page.code));
  find_links(page.prose.back(), number, page.links);
  const std::size_t text = line.find_first_not_of('#');
  if (line.starts_with("#") && text != std::string::npos && line[text] == ' ') {
    page.headings.push_back({number, line.substr(text + 1)});
  }
}

}  // namespace

std::string Fence::option(const std::string& key) const {
  const std::regex pattern("(^|\\s)" + key + "=(\"([^\"]*)\"|(\\S+))");
  std::smatch match;
  if (!std::regex_search(info, match, pattern)) return "";
  return match[3].matched ? match[3].str() : match[4].str();
}

Page parse_page(const std::string& path, const std::string& text) {
  Page page{path, split_lines(text), {}, {}, {}, {}, {}, {}};
  bool inside = false;
  for (std::size_t i = 0; i < page.lines.size(); ++i) {
    const std::string& line = page.lines[i];
    const int number = static_cast<int>(i) + 1;
    const bool is_fence = line.starts_with(kFence);
    if (inside && !is_fence) {
      page.fences.back().text += line + "\n";
      page.fences.back().line_count += 1;
    } else if (is_fence) {
      if (!inside) page.fences.push_back(opened_fence(line, number));
      inside = !inside;
    }
    if (inside || is_fence) {
      page.prose.emplace_back();
    } else {
      add_prose(page, line, number);
    }
  }
  if (inside) page.malformed.push_back({page.fences.back().line, "this fence never ends"});
  return page;
}

std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char letter : heading) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= 0x80 || std::isalnum(byte) != 0 || letter == '_' || letter == '-') {
      anchor += static_cast<char>(std::tolower(byte));
    } else if (letter == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return lines;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace vitro::docs
