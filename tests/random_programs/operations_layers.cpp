// Normalization and rotary positions.
#include <algorithm>
#include <cmath>

#include "tests/random_programs/builder.h"
#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

constexpr double kEpsilons[] = {1e-5, 0.5};

int draw_rows(Builder& builder) {
  const auto suits = [](const Step& step) { return step.shape.rank() >= 1 && step.shape[-1] >= 1; };
  Shape otherwise = builder.shape(1, 3);
  if (otherwise[-1] == 0) otherwise = otherwise.with_size(-1, 5);
  return builder.pick_or_leaf(suits, otherwise);
}

// numbers: epsilon. A normalized number is at most √n large.
void draw_layer_norm(Builder& builder) {
  const int x = draw_rows(builder);
  const Shape shape = builder.shape_of(x);
  const int gain = builder.of_shape({shape[-1]});
  const int bias = builder.of_shape({shape[-1]});
  Settings settings;
  settings.numbers = {kEpsilons[builder.below(2)]};
  const double size = std::sqrt(static_cast<double>(shape[-1])) * builder.step(gain).range.size() +
                      builder.step(bias).range.size();
  builder.emit("layer_norm(x, gain, bias, epsilon)", {x, gain, bias}, settings, shape,
               {-size, size});
}

void draw_rms_norm(Builder& builder) {
  const int x = draw_rows(builder);
  const Shape shape = builder.shape_of(x);
  const int gain = builder.of_shape({shape[-1]});
  Settings settings;
  settings.numbers = {kEpsilons[builder.below(2)]};
  const double size = std::sqrt(static_cast<double>(shape[-1])) * builder.step(gain).range.size();
  builder.emit("rms_norm(x, gain, epsilon)", {x, gain}, settings, shape, {-size, size});
}

Scalar epsilon_of(const Step& step) { return static_cast<Scalar>(step.settings.numbers[0]); }

// x / √(mean(x²) + epsilon)
std::vector<Term> scaled_row(const std::vector<Term>& x, double epsilon) {
  const Term square = mean_of(each(x, [](const Term& term) { return term * term; }));
  const Term root = sqrt(square + epsilon);
  return each(x, [&root](const Term& term) { return term / root; });
}

std::vector<Term> centered_row(const std::vector<Term>& x) {
  const Term mean = mean_of(x);
  return each(x, [&mean](const Term& term) { return term - mean; });
}

Term times(const Term& a, const Term& b) { return a * b; }

Term plus(const Term& a, const Term& b) { return a + b; }

TermTensor rms_normalized(const Step& step, const TermTensors& in) {
  const double epsilon = step.settings.numbers[0];
  const TermTensor y =
      along(in[0], -1, [epsilon](const std::vector<Term>& x) { return scaled_row(x, epsilon); });
  return zipped(y, in[1], times);
}

TermTensor layer_normalized(const Step& step, const TermTensors& in) {
  const double epsilon = step.settings.numbers[0];
  const TermTensor y = along(in[0], -1, [epsilon](const std::vector<Term>& x) {
    return scaled_row(centered_row(x), epsilon);
  });
  return zipped(zipped(y, in[1], times), in[2], plus);
}

// numbers: the base; integers: the start.
void draw_rotary(Builder& builder) {
  const auto suits = [](const Step& step) {
    return step.shape.rank() >= 2 && step.shape[-1] % 2 == 0;
  };
  Shape otherwise = builder.shape(2, 3);
  otherwise = otherwise.with_size(-1, std::max<Index>(2, otherwise[-1] / 2 * 2));
  const int x = builder.pick_or_leaf(suits, otherwise);
  Settings settings;
  settings.numbers = {builder.chance(50) ? 10000.0 : 10.0};
  settings.integers = {builder.between(0, 5)};
  const Shape shape = builder.shape_of(x);
  const double size = 2 * builder.step(x).range.size();
  builder.emit("rotary(x, base, start)", {x}, settings, shape, {-size, size});
}

double angle_of(const Step& step, Index position, Index pair) {
  const double size = static_cast<double>(step.shape[-1]);
  const double turn = std::pow(step.settings.numbers[0], -2 * static_cast<double>(pair) / size);
  return static_cast<double>(step.settings.integers[0] + position) * turn;
}

TermTensor turned(const Step& step, const TermTensors& in) {
  TermTensor y = in[0];
  const Index size = step.shape[-1];
  const Index time = step.shape[-2];
  for (Index i = 0; i + 1 < step.shape.element_count(); i += 2) {
    const double angle = angle_of(step, i / size % time, i % size / 2);
    // The angle is computed in double, with errors of a few of its units.
    const double error = 8 * 0x1p-53 * (1 + angle);
    const Term cosine = y.tape->constant(std::cos(angle), y.tape->unit() + error);
    const Term sine = y.tape->constant(std::sin(angle), y.tape->unit() + error);
    const Term a = in[0].at(i);
    const Term b = in[0].at(i + 1);
    y.terms[static_cast<std::size_t>(i)] = a * cosine - b * sine;
    y.terms[static_cast<std::size_t>(i) + 1] = a * sine + b * cosine;
  }
  return y;
}

// [.., time, size] as pairs [.., time, size/2, 2], each times its own matrix of cosines and sines.
Variable spelled_out_rotary(const Step& step, const Operands& in) {
  const Index time = step.shape[-2];
  const Index pairs = step.shape[-1] / 2;
  const Tensor turns = Tensor::filled({time, pairs, 2, 2}, [&](Scalar* out) {
    for (Index i = 0; i < time * pairs; ++i) {
      const double angle = angle_of(step, i / pairs, i % pairs);
      const double turn[] = {std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle)};
      for (const double entry : turn) *out++ = static_cast<Scalar>(entry);
    }
  });
  std::vector<Index> sizes = step.shape.sizes();
  sizes.back() = pairs;
  sizes.push_back(1);
  sizes.push_back(2);
  return reshape(matmul(reshape(in[0], sizes), Variable(turns)), step.shape.sizes());
}

}  // namespace

void add_layer_operations(Operations& table) {
  table.push_back({"layer_norm(x, gain, bias, epsilon)", draw_layer_norm,
                   [](const Step& step, const Operands& in) {
                     return layer_norm(in[0], in[1], in[2], epsilon_of(step));
                   },
                   [](const Step& step, const Operands& in) {
                     const Variable centered = in[0] - mean(in[0], {-1}, KeepAxes::kYes);
                     const Variable variance = mean(centered * centered, {-1}, KeepAxes::kYes);
                     return centered / sqrt(variance + epsilon_of(step)) * in[1] + in[2];
                   },
                   layer_normalized});
  table.push_back({"rms_norm(x, gain, epsilon)", draw_rms_norm,
                   [](const Step& step, const Operands& in) {
                     return rms_norm(in[0], in[1], epsilon_of(step));
                   },
                   [](const Step& step, const Operands& in) {
                     const Variable square = mean(in[0] * in[0], {-1}, KeepAxes::kYes);
                     return in[0] / sqrt(square + epsilon_of(step)) * in[1];
                   },
                   rms_normalized});
  table.push_back({"rotary(x, base, start)", draw_rotary,
                   [](const Step& step, const Operands& in) {
                     return rotary(in[0], static_cast<Scalar>(step.settings.numbers[0]),
                                   step.settings.integers[0]);
                   },
                   spelled_out_rotary, turned});
}

}  // namespace vitro::programs
