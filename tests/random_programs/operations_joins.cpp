// Putting values together and picking from them.
#include <algorithm>

#include "tests/random_programs/builder.h"
#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Index from_front(Index axis, const Shape& shape) { return axis < 0 ? axis + shape.rank() : axis; }

Range range_of_all(Builder& builder, const std::vector<int>& values) {
  Range range = builder.step(values[0]).range;
  for (const int value : values) {
    range.low = std::min(range.low, builder.step(value).range.low);
    range.high = std::max(range.high, builder.step(value).range.high);
  }
  return range;
}

// integers: the axis.
void draw_cat(Builder& builder) {
  const int first = builder.any_filled(1);
  const Shape shape = builder.shape_of(first);
  const Index axis = builder.axis(shape);
  const Index place = from_front(axis, shape);
  std::vector<int> parts{first};
  Index length = shape[axis];
  const Index others = shape.element_count() / std::max<Index>(1, shape[axis]);
  for (Index i = builder.between(0, 2); i > 0; --i) {
    const Index size = builder.chance(50) ? shape[axis] : builder.between(0, 3);
    if ((length + size) * others > builder.most_elements()) break;
    length += size;
    const int part = builder.of_shape(shape.with_size(place, size));
    parts.push_back(part);
  }
  Settings settings;
  settings.integers = {axis};
  builder.emit("cat(parts, axis)", parts, settings, shape.with_size(place, length),
               range_of_all(builder, parts));
}

void draw_stack(Builder& builder) {
  const int first = builder.any();
  const Shape shape = builder.shape_of(first);
  if (shape.rank() > 5) return;
  std::vector<int> parts{first};
  for (Index i = builder.between(0, 2); i > 0; --i) {
    if (shape.element_count() * (static_cast<Index>(parts.size()) + 1) > builder.most_elements()) {
      break;
    }
    const int part = builder.of_shape(shape);
    parts.push_back(part);
  }
  Settings settings;
  settings.integers = {builder.between(-1, shape.rank())};
  const Index place = settings.integers[0] < 0 ? shape.rank() : settings.integers[0];
  builder.emit("stack(parts, axis)", parts, settings,
               shape.with_axis_inserted(place, static_cast<Index>(parts.size())),
               range_of_all(builder, parts));
}

Indices draw_ids(Builder& builder, const Shape& shape, Index count) {
  std::vector<Index> ids;
  for (Index i = 0; i < shape.element_count(); ++i) ids.push_back(builder.below(count));
  return Indices(shape, ids);
}

// integers: the axis; ids.
void draw_gather(Builder& builder) {
  const int x = builder.any_filled(1);
  const Shape shape = builder.shape_of(x);
  const Index axis = builder.axis(shape);
  const Index place = from_front(axis, shape);
  Shape picked = shape;
  for (Index i = 0; i < shape.rank(); ++i) {
    const bool shorter = builder.chance(30);
    const Index most = i == place ? std::min<Index>(shape[i] + 2, 9) : shape[i];
    if (shorter || i == place) {
      const Index size = builder.between(1, most);
      picked = picked.with_size(i, size);
    }
  }
  if (picked.element_count() > builder.most_elements()) return;
  Settings settings;
  settings.integers = {axis};
  settings.ids = draw_ids(builder, picked, shape[axis]);
  builder.emit("gather(x, axis, ids)", {x}, settings, picked, builder.step(x).range);
}

void draw_embedding(Builder& builder) {
  const auto is_table = [](const Step& step) {
    return step.shape.rank() == 2 && step.shape[0] > 0;
  };
  const Index count = builder.between(1, 9);
  const Index width = std::max<Index>(1, builder.size());
  const int table = builder.pick_or_leaf(is_table, {count, width});
  const Shape shape = builder.shape_of(table);
  Shape ids;
  for (Index i = builder.between(0, 2); i > 0; --i) {
    const Index most = builder.most_elements() / (std::max<Index>(1, shape[1]) * 2);
    const Index size = std::min(builder.size(), std::max<Index>(1, most / ids.element_count()));
    ids = ids.with_axis_inserted(0, std::max<Index>(1, size));
  }
  if (ids.element_count() * shape[1] > builder.most_elements()) return;
  Settings settings;
  settings.ids = draw_ids(builder, ids, shape[0]);
  builder.emit("embedding(table, ids)", {table}, settings,
               ids.with_axis_inserted(ids.rank(), shape[1]), builder.step(table).range);
}

TermTensor joined(const Step& step, const TermTensors& in) {
  const Index axis = from_front(step.settings.integers[0], step.shape);
  TermTensor y{in[0].tape, step.shape, {}};
  for_each_place(step.shape, [&](Place place) {
    std::size_t part = 0;
    while (place[at(axis)] >= in[part].size(axis)) place[at(axis)] -= in[part++].size(axis);
    y.terms.push_back(in[part].at(number_of(in[part].shape, place)));
  });
  return y;
}

TermTensor stacked(const Step& step, const TermTensors& in) {
  const Index axis = from_front(step.settings.integers[0], step.shape);
  TermTensor y{in[0].tape, step.shape, {}};
  for_each_place(step.shape, [&](Place place) {
    const TermTensor& part = in[at(place[at(axis)])];
    place.erase(place.begin() + axis);
    y.terms.push_back(part.at(number_of(part.shape, place)));
  });
  return y;
}

TermTensor gathered(const Step& step, const TermTensors& in) {
  const Index axis = from_front(step.settings.integers[0], step.shape);
  Index i = 0;
  return moved(in[0], step.shape, [&](Place place) {
    place[at(axis)] = step.settings.ids[i++];
    return place;
  });
}

TermTensor rows_by_id(const Step& step, const TermTensors& in) {
  const Shape& ids = step.settings.ids.shape();
  return moved(in[0], step.shape, [&](const Place& place) {
    const Place where(place.begin(), place.end() - 1);
    return Place{step.settings.ids[number_of(ids, where)], place.back()};
  });
}

// Rows one by one.
Variable spelled_out_embedding(const Step& step, const Operands& in) {
  const Indices& ids = step.settings.ids;
  if (ids.element_count() == 0) return embedding(in[0], ids);
  std::vector<Operand> rows;
  for (const Index id : ids.values()) rows.emplace_back(narrow(in[0], 0, id, 1));
  return reshape(cat(rows, 0), step.shape.sizes());
}

}  // namespace

void add_join_operations(Operations& table) {
  table.push_back(
      {"cat(parts, axis)", draw_cat,
       [](const Step& step, const Operands& in) { return cat(in, step.settings.integers[0]); },
       nullptr, joined});
  table.push_back(
      {"stack(parts, axis)", draw_stack,
       [](const Step& step, const Operands& in) { return stack(in, step.settings.integers[0]); },
       [](const Step& step, const Operands& in) {
         const Index axis = from_front(step.settings.integers[0], step.shape);
         std::vector<Operand> parts;
         for (const Operand& part : in) parts.emplace_back(unsqueeze(part, axis));
         return cat(parts, axis);
       },
       stacked});
  table.push_back({"gather(x, axis, ids)", draw_gather,
                   [](const Step& step, const Operands& in) {
                     return gather(in[0], step.settings.integers[0], step.settings.ids);
                   },
                   nullptr, gathered});
  table.push_back(
      {"embedding(table, ids)", draw_embedding,
       [](const Step& step, const Operands& in) { return embedding(in[0], step.settings.ids); },
       spelled_out_embedding, rows_by_id});
}

}  // namespace vitro::programs
