// Clipping: keeping one step from being too large.
#pragma once

#include <vector>

#include "nn/module.h"

namespace vitro::nn {

/// Scales all gradients together by max_norm / (norm + 1e-6) where that is below 1, with norm the
/// root of the sum of all squares; parameters without a gradient are skipped. Returns the norm
/// before. Throws std::domain_error naming the parameter where a gradient holds NaN or infinity
/// (nothing is changed then), std::invalid_argument unless max_norm is above 0.
double clip_grad_norm(const std::vector<NamedParameter>& parameters, double max_norm);

}  // namespace vitro::nn
