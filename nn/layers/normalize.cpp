#include "nn/layers/normalize.h"

#include "tensor/create.h"

#include "autograd/ops.h"

namespace vitro::nn {
namespace {

Tensor initial_gain(Index width, Scalar epsilon, const char* layer) {
  check_size(width, layer, "width");
  if (!(epsilon >= 0)) throw_invalid({layer, ": epsilon is ", epsilon, "; it must be 0 or more"});
  return ones({width});
}

}  // namespace

LayerNorm::LayerNorm(Index width, Scalar epsilon)
    : gain_(add_parameter("weight", initial_gain(width, epsilon, "LayerNorm"))),
      bias_(add_parameter("bias", zeros({width}))),
      epsilon_(epsilon) {}

Variable LayerNorm::forward(const Variable& x) { return layer_norm(x, gain_, bias_, epsilon_); }

RmsNorm::RmsNorm(Index width, Scalar epsilon)
    : gain_(add_parameter("weight", initial_gain(width, epsilon, "RmsNorm"))), epsilon_(epsilon) {}

Variable RmsNorm::forward(const Variable& x) { return rms_norm(x, gain_, epsilon_); }

std::unique_ptr<Layer> make_norm(NormKind kind, Index width, Scalar epsilon) {
  if (kind == NormKind::kRms) return std::make_unique<RmsNorm>(width, epsilon);
  return std::make_unique<LayerNorm>(width, epsilon);
}

}  // namespace vitro::nn
