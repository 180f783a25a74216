#include "tensor/loss.h"

#include <algorithm>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/kernels/reduce.h"
#include "tensor/parallel.h"
#include "tensor/reduce.h"

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

kernels::CrossEntropyRule rule_of(Index classes, const CrossEntropyOptions& options) {
  return {classes, options.ignore_index, options.label_smoothing};
}

constexpr Index kGrain = 4096;  // elements

}  // namespace

CrossEntropy cross_entropy_parts(const Tensor& logits, const Indices& targets,
                                 const CrossEntropyOptions& options) {
  check_cross_entropy(logits, targets, options);
  const Index classes = logits.size(-1);
  const Index rows = targets.element_count();
  const Tensor x = contiguous(logits);
  const Index* wanted = targets.values().data();
  const kernels::CrossEntropyRule rule = rule_of(classes, options);
  CrossEntropy parts{zeros({}), Tensor(), 0};
  Tensor losses = zeros({rows});
  Scalar* loss = losses.mutable_data();
  parts.p = Tensor::filled({rows, classes}, [&](Scalar* p) {
    parallel_for(0, rows, grain_for(kGrain, classes), [&](Index begin, Index end) {
      kernels::cross_entropy_rows(x.data() + begin * classes, wanted + begin, rule,
                                  p + begin * classes, loss + begin, end - begin);
    });
  });
  parts.counted =
      rows - std::count(targets.values().begin(), targets.values().end(), options.ignore_index);
  if (parts.counted > 0) {
    const Scalar total = kernels::sum_array(losses.data(), rows);
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
  const Index classes = parts.p.size(1);
  if (targets.element_count() != parts.p.size(0)) {
    throw ShapeError({"cross_entropy_backward: targets are ", targets.shape(), ", the parts have ",
                      parts.p.size(0), " rows; there must be one target a row"});
  }
  check_targets(targets, classes, options.ignore_index, "cross_entropy_backward");
  const Scalar scale = parts.counted == 0 ? 0 : grad / static_cast<Scalar>(parts.counted);
  const kernels::CrossEntropyRule rule = rule_of(classes, options);
  const Index* wanted = targets.values().data();
  return Tensor::filled(parts.p.shape(), [&](Scalar* grad_logits) {
    const Scalar* p = parts.p.data();
    parallel_for(0, parts.p.size(0), grain_for(kGrain, classes), [&](Index begin, Index end) {
      kernels::cross_entropy_rows_backward(p + begin * classes, wanted + begin, rule, scale,
                                           grad_logits + begin * classes, end - begin);
    });
  });
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
