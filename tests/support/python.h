// Python for tests: found where it is installed, and run.
#pragma once

#include <cstdlib>
#include <string>

namespace vitro::testing_support {

/// A Python that has the module ($VITRO_PYTHON, or the system's), or "" where there is none.
inline std::string find_python(const std::string& module) {
  const char* const chosen = std::getenv("VITRO_PYTHON");
  for (const std::string python :
       {chosen == nullptr ? "" : chosen, "/usr/bin/python3", "python3"}) {
    const std::string test = "'" + python + "' -c 'import " + module + "' >/dev/null 2>&1";
    if (!python.empty() && std::system(test.c_str()) == 0) return python;
  }
  return "";
}

}  // namespace vitro::testing_support
