// What the tests of the optimizers share: parameters of two numbers.
#pragma once

#include <limits>
#include <vector>

#include "nn/module.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {

using nn::NamedParameter;
using Parameters = std::vector<NamedParameter>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline Variable two(double a, double b) {
  return parameter(Tensor({2}, {static_cast<Scalar>(a), static_cast<Scalar>(b)}));
}

inline void set_grad(const Variable& variable, double a, double b) {
  variable.set_grad(Tensor({2}, {static_cast<Scalar>(a), static_cast<Scalar>(b)}));
}

}  // namespace vitro::test
