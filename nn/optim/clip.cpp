#include "nn/optim/clip.h"

#include <cmath>
#include <stdexcept>

#include "tensor/arithmetic.h"
#include "tensor/reduce.h"

namespace vitro::nn {
namespace {

// Summed in double: the squares of a large float gradient may not fit into a float.
double squared_norm(const Tensor& grad) {
  const Tensor numbers = contiguous(grad);
  double sum = 0;
  for (Index i = 0; i < numbers.element_count(); ++i) {
    const auto number = static_cast<double>(numbers.data()[i]);
    sum += number * number;
  }
  return sum;
}

}  // namespace

double clip_grad_norm(const std::vector<NamedParameter>& parameters, double max_norm) {
  if (!(max_norm > 0)) {
    throw_invalid({"clip_grad_norm: max_norm is ", max_norm, "; it must be above 0"});
  }
  double sum = 0;
  for (const auto& [name, variable] : parameters) {
    if (!variable.has_grad()) continue;
    sum += squared_norm(variable.grad());
    if (!std::isfinite(sum)) {
      throw std::domain_error(error_text({"clip_grad_norm: with the gradient of '", name,
                                          "' the norm becomes ", std::sqrt(sum),
                                          "; it must be finite: lower the learning rate, or look "
                                          "for the operation that first made NaN or infinity"}));
    }
  }
  const double norm = std::sqrt(sum);
  const double factor = max_norm / (norm + 1e-6);
  if (factor < 1) {
    for (const auto& [name, variable] : parameters) {
      if (variable.has_grad()) variable.set_grad(variable.grad() * static_cast<Scalar>(factor));
    }
  }
  return norm;
}

}  // namespace vitro::nn
