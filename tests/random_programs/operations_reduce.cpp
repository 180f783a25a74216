// Sums, means, variances and maxima. integers: the axes; flag: they stay.
#include <cmath>

#include "tests/random_programs/builder.h"
#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

KeepAxes keep_of(const Step& step) { return step.settings.flag ? KeepAxes::kYes : KeepAxes::kNo; }

Axes axes_of(const Step& step) { return step.settings.flag ? Axes::kStay : Axes::kGo; }

// A random choice of axes; sometimes the empty list, which means all.
Settings draw_axes(Builder& builder, const Shape& shape) {
  Settings settings;
  settings.flag = builder.chance(40);
  if (shape.rank() == 0 || builder.chance(20)) return settings;
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    const bool chosen = builder.chance(45);
    const bool from_end = builder.chance(50);
    if (chosen) settings.integers.push_back(from_end ? axis - shape.rank() : axis);
  }
  if (settings.integers.empty()) settings.integers.push_back(-1);
  return settings;
}

struct Reduced {
  Shape shape;
  Index count = 1;  // of the numbers that become one
};

Reduced reduced(const Shape& shape, const Settings& settings) {
  Reduced result;
  std::vector<bool> goes(static_cast<std::size_t>(shape.rank()), false);
  for (const Index axis : resolve_axes(shape, settings.integers, "reduced")) {
    goes[static_cast<std::size_t>(axis)] = true;
    result.count *= shape[axis];
  }
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    const bool is_gone = goes[static_cast<std::size_t>(axis)];
    if (is_gone && !settings.flag) continue;
    result.shape = result.shape.with_axis_inserted(result.shape.rank(), is_gone ? 1 : shape[axis]);
  }
  return result;
}

void draw_sum(Builder& builder) {
  const int x = builder.any();
  const Settings settings = draw_axes(builder, builder.shape_of(x));
  const Reduced result = reduced(builder.shape_of(x), settings);
  const auto count = static_cast<double>(result.count);
  const Range range = builder.step(x).range;
  builder.emit("sum(x, axes, keep)", {x}, settings, result.shape,
               {range.low * count, range.high * count});
}

void draw_mean(Builder& builder) {
  const int x = builder.any_filled(0);
  const Settings settings = draw_axes(builder, builder.shape_of(x));
  const Shape shape = reduced(builder.shape_of(x), settings).shape;
  builder.emit("mean(x, axes, keep)", {x}, settings, shape, builder.step(x).range);
}

void draw_var(Builder& builder) {
  const int x = builder.any_filled(0);
  const Settings settings = draw_axes(builder, builder.shape_of(x));
  const Shape shape = reduced(builder.shape_of(x), settings).shape;
  const Range range = builder.step(x).range;
  const double width = range.high - range.low;
  builder.emit("var(x, axes, keep)", {x}, settings, shape, {0, width * width});
}

// Different whole numbers, with at most 1/4 added, for the numbers of which one is chosen.
void draw_max(Builder& builder) {
  const int x = builder.any_filled(0);
  const Shape shape = builder.shape_of(x);
  const Settings settings = draw_axes(builder, shape);
  const Reduced result = reduced(shape, settings);
  if (result.count > 48) return;
  const std::vector<Index> order = builder.rng().permutation(result.count);
  Shape within;  // the axes that go, the others with size 1
  for (Index axis = 0; axis < shape.rank(); ++axis) within = within.with_axis_inserted(axis, 1);
  for (const Index axis : resolve_axes(shape, settings.integers, "draw_max")) {
    within = within.with_size(axis, shape[axis]);
  }
  Numbers offsets{shape, {}};
  for_each_place(shape, [&](const Place& place) {
    const Index rank = order[static_cast<std::size_t>(number_of(within, place))];
    const Index centered = rank - result.count / 2;
    offsets.values.push_back(static_cast<double>(centered));
  });
  const int apart = builder.near(x, offsets);
  builder.emit("max(x, axes, keep)", {apart}, settings, result.shape, builder.step(apart).range);
}

using Fold = Term (*)(const std::vector<Term>&);

std::function<TermTensor(const Step&, const TermTensors&)> fold(Fold f) {
  return [f](const Step& step, const TermTensors& in) {
    return folded(in[0], step.settings.integers, axes_of(step), f);
  };
}

Term variance_of(const std::vector<Term>& x) {
  const Term mean = mean_of(x);
  return mean_of(each(x, [&mean](const Term& term) {
    const Term deviation = term - mean;
    return deviation * deviation;
  }));
}

Term largest_of(const std::vector<Term>& x) {
  Term result = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) result = larger(result, x[i]);
  return result;
}

Variable spelled_out_mean(const Step& step, const Operands& in) {
  const Index count = reduced(in[0].shape(), step.settings).count;
  return sum(in[0], step.settings.integers, keep_of(step)) / static_cast<Scalar>(count);
}

Variable spelled_out_var(const Step& step, const Operands& in) {
  const Variable deviation = in[0] - mean(in[0], step.settings.integers, KeepAxes::kYes);
  return mean(deviation * deviation, step.settings.integers, keep_of(step));
}

}  // namespace

void add_reduce_operations(Operations& table) {
  table.push_back({"sum(x, axes, keep)", draw_sum,
                   [](const Step& step, const Operands& in) {
                     return sum(in[0], step.settings.integers, keep_of(step));
                   },
                   nullptr,
                   [](const Step& step, const TermTensors& in) {
                     return folded(in[0], step.settings.integers, axes_of(step),
                                   [tape = in[0].tape](const auto& x) { return tape->sum(x); });
                   }});
  table.push_back({"mean(x, axes, keep)", draw_mean,
                   [](const Step& step, const Operands& in) {
                     return mean(in[0], step.settings.integers, keep_of(step));
                   },
                   spelled_out_mean, fold(mean_of)});
  table.push_back({"var(x, axes, keep)", draw_var,
                   [](const Step& step, const Operands& in) {
                     return var(in[0], step.settings.integers, keep_of(step));
                   },
                   spelled_out_var, fold(variance_of)});
  table.push_back({"max(x, axes, keep)", draw_max,
                   [](const Step& step, const Operands& in) {
                     return max(in[0], step.settings.integers, keep_of(step));
                   },
                   nullptr, fold(largest_of)});
}

}  // namespace vitro::programs
