#include "nn/layers/embedding.h"

#include "tensor/create.h"

#include "autograd/ops.h"

namespace vitro::nn {
namespace {

Tensor initial_table(Index count, Index width, Rng& rng, Scalar stddev) {
  check_size(count, "Embedding", "count");
  check_size(width, "Embedding", "width");
  return normal({count, width}, 0, stddev, rng);
}

}  // namespace

Embedding::Embedding(Index count, Index width, Rng& rng, Scalar stddev)
    : table_(add_parameter("weight", initial_table(count, width, rng, stddev))) {}

Variable Embedding::operator()(const Indices& ids) const {
  const ModuleScope scope(*this);
  return embedding(table_, ids);  // [.., width]
}

}  // namespace vitro::nn
