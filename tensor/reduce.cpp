#include "tensor/reduce.h"

#include <algorithm>

#include "tensor/arithmetic.h"
#include "tensor/kernels/reduce.h"
#include "tensor/parallel.h"
#include "tensor/views.h"

namespace vitro {
namespace {

constexpr Index kGrain = 16384;  // elements

// Every reduction as one over the middle of [outer, reduced, inner].
struct Reduction {
  Tensor x;  // contiguous
  Index outer = 1;
  Index reduced = 1;
  Index inner = 1;
  Shape result;
};

Shape reduced_shape(const Shape& shape, const std::vector<Index>& axes, KeepAxes keep) {
  Shape result = shape;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    result = keep == KeepAxes::kYes ? result.with_size(*axis, 1) : result.without_axis(*axis);
  }
  return result;
}

// The axes that stay, in order, then those that are reduced.
std::vector<Index> kept_first(Index rank, const std::vector<Index>& axes) {
  std::vector<Index> order;
  for (Index axis = 0; axis < rank; ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  return order;
}

// The reduced axes moved to the end, so that each result comes from one contiguous row.
Reduction plan_rows(const Tensor& x, const std::vector<Index>& axes, KeepAxes keep) {
  Reduction plan;
  plan.result = reduced_shape(x.shape(), axes, keep);
  plan.x = contiguous(permute(x, kept_first(x.rank(), axes)));
  plan.outer = plan.result.element_count();
  for (const Index axis : axes) plan.reduced *= x.size(axis);
  return plan;
}

// Neighbouring axes are reduced where they lie; others are moved behind the ones that stay.
Reduction plan_reduction(const Tensor& x, const std::vector<Index>& axes, KeepAxes keep) {
  const bool neighbours =
      axes.empty() || axes.back() - axes.front() + 1 == static_cast<Index>(axes.size());
  if (!neighbours) return plan_rows(x, axes, keep);
  Reduction plan;
  plan.result = reduced_shape(x.shape(), axes, keep);
  for (const Index axis : axes) plan.reduced *= x.size(axis);
  const Index first = axes.empty() ? x.rank() : axes.front();
  plan.x = contiguous(x);
  for (Index axis = 0; axis < first; ++axis) plan.outer *= x.size(axis);
  for (Index axis = first + static_cast<Index>(axes.size()); axis < x.rank(); ++axis) {
    plan.inner *= x.size(axis);
  }
  return plan;
}

void sum_rows(const Reduction& plan, Scalar* out) {
  const Scalar* x = plan.x.data();
  parallel_for(0, plan.outer, grain_for(kGrain, plan.reduced),
               [&plan, x, out](Index begin, Index end) {
                 for (Index row = begin; row < end; ++row) {
                   out[row] = kernels::sum_array(x + row * plan.reduced, plan.reduced);
                 }
               });
}

void sum_middle(const Reduction& plan, Scalar* out) {
  const Scalar* x = plan.x.data();
  const Index blocks = (plan.inner + kernels::kColumnBlock - 1) / kernels::kColumnBlock;
  const Index grain = grain_for(kGrain, plan.reduced * kernels::kColumnBlock);
  parallel_for(0, plan.outer * blocks, grain, [&plan, x, out, blocks](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index outer = i / blocks;
      const Index column = i % blocks * kernels::kColumnBlock;
      kernels::sum_columns(x + outer * plan.reduced * plan.inner + column, plan.reduced, plan.inner,
                           std::min(kernels::kColumnBlock, plan.inner - column),
                           out + outer * plan.inner + column);
    }
  });
}

void check_not_empty(const Tensor& x, Index reduced, const char* function) {
  if (reduced == 0) {
    throw ShapeError({function, ": nothing to choose from in ", x.shape(),
                      "; every reduced axis must have size 1 or more"});
  }
}

// The place of the first of the largest, or of the first NaN.
Index first_largest(const Scalar* x, Index count) {
  Index best = 0;
  for (Index i = 1; i < count && x[best] == x[best]; ++i) {
    if (!(x[i] <= x[best])) best = i;
  }
  return best;
}

}  // namespace

Tensor sum(const Tensor& x, const std::vector<Index>& axes, KeepAxes keep) {
  const Reduction plan = plan_reduction(x, resolve_axes(x.shape(), axes, "sum"), keep);
  return Tensor::filled(plan.result, [&plan](Scalar* out) {
    if (plan.inner == 1) {
      sum_rows(plan, out);
    } else {
      sum_middle(plan, out);
    }
  });
}

Tensor mean(const Tensor& x, const std::vector<Index>& axes, KeepAxes keep) {
  Index count = 1;
  for (const Index axis : resolve_axes(x.shape(), axes, "mean")) count *= x.size(axis);
  return sum(x, axes, keep) / static_cast<Scalar>(count);
}

Tensor var(const Tensor& x, const std::vector<Index>& axes, KeepAxes keep) {
  resolve_axes(x.shape(), axes, "var");  // so that a wrong axis is var's error, not mean's
  const Tensor deviation = x - mean(x, axes, KeepAxes::kYes);
  return mean(deviation * deviation, axes, keep);
}

Tensor max(const Tensor& x, const std::vector<Index>& axes, KeepAxes keep) {
  const Reduction plan = plan_rows(x, resolve_axes(x.shape(), axes, "max"), keep);
  check_not_empty(x, plan.reduced, "max");
  return Tensor::filled(plan.result, [&plan](Scalar* out) {
    const Scalar* rows = plan.x.data();
    for (Index row = 0; row < plan.outer; ++row) {
      out[row] = kernels::max_array(rows + row * plan.reduced, plan.reduced);
    }
  });
}

Tensor max_backward(const Tensor& x, const std::vector<Index>& axes, const Tensor& grad) {
  const std::vector<Index> resolved = resolve_axes(x.shape(), axes, "max_backward");
  const Reduction plan = plan_rows(x, resolved, KeepAxes::kNo);
  if (grad.shape() != reduced_shape(x.shape(), resolved, KeepAxes::kYes)) {
    check_grad_shape(grad.shape(), plan.result, "max_backward");
  }
  const Tensor upstream = contiguous(grad);
  const Tensor grad_rows = Tensor::filled(plan.x.shape(), [&](Scalar* out) {
    std::fill_n(out, plan.x.element_count(), Scalar(0));
    for (Index row = 0; row < plan.outer; ++row) {
      const Index start = row * plan.reduced;
      out[start + first_largest(plan.x.data() + start, plan.reduced)] = upstream.data()[row];
    }
  });
  return permute(grad_rows, inverse_order(kept_first(x.rank(), resolved)));
}

Indices argmax(const Tensor& x, Index axis) {
  const Index from_front = x.shape().resolve_axis(axis, "argmax");
  const Reduction plan = plan_rows(x, {from_front}, KeepAxes::kNo);
  check_not_empty(x, plan.reduced, "argmax");
  std::vector<Index> winners;
  winners.reserve(static_cast<std::size_t>(plan.outer));
  const Scalar* rows = plan.x.data();
  for (Index row = 0; row < plan.outer; ++row) {
    winners.push_back(first_largest(rows + row * plan.reduced, plan.reduced));
  }
  return Indices(plan.result, winners);
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  if (!broadcasts_to(shape, x.shape())) {
    throw ShapeError({"sum_to: ", shape, " does not stretch to ", x.shape(),
                      ", so the latter cannot be summed back to it"});
  }
  std::vector<Index> stretched;
  const Index added = x.rank() - shape.rank();
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (axis < added || (shape[axis - added] == 1 && x.size(axis) != 1)) stretched.push_back(axis);
  }
  return reshape(sum(x, stretched), shape.sizes());
}

}  // namespace vitro
