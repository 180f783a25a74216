// Holding a tensor against the recorded one.
#pragma once

#include <optional>
#include <string>

#include "tensor/files/safetensors.h"
#include "tensor/tensor.h"

namespace vitro::conformance {

/// What a recorded tensor and ours differ by: nothing where every element lies within the bound
/// (double: 1e-9 + 1e-7·|b|; float: 1e-5·max(1, largest |b|) + 1e-4·|b|), else one line with the
/// largest excess, where it is, and the bound. A NaN equals nothing but a NaN.
std::optional<std::string> difference(const Tensor& ours, const SafetensorsFile& file,
                                      const std::string& name);

/// The same with |a - b| <= relative · |b| as the bound.
std::optional<std::string> relative_difference(const Tensor& ours, const SafetensorsFile& file,
                                               const std::string& name, double relative);

}  // namespace vitro::conformance
