// Never meant to run: compiled for one scalar and linked with the library of the other, it must not
// link, because every core type lives in a namespace named after its scalar.
#include "tensor/float_check.h"

int main() {
  vitro::check_floats();
  return 0;
}
