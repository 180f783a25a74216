// Linear: y = x W + b.
#pragma once

#include "tensor/random.h"

#include "nn/module.h"

namespace vitro::nn {

enum class Bias { kNo, kYes };

/// x [.., in] → [.., out]. W is [in, out] and starts uniform within ±1/√in, so that the result
/// varies no more than the input does; b is [out] and starts at 0.
class Linear : public Layer {
 public:
  /// Throws std::invalid_argument where a size is below 1.
  Linear(Index in, Index out, Rng& rng, Bias bias = Bias::kYes);

  /// Throws ShapeError where x does not end in `in`.
  Variable forward(const Variable& x) override;

  const Variable& weight() const { return weight_; }

 private:
  const Variable weight_;  // [in, out]
  const Variable bias_;    // [out]; undefined without a bias
};

}  // namespace vitro::nn
