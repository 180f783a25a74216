// Putting tensors together.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace vitro {

/// The parts one after the other along `axis`: [.., n, ..], [.., m, ..] → [.., n + m, ..]. Throws
/// ShapeError where there is no part or another size differs.
Tensor cat(const std::vector<Tensor>& parts, Index axis);

/// Parts of one shape along a new axis before `axis` (-1: after the last): [..] → [.., parts, ..].
/// Throws ShapeError where there is no part or two shapes differ.
Tensor stack(const std::vector<Tensor>& parts, Index axis);

}  // namespace vitro
