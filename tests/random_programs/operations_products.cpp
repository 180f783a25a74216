// Matrix products.
#include <algorithm>

#include "tests/random_programs/builder.h"
#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

// The outer axes of a partner: the same, some of them 1, some in front left out.
Shape matrix_shape(Builder& builder, const Shape& outer, Index rows, Index columns) {
  Shape shape = builder.stretching_shape(outer);
  shape = shape.with_axis_inserted(shape.rank(), rows);
  return shape.with_axis_inserted(shape.rank(), columns);
}

// A new size, such that size · others stays below the most.
Index size_within(Builder& builder, Index others, Index most) {
  return std::min(builder.size(), std::max<Index>(1, most / std::max<Index>(1, others)));
}

void draw_matmul(Builder& builder) {
  const auto suits = [&](const Step& step) {
    return step.shape.rank() >= 2 && step.shape.element_count() <= builder.most_multiplications();
  };
  const Shape otherwise = builder.shape(2, 4);
  const int a = builder.pick_or_leaf(suits, otherwise);
  const Shape shape = builder.shape_of(a);
  const Index most = std::min(
      builder.most_multiplications() / std::max<Index>(1, shape.element_count()),
      builder.most_elements() / std::max<Index>(1, shape.without_axis(-1).element_count()));
  const Index columns = size_within(builder, 1, most);
  const Shape outer = shape.without_axis(-1).without_axis(-1);
  const int b = builder.of_shape(matrix_shape(builder, outer, shape[-1], columns));
  const double most_size =
      static_cast<double>(shape[-1]) * builder.step(a).range.size() * builder.step(b).range.size();
  builder.emit("matmul(a, b)", {a, b}, {}, shape.with_size(-1, columns), {-most_size, most_size});
}

struct Layer {
  std::vector<int> inputs;  // x, w, bias
  Shape shape;
  double size;
};

Layer draw_layer(Builder& builder) {
  const auto suits = [&](const Step& step) {
    return step.shape.rank() >= 1 && step.shape.element_count() <= builder.most_multiplications();
  };
  const Shape otherwise = builder.shape(1, 3);
  const int x = builder.pick_or_leaf(suits, otherwise);
  const Shape shape = builder.shape_of(x);
  const Index most = std::min(
      builder.most_multiplications() / std::max<Index>(1, shape.element_count()),
      builder.most_elements() / std::max<Index>(1, shape.without_axis(-1).element_count()));
  const Index columns = size_within(builder, 1, most);
  const int w = builder.of_shape({shape[-1], columns});
  const int bias = builder.of_shape({columns});
  const double product =
      static_cast<double>(shape[-1]) * builder.step(x).range.size() * builder.step(w).range.size();
  return {{x, w, bias}, shape.with_size(-1, columns), product + builder.step(bias).range.size()};
}

void draw_linear(Builder& builder) {
  const Layer layer = draw_layer(builder);
  builder.emit("linear(x, w, bias)", layer.inputs, {}, layer.shape, {-layer.size, layer.size});
}

void draw_linear_with_residual(Builder& builder) {
  Layer layer = draw_layer(builder);
  const int residual = builder.of_shape(layer.shape);
  layer.inputs.push_back(residual);
  const double size = layer.size + builder.step(residual).range.size();
  builder.emit("linear(x, w, bias, residual)", layer.inputs, {}, layer.shape, {-size, size});
}

Term plus(const Term& a, const Term& b) { return a + b; }

// A vector x is a matrix of one row.
TermTensor affine(const Step& step, const TermTensors& in) {
  TermTensor x = in[0];
  const Index count = x.shape.without_axis(-1).element_count();
  x.shape = Shape{count, x.shape[-1]};
  TermTensor y = zipped(product(x, in[1]), in[2], plus);
  y.shape = step.shape;
  return y;
}

// matmul needs two axes.
Variable as_matrix(const Operand& x) { return x.rank() == 1 ? unsqueeze(x, 0) : x.variable(); }

Variable spelled_out_linear(const Step& step, const Operands& in) {
  return reshape(matmul(as_matrix(in[0]), in[1]) + in[2], step.shape.sizes());
}

}  // namespace

void add_product_operations(Operations& table) {
  table.push_back({"matmul(a, b)", draw_matmul,
                   [](const Step&, const Operands& in) { return matmul(in[0], in[1]); },
                   // By columns: a[.., i, j, 1] · b[.., 1, j, k], summed over j.
                   [](const Step&, const Operands& in) {
                     return sum(unsqueeze(in[0], -1) * unsqueeze(in[1], in[1].rank() - 2), {-2});
                   },
                   [](const Step&, const TermTensors& in) { return product(in[0], in[1]); }});
  table.push_back({"linear(x, w, bias)", draw_linear,
                   [](const Step&, const Operands& in) { return linear(in[0], in[1], in[2]); },
                   spelled_out_linear, affine});
  table.push_back(
      {"linear(x, w, bias, residual)", draw_linear_with_residual,
       [](const Step&, const Operands& in) { return linear(in[0], in[1], in[2], in[3]); },
       [](const Step& step, const Operands& in) { return spelled_out_linear(step, in) + in[3]; },
       [](const Step& step, const TermTensors& in) {
         return zipped(affine(step, in), in[3], plus);
       }});
}

}  // namespace vitro::programs
