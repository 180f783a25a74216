#include "nn/init.h"

#include <cmath>

#include "tensor/create.h"

namespace vitro::nn {
namespace {

constexpr Scalar kStddev = Scalar(0.02);

}  // namespace

Tensor uniform_by_inputs(Index in, Index out, Rng& rng, const char* layer) {
  check_size(in, layer, "in");
  check_size(out, layer, "out");
  const Scalar bound = 1 / std::sqrt(static_cast<Scalar>(in));
  return uniform({in, out}, -bound, bound, rng);
}

void draw_small_weights(const Module& module, Index branch_count, Rng& rng) {
  check_size(branch_count, "draw_small_weights", "branch_count");
  const Scalar branch_end = kStddev / std::sqrt(static_cast<Scalar>(branch_count));
  for (auto& [name, variable] : module.named_parameters()) {
    if (variable.rank() < 2) continue;
    const bool ends_branch = name.ends_with("attention.w_o") || name.ends_with("contract.weight");
    Variable weight = variable;
    weight.set_value(normal(weight.shape(), 0, ends_branch ? branch_end : kStddev, rng));
  }
}

}  // namespace vitro::nn
