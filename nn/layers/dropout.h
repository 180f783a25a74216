// Dropout: forgetting a random part of the activations while training.
#pragma once

#include "tensor/random.h"

#include "nn/module.h"

namespace vitro::nn {

/// While training, each element of x is 0 with probability p and x/(1-p) otherwise; x itself after
/// eval(). Draws from a generator of its own, seeded from the given one: the same seed gives the
/// same masks, whatever else is drawn. Throws std::invalid_argument unless 0 <= p < 1.
class Dropout : public Layer {
 public:
  Dropout(Scalar p, Rng& rng);

  Variable forward(const Variable& x) override;

  /// Whether forward changes anything: it trains, and p is above 0.
  bool drops() const { return is_training() && p_ > 0; }

 private:
  const Scalar p_;
  Rng& rng_;  // owned by this module
};

}  // namespace vitro::nn
