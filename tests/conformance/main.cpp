// Runs every recorded case of a folder through Vitro's public functions.
//
//     conformance DIR
//
// Exit status 0 only where there are cases and all pass, 2 for a wrong call.
#include <cstdio>
#include <exception>

#include "tests/conformance/run.h"

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: conformance DIR\n");
    return 2;
  }
  try {
    return vitro::conformance::run_folder(arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conformance: %s\n", error.what());
    return 1;
  }
}
