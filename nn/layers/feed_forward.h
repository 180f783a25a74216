// FeedForward: what each position does on its own, after attention has gathered for it.
#pragma once

#include "nn/layers/linear.h"
#include "nn/module.h"

namespace vitro::nn {

enum class Activation { kGeluTanh, kGeluErf, kRelu, kSilu };

/// The activation itself, elementwise.
Variable activate(const Variable& x, Activation activation);

/// x [.., channels] → activation(x W_1 + b_1) W_2 + b_2, with `hidden` columns in between.
class FeedForward : public Layer {
 public:
  FeedForward(Index channels, Index hidden, Activation activation, Rng& rng,
              Bias bias = Bias::kYes);

  Variable forward(const Variable& x) override { return forward(x, Variable()); }

  /// The same, added to `residual` [.., channels] in the last product.
  Variable forward(const Variable& x, const Variable& residual);

  using Layer::operator();

  Variable operator()(const Variable& x, const Variable& residual) {
    const ModuleScope scope(*this);
    return forward(x, residual);
  }

 private:
  Linear& expand_;    // [channels, hidden]
  Linear& contract_;  // [hidden, channels]
  const Activation activation_;
};

}  // namespace vitro::nn
