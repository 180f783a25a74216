// The gradient-check table: one row or several for every operation of autograd/ops.h.
#pragma once

#include <string>
#include <vector>

#include "autograd/gradcheck.h"
#include "autograd/ops.h"

namespace vitro {

/// One computation whose gradients are compared with differences of values.
struct GradcheckRow {
  std::string operation;  // as autograd/ops.h declares it: "linear(x, w, bias)"
  std::string variant;    // what is special about this row: "stretched", "transposed view"
  GradcheckFunction function;
  std::vector<Variable> inputs;
};

using GradcheckRows = std::vector<GradcheckRow>;

/// Every input has a gradient other than 0.
GradcheckRows gradcheck_table();

/// Computations whose gradients are all exactly 0, or have no elements.
GradcheckRows zero_gradient_table();

// The table's parts, one file each.
void add_pair_rows(GradcheckRows& rows);
void add_elementwise_rows(GradcheckRows& rows);
void add_reduce_rows(GradcheckRows& rows);
void add_shape_rows(GradcheckRows& rows);
void add_product_rows(GradcheckRows& rows);
void add_softmax_rows(GradcheckRows& rows);
void add_layer_rows(GradcheckRows& rows);
void add_attention_rows(GradcheckRows& rows);

// ---- Inputs; each call draws other numbers, the same ones in every run --------------------------

/// From [-1.5, 1.5).
Variable any(const Shape& shape);
/// From [0.5, 2): for logarithms, roots and divisors.
Variable positive(const Shape& shape);
/// No two within 0.1 of each other, none within 0.1 of 0: for maxima, |x| and other kinks. Numbers
/// of the second kind are also 0.1 away from all of the first kind.
Variable apart(const Shape& shape);
Variable apart_from_those(const Shape& shape);

/// The same kind of numbers, seen through a view: of shape [b, a] transposed, or the middle of a
/// longer first axis.
Variable transposed(Variable (*draw)(const Shape&), Index a, Index b);
Variable narrowed(Variable (*draw)(const Shape&), Index a, Index b);

}  // namespace vitro
