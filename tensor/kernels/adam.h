// One step of Adam or AdamW on contiguous numbers.
#pragma once

#include "tensor/scalar.h"

namespace vitro::kernels {

/// What is the same for all numbers of a parameter in one step t.
struct AdamStep {
  Scalar beta1;
  Scalar beta2;
  Scalar epsilon;
  Scalar step_size;                ///< learning_rate / (1 - beta1^t)
  Scalar inverse_sqrt_correction;  ///< 1 / √(1 - beta2^t)
  Scalar kept;                     ///< 1 - learning_rate · weight_decay
};

/// first = beta1·first + (1-beta1)·grad;  second = beta2·second + (1-beta2)·grad²;
/// value = kept·value - step_size · first / (√second · inverse_sqrt_correction + epsilon).
void adam_update(const AdamStep& step, const Scalar* grad, Scalar* value, Scalar* first,
                 Scalar* second, Index count);

}  // namespace vitro::kernels
