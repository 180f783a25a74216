#include "nn/layers/recurrent.h"

#include <vector>

#include "tensor/create.h"

#include "autograd/ops.h"

#include "nn/init.h"

namespace vitro::nn {

TanhRecurrent::TanhRecurrent(Index in, Index size, Rng& rng)
    : w_x_(add_parameter("w_x", uniform_by_inputs(in, size, rng, "TanhRecurrent"))),
      w_h_(add_parameter("w_h", uniform_by_inputs(size, size, rng, "TanhRecurrent"))),
      bias_(add_parameter("bias", zeros({size}))) {}

Variable TanhRecurrent::forward(const Variable& x) {
  if (x.rank() != 3 || x.size(1) < 1 || x.size(2) != w_x_.size(0)) {
    throw ShapeError({"TanhRecurrent: x is ", x.shape(), "; it must be [batch, time, ",
                      w_x_.size(0), "] with at least one time step"});
  }
  const Variable read = linear(x, w_x_, bias_);  // [batch, time, size], all positions at once
  std::vector<Operand> states;
  Variable h = tanh(squeeze(narrow(read, 1, 0, 1), 1));  // [batch, size]
  states.emplace_back(h);
  for (Index t = 1; t < x.size(1); ++t) {
    h = tanh(squeeze(narrow(read, 1, t, 1), 1) + matmul(h, w_h_));  // [batch, size]
    states.emplace_back(h);
  }
  return stack(states, 1);  // [batch, time, size]
}

}  // namespace vitro::nn
