// What the graded tests share.
#pragma once

#include <vector>

#include "tensor/create.h"

namespace vitro::exercises {

/// Numbers from [-1.5, 1.5), the same in every run.
Tensor some(const Shape& shape, std::uint64_t seed = 1);

/// Expects equal shapes and numbers within 1e-9 of each other: exercises are graded in double.
void expect_equal(const Tensor& found, const Tensor& expected);

}  // namespace vitro::exercises
