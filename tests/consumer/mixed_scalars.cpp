// Never meant to run: compiled for one scalar and linked with the library of the other, it must not
// link, because every core type lives in a namespace named after its scalar.
#include "tensor/create.h"

int main() { return static_cast<int>(vitro::zeros({2, 3}).rank()); }
