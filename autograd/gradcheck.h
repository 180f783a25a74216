// gradcheck: are the gradients of backward() the slopes that the values really have?
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <vector>

#include "autograd/variable.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

/// What is checked: any computation on Variables. It must give the same result each time for the
/// same inputs, so one that draws random numbers makes its Rng anew at every call.
using GradcheckFunction = std::function<Variable(const std::vector<Variable>& inputs)>;

/// The defaults suit inputs and results of about 1. In double they see a gradient that is wrong by
/// a millionth. A float holds 7 digits, of which a difference keeps 3: there an error of half a
/// percent passes, and of gradients below 0.5 a larger one. To be sure, link Vitro::vitro_double.
struct GradcheckOptions {
  static constexpr bool kIsDouble = std::is_same_v<Scalar, double>;

  double step = kIsDouble ? 1e-5 : 1e-2;       ///< inputs move by ± step · max(1, |input|)
  double tolerance = kIsDouble ? 1e-6 : 5e-3;  ///< the largest error that passes
  std::uint64_t seed = 1;                      ///< of the gradient that backward starts from
};

/// The element whose gradient fits worst, among all elements of all inputs.
struct GradcheckResult {
  bool passed = true;
  double worst_error = 0;   ///< |backward - slope| / max(1, |backward|, |slope|)
  Index input = -1;         ///< which input; -1 where there was no element to check
  Index element = -1;       ///< which of its elements, counted in row-major order
  double backward = 0;      ///< its gradient from backward()
  double slope = 0;         ///< its gradient from differences of values
  Index checked_count = 0;  ///< how many elements were compared
  std::string text;         ///< all of this in one line
};

std::ostream& operator<<(std::ostream& out, const GradcheckResult& result);

}  // namespace VITRO_SCALAR_NAMESPACE

/// Compares the gradient of every element of every input with the central difference
///     (L(x + step) - L(x - step)) / (2 · step),   L = Σ weight · result,
/// where the weights are random, so that no error hides in a sum that cancels. A gradient that is
/// missing counts as 0. The inputs are parameters (a layer's own, or made for the check); their
/// values move during the call and are back, as are their gradients, when it returns or throws.
///     gradcheck([](const auto& x) { return tanh(x[0]) * x[1]; }, {a, b}).passed
/// Throws std::invalid_argument for an input that is no parameter, for a function whose result
/// differs from call to call, and unless step is finite and above 0 and tolerance 0 or more.
GradcheckResult gradcheck(const GradcheckFunction& function, const std::vector<Variable>& inputs,
                          const GradcheckOptions& options = {});

}  // namespace vitro
