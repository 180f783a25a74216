#include "nn/init.h"

#include <cmath>

#include "tensor/context.h"
#include "tensor/create.h"

namespace vitro::nn {
namespace {

constexpr Scalar kStddev = Scalar(0.02);

}  // namespace

Tensor uniform_by_inputs(Index in, Index out, Rng& rng, const char* layer) {
  check_size(in, layer, "in");
  check_size(out, layer, "out");
  if (!draws_initial_weights()) return zeros({in, out});
  const Scalar bound = 1 / std::sqrt(static_cast<Scalar>(in));
  return uniform({in, out}, -bound, bound, rng);
}

Tensor normal_weights(const Shape& shape, Scalar stddev, Rng& rng) {
  return draws_initial_weights() ? normal(shape, 0, stddev, rng) : zeros(shape);
}

NoInitialDraws::NoInitialDraws() : before_(context().draws_weights) {
  context().draws_weights = false;
}

NoInitialDraws::~NoInitialDraws() { context().draws_weights = before_; }

bool draws_initial_weights() { return context().draws_weights; }

void draw_small_weights(const Module& module, Index branch_count, Rng& rng) {
  check_size(branch_count, "draw_small_weights", "branch_count");
  if (!draws_initial_weights()) return;
  const Scalar branch_end = kStddev / std::sqrt(static_cast<Scalar>(branch_count));
  for (auto& [name, variable] : module.named_parameters()) {
    if (variable.rank() < 2) continue;
    const bool ends_branch = name.ends_with("attention.w_o") || name.ends_with("contract.weight");
    Variable weight = variable;
    weight.set_value(normal(weight.shape(), 0, ends_branch ? branch_end : kStddev, rng));
  }
}

}  // namespace vitro::nn
