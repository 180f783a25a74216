// Numbers as their bits, in one hash: two runs are the same where it is.
#pragma once

#include <string>

#include "tensor/tensor.h"

#include "nn/module.h"

namespace vitro::training_runs {

/// FNV-1a over the bits of the elements in row-major order; 16 hexadecimal digits.
std::string bits_hash(const Tensor& tensor);

/// Over those of all parameters, in their order.
std::string bits_hash(const nn::Module& model);

}  // namespace vitro::training_runs
