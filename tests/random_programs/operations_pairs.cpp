// Pairs of elements.
#include <algorithm>
#include <cmath>

#include "tensor/arithmetic.h"

#include "tests/random_programs/builder.h"
#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

struct Pair {
  int a;
  int b;
};

Pair draw_pair(Builder& builder) {
  const int a = builder.any();
  const int b = builder.partner(a);
  return builder.chance(70) ? Pair{a, b} : Pair{b, a};
}

Shape both(Builder& builder, const Pair& pair) {
  return broadcast_shapes(builder.shape_of(pair.a), builder.shape_of(pair.b), "pair");
}

using Ranges = Range (*)(const Range&, const Range&);

Range range_of_product(const Range& a, const Range& b) {
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}

void emit_pair(Builder& builder, const char* operation, const Pair& pair, Ranges ranges) {
  const Shape shape = both(builder, pair);
  const Range range = ranges(builder.step(pair.a).range, builder.step(pair.b).range);
  builder.emit(operation, {pair.a, pair.b}, {}, shape, range);
}

// a is 1 or -1, b 0, each with at most 1/4 added.
Pair far_apart(Builder& builder, const Pair& pair) {
  Numbers offsets{builder.shape_of(pair.a), {}};
  for (Index i = 0; i < offsets.shape.element_count(); ++i) {
    offsets.values.push_back(builder.chance(50) ? 1 : -1);
  }
  const int a = builder.near(pair.a, offsets);
  const Numbers zeros{builder.shape_of(pair.b),
                      std::vector<double>(builder.shape_of(pair.b).element_count(), 0)};
  return {a, builder.near(pair.b, zeros)};
}

Variable select(const Tensor& condition, const Operand& a, const Operand& b) {
  const Variable chosen{condition};
  return a * chosen + b * (Scalar(1) - chosen);
}

void add_where(Operations& table) {
  table.push_back({"where(condition, a, b)",
                   [](Builder& builder) {
                     const Pair pair = draw_pair(builder);
                     const Shape shape = both(builder, pair);
                     Settings settings;
                     const Shape condition = builder.stretching_shape(shape);
                     settings.mask = builder.mask(condition);
                     const Range a = builder.step(pair.a).range;
                     const Range b = builder.step(pair.b).range;
                     builder.emit("where(condition, a, b)", {pair.a, pair.b}, settings, shape,
                                  {std::min(a.low, b.low), std::max(a.high, b.high)});
                   },
                   [](const Step& step, const Operands& in) {
                     return where(to_tensor(step.settings.mask), in[0], in[1]);
                   },
                   [](const Step& step, const Operands& in) {
                     return select(to_tensor(step.settings.mask), in[0], in[1]);
                   },
                   [](const Step& step, const TermTensors& in) {
                     const TermTensor a = stretched(in[0], step.shape);
                     TermTensor y = stretched(in[1], step.shape);
                     const Numbers& mask = step.settings.mask;
                     std::size_t i = 0;
                     for_each_place(step.shape, [&](const Place& place) {
                       const auto from = static_cast<std::size_t>(number_of(mask.shape, place));
                       if (mask.values[from] != 0) y.terms[i] = a.terms[i];
                       ++i;
                     });
                     return y;
                   }});
}

}  // namespace

void add_pair_operations(Operations& table) {
  table.push_back({"operator+(a, b)",
                   [](Builder& builder) {
                     emit_pair(builder, "operator+(a, b)", draw_pair(builder),
                               [](const Range& a, const Range& b) {
                                 return Range{a.low + b.low, a.high + b.high};
                               });
                   },
                   [](const Step&, const Operands& in) { return in[0] + in[1]; },
                   [](const Step&, const Operands& in) { return in[0] - -in[1]; },
                   [](const Step&, const TermTensors& in) {
                     return zipped(in[0], in[1],
                                   [](const Term& a, const Term& b) { return a + b; });
                   }});
  table.push_back({"operator-(a, b)",
                   [](Builder& builder) {
                     emit_pair(builder, "operator-(a, b)", draw_pair(builder),
                               [](const Range& a, const Range& b) {
                                 return Range{a.low - b.high, a.high - b.low};
                               });
                   },
                   [](const Step&, const Operands& in) { return in[0] - in[1]; },
                   [](const Step&, const Operands& in) { return in[0] + -in[1]; },
                   [](const Step&, const TermTensors& in) {
                     return zipped(in[0], in[1],
                                   [](const Term& a, const Term& b) { return a - b; });
                   }});
  table.push_back({"operator*(a, b)",
                   [](Builder& builder) {
                     emit_pair(builder, "operator*(a, b)", draw_pair(builder), range_of_product);
                   },
                   [](const Step&, const Operands& in) { return in[0] * in[1]; }, nullptr,
                   [](const Step&, const TermTensors& in) {
                     return zipped(in[0], in[1],
                                   [](const Term& a, const Term& b) { return a * b; });
                   }});
  table.push_back(
      {"operator/(a, b)",
       [](Builder& builder) {
         Pair pair = draw_pair(builder);
         pair.b = builder.positive(pair.b);
         emit_pair(builder, "operator/(a, b)", pair, [](const Range& a, const Range& b) {
           return range_of_product(a, {1 / b.high, 1 / b.low});
         });
       },
       [](const Step&, const Operands& in) { return in[0] / in[1]; },
       [](const Step&, const Operands& in) { return in[0] * pow(in[1], -1); },
       [](const Step&, const TermTensors& in) {
         return zipped(in[0], in[1], [](const Term& a, const Term& b) { return a / b; });
       }});
  table.push_back(
      {"maximum(a, b)",
       [](Builder& builder) {
         const Pair pair = draw_pair(builder);
         emit_pair(builder, "maximum(a, b)", far_apart(builder, pair),
                   [](const Range&, const Range&) {
                     return Range{-0.25, 1.25};
                   });
       },
       [](const Step&, const Operands& in) { return maximum(in[0], in[1]); },
       [](const Step&, const Operands& in) {
         return where(greater(in[0].value(), in[1].value()), in[0], in[1]);
       },
       [](const Step&, const TermTensors& in) { return zipped(in[0], in[1], larger); }});
  table.push_back(
      {"minimum(a, b)",
       [](Builder& builder) {
         const Pair pair = draw_pair(builder);
         emit_pair(builder, "minimum(a, b)", far_apart(builder, pair),
                   [](const Range&, const Range&) {
                     return Range{-1.25, 0.25};
                   });
       },
       [](const Step&, const Operands& in) { return minimum(in[0], in[1]); },
       [](const Step&, const Operands& in) {
         return where(greater(in[1].value(), in[0].value()), in[0], in[1]);
       },
       [](const Step&, const TermTensors& in) { return zipped(in[0], in[1], smaller); }});
  add_where(table);
}

}  // namespace vitro::programs
