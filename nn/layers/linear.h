// Linear: y = x W + b.
#pragma once

#include "tensor/random.h"

#include "nn/module.h"

namespace vitro::nn {

enum class Bias { kNo, kYes };

/// x w + bias + residual, in one pass; an undefined bias or residual is left out.
Variable affine(const Variable& x, const Variable& w, const Variable& bias,
                const Variable& residual);

/// x [.., in] → [.., out]. W is [in, out] and starts uniform within ±1/√in, so that the result
/// varies no more than the input does; b is [out] and starts at 0.
class Linear : public Layer {
 public:
  /// Throws std::invalid_argument where a size is below 1.
  Linear(Index in, Index out, Rng& rng, Bias bias = Bias::kYes);

  /// Throws ShapeError where x does not end in `in`.
  Variable forward(const Variable& x) override { return forward(x, Variable()); }

  /// The same, added to `residual` [.., out].
  Variable forward(const Variable& x, const Variable& residual);

  using Layer::operator();

  Variable operator()(const Variable& x, const Variable& residual) {
    const ModuleScope scope(*this);
    return forward(x, residual);
  }

  const Variable& weight() const { return weight_; }

 private:
  const Variable weight_;  // [in, out]
  const Variable bias_;    // [out]; undefined without a bias
};

}  // namespace vitro::nn
