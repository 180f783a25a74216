// What every example's main does around its own work.
#pragma once

#include <functional>

namespace vitro::examples {

/// Runs `body` and returns its exit code. An exception becomes one line on stderr,
/// "program: what is wrong", and exit code 2 for a UsageError, 1 for any other. So does a stdout
/// that does not take what was printed.
int run_main(const char* program, const std::function<int()>& body);

}  // namespace vitro::examples
