// Makes one tensor. Linked with -ffast-math, which flushes tiny numbers to zero from the start of
// the program on, even that must be refused.
#include <cstdio>
#include <exception>

#include "tensor/create.h"

int main() {
  try {
    std::printf("a tensor of rank %d was made\n", static_cast<int>(vitro::zeros({2, 3}).rank()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
