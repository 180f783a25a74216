// Views. integers: the arguments, as autograd/ops.h lists them.
#include <algorithm>
#include <numeric>

#include "tensor/create.h"

#include "tests/random_programs/builder.h"
#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

void emit_view(Builder& builder, const char* operation, int x, const Settings& settings,
               const Shape& shape) {
  const bool contiguous = builder.step(x).contiguous;
  const std::string name = operation;
  const int y = builder.emit(operation, {x}, settings, shape, builder.step(x).range);
  // Nothing is promised of the others, though some of them are contiguous.
  const bool keeps_order = name.starts_with("view") || name.starts_with("reshape");
  if (!contiguous || !keeps_order) builder.set_scattered(y);
}

// As many elements in other sizes: the product is taken apart, factor by factor.
Shape other_sizes(Builder& builder, const Shape& shape) {
  if (shape.element_count() == 0) {
    std::vector<Index> sizes = shape.sizes();
    std::reverse(sizes.begin(), sizes.end());
    return Shape(sizes);
  }
  std::vector<Index> sizes;
  Index left = shape.element_count();
  for (Index factor = 2; left > 1; ++factor) {
    if (factor * factor > left) factor = left;
    for (; left % factor == 0; left /= factor) {
      const bool joins = !sizes.empty() && (sizes.size() >= 4 || builder.chance(50));
      const Index place = joins ? builder.below(static_cast<Index>(sizes.size())) : 0;
      if (joins) sizes[at(place)] *= factor;
      if (!joins) sizes.push_back(factor);
    }
  }
  if (builder.chance(25)) {
    const Index place = builder.between(0, static_cast<Index>(sizes.size()));
    sizes.insert(sizes.begin() + place, 1);
  }
  return Shape(sizes);
}

void draw_reshape(Builder& builder) {
  const int x = builder.any();
  const Shape shape = other_sizes(builder, builder.shape_of(x));
  Settings settings;
  settings.integers = shape.sizes();
  const bool infers = shape.element_count() > 0 && shape.rank() > 0 && builder.chance(30);
  if (infers) {
    const Index axis = builder.below(shape.rank());
    settings.integers[at(axis)] = -1;
  }
  emit_view(builder, "reshape(x, sizes)", x, settings, shape);
}

void draw_view(Builder& builder) {
  const int x = builder.pick([](const Step& step) { return step.contiguous; });
  if (x < 0) return;
  const Shape shape = other_sizes(builder, builder.shape_of(x));
  Settings settings;
  settings.integers = shape.sizes();
  emit_view(builder, "view(x, sizes)", x, settings, shape);
}

// Sizes may be 0: any_filled is not needed.
int any_of_rank(Builder& builder, Index rank) {
  const Shape otherwise = builder.shape(rank, 4);
  return builder.pick_or_leaf([rank](const Step& step) { return step.shape.rank() >= rank; },
                              otherwise);
}

void draw_transpose(Builder& builder) {
  const int x = any_of_rank(builder, 2);
  const Shape shape = builder.shape_of(x);
  const Index a = builder.axis(shape);
  const Index b = builder.axis(shape);
  Settings settings;
  settings.integers = {a, b};
  const Shape swapped = shape.with_size(shape.resolve_axis(a, "draw"), shape[b])
                            .with_size(shape.resolve_axis(b, "draw"), shape[a]);
  emit_view(builder, "transpose(x, axis_a, axis_b)", x, settings, swapped);
}

void draw_permute(Builder& builder) {
  const int x = any_of_rank(builder, 2);
  const Shape shape = builder.shape_of(x);
  Settings settings;
  std::vector<Index> sizes;
  for (const Index axis : builder.rng().permutation(shape.rank())) {
    sizes.push_back(shape[axis]);
    settings.integers.push_back(builder.chance(50) ? axis : axis - shape.rank());
  }
  emit_view(builder, "permute(x, axes)", x, settings, Shape(sizes));
}

void draw_narrow(Builder& builder) {
  const int x = builder.any_filled(1);
  const Shape shape = builder.shape_of(x);
  const Index axis = builder.axis(shape);
  const Index length = builder.chance(3) ? 0 : builder.between(1, shape[axis]);
  const Index start = builder.between(0, shape[axis] - length);
  Settings settings;
  settings.integers = {axis, start, length};
  const Shape narrowed = shape.with_size(shape.resolve_axis(axis, "draw"), length);
  emit_view(builder, "narrow(x, axis, start, length)", x, settings, narrowed);
}

// integers: the new sizes.
void draw_broadcast(Builder& builder) {
  const int x = builder.any();
  Shape shape = builder.shape_of(x);
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    const Index times = builder.between(1, 3);
    if (shape[axis] == 1) shape = shape.with_size(axis, times);
  }
  if (shape.rank() < 5 && builder.chance(50)) {
    const Index size = builder.between(1, 3);
    shape = shape.with_axis_inserted(0, size);
  }
  if (shape.element_count() > builder.most_elements()) return;
  Settings settings;
  settings.integers = shape.sizes();
  emit_view(builder, "broadcast_to(x, shape)", x, settings, shape);
}

void draw_unsqueeze(Builder& builder) {
  const int x = builder.any();
  const Shape shape = builder.shape_of(x);
  if (shape.rank() > 5) return;
  const Index axis = builder.between(-1, shape.rank());
  Settings settings;
  settings.integers = {axis};
  emit_view(builder, "unsqueeze(x, axis)", x, settings,
            shape.with_axis_inserted(axis < 0 ? shape.rank() : axis, 1));
}

void draw_squeeze(Builder& builder) {
  const auto has_one = [](const Step& step) {
    return std::count(step.shape.begin(), step.shape.end(), 1) > 0;
  };
  const int x = builder.pick(has_one);
  if (x < 0) return;
  const Shape shape = builder.shape_of(x);
  const Index axis = std::find(shape.begin(), shape.end(), 1) - shape.begin();
  Settings settings;
  settings.integers = {builder.chance(50) ? axis : axis - shape.rank()};
  emit_view(builder, "squeeze(x, axis)", x, settings, shape.without_axis(axis));
}

// The same numbers in the same order.
TermTensor same_order(const Step& step, const TermTensors& in) {
  return {in[0].tape, step.shape, in[0].terms};
}

Place swapped(Place place, Index a, Index b) {
  std::swap(place[at(a)], place[at(b)]);
  return place;
}

Index from_front(Index axis, const Shape& shape) { return axis < 0 ? axis + shape.rank() : axis; }

TermTensor permuted(const Step& step, const TermTensors& in) {
  return moved(in[0], step.shape, [&](const Place& place) {
    Place from(place.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
      from[at(from_front(step.settings.integers[i], step.shape))] = place[i];
    }
    return from;
  });
}

TermTensor narrowed(const Step& step, const TermTensors& in) {
  const Index axis = from_front(step.settings.integers[0], step.shape);
  return moved(in[0], step.shape, [&](Place place) {
    place[at(axis)] += step.settings.integers[1];
    return place;
  });
}

}  // namespace

void add_view_operations(Operations& table) {
  const auto integers = [](const Step& step) { return step.settings.integers; };
  table.push_back(
      {"reshape(x, sizes)", draw_reshape,
       [=](const Step& step, const Operands& in) { return reshape(in[0], integers(step)); },
       nullptr, same_order});
  table.push_back(
      {"view(x, sizes)", draw_view,
       [=](const Step& step, const Operands& in) { return view(in[0], integers(step)); },
       [=](const Step& step, const Operands& in) { return reshape(in[0], integers(step)); },
       same_order});
  table.push_back({"transpose(x, axis_a, axis_b)", draw_transpose,
                   [=](const Step& step, const Operands& in) {
                     return transpose(in[0], integers(step)[0], integers(step)[1]);
                   },
                   [=](const Step& step, const Operands& in) {
                     std::vector<Index> axes(at(step.shape.rank()));
                     std::iota(axes.begin(), axes.end(), 0);
                     std::swap(axes[at(from_front(integers(step)[0], step.shape))],
                               axes[at(from_front(integers(step)[1], step.shape))]);
                     return permute(in[0], axes);
                   },
                   [=](const Step& step, const TermTensors& in) {
                     const Index a = from_front(integers(step)[0], step.shape);
                     const Index b = from_front(integers(step)[1], step.shape);
                     return moved(in[0], step.shape,
                                  [=](const Place& place) { return swapped(place, a, b); });
                   }});
  table.push_back(
      {"permute(x, axes)", draw_permute,
       [=](const Step& step, const Operands& in) { return permute(in[0], integers(step)); },
       nullptr, permuted});
  table.push_back({"narrow(x, axis, start, length)", draw_narrow,
                   [=](const Step& step, const Operands& in) {
                     return narrow(in[0], integers(step)[0], integers(step)[1], integers(step)[2]);
                   },
                   nullptr, narrowed});
  table.push_back(
      {"broadcast_to(x, shape)", draw_broadcast,
       [](const Step& step, const Operands& in) { return broadcast_to(in[0], step.shape); },
       [](const Step& step, const Operands& in) { return in[0] + Variable(zeros(step.shape)); },
       [](const Step& step, const TermTensors& in) { return stretched(in[0], step.shape); }});
  table.push_back(
      {"unsqueeze(x, axis)", draw_unsqueeze,
       [=](const Step& step, const Operands& in) { return unsqueeze(in[0], integers(step)[0]); },
       [](const Step& step, const Operands& in) { return reshape(in[0], step.shape.sizes()); },
       same_order});
  table.push_back(
      {"squeeze(x, axis)", draw_squeeze,
       [=](const Step& step, const Operands& in) { return squeeze(in[0], integers(step)[0]); },
       [](const Step& step, const Operands& in) { return reshape(in[0], step.shape.sizes()); },
       same_order});
}

}  // namespace vitro::programs
