#include "nn/init.h"

#include <cmath>

#include "tensor/create.h"

namespace vitro::nn {
namespace {

constexpr Index kLargestSize = Index{1} << 48;  // so that 3 or 4 times a size is no overflow

}  // namespace

Tensor uniform_by_inputs(Index in, Index out, Rng& rng, const char* layer) {
  check_size(in, layer, "in");
  check_size(out, layer, "out");
  const Scalar bound = 1 / std::sqrt(static_cast<Scalar>(in));
  return uniform({in, out}, -bound, bound, rng);
}

void check_size(Index size, const char* layer, const char* name) {
  if (size >= 1 && size <= kLargestSize) return;
  throw_invalid({layer, ": ", name, " is ", size, "; it must be 1 or more",
                 size < 1 ? "" : ", and at most 2^48"});
}

}  // namespace vitro::nn
