// Softmax, losses, norms, attention and positions.
#include "tensor/create.h"
#include "tensor/positions.h"

#include "nn/layers/multi_head_attention.h"
#include "nn/layers/self_attention.h"

#include "tests/conformance/operations.h"

namespace vitro::conformance {
namespace {

AttentionMask mask_of(const RecordedCase& c, std::size_t input) {
  AttentionMask mask;
  mask.causal = c.flag("causal");
  if (c.has_input(input)) mask.mask = c.mask(input);
  return mask;
}

using AlongAxis = Variable (*)(const Operand& x, Index axis);

// PyTorch lets a scalar have an axis; here it becomes a row of one.
Variable along_axis(const RecordedCase& c, AlongAxis function) {
  const Variable& x = c.x(0);
  if (x.shape().rank() == 0) return reshape(function(reshape(x, {1}), 0), {});
  return function(x, c.integer("dim", -1));
}

CrossEntropyOptions loss_options(const RecordedCase& c) {
  CrossEntropyOptions options;
  options.ignore_index = c.integer("ignore_index", options.ignore_index);
  options.label_smoothing = c.number("label_smoothing", 0);
  return options;
}

// A norm's gain and bias, [width]; a case may leave them out.
Variable gain(const RecordedCase& c) {
  return c.has_input(1) ? c.x(1) : Variable(full({c.x(0).shape()[-1]}, 1));
}

Variable bias(const RecordedCase& c) {
  return c.has_input(2) ? c.x(2) : Variable(zeros({c.x(0).shape()[-1]}));
}

// The steps of nn::SelfAttention::forward on the case's own weights.
std::vector<Variable> one_head(const RecordedCase& c) {
  const Variable q = matmul(c.x(0), c.x(1));
  const Variable k = matmul(c.x(0), c.x(2));
  const Variable v = matmul(c.x(0), c.x(3));
  return {scaled_dot_product_attention(q, k, v, mask_of(c, 4))};
}

// Heads split and merged by the library's functions, on the case's own weights.
std::vector<Variable> several_heads(const RecordedCase& c) {
  const Index heads = c.integer("heads", 1);
  const Variable q = nn::split_heads(matmul(c.x(0), c.x(1)), heads);
  const Variable k = nn::split_heads(matmul(c.x(0), c.x(2)), heads);
  const Variable v = nn::split_heads(matmul(c.x(0), c.x(3)), heads);
  const Variable mixture = scaled_dot_product_attention(q, k, v, mask_of(c, 5));
  return {matmul(nn::merge_heads(mixture), c.x(4))};
}

}  // namespace

void add_layer_operations(OperationTable& table) {
  using Case = RecordedCase;
  using Results = std::vector<Variable>;
  table["softmax"] = [](const Case& c) -> Results { return {along_axis(c, softmax)}; };
  table["log_softmax"] = [](const Case& c) -> Results { return {along_axis(c, log_softmax)}; };
  table["cross_entropy"] = [](const Case& c) -> Results {
    return {cross_entropy(c.x(0), c.ids.at(1), loss_options(c))};
  };
  table["mse_loss"] = [](const Case& c) -> Results { return {mean_squared_error(c.x(0), c.x(1))}; };
  table["embedding"] = [](const Case& c) -> Results { return {embedding(c.x(0), c.ids.at(1))}; };
  table["layer_norm"] = [](const Case& c) -> Results {
    return {layer_norm(c.x(0), gain(c), bias(c), c.number("eps", 1e-5))};
  };
  table["rms_norm"] = [](const Case& c) -> Results {
    return {rms_norm(c.x(0), gain(c), c.number("eps", 1e-5))};
  };
  table["scaled_dot_product_attention"] = [](const Case& c) -> Results {
    return {scaled_dot_product_attention(c.x(0), c.x(1), c.x(2), mask_of(c, 3))};
  };
  table["self_attention"] = one_head;
  table["multi_head_attention"] = several_heads;
  table["rope"] = [](const Case& c) -> Results {
    return {rotary(c.x(0), c.number("base", 10000), c.integer("start", 0))};
  };
  table["alibi_bias"] = [](const Case& c) -> Results {
    return {Variable(alibi_bias(c.integer("heads"), c.integer("length")))};
  };
  table["sinusoidal_positions"] = [](const Case& c) -> Results {
    return {Variable(sinusoidal_positions(c.integer("length"), c.integer("d")))};
  };
}

}  // namespace vitro::conformance
