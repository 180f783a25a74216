// Runs every recorded case of a folder.
#pragma once

#include <string>

namespace vitro::conformance {

/// FOLDER/OP__NNN.safetensors are single operations, sub-folders with expected.safetensors are
/// whole models. Prints a line for each tensor that differs; an operation that is not known is a
/// failure. Last line: "N passed, N failed". Returns the exit status: 0 only where there are cases
/// and all pass, else 1. Throws std::filesystem::filesystem_error where the folder cannot be read.
int run_folder(const std::string& folder);

}  // namespace vitro::conformance
