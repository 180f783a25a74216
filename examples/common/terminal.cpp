#include "examples/common/terminal.h"

#include <cstdlib>

namespace vitro::examples {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

TerminalState terminal_state(OutputStream stream) {
  return {is_terminal(stream), environment("NO_COLOR"), environment("TERM"),
          environment("COLORTERM")};
}

TerminalColor choose_color(const std::string& mode, const TerminalState& state) {
  if (mode == "never") return TerminalColor::kNone;
  const bool welcome = state.is_terminal && state.no_color.empty() && state.term != "dumb";
  if (mode != "always" && !welcome) return TerminalColor::kNone;
  const bool any = state.color_term == "truecolor" || state.color_term == "24bit";
  return any ? TerminalColor::kTruecolor : TerminalColor::k256;
}

void add_color_option(CommandLine& command_line, std::string& mode) {
  command_line.choice("color", mode, {"auto", "always", "never"},
                      "colours in the terminal; auto heeds NO_COLOR");
}

}  // namespace vitro::examples
