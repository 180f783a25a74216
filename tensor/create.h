// New tensors.
#pragma once

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace vitro {

Tensor zeros(const Shape& shape);
Tensor ones(const Shape& shape);
Tensor full(const Shape& shape, Scalar value);

/// 0, 1, …, count - 1. Throws std::invalid_argument for a negative count.
Tensor arange(Index count);

/// The identity matrix [size, size]. Throws std::invalid_argument for a negative size.
Tensor identity(Index size);

/// Independent draws from [low, high). Throws std::invalid_argument unless low <= high and
/// high - low is finite.
Tensor uniform(const Shape& shape, Scalar low, Scalar high, Rng& rng);

/// Independent normal draws. Throws std::invalid_argument for a negative deviation, NaN, infinity.
Tensor normal(const Shape& shape, Scalar mean, Scalar stddev, Rng& rng);

/// What dropout multiplies by: each element 0 with probability p, else 1/(1-p). Throws
/// std::invalid_argument unless 0 <= p < 1.
Tensor dropout_scale(const Shape& shape, Scalar p, Rng& rng);

/// [time, time]: 1 on and below the diagonal, where position i may look at position j <= i, else 0.
/// Throws std::invalid_argument for a negative time.
Tensor causal_mask(Index time);

}  // namespace vitro
