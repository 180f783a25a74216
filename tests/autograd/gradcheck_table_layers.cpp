// Rows for products, softmax, losses and the parts of layers.
#include <limits>

#include "tensor/create.h"
#include "tensor/views.h"

#include "tests/autograd/gradcheck_table.h"

namespace vitro {

void add_product_rows(GradcheckRows& rows) {
  const auto product = [](const auto& in) { return matmul(in[0], in[1]); };
  const char* name = "matmul(a, b)";
  rows.push_back({name, "matrices", product, {any({3, 5}), any({5, 2})}});
  rows.push_back({name, "one element", product, {any({1, 1}), any({1, 1})}});
  rows.push_back({name, "row by column", product, {any({1, 7}), any({7, 1})}});
  rows.push_back({name, "batch", product, {any({2, 3, 5}), any({2, 5, 7})}});
  rows.push_back({name, "batch by matrix", product, {any({2, 3, 5}), any({5, 7})}});
  rows.push_back({name, "matrix by batch", product, {any({3, 5}), any({2, 5, 7})}});
  rows.push_back({name, "both stretched", product, {any({2, 1, 3, 5}), any({3, 5, 2})}});
  rows.push_back({name, "outer axis of 1", product, {any({1, 3, 5}), any({2, 5, 3})}});
  rows.push_back({name, "b with an outer axis of 1", product, {any({2, 3, 5}), any({1, 5, 3})}});
  rows.push_back({name, "a transposed", product, {transposed(any, 3, 5), any({5, 2})}});
  rows.push_back({name, "b transposed", product, {any({3, 5}), transposed(any, 5, 2)}});
  rows.push_back(
      {name, "both transposed", product, {transposed(any, 3, 5), transposed(any, 5, 2)}});
  rows.push_back({name, "narrowed", product, {narrowed(any, 3, 5), narrowed(any, 5, 2)}});
  rows.push_back({name,
                  "by its own transpose",
                  [](const auto& in) { return matmul(in[0], transpose(in[0], 0, 1)); },
                  {any({3, 5})}});
  rows.push_back({name,
                  "constant a",
                  [](const auto& in) {
                    return matmul(Variable(ones({2, 3})), in[0]);
                  },
                  {any({3, 5})}});
  rows.push_back({name,
                  "heads, permuted views",
                  [](const auto& in) {
                    const auto heads = [](const Variable& x) { return transpose(x, 1, 2); };
                    return matmul(heads(in[0]), transpose(heads(in[1]), -1, -2));
                  },
                  {any({2, 3, 2, 5}), any({2, 7, 2, 5})}});

  const auto affine = [](const auto& in) { return linear(in[0], in[1], in[2]); };
  name = "linear(x, w, bias)";
  rows.push_back({name, "rows", affine, {any({3, 5}), any({5, 2}), any({2})}});
  rows.push_back({name, "batch", affine, {any({2, 3, 5}), any({5, 7}), any({7})}});
  rows.push_back({name, "one vector", affine, {any({5}), any({5, 3}), any({3})}});
  rows.push_back({name, "one element", affine, {any({1, 1}), any({1, 1}), any({1})}});
  rows.push_back({name, "views", affine, {transposed(any, 3, 5), transposed(any, 5, 2), any({2})}});
  rows.push_back({name,
                  "x is the weight too",
                  [](const auto& in) { return linear(in[0], in[0], in[1]); },
                  {any({3, 3}), any({3})}});

  const auto residual = [](const auto& in) { return linear(in[0], in[1], in[2], in[3]); };
  name = "linear(x, w, bias, residual)";
  rows.push_back({name, "rows", residual, {any({3, 5}), any({5, 2}), any({2}), any({3, 2})}});
  rows.push_back(
      {name, "batch", residual, {any({2, 3, 5}), any({5, 7}), any({7}), any({2, 3, 7})}});
  rows.push_back({name,
                  "views",
                  residual,
                  {narrowed(any, 3, 5), transposed(any, 5, 2), any({2}), transposed(any, 3, 2)}});
  rows.push_back({name,
                  "x is the residual too",
                  [](const auto& in) { return linear(in[0], in[1], in[2], in[0]); },
                  {any({2, 3}), any({3, 3}), any({3})}});
}

void add_softmax_rows(GradcheckRows& rows) {
  for (const bool logarithm : {false, true}) {
    const char* name = logarithm ? "log_softmax(x, axis)" : "softmax(x, axis)";
    const auto over = [logarithm](Index axis) {
      return [=](const std::vector<Variable>& in) {
        return logarithm ? log_softmax(in[0], axis) : softmax(in[0], axis);
      };
    };
    rows.push_back({name, "last axis", over(-1), {any({3, 5})}});
    rows.push_back({name, "first axis", over(0), {any({3, 5})}});
    rows.push_back({name, "middle axis", over(1), {any({2, 3, 5})}});
    rows.push_back({name, "longer than a lane", over(-1), {any({2, 37})}});
    rows.push_back({name, "transposed view", over(-1), {transposed(any, 3, 5)}});
    rows.push_back({name, "narrowed view", over(0), {narrowed(any, 3, 5)}});
    rows.push_back({name,
                    "used twice",
                    [=](const auto& in) { return over(-1)(in) * in[0] + over(0)(in); },
                    {any({2, 3})}});
  }
  rows.push_back({"softmax(x, axis)",
                  "with masked entries",
                  [](const auto& in) {
                    const Tensor mask({3, 3}, {0, 1, 1, 0, 0, 1, 0, 0, 0});
                    return softmax(
                        masked_fill(in[0], mask, -std::numeric_limits<Scalar>::infinity()), -1);
                  },
                  {any({3, 3})}});

  const auto loss = [](const Indices& targets, const CrossEntropyOptions& options) {
    return [=](const auto& in) { return cross_entropy(in[0], targets, options); };
  };
  const char* name = "cross_entropy(logits, targets, options)";
  const Indices four({2, 2}, {4, 0, 2, 2});
  rows.push_back({name, "rows", loss(Indices({3}, {1, 4, 0}), {}), {any({3, 5})}});
  rows.push_back({name, "batch", loss(four, {}), {any({2, 2, 5})}});
  rows.push_back({name, "one row", loss(Indices({}, {3}), {}), {any({5})}});
  rows.push_back(
      {name, "ignored targets", loss(Indices({2, 2}, {4, -100, 2, -100}), {}), {any({2, 2, 5})}});
  rows.push_back({name, "other ignored id", loss(four, {2, 0}), {any({2, 2, 5})}});
  rows.push_back({name, "smoothed", loss(four, {-100, Scalar(0.1)}), {any({2, 2, 5})}});
  rows.push_back({name, "smoothed, ignored", loss(four, {2, Scalar(0.3)}), {any({2, 2, 5})}});
  rows.push_back(
      {name, "transposed view", loss(Indices({3}, {1, 4, 0}), {}), {transposed(any, 3, 5)}});
  rows.push_back({name,
                  "used twice",
                  [four](const auto& in) {
                    return cross_entropy(in[0], four) * cross_entropy(in[0] * in[0], four);
                  },
                  {any({2, 2, 5})}});

  name = "mean_squared_error(a, b)";
  const auto distance = [](const auto& in) { return mean_squared_error(in[0], in[1]); };
  rows.push_back({name, "matrices", distance, {any({3, 5}), any({3, 5})}});
  rows.push_back({name, "rank 0", distance, {any({}), any({})}});
  rows.push_back({name, "views", distance, {transposed(any, 3, 5), narrowed(any, 3, 5)}});
  rows.push_back({name,
                  "used twice",
                  [](const auto& in) { return mean_squared_error(in[0], in[0] * in[0]); },
                  {any({2, 3})}});
}

void add_layer_rows(GradcheckRows& rows) {
  const auto look_up = [](const Indices& ids) {
    return [ids](const auto& in) { return embedding(in[0], ids); };
  };
  const char* name = "embedding(table, ids)";
  rows.push_back(
      {name, "repeated ids", look_up(Indices({2, 3}, {4, 0, 4, 1, 4, 2})), {any({5, 3})}});
  rows.push_back({name, "one id", look_up(Indices({}, {1})), {any({2, 7})}});
  rows.push_back({name, "transposed view", look_up(Indices({2}, {2, 1})), {transposed(any, 3, 5)}});
  rows.push_back({name,
                  "tied to a product",
                  [](const auto& in) {
                    const Variable x = embedding(in[0], Indices({3}, {0, 4, 0}));
                    return matmul(x, transpose(in[0], 0, 1));
                  },
                  {any({5, 3})}});

  const auto layer = [](const auto& in) { return layer_norm(in[0], in[1], in[2]); };
  name = "layer_norm(x, gain, bias, epsilon)";
  rows.push_back({name, "rows", layer, {any({3, 5}), any({5}), any({5})}});
  rows.push_back({name, "batch", layer, {any({2, 3, 7}), any({7}), any({7})}});
  rows.push_back({name, "one vector", layer, {any({5}), any({5}), any({5})}});
  rows.push_back({name, "longer than a lane", layer, {any({2, 37}), any({37}), any({37})}});
  rows.push_back({name, "views", layer, {transposed(any, 3, 5), any({5}), any({5})}});
  rows.push_back({name,
                  "large epsilon",
                  [](const auto& in) { return layer_norm(in[0], in[1], in[2], Scalar(0.5)); },
                  {any({3, 5}), any({5}), any({5})}});
  rows.push_back({name,
                  "used twice",
                  [](const auto& in) { return layer_norm(in[0], in[0], in[0]); },
                  {any({5})}});

  const auto rms = [](const auto& in) { return rms_norm(in[0], in[1]); };
  name = "rms_norm(x, gain, epsilon)";
  rows.push_back({name, "rows", rms, {any({3, 5}), any({5})}});
  rows.push_back({name, "batch", rms, {any({2, 3, 7}), any({7})}});
  rows.push_back({name, "longer than a lane", rms, {any({2, 37}), any({37})}});
  rows.push_back({name, "views", rms, {transposed(any, 3, 5), any({5})}});
  rows.push_back({name,
                  "large epsilon",
                  [](const auto& in) { return rms_norm(in[0], in[1], Scalar(0.5)); },
                  {any({3, 5}), any({5})}});
  rows.push_back(
      {name, "used twice", [](const auto& in) { return rms_norm(in[0], in[0]); }, {any({5})}});

  name = "rotary(x, base, start)";
  const auto turn = [](const auto& in) { return rotary(in[0]); };
  rows.push_back({name, "rows", turn, {any({5, 6})}});
  rows.push_back({name,
                  "batch, small base, later start",
                  [](const auto& in) { return rotary(in[0], 10, 3); },
                  {any({2, 3, 4})}});
  rows.push_back({name, "transposed view", turn, {transposed(any, 3, 4)}});
  rows.push_back(
      {name, "used twice", [](const auto& in) { return rotary(in[0]) * in[0]; }, {any({3, 2})}});
}

}  // namespace vitro
