#include <cstdio>

#include "tensor/float_check.h"

int main() {
  vitro::check_floats();
  std::printf("Scalar has %zu bytes\n", sizeof(vitro::Scalar));
  return 0;
}
