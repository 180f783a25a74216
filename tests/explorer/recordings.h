// Recordings that several tests look at.
#pragma once

#include <string>

#include "autograd/trace.h"

namespace vitro::test {

/// Every operation of autograd/ops.h once, forward and backward, on small numbers; constants that
/// are used twice; a NaN; a masked row.
std::string every_operation_page();

/// A GPT's training step: 16 tokens, 48 channels, 4 heads, 2 layers.
std::string gpt_page();

/// Tokens and names from the worst of places.
std::string hostile_page();

/// What a command prints, and its exit code.
struct CommandResult {
  int exit_code;
  std::string output;
};

CommandResult run_command(const std::string& command);

}  // namespace vitro::test
