// Rows for reductions and for operations that move numbers.
#include <functional>

#include "tests/autograd/gradcheck_table.h"

namespace vitro {
namespace {

using Axes = std::vector<Index>;
using Draw = Variable (*)(const Shape&);
using Reduce = Variable (*)(const Operand& x, const Axes& axes, KeepAxes keep);

void add_reduction(GradcheckRows& rows, const char* name, Reduce f, Draw draw, bool single_counts) {
  const auto over = [f](const Axes& axes, KeepAxes keep) {
    return [=](const std::vector<Variable>& in) { return f(in[0], axes, keep); };
  };
  const auto keep = KeepAxes::kYes;
  const auto drop = KeepAxes::kNo;
  rows.push_back({name, "everything", over({}, drop), {draw({3, 5})}});
  rows.push_back({name, "everything, kept", over({}, keep), {draw({2, 3, 5})}});
  rows.push_back({name, "first axis", over({0}, drop), {draw({3, 5})}});
  rows.push_back({name, "last axis", over({-1}, drop), {draw({3, 5})}});
  rows.push_back({name, "middle axis, kept", over({1}, keep), {draw({2, 3, 5})}});
  rows.push_back({name, "outer axes", over({0, 2}, drop), {draw({2, 3, 5})}});
  rows.push_back({name, "axes in falling order", over({-1, 0}, keep), {draw({2, 3, 5})}});
  rows.push_back({name, "neighbouring axes", over({1, 2}, drop), {draw({2, 3, 5})}});
  rows.push_back({name, "longer than a lane", over({-1}, drop), {draw({2, 37})}});
  rows.push_back({name, "transposed view", over({0}, drop), {transposed(draw, 5, 3)}});
  rows.push_back({name, "narrowed view", over({1}, drop), {narrowed(draw, 3, 5)}});
  rows.push_back({name,
                  "used twice",
                  [f](const auto& in) { return f(in[0], {1}, KeepAxes::kYes) * in[0]; },
                  {draw({2, 3})}});
  if (!single_counts) return;
  rows.push_back({name, "rank 0", over({}, drop), {draw({})}});
  rows.push_back({name, "one element", over({0}, drop), {draw({1, 1})}});
  rows.push_back({name, "axis of size 1", over({1}, drop), {draw({3, 1, 5})}});
}

// The same operation on a plain input, on views and used twice.
void add_move(GradcheckRows& rows, const char* name, const char* variant,
              const std::function<Variable(const Variable&)>& f, const Shape& shape) {
  const auto apply = [f](const auto& in) { return f(in[0]); };
  const std::string text = variant;
  rows.push_back({name, text, apply, {any(shape)}});
  rows.push_back({name,
                  text + ", used twice",
                  [f](const auto& in) { return f(in[0] * in[0]) + f(in[0]); },
                  {any(shape)}});
  if (shape.rank() != 2) return;
  rows.push_back({name, text + ", transposed view", apply, {transposed(any, shape[0], shape[1])}});
  rows.push_back({name, text + ", narrowed view", apply, {narrowed(any, shape[0], shape[1])}});
}

void add_joins(GradcheckRows& rows) {
  using Operands = std::vector<Operand>;
  const auto join = [](Index axis) {
    return [axis](const auto& in) { return cat(Operands{in[0], in[1], in[2]}, axis); };
  };
  const char* name = "cat(parts, axis)";
  rows.push_back({name, "first axis", join(0), {any({2, 3}), any({1, 3}), any({5, 3})}});
  rows.push_back({name, "last axis", join(-1), {any({3, 2}), any({3, 1}), any({3, 5})}});
  rows.push_back(
      {name, "views", join(0), {transposed(any, 2, 3), narrowed(any, 1, 3), any({5, 3})}});
  rows.push_back({name,
                  "an empty part",
                  [](const auto& in) {
                    return cat(Operands{in[0], narrow(in[1], 1, 1, 0), in[1]}, 1);
                  },
                  {any({3, 2}), any({3, 5})}});
  rows.push_back({name,
                  "one part, used twice",
                  [](const auto& in) {
                    return cat(Operands{in[0], in[0]}, 0);
                  },
                  {any({2, 3})}});

  const auto pile = [](Index axis) {
    return [axis](const auto& in) { return stack(Operands{in[0], in[1], in[0]}, axis); };
  };
  name = "stack(parts, axis)";
  rows.push_back({name, "in front, a part used twice", pile(0), {any({2, 3}), any({2, 3})}});
  rows.push_back({name, "in the middle", pile(1), {any({2, 3}), any({2, 3})}});
  rows.push_back({name, "at the end", pile(-1), {any({2, 3}), any({2, 3})}});
  rows.push_back({name, "rank 0", pile(0), {any({}), any({})}});
  rows.push_back({name, "views", pile(1), {transposed(any, 2, 3), narrowed(any, 2, 3)}});
}

}  // namespace

void add_reduce_rows(GradcheckRows& rows) {
  add_reduction(rows, "sum(x, axes, keep)", sum, any, true);
  add_reduction(rows, "mean(x, axes, keep)", mean, any, true);
  add_reduction(rows, "var(x, axes, keep)", var, any, false);  // of one element: 0 and flat
  add_reduction(rows, "max(x, axes, keep)", max, apart, true);
}

void add_shape_rows(GradcheckRows& rows) {
  const auto move = [&rows](const char* name, const char* variant, const Shape& shape,
                            const std::function<Variable(const Variable&)>& f) {
    add_move(rows, name, variant, f, shape);
  };
  move("reshape(x, sizes)", "flat", {3, 5}, [](const auto& x) { return reshape(x, {-1}); });
  move("reshape(x, sizes)", "more axes", {3, 10}, [](const auto& x) {
    return reshape(x, {3, 2, -1});
  });
  move("reshape(x, sizes)", "after transpose", {3, 5}, [](const auto& x) {
    return reshape(transpose(x, 0, 1), {3, 5});
  });
  move("reshape(x, sizes)", "rank 0", {}, [](const auto& x) { return reshape(x, {1, 1}); });
  rows.push_back(
      {"view(x, sizes)", "flat", [](const auto& in) { return view(in[0], {15}); }, {any({3, 5})}});
  rows.push_back({"view(x, sizes)",
                  "narrowed view, used twice",
                  [](const auto& in) {
                    return view(in[0], {5, 3}) * view(in[0], {5, 3});
                  },
                  {narrowed(any, 3, 5)}});
  move("transpose(x, axis_a, axis_b)", "matrix", {3, 5},
       [](const auto& x) { return transpose(x, 0, 1); });
  move("transpose(x, axis_a, axis_b)", "rank 3", {2, 3, 5},
       [](const auto& x) { return transpose(x, -1, 0); });
  move("transpose(x, axis_a, axis_b)", "an axis with itself", {2, 3},
       [](const auto& x) { return transpose(x, 1, 1); });
  move("permute(x, axes)", "rank 3", {2, 3, 5}, [](const auto& x) {
    return permute(x, {2, 0, 1});
  });
  move("permute(x, axes)", "negative axes", {2, 3, 5, 1}, [](const auto& x) {
    return permute(x, {-1, 2, 0, -3});
  });
  move("permute(x, axes)", "rank 0", {}, [](const auto& x) { return permute(x, {}); });
  move("permute(x, axes)", "matrix", {3, 5}, [](const auto& x) { return permute(x, {1, 0}); });
  move("narrow(x, axis, start, length)", "last axis", {3, 5},
       [](const auto& x) { return narrow(x, -1, 2, 2); });
  move("narrow(x, axis, start, length)", "first axis, all of it", {3, 5},
       [](const auto& x) { return narrow(x, 0, 0, 3); });
  move("narrow(x, axis, start, length)", "two that overlap", {7, 3},
       [](const auto& x) { return narrow(x, 0, 0, 4) * narrow(x, 0, 2, 4); });
  move("broadcast_to(x, shape)", "axis of size 1", {3, 1}, [](const auto& x) {
    return broadcast_to(x, {2, 3, 5});
  });
  move("broadcast_to(x, shape)", "rank 0", {}, [](const auto& x) {
    return broadcast_to(x, {2, 3});
  });
  move("broadcast_to(x, shape)", "equal shapes", {2, 3}, [](const auto& x) {
    return broadcast_to(x, {2, 3});
  });
  move("unsqueeze(x, axis)", "in the middle", {3, 5},
       [](const auto& x) { return unsqueeze(x, 1); });
  move("unsqueeze(x, axis)", "at the end", {3, 5}, [](const auto& x) { return unsqueeze(x, -1); });
  move("unsqueeze(x, axis)", "rank 0", {}, [](const auto& x) { return unsqueeze(x, 0); });
  move("squeeze(x, axis)", "last axis", {3, 1}, [](const auto& x) { return squeeze(x, -1); });
  move("squeeze(x, axis)", "middle axis", {3, 1, 5}, [](const auto& x) { return squeeze(x, 1); });
  move("gather(x, axis, ids)", "rows, repeated", {5, 3}, [](const auto& x) {
    return gather(x, 0, Indices({2, 3}, {4, 0, 4, 4, 1, 2}));
  });
  move("gather(x, axis, ids)", "last axis, fewer rows", {5, 3}, [](const auto& x) {
    return gather(x, -1, Indices({2, 4}, {0, 2, 2, 1, 1, 1, 0, 2}));
  });
  add_joins(rows);
}

}  // namespace vitro
