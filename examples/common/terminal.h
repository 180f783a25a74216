// When to use colour: a terminal that understands it, and a person who wants it.
#pragma once

#include <string>

#include "tensor/pictures/heatmap.h"
#include "tensor/system.h"

#include "examples/common/command_line.h"

namespace vitro::examples {

/// What decides about colour, apart from --color.
struct TerminalState {
  bool is_terminal = false;
  std::string no_color = {};    ///< the environment's NO_COLOR: anything but "" forbids colour
  std::string term = {};        ///< TERM: "dumb" knows no colour
  std::string color_term = {};  ///< COLORTERM: "truecolor" or "24bit" knows any
};

TerminalState terminal_state(OutputStream stream);

/// `mode` is auto, always or never, the user's last word.
TerminalColor choose_color(const std::string& mode, const TerminalState& state);

/// Adds --color to a program's options.
void add_color_option(CommandLine& command_line, std::string& mode);

}  // namespace vitro::examples
