// Putting tensors together.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace vitro {

/// The parts one after the other along `axis`; all other sizes are equal. At least one part.
Tensor cat(const std::vector<Tensor>& parts, Index axis);

/// Parts of one shape along a new axis before `axis` (-1: after the last).
Tensor stack(const std::vector<Tensor>& parts, Index axis);

}  // namespace vitro
