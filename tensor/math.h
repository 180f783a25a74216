// The library's own exp, log, tanh, … : the same bits from every compiler and on every processor.
//
// The standard library's versions differ between its releases and even between processors, and a
// number that differs in its last bit soon differs everywhere in a training run. These are
// polynomials in std::fma, which rounds the same way on all machines; of the standard's
// functions they call only sqrt, fma and floor. The array kernels of
// tensor/kernels/elementwise.h give the same bits, element by element.
//
// Largest relative errors, measured against long double (normal results; a correctly rounded one
// has up to 6.0e-8 and 1.1e-16):
//                            exp      log      tanh     sigmoid  erf      sin, cos  pow
//                  float     8.1e-8   8.2e-8   7.6e-8   1.8e-7   7.3e-8   6.0e-8    6.0e-8
//                  double    1.6e-16  1.8e-16  3.8e-16  3.3e-16  7.4e-16  3.1e-16   6.6e-16
// NaN in gives NaN out (but see pow); nothing sets errno or throws.
#pragma once

namespace vitro::math {

/// e^x. exp(-inf) = 0, exp(+inf) = +inf; overflow gives +inf, underflow subnormals and then 0.
float exp(float x);
double exp(double x);

/// Natural logarithm. log(±0) = -inf, log(+inf) = +inf, log(x < 0) = NaN.
float log(float x);
double log(double x);

/// Hyperbolic tangent. tanh(±inf) = ±1; tanh(±0) = ±0.
float tanh(float x);
double tanh(double x);

/// 1 / (1 + e^-x), accurate also where it is close to 0. sigmoid(-inf) = 0, sigmoid(+inf) = 1.
float sigmoid(float x);
double sigmoid(double x);

/// Error function, 2/√π ∫₀ˣ e^(-t²) dt. erf(±inf) = ±1; erf(±0) = ±0.
float erf(float x);
double erf(double x);

/// Sine and cosine of x in radians. Accurate for |x| up to 2^50; beyond, where neighbouring
/// doubles lie a quarter of a radian and more apart, x counts as 0. sin(±inf) = cos(±inf) = NaN.
/// The float versions compute in double and round once.
float sin(float x);
double sin(double x);
float cos(float x);
double cos(double x);

/// x^y. Whole exponents 0 … 8 are products; for all others the logarithm carries twice the digits
/// of a double. Special cases as in C: pow(x, ±0) = pow(1, y) = 1, even for NaN; a negative x needs
/// a whole y, else NaN; the sign of x survives odd y; pow(±0, y < 0) is infinite; pow(-1, ±inf)
/// = 1. The float version computes in double and rounds once.
float pow(float x, float y);
double pow(double x, double y);

/// Square root, correctly rounded. sqrt(-0) = -0, sqrt(x < 0) = NaN.
float sqrt(float x);
double sqrt(double x);

}  // namespace vitro::math
