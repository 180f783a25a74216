// Says what the start-up check says.
#include <cstdio>
#include <exception>

#include "tensor/float_check.h"

int main() {
  try {
    vitro::check_floats();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::puts("arithmetic is fine");
  return 0;
}
