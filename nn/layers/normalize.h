// Normalization layers.
#pragma once

#include <memory>

#include "nn/module.h"

namespace vitro::nn {

/// x [.., width] → (x - mean)/√(var + epsilon) · gain + bias over the last axis. The gain starts at
/// 1, the bias at 0.
class LayerNorm : public Layer {
 public:
  /// Throws std::invalid_argument unless width >= 1 and epsilon >= 0.
  explicit LayerNorm(Index width, Scalar epsilon = Scalar(1e-5));

  Variable forward(const Variable& x) override;

 private:
  const Variable gain_;  // [width]
  const Variable bias_;  // [width]
  const Scalar epsilon_;
};

/// x [.., width] → x/√(mean(x²) + epsilon) · gain over the last axis. The gain starts at 1.
class RmsNorm : public Layer {
 public:
  /// Throws std::invalid_argument unless width >= 1 and epsilon >= 0.
  explicit RmsNorm(Index width, Scalar epsilon = Scalar(1e-5));

  Variable forward(const Variable& x) override;

 private:
  const Variable gain_;  // [width]
  const Scalar epsilon_;
};

enum class NormKind { kLayer, kRms };

/// The normalization of a kind, for modules that leave the choice open.
std::unique_ptr<Layer> make_norm(NormKind kind, Index width, Scalar epsilon = Scalar(1e-5));

}  // namespace vitro::nn
