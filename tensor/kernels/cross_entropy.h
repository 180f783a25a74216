// Softmax and cross-entropy of rows of logits in one pass: one exp an element, for both directions.
#pragma once

#include "tensor/scalar.h"

namespace vitro::kernels {

/// What is the same for all rows.
struct CrossEntropyRule {
  Index classes;
  Index ignore_index;  // rows with this target cost nothing
  Scalar smoothing;    // s: this share of each target is spread over all classes
};

/// For each row of x [rows, classes]: p = softmax(x), and
/// loss = (1 - s)·(-log p[target]) + s·mean over the classes of (-log p), with log p = (x - max) -
/// log Σ e^(x - max). p and loss of an ignored row are 0. Nothing may overlap.
void cross_entropy_rows(const Scalar* x, const Index* targets, const CrossEntropyRule& rule,
                        Scalar* p, Scalar* loss, Index rows);

/// grad_x = scale · (p - smoothed target); 0 in ignored rows, and where the logits were all -inf.
void cross_entropy_rows_backward(const Scalar* p, const Index* targets,
                                 const CrossEntropyRule& rule, Scalar scale, Scalar* grad_x,
                                 Index rows);

}  // namespace vitro::kernels
