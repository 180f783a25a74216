#include "tests/autograd/gradcheck_table.h"

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/views.h"

namespace vitro {
namespace {

Rng& table_rng() {
  static Rng rng(2024);
  return rng;
}

// 0.25 apart from each other in random order, the middle one at `offset`.
Tensor grid(const Shape& shape, Scalar offset) {
  const Index count = shape.element_count();
  const std::vector<Index> order = table_rng().permutation(count);
  return Tensor::filled(shape, [&](Scalar* out) {
    for (const Index place : order) {
      *out++ = static_cast<Scalar>(place - count / 2) * Scalar(0.25) + offset;
    }
  });
}

}  // namespace

Variable any(const Shape& shape) {
  return parameter(uniform(shape, Scalar(-1.5), Scalar(1.5), table_rng()));
}

Variable positive(const Shape& shape) {
  return parameter(uniform(shape, Scalar(0.5), 2, table_rng()));
}

Variable apart(const Shape& shape) { return parameter(grid(shape, Scalar(0.115))); }

Variable apart_from_those(const Shape& shape) { return parameter(grid(shape, Scalar(0.24))); }

Variable transposed(Variable (*draw)(const Shape&), Index a, Index b) {
  return parameter(transpose(draw({b, a}).value(), 0, 1));
}

Variable narrowed(Variable (*draw)(const Shape&), Index a, Index b) {
  return parameter(narrow(draw({a + 3, b}).value(), 0, 2, a));
}

GradcheckRows gradcheck_table() {
  table_rng() = Rng(2024);
  GradcheckRows rows;
  add_pair_rows(rows);
  add_elementwise_rows(rows);
  add_reduce_rows(rows);
  add_shape_rows(rows);
  add_product_rows(rows);
  add_softmax_rows(rows);
  add_layer_rows(rows);
  add_attention_rows(rows);
  return rows;
}

}  // namespace vitro
