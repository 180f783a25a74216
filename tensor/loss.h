// Losses: how far predictions are from targets, as one number. All throw ShapeError where shapes
// do not fit.
#pragma once

#include "tensor/indices.h"
#include "tensor/tensor.h"

namespace vitro {

/// Throws std::invalid_argument unless 0 <= label_smoothing <= 1.
struct CrossEntropyOptions {
  Index ignore_index = -100;   ///< targets of this value are not counted
  Scalar label_smoothing = 0;  ///< this share of each target is spread over all classes
};

/// The loss, and what its gradient is made of.
struct CrossEntropy {
  Tensor loss;    ///< [], the mean over the counted targets; 0 where none is counted
  Tensor p;       ///< [rows, classes], softmax(logits); 0 in rows that are not counted
  Index counted;  ///< targets other than ignore_index
};

/// logits [.., classes], targets [..]. Each counted row costs
/// (1 - s)·(-log p[target]) + s·mean over the classes of (-log p), with s = label_smoothing.
/// Throws std::out_of_range for a target that is no class and not ignore_index.
CrossEntropy cross_entropy_parts(const Tensor& logits, const Indices& targets,
                                 const CrossEntropyOptions& options);
Tensor cross_entropy(const Tensor& logits, const Indices& targets,
                     const CrossEntropyOptions& options = {});

/// The gradient of the logits, of shape [rows, classes]: grad · (p - smoothed target) / counted,
/// and 0 in rows that are not counted or whose logits are all -inf.
Tensor cross_entropy_backward(const CrossEntropy& parts, const Indices& targets,
                              const CrossEntropyOptions& options, Scalar grad);

/// Mean of (a - b)²; equal shapes.
Tensor mean_squared_error(const Tensor& a, const Tensor& b);

}  // namespace vitro
