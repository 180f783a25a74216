#include "tensor/kernels/elementwise.h"

#include <cmath>

#include "tensor/kernels/map_lanes.h"
#include "tensor/kernels/math_lanes.h"

namespace vitro::kernels {

void exp_array(const Scalar* x, Scalar* y, Index count) {
  map_lanes(x, y, count, [](Scalar v) { return exp_lane(v); });
}

void log_array(const Scalar* x, Scalar* y, Index count) {
  map_lanes(x, y, count, [](Scalar v) { return log_lane(v); });
}

void sqrt_array(const Scalar* x, Scalar* y, Index count) {
  map_lanes(x, y, count, [](Scalar v) { return std::sqrt(v); });
}

void abs_array(const Scalar* x, Scalar* y, Index count) {
  map_lanes(x, y, count, [](Scalar v) { return v < 0 ? -v : v + Scalar(0); });
}

void tanh_array(const Scalar* x, Scalar* y, Index count) {
  map_lanes(x, y, count, [](Scalar v) { return tanh_lane(v); });
}

void sigmoid_array(const Scalar* x, Scalar* y, Index count) {
  map_lanes(x, y, count, [](Scalar v) { return sigmoid_lane(v); });
}

void relu_array(const Scalar* x, Scalar* y, Index count) {
  map_lanes(x, y, count, [](Scalar v) { return v < 0 ? Scalar(0) : v; });
}

namespace {

// 2u of the tanh form of GELU: 2√(2/π) (x + 0.044715 x³) = x (kGeluLinear + kGeluCubic x²).
constexpr Scalar kGeluLinear = Scalar(1.5957691216057308);
constexpr Scalar kGeluCubic = Scalar(0.071354816272600247);

inline Scalar gelu_tanh_lane(Scalar x) {
  return x * sigmoid_lane(x * std::fma(kGeluCubic, x * x, kGeluLinear));
}

/// s = sigmoid(x) and its slope s (1 - s), from e^-|x| so that 1 - s does not cancel.
struct SigmoidWithSlope {
  Scalar value;
  Scalar slope;
};

inline SigmoidWithSlope sigmoid_with_slope(Scalar x) {
  const Scalar e = exp_lane(-std::fabs(x));
  const Scalar inverse = 1 / (1 + e);
  const Scalar smaller = e * inverse;
  return {x < 0 ? smaller : inverse, smaller * inverse};
}

inline Scalar gelu_tanh_slope(Scalar x) {
  // Beyond |x| = 100 the sigmoid is 0 or 1 and its slope 0; x² must not get to infinity, since
  // 0 · infinity is NaN.
  const Scalar square = x * x;
  const Scalar z = square > Scalar(1e4) ? Scalar(1e4) : square;
  const SigmoidWithSlope s = sigmoid_with_slope(x * std::fma(kGeluCubic, z, kGeluLinear));
  const Scalar inner_slope = std::fma(3 * kGeluCubic, z, kGeluLinear);
  return std::fma(x * s.slope, inner_slope, s.value);
}

/// Φ(x), the standard normal distribution.
inline Scalar normal_cdf_lane(Scalar x) {
  constexpr Scalar kRootHalf = Scalar(0.70710678118654752);
  return Scalar(0.5) * (1 + erf_lane(x * kRootHalf));
}

inline Scalar gelu_erf_slope(Scalar x) {
  constexpr Scalar kOneOverRootTwoPi = Scalar(0.39894228040143268);
  const Scalar density = kOneOverRootTwoPi * exp_lane(Scalar(-0.5) * x * x);
  return std::fma(x, density, normal_cdf_lane(x));
}

inline Scalar silu_slope(Scalar x) {
  const SigmoidWithSlope s = sigmoid_with_slope(x);
  return std::fma(x, s.slope, s.value);
}

}  // namespace

void gelu_tanh_array(const Scalar* x, Scalar* y, Index count) {
  map_lanes(x, y, count, [](Scalar v) { return gelu_tanh_lane(v); });
}

void gelu_tanh_array_backward(const Scalar* x, const Scalar* grad, Scalar* grad_x, Index count) {
  map_lanes(x, grad, grad_x, count, [](Scalar v, Scalar g) { return g * gelu_tanh_slope(v); });
}

void gelu_erf_array(const Scalar* x, Scalar* y, Index count) {
  map_lanes(x, y, count, [](Scalar v) { return v * normal_cdf_lane(v); });
}

void gelu_erf_array_backward(const Scalar* x, const Scalar* grad, Scalar* grad_x, Index count) {
  map_lanes(x, grad, grad_x, count, [](Scalar v, Scalar g) { return g * gelu_erf_slope(v); });
}

void silu_array(const Scalar* x, Scalar* y, Index count) {
  map_lanes(x, y, count, [](Scalar v) { return v * sigmoid_lane(v); });
}

void silu_array_backward(const Scalar* x, const Scalar* grad, Scalar* grad_x, Index count) {
  map_lanes(x, grad, grad_x, count, [](Scalar v, Scalar g) { return g * silu_slope(v); });
}

}  // namespace vitro::kernels
