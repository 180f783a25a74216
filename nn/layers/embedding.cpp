#include "nn/layers/embedding.h"

#include "autograd/ops.h"

#include "nn/init.h"

namespace vitro::nn {
namespace {

Tensor initial_table(Index count, Index width, Rng& rng, Scalar stddev) {
  check_size(count, "Embedding", "count");
  check_size(width, "Embedding", "width");
  return normal_weights({count, width}, stddev, rng);
}

}  // namespace

Embedding::Embedding(Index count, Index width, Rng& rng, Scalar stddev)
    : table_(add_parameter("weight", initial_table(count, width, rng, stddev))) {}

Variable Embedding::operator()(const Indices& ids) const {
  const ModuleScope scope(*this);
  return embedding(table_, ids);  // [.., width]
}

}  // namespace vitro::nn
