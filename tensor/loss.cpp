#include "tensor/loss.h"

#include <algorithm>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/kernels/reduce.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"
#include "tensor/views.h"

namespace vitro {
namespace {

void check_targets(const Indices& targets, Index classes, Index ignore_index,
                   const char* function) {
  for (const Index target : targets.values()) {
    if (target != ignore_index && (target < 0 || target >= classes)) {
      throw_out_of_range({function, ": target ", target, " of ", classes,
                          " classes; it must be from 0 to below that, or ignore_index (",
                          ignore_index, ")"});
    }
  }
}

void check_cross_entropy(const Tensor& logits, const Indices& targets,
                         const CrossEntropyOptions& options) {
  if (logits.rank() < 1 || logits.shape().without_axis(-1) != targets.shape()) {
    throw ShapeError({"cross_entropy: logits are ", logits.shape(), ", targets are ",
                      targets.shape(), "; logits must be [targets.., classes]"});
  }
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    throw_invalid({"cross_entropy: label_smoothing is ", options.label_smoothing,
                   "; it must be from 0 to 1"});
  }
  check_targets(targets, logits.size(-1), options.ignore_index, "cross_entropy");
}

// What one counted row costs, from its log probabilities.
Scalar row_loss(const Scalar* log_p, Index classes, Index target, Scalar smoothing) {
  const Scalar hard = -log_p[target];
  if (smoothing == 0) return hard;
  const Scalar soft = -kernels::sum_array(log_p, classes) / static_cast<Scalar>(classes);
  return (1 - smoothing) * hard + smoothing * soft;
}

}  // namespace

CrossEntropy cross_entropy_parts(const Tensor& logits, const Indices& targets,
                                 const CrossEntropyOptions& options) {
  check_cross_entropy(logits, targets, options);
  const Index classes = logits.size(-1);
  CrossEntropy parts{zeros({}), log_softmax(reshape(logits, {targets.element_count(), classes}), 1),
                     0};
  std::vector<Scalar> losses;
  losses.reserve(targets.values().size());
  const Scalar* log_p = parts.log_p.data();
  for (const Index target : targets.values()) {
    if (target != options.ignore_index) {
      losses.push_back(row_loss(log_p, classes, target, options.label_smoothing));
    }
    log_p += classes;
  }
  parts.counted = static_cast<Index>(losses.size());
  if (parts.counted > 0) {
    const Scalar total = kernels::sum_array(losses.data(), parts.counted);
    parts.loss = full({}, total / static_cast<Scalar>(parts.counted));
  }
  return parts;
}

Tensor cross_entropy(const Tensor& logits, const Indices& targets,
                     const CrossEntropyOptions& options) {
  return cross_entropy_parts(logits, targets, options).loss;
}

Tensor cross_entropy_backward(const CrossEntropy& parts, const Indices& targets,
                              const CrossEntropyOptions& options, Scalar grad) {
  const Index classes = parts.log_p.size(1);
  if (targets.element_count() != parts.log_p.size(0)) {
    throw ShapeError({"cross_entropy_backward: targets are ", targets.shape(), ", the parts have ",
                      parts.log_p.size(0), " rows; there must be one target a row"});
  }
  check_targets(targets, classes, options.ignore_index, "cross_entropy_backward");
  const Scalar scale = parts.counted == 0 ? 0 : grad / static_cast<Scalar>(parts.counted);
  const Scalar on_target = 1 - options.label_smoothing;
  const Scalar on_each = options.label_smoothing / static_cast<Scalar>(classes);
  Tensor grad_logits = exp(parts.log_p);  // p
  if (grad_logits.element_count() == 0) return grad_logits;
  Scalar* row = grad_logits.mutable_data();
  for (const Index target : targets.values()) {
    if (target == options.ignore_index) {
      std::fill_n(row, classes, Scalar(0));
    } else {
      row[target] -= on_target;
      for (Index i = 0; i < classes; ++i) row[i] = (row[i] - on_each) * scale;
    }
    row += classes;
  }
  return grad_logits;
}

Tensor mean_squared_error(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) {
    throw ShapeError(
        {"mean_squared_error: a is ", a.shape(), ", b is ", b.shape(), "; they must be equal"});
  }
  const Tensor difference = a - b;
  return mean(difference * difference);
}

}  // namespace vitro
