// Layer and RMS normalization over the last axis. All throw ShapeError where shapes do not fit.
#pragma once

#include "tensor/tensor.h"

namespace vitro {

/// The result, and per row (every entry of the axes before the last) what the gradient needs.
struct Normalized {
  Tensor y;              ///< [.., width]
  Tensor mean;           ///< [rows]; not used by RMS normalization
  Tensor inverse_scale;  ///< [rows]: 1/√(var + epsilon), or 1/√(mean(x²) + epsilon)
};

/// The gradients of x, gain and bias (the last not for RMS normalization).
struct NormalizeGradients {
  Tensor x;     ///< [.., width]
  Tensor gain;  ///< [width]
  Tensor bias;  ///< [width]
};

/// (x - mean)/√(var + epsilon) · gain + bias (Ba et al., "Layer normalization", 2016): x
/// [.., width], gain and bias [width]. The variance is taken in two passes, so a large mean costs
/// no precision. Throws std::invalid_argument unless epsilon >= 0.
Normalized layer_norm_parts(const Tensor& x, const Tensor& gain, const Tensor& bias,
                            Scalar epsilon);
Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias,
                  Scalar epsilon = Scalar(1e-5));
NormalizeGradients layer_norm_backward(const Tensor& x, const Tensor& gain, const Normalized& parts,
                                       const Tensor& grad);

/// x/√(mean(x²) + epsilon) · gain (Zhang and Sennrich, "Root mean square layer normalization",
/// 2019). Throws std::invalid_argument unless epsilon >= 0.
Normalized rms_norm_parts(const Tensor& x, const Tensor& gain, Scalar epsilon);
Tensor rms_norm(const Tensor& x, const Tensor& gain, Scalar epsilon = Scalar(1e-5));
NormalizeGradients rms_norm_backward(const Tensor& x, const Tensor& gain, const Normalized& parts,
                                     const Tensor& grad);

}  // namespace vitro
