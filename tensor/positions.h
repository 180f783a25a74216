// Tables and turns that tell a model where a token stands.
#pragma once

#include "tensor/tensor.h"

namespace vitro {

/// [length, width] of sines and cosines (Vaswani et al., "Attention is all you need", 2017): entry
/// 2i of position p is sin(p / 10000^(2i/width)), entry 2i + 1 the cosine of the same angle. An
/// odd width ends with a sine. Throws std::invalid_argument where a size is below 1.
Tensor sinusoidal_positions(Index length, Index width);

/// [head_count, queries, keys], to be added to scores (Press et al., "Train short, test long",
/// 2022): -slope · distance for earlier keys, slope 2^(-8(i+1)/head_count) for head i; 0 for later
/// keys, which are left to the causal mask. Queries and keys end at the same position, so that with
/// a cache a new token's row is made alone. Throws std::invalid_argument for a head_count below 1,
/// ShapeError for a negative size.
Tensor alibi_bias(Index head_count, Index queries, Index keys);

/// The square of as many queries as keys. Throws std::invalid_argument where a size is below 1.
Tensor alibi_bias(Index head_count, Index length);

/// Which way rotary turns: kBack is the gradient of kForward.
enum class Turn { kForward, kBack };

/// x [.., time, size] with each pair (2i, 2i+1) of position p turned by the angle
/// (start + p) / base^(2i/size) (Su et al., "RoFormer", 2021). Throws ShapeError where `size` is
/// odd, std::invalid_argument unless base is finite and above 0, start is 0 or more, and every
/// angle at most 2^50 (beyond, a double does not tell where in its turn an angle is).
Tensor rotary(const Tensor& x, Scalar base = Scalar(10000), Index start = 0,
              Turn turn = Turn::kForward);

}  // namespace vitro
