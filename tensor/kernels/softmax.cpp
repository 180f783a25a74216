#include "tensor/kernels/softmax.h"

#include <algorithm>
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

/// Rows that take each step together: the chains of one row's maximum and sum then overlap with
/// those of the next rows. Long rows are taken one by one, so that a group stays in the cache.
constexpr Index kGroupRows = 8;
constexpr Index kGroupElements = 4096;

Index rows_per_group(Index columns) {
  return columns * kGroupRows <= kGroupElements ? kGroupRows : 1;
}

/// exp(x - maximum) of each row is in y: divides each row by its sum. A masked row's are all 0 and
/// stay so.
void normalize_rows(Scalar* y, Index rows, Index columns) {
  Scalar scale[kGroupRows];
  for (Index i = 0; i < rows; ++i) {
    const Scalar sum = row_sum(y + i * columns, columns);
    scale[i] = sum == 0 ? 0 : 1 / sum;
  }
  for (Index i = 0; i < rows; ++i) {
    const Scalar row_scale = scale[i];
    Scalar* row = y + i * columns;
    for (Index j = 0; j < columns; ++j) row[j] *= row_scale;
  }
}

}  // namespace

void softmax_rows(const Scalar* x, Scalar* y, Index rows, Index columns) {
  const Index step = rows_per_group(columns);
  for (Index first = 0; first < rows; first += step) {
    const Index count = std::min(step, rows - first);
    const Scalar* from = x + first * columns;
    Scalar* to = y + first * columns;
    Scalar shift[kGroupRows];
    for (Index i = 0; i < count; ++i) shift[i] = row_shift(from + i * columns, columns);
    for (Index i = 0; i < count; ++i) {
      const Scalar row_shift = shift[i];
      map_lanes(from + i * columns, to + i * columns, columns,
                [=](Scalar v) { return exp_lane(v - row_shift); });
    }
    normalize_rows(to, count, columns);
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
