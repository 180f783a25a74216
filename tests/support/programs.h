// Other programs that a test drives where they are installed.
#pragma once

#include <cstdlib>
#include <string>

namespace vitro::testing_support {

/// Whether the shell finds a program of this name.
inline bool is_installed(const std::string& program) {
  return std::system(("command -v '" + program + "' >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace vitro::testing_support
