#include "tensor/kernels/cross_entropy.h"

#include <algorithm>
#include <limits>

#include "tensor/kernels/lane_sum.h"
#include "tensor/kernels/map_lanes.h"
#include "tensor/kernels/math_lanes.h"

namespace vitro::kernels {
namespace {

constexpr Scalar kMasked = -std::numeric_limits<Scalar>::infinity();

// p = softmax(x); returns what is to be subtracted from x to get log p.
struct LogShift {
  Scalar highest;
  Scalar log_sum;
};

LogShift softmax_row(const Scalar* x, Scalar* p, Index classes) {
  const Scalar top = lane_max(x, classes);
  const Scalar shift = top == kMasked ? 0 : top;  // -inf - -inf is NaN
  map_lanes(x, p, classes, [=](Scalar v) { return exp_lane(v - shift); });
  const Scalar sum = lane_sum(classes, [=](auto at) { return at(p); });
  if (sum == 0) return {shift, 0};
  const Scalar factor = 1 / sum;
  for (Index j = 0; j < classes; ++j) p[j] *= factor;
  return {shift, log_lane(sum)};
}

// Mean over the classes of -log p.
Scalar mean_loss(const Scalar* x, const LogShift& shift, Index classes) {
  const Scalar sum = lane_sum(
      classes, [=](auto at) { return (at(x) - at.all(shift.highest)) - at.all(shift.log_sum); });
  return -sum / static_cast<Scalar>(classes);
}

}  // namespace

void cross_entropy_rows(const Scalar* x, const Index* targets, const CrossEntropyRule& rule,
                        Scalar* p, Scalar* loss, Index rows) {
  const Index classes = rule.classes;
  for (Index i = 0; i < rows; ++i, x += classes, p += classes) {
    if (targets[i] == rule.ignore_index) {
      std::fill_n(p, classes, Scalar(0));
      loss[i] = 0;
      continue;
    }
    const LogShift shift = softmax_row(x, p, classes);
    loss[i] = shift.log_sum - (x[targets[i]] - shift.highest);
    if (rule.smoothing != 0) {
      loss[i] = (1 - rule.smoothing) * loss[i] + rule.smoothing * mean_loss(x, shift, classes);
    }
  }
}

void cross_entropy_rows_backward(const Scalar* p, const Index* targets,
                                 const CrossEntropyRule& rule, Scalar scale, Scalar* grad_x,
                                 Index rows) {
  const Index classes = rule.classes;
  const Scalar on_each = rule.smoothing / static_cast<Scalar>(classes);
  const Scalar on_target = 1 - rule.smoothing;
  for (Index i = 0; i < rows; ++i, p += classes, grad_x += classes) {
    if (targets[i] == rule.ignore_index) {
      std::fill_n(grad_x, classes, Scalar(0));
      continue;
    }
    const bool is_masked = p[targets[i]] == 0 && lane_max(p, classes) == 0;  // logits of only -inf
    if (is_masked) {
      std::fill_n(grad_x, classes, Scalar(0));
      continue;
    }
    map_lanes(p, grad_x, classes, [=](Scalar v) { return (v - on_each) * scale; });
    grad_x[targets[i]] = (p[targets[i]] - on_target - on_each) * scale;
  }
}

}  // namespace vitro::kernels
