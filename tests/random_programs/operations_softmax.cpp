// Softmax, its logarithm, and losses.
#include <algorithm>
#include <cmath>

#include "tensor/reduce.h"

#include "tests/random_programs/builder.h"
#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

constexpr Index kIgnored = -100;

// integers: the axis.
void draw_with_axis(Builder& builder, const char* operation, bool is_logarithm) {
  const int x = builder.any_filled(1);
  const Shape shape = builder.shape_of(x);
  Settings settings;
  settings.integers = {builder.axis(shape)};
  const Range range = builder.step(x).range;
  const auto count = static_cast<double>(shape[settings.integers[0]]);
  const double lowest = -(range.high - range.low) - std::log(count);
  const int y = builder.next();
  builder.emit(operation, {x}, settings, shape, is_logarithm ? Range{lowest, 0} : Range{0, 1});
  builder.set_scattered(y);  // over another axis than the last it is a transposed view
}

// Of masked scores softmax itself: the logarithm of a weight of 0 has no gradient.
Variable spelled_out_softmax(const Step& step, const Operands& in) {
  const Index axis = step.settings.integers[0];
  const std::vector<Scalar> x = in[0].value().to_vector();
  const bool is_masked = std::any_of(x.begin(), x.end(), [](Scalar v) { return std::isinf(v); });
  return is_masked ? softmax(in[0], axis) : exp(log_softmax(in[0], axis));
}

// ids: the targets; numbers: label smoothing.
void draw_cross_entropy(Builder& builder) {
  const int x = builder.any_filled(1);
  const Shape shape = builder.shape_of(x);
  const Shape targets = shape.without_axis(-1);
  std::vector<Index> ids;
  for (Index i = 0; i < targets.element_count(); ++i) {
    const Index id = builder.below(shape[-1]);
    ids.push_back(builder.chance(15) ? kIgnored : id);
  }
  Settings settings;
  settings.ids = Indices(targets, ids);
  settings.numbers = {builder.chance(40) ? 0.125 : 0};
  const Range range = builder.step(x).range;
  const double most = range.high - range.low + std::log(static_cast<double>(shape[-1]));
  builder.emit("cross_entropy(logits, targets, options)", {x}, settings, {}, {0, most});
}

CrossEntropyOptions options_of(const Step& step) {
  return {kIgnored, static_cast<Scalar>(step.settings.numbers[0])};
}

Index counted_targets(const Step& step) {
  const std::vector<Index>& ids = step.settings.ids.values();
  return static_cast<Index>(ids.size()) - std::count(ids.begin(), ids.end(), kIgnored);
}

// What each class's -log p counts in row `row`: 1 - s for the target, and s shared by all.
double share_of(const Step& step, std::size_t row, Index label, Index classes) {
  const double smoothing = step.settings.numbers[0];
  const Index target = step.settings.ids.values()[row];
  if (target == kIgnored) return 0;
  return (label == target ? 1 - smoothing : 0) + smoothing / static_cast<double>(classes);
}

TermTensor cross_entropy_of(const Step& step, const TermTensors& in) {
  Tape& tape = *in[0].tape;
  const TermTensor logs = along(in[0], -1, log_softmax_row);
  const Index classes = in[0].size(-1);
  const Index counted = counted_targets(step);
  std::vector<Term> costs;
  for (Index i = 0; i < in[0].shape.element_count(); ++i) {
    const double share =
        share_of(step, static_cast<std::size_t>(i / classes), i % classes, classes);
    if (share != 0) costs.push_back(logs.at(i) * (-share / static_cast<double>(counted)));
  }
  return {&tape, Shape{}, {tape.sum(costs)}};
}

Variable spelled_out_cross_entropy(const Step& step, const Operands& in) {
  const Index counted = counted_targets(step);
  const Index classes = in[0].size(-1);
  const Tensor shares = Tensor::filled(in[0].shape(), [&](Scalar* out) {
    for (Index i = 0; i < in[0].shape().element_count(); ++i) {
      const auto row = static_cast<std::size_t>(i / classes);
      out[i] = static_cast<Scalar>(share_of(step, row, i % classes, classes));
    }
  });
  const Variable total = -sum(log_softmax(in[0], -1) * Variable(shares));
  return counted == 0 ? total : total / static_cast<Scalar>(counted);
}

void draw_squared_error(Builder& builder) {
  const int a = builder.any_filled(0);
  const int b = builder.of_shape(builder.shape_of(a));
  const double most = builder.step(a).range.size() + builder.step(b).range.size();
  builder.emit("mean_squared_error(a, b)", {a, b}, {}, {}, {0, most * most});
}

TermTensor squared_error(const Step&, const TermTensors& in) {
  std::vector<Term> squares;
  for (std::size_t i = 0; i < in[0].terms.size(); ++i) {
    const Term difference = in[0].terms[i] - in[1].terms[i];
    squares.push_back(difference * difference);
  }
  return {in[0].tape, Shape{}, {mean_of(squares)}};
}

}  // namespace

void add_softmax_operations(Operations& table) {
  table.push_back({"softmax(x, axis)",
                   [](Builder& builder) { draw_with_axis(builder, "softmax(x, axis)", false); },
                   [](const Step& step, const Operands& in) {
                     return softmax(in[0], step.settings.integers[0]);
                   },
                   spelled_out_softmax,
                   [](const Step& step, const TermTensors& in) {
                     return along(in[0], step.settings.integers[0], softmax_row);
                   }});
  table.push_back({"log_softmax(x, axis)",
                   [](Builder& builder) { draw_with_axis(builder, "log_softmax(x, axis)", true); },
                   [](const Step& step, const Operands& in) {
                     return log_softmax(in[0], step.settings.integers[0]);
                   },
                   [](const Step& step, const Operands& in) {
                     const std::vector<Index> axes{step.settings.integers[0]};
                     const Variable shifted =
                         in[0] - Variable(max(in[0].value(), axes, KeepAxes::kYes));
                     return shifted - log(sum(exp(shifted), axes, KeepAxes::kYes));
                   },
                   [](const Step& step, const TermTensors& in) {
                     return along(in[0], step.settings.integers[0], log_softmax_row);
                   }});
  table.push_back({"cross_entropy(logits, targets, options)", draw_cross_entropy,
                   [](const Step& step, const Operands& in) {
                     return cross_entropy(in[0], step.settings.ids, options_of(step));
                   },
                   spelled_out_cross_entropy, cross_entropy_of});
  table.push_back({"mean_squared_error(a, b)", draw_squared_error,
                   [](const Step&, const Operands& in) { return mean_squared_error(in[0], in[1]); },
                   [](const Step&, const Operands& in) {
                     const Variable difference = in[0] - in[1];
                     return mean(difference * difference);
                   },
                   squared_error});
}

}  // namespace vitro::programs
