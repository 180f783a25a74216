// Each element alone.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/random_programs/builder.h"
#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

using Function = Variable (*)(const Operand&);
using TermFunction = Term (*)(const Term&);
using RangeFunction = Range (*)(const Range&);
using Prepare = int (*)(Builder&, int);

int as_it_is(Builder&, int value) { return value; }

int within_4(Builder& builder, int value) { return builder.within(value, 4); }

int positive(Builder& builder, int value) { return builder.positive(value); }

// ±1/2, with at most 1/4 added.
int far_from_zero(Builder& builder, int value) {
  Numbers offsets{builder.shape_of(value), {}};
  for (Index i = 0; i < offsets.shape.element_count(); ++i) {
    offsets.values.push_back(builder.chance(50) ? 0.5 : -0.5);
  }
  return builder.near(value, offsets);
}

// -1, 0 or 1, with at most 1/4 added: far from ±1/2.
int far_from_halves(Builder& builder, int value) {
  Numbers offsets{builder.shape_of(value), {}};
  for (Index i = 0; i < offsets.shape.element_count(); ++i) {
    offsets.values.push_back(static_cast<double>(builder.between(-1, 1)));
  }
  return builder.near(value, offsets);
}

struct Unary {
  std::string declared;
  Prepare prepare;
  RangeFunction range;
  Function run;
  Function spelled_out;  // may be null
  TermFunction reference;
};

Operation make_unary(const Unary& row) {
  Operation operation;
  operation.declared = row.declared;
  operation.draw = [row](Builder& builder) {
    const int x = row.prepare(builder, builder.any());
    const Shape shape = builder.shape_of(x);
    const Range range = row.range(builder.step(x).range);
    builder.emit(row.declared, {x}, {}, shape, range);
  };
  operation.run = [run = row.run](const Step&, const Operands& in) { return run(in[0]); };
  if (row.spelled_out != nullptr) {
    operation.spelled_out = [run = row.spelled_out](const Step&, const Operands& in) {
      return run(in[0]);
    };
  }
  operation.reference = [f = row.reference](const Step&, const TermTensors& in) {
    return mapped(in[0], f);
  };
  return operation;
}

Range same_size(const Range& x) { return {-x.size(), x.size()}; }

Range up_to_1(const Range&) { return {-1, 1}; }

Variable spelled_out_sigmoid(const Operand& x) { return Scalar(1) / (exp(-x) + Scalar(1)); }

void add_plain_rows(Operations& table) {
  const std::vector<Unary> rows = {
      {"operator-(x)", as_it_is,
       [](const Range& x) {
         return Range{-x.high, -x.low};
       },
       [](const Operand& x) { return -x; }, [](const Operand& x) { return Scalar(0) - x; },
       [](const Term& x) { return -x; }},
      {"exp(x)", within_4,
       [](const Range& x) {
         return Range{std::exp(x.low), std::exp(x.high)};
       },
       [](const Operand& x) { return exp(x); }, nullptr, exp},
      {"log(x)", positive,
       [](const Range& x) {
         return Range{std::log(x.low), std::log(x.high)};
       },
       [](const Operand& x) { return log(x); }, nullptr, log},
      {"sqrt(x)", positive,
       [](const Range& x) {
         return Range{std::sqrt(x.low), std::sqrt(x.high)};
       },
       [](const Operand& x) { return sqrt(x); },
       [](const Operand& x) { return pow(x, Scalar(0.5)); }, sqrt},
      {"abs(x)", far_from_zero,
       [](const Range&) {
         return Range{0.25, 0.75};
       },
       [](const Operand& x) { return abs(x); }, [](const Operand& x) { return relu(x) + relu(-x); },
       abs},
      {"tanh(x)", as_it_is, up_to_1, [](const Operand& x) { return tanh(x); }, nullptr, tanh},
      {"sigmoid(x)", within_4,
       [](const Range&) {
         return Range{0, 1};
       },
       [](const Operand& x) { return sigmoid(x); }, spelled_out_sigmoid, sigmoid},
      {"relu(x)", far_from_zero,
       [](const Range&) {
         return Range{0, 0.75};
       },
       [](const Operand& x) { return relu(x); },
       [](const Operand& x) { return maximum(x, Scalar(0)); },
       [](const Term& x) { return larger(x, x.tape->constant(0)); }},
      {"silu(x)", as_it_is, same_size, [](const Operand& x) { return silu(x); },
       [](const Operand& x) { return x * sigmoid(x); },
       [](const Term& x) { return x * sigmoid(x); }},
  };
  for (const Unary& row : rows) table.push_back(make_unary(row));
}

Term gelu_reference(const Term& x, Gelu kind) {
  if (kind == Gelu::kErf) return x * 0.5 * (erf(x * 0.70710678118654752) + 1);
  const Term inner = (x + x * x * x * 0.044715) * 0.7978845608028654;
  return x * 0.5 * (tanh(inner) + 1);
}

// flag: by erf.
void add_gelu(Operations& table) {
  const auto kind = [](const Step& step) { return step.settings.flag ? Gelu::kErf : Gelu::kTanh; };
  table.push_back(
      {"gelu(x, kind)",
       [](Builder& builder) {
         const int x = builder.within(builder.any(), 8);
         Settings settings;
         settings.flag = builder.chance(40);
         const Shape shape = builder.shape_of(x);
         builder.emit("gelu(x, kind)", {x}, settings, shape, same_size(builder.step(x).range));
       },
       [kind](const Step& step, const Operands& in) { return gelu(in[0], kind(step)); },
       [kind](const Step& step, const Operands& in) {
         if (kind(step) == Gelu::kErf) return gelu(in[0], Gelu::kErf);  // there is no erf to use
         const Variable x = in[0].variable();
         const Variable inner = (x + x * x * x * Scalar(0.044715)) * Scalar(0.7978845608028654);
         return x * Scalar(0.5) * (tanh(inner) + Scalar(1));
       },
       [kind](const Step& step, const TermTensors& in) {
         return mapped(in[0], [&](const Term& x) { return gelu_reference(x, kind(step)); });
       }});
}

Range range_of_power(const Range& x, double exponent) {
  const double most = std::pow(x.size(), exponent);
  if (exponent > 0 && exponent == std::floor(exponent)) return {-most, most};
  if (exponent == 0) return {1, 1};
  const auto [low, high] = std::minmax({std::pow(x.low, exponent), std::pow(x.high, exponent)});
  return {low, high};
}

// numbers: the exponent.
void add_pow(Operations& table) {
  table.push_back({"pow(x, exponent)",
                   [](Builder& builder) {
                     const double exponents[] = {0, 1, 2, 3, -1, 0.5, 1.5, -2};
                     const double exponent = exponents[static_cast<std::size_t>(builder.below(8))];
                     const bool whole = exponent >= 0 && exponent == std::floor(exponent);
                     const int any = builder.any();
                     const int x = whole ? builder.within(any, 4) : builder.positive(any);
                     Settings settings;
                     settings.numbers = {exponent};
                     const Shape shape = builder.shape_of(x);
                     builder.emit("pow(x, exponent)", {x}, settings, shape,
                                  range_of_power(builder.step(x).range, exponent));
                   },
                   [](const Step& step, const Operands& in) {
                     return pow(in[0], static_cast<Scalar>(step.settings.numbers[0]));
                   },
                   [](const Step& step, const Operands& in) {
                     const double exponent = step.settings.numbers[0];
                     if (exponent == 2) return in[0] * in[0];
                     if (exponent == -1) return Scalar(1) / in[0];
                     if (exponent == 0.5) return sqrt(in[0]);
                     return pow(in[0], static_cast<Scalar>(exponent));
                   },
                   [](const Step& step, const TermTensors& in) {
                     const double exponent = step.settings.numbers[0];
                     return mapped(in[0], [exponent](const Term& x) { return pow(x, exponent); });
                   }});
}

void add_clamp(Operations& table) {
  table.push_back(
      {"clamp(x, low, high)",
       [](Builder& builder) {
         const int x = far_from_halves(builder, builder.any());
         const Shape shape = builder.shape_of(x);
         builder.emit("clamp(x, low, high)", {x}, {}, shape, {-0.5, 0.5});
       },
       [](const Step&, const Operands& in) { return clamp(in[0], Scalar(-0.5), Scalar(0.5)); },
       [](const Step&, const Operands& in) {
         return minimum(maximum(in[0], Scalar(-0.5)), Scalar(0.5));
       },
       [](const Step&, const TermTensors& in) {
         return mapped(in[0], [](const Term& x) {
           const Term low = x.tape->constant(-0.5);
           return smaller(larger(x, low), x.tape->constant(0.5));
         });
       }});
}

// mask, and numbers: the value.
void add_masked_fill(Operations& table) {
  const auto value = [](const Step& step) { return static_cast<Scalar>(step.settings.numbers[0]); };
  table.push_back({"masked_fill(x, mask, value)",
                   [](Builder& builder) {
                     const int x = builder.any();
                     const Shape shape = builder.shape_of(x);
                     Settings settings;
                     const Shape mask = builder.stretching_shape(shape);
                     settings.mask = builder.mask(mask);
                     settings.numbers = {static_cast<double>(builder.between(-2, 2)) / 2};
                     const Range range = builder.step(x).range;
                     builder.emit("masked_fill(x, mask, value)", {x}, settings, shape,
                                  {std::min(range.low, -1.0), std::max(range.high, 1.0)});
                   },
                   [value](const Step& step, const Operands& in) {
                     return masked_fill(in[0], to_tensor(step.settings.mask), value(step));
                   },
                   [value](const Step& step, const Operands& in) {
                     return where(to_tensor(step.settings.mask), value(step), in[0]);
                   },
                   [](const Step& step, const TermTensors& in) {
                     const Numbers& mask = step.settings.mask;
                     TermTensor y = in[0];
                     std::size_t i = 0;
                     for_each_place(y.shape, [&](const Place& place) {
                       const auto from = static_cast<std::size_t>(number_of(mask.shape, place));
                       if (mask.values[from] != 0) {
                         y.terms[i] = y.terms[i].tape->constant(step.settings.numbers[0]);
                       }
                       ++i;
                     });
                     return y;
                   }});
}

// numbers: the probability; integers: the seed of the Rng, made anew in every run.
void add_dropout(Operations& table) {
  const auto seed = [](const Step& step) {
    return static_cast<std::uint64_t>(step.settings.integers[0]);
  };
  table.push_back({"dropout(x, p, rng)",
                   [](Builder& builder) {
                     const int x = builder.any();
                     Settings settings;
                     settings.numbers = {builder.chance(50) ? 0.25 : 0.5};
                     settings.integers = {builder.between(0, 999)};
                     const Shape shape = builder.shape_of(x);
                     const double size = 2 * builder.step(x).range.size();
                     builder.emit("dropout(x, p, rng)", {x}, settings, shape, {-size, size});
                   },
                   [seed](const Step& step, const Operands& in) {
                     Rng rng(seed(step));
                     return dropout(in[0], static_cast<Scalar>(step.settings.numbers[0]), rng);
                   },
                   nullptr,
                   [seed](const Step& step, const TermTensors& in) {
                     Rng rng(seed(step));
                     const double p = step.settings.numbers[0];
                     return mapped(in[0], [&](const Term& x) {
                       return rng.uniform() < p ? x.tape->constant(0) : x * (1 / (1 - p));
                     });
                   }});
}

}  // namespace

void add_elementwise_operations(Operations& table) {
  add_plain_rows(table);
  add_gelu(table);
  add_pow(table);
  add_clamp(table);
  add_masked_fill(table);
  add_dropout(table);
}

}  // namespace vitro::programs
