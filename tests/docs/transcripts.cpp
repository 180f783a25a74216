#include "tests/docs/transcripts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <regex>
#include <stdexcept>

#include "tests/docs/page.h"
#include "tests/examples/run_program.h"

namespace vitro::docs {

namespace {

// A text as pieces: words and numbers, with the spaces between them normalized away, since columns
// move when a number gains a digit.
std::vector<std::string> pieces_of(const std::string& line) {
  static const std::regex piece(R"([-+]?\d+(\.\d+)?(e[-+]?\d+)?|[^\s\d]+)");
  std::vector<std::string> pieces;
  for (std::sregex_iterator it(line.begin(), line.end(), piece), end; it != end; ++it) {
    pieces.push_back(it->str());
  }
  return pieces;
}

bool is_inexact(const std::string& piece) {
  static const std::regex number(R"([-+]?\d+(\.\d+(e[-+]?\d+)?|e[-+]?\d+))");
  return std::regex_match(piece, number);
}

bool same(const std::string& before, const std::string& now, double tolerance) {
  if (before == now) return true;
  static const std::regex number(R"([-+]?\d.*)");
  if (!std::regex_match(before, number) || !std::regex_match(now, number)) return false;
  if (!is_inexact(before) && !is_inexact(now)) return false;
  const double a = std::stod(before);
  const double b = std::stod(now);
  return std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(a));
}

bool same_line(const std::string& before, const std::string& now, double tolerance) {
  const std::vector<std::string> a = pieces_of(before);
  const std::vector<std::string> b = pieces_of(now);
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [&](const std::string& x, const std::string& y) { return same(x, y, tolerance); });
}

std::string without_root(std::string text) {
  const std::string root = VITRO_SOURCE_DIR "/";
  for (std::size_t at = text.find(root); at != std::string::npos; at = text.find(root, at)) {
    text.erase(at, root.size());
  }
  return text;
}

}  // namespace

bool is_rerun(const std::string& path) {
  const std::string folder = "examples/expected/";
  return path.starts_with(folder) && !path.starts_with(folder + "broken/");
}

std::optional<Transcript> parse_transcript(const std::string& text) {
  std::smatch match;
  const std::size_t end = text.find('\n');
  const std::string first = text.substr(0, end);
  if (!std::regex_match(first, match, std::regex(R"(\$ (\w+)( (.*))?)"))) return std::nullopt;
  return Transcript{match[1].str(), match[3].str(),
                    end == std::string::npos ? "" : text.substr(end + 1)};
}

std::string transcript_text(const Transcript& transcript) {
  const std::string space = transcript.arguments.empty() ? "" : " ";
  return "$ " + transcript.program + space + transcript.arguments + "\n" + transcript.output;
}

Transcript rerun(const Transcript& transcript) {
  const examples::TemporaryFolder folder;
  const examples::ProgramRun run =
      examples::run_program(transcript.program, transcript.arguments, folder.path());
  if (run.exit_code != 0) {
    throw std::runtime_error(transcript.program + " " + transcript.arguments + " ended with " +
                             std::to_string(run.exit_code) + ": " + run.error);
  }
  return {transcript.program, transcript.arguments, without_root(run.out)};
}

std::optional<std::string> difference(const std::string& before, const std::string& now,
                                      double tolerance) {
  const std::vector<std::string> a = split_lines(before);
  const std::vector<std::string> b = split_lines(now);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (same_line(a[i], b[i], tolerance)) continue;
    return "line " + std::to_string(i + 2) + " was\n  " + a[i] + "\nand is now\n  " + b[i];
  }
  if (a.size() == b.size()) return std::nullopt;
  return "there were " + std::to_string(a.size()) + " lines, now " + std::to_string(b.size());
}

}  // namespace vitro::docs
