#include "tensor/kernels/softmax.h"

#include <limits>

#include "tensor/kernels/lane_sum.h"
#include "tensor/kernels/map_lanes.h"
#include "tensor/kernels/math_lanes.h"

namespace vitro::kernels {

namespace {

constexpr Scalar kMasked = -std::numeric_limits<Scalar>::infinity();

/// What is subtracted from a row: its maximum, or 0 where all is masked (-inf - -inf is NaN).
Scalar row_shift(const Scalar* x, Index columns) {
  const Scalar highest = lane_max(x, columns);
  return highest == kMasked ? 0 : highest;
}

Scalar row_sum(const Scalar* x, Index columns) {
  return lane_sum(columns, [=](auto at) { return at(x); });
}

/// Turns the exponentials of a row into weights; a masked row's are all 0 and stay so.
void normalize_row(Scalar* y, Index columns) {
  const Scalar sum = row_sum(y, columns);
  const Scalar scale = sum == 0 ? 0 : 1 / sum;
  for (Index j = 0; j < columns; ++j) y[j] *= scale;
}

}  // namespace

void softmax_rows(const Scalar* x, Scalar* y, Index rows, Index columns) {
  for (Index i = 0; i < rows; ++i, x += columns, y += columns) {
    const Scalar shift = row_shift(x, columns);
    map_lanes(x, y, columns, [=](Scalar v) { return exp_lane(v - shift); });
    normalize_row(y, columns);
  }
}

void softmax_rows_in_place(Scalar* x, Index rows, Index columns) {
  for (Index i = 0; i < rows; ++i, x += columns) {
    const Scalar shift = row_shift(x, columns);
    map_lanes_in_place(x, columns, [=](Scalar v) { return exp_lane(v - shift); });
    normalize_row(x, columns);
  }
}

void softmax_rows_backward(const Scalar* y, const Scalar* grad, Scalar* grad_x, Index rows,
                           Index columns) {
  for (Index i = 0; i < rows; ++i, y += columns, grad += columns, grad_x += columns) {
    const Scalar dot = lane_sum(columns, [=](auto at) { return at(y) * at(grad); });
    map_lanes(y, grad, grad_x, columns, [=](Scalar v, Scalar g) { return v * (g - dot); });
  }
}

void log_softmax_rows(const Scalar* x, Scalar* y, Index rows, Index columns) {
  for (Index i = 0; i < rows; ++i, x += columns, y += columns) {
    const Scalar shift = row_shift(x, columns);
    map_lanes(x, y, columns, [=](Scalar v) { return exp_lane(v - shift); });
    const Scalar sum = row_sum(y, columns);
    const Scalar log_sum = sum == 0 ? 0 : log_lane(sum);
    map_lanes(x, y, columns, [=](Scalar v) { return (v - shift) - log_sum; });
  }
}

void log_softmax_rows_backward(const Scalar* y, const Scalar* grad, Scalar* grad_x, Index rows,
                               Index columns) {
  for (Index i = 0; i < rows; ++i, y += columns, grad += columns, grad_x += columns) {
    const Scalar keep = lane_max(y, columns) == kMasked ? 0 : 1;
    const Scalar sum = lane_sum(columns, [=](auto at) { return at(grad); });
    map_lanes(y, grad, grad_x, columns,
              [=](Scalar v, Scalar g) { return keep * (g - exp_lane(v) * sum); });
  }
}

}  // namespace vitro::kernels
