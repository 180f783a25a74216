// Rows whose gradients are exactly 0 or have no elements: size-0 axes, flat functions.
#include "tensor/create.h"

#include "tests/autograd/gradcheck_table.h"

namespace vitro {
namespace {

using Operands = std::vector<Operand>;

void add_empty_rows(GradcheckRows& rows) {
  const auto add = [&rows](const char* name, std::vector<Variable> inputs,
                           const GradcheckFunction& f) {
    rows.push_back({name, "size 0", f, std::move(inputs)});
  };
  add("operator+(a, b)", {any({4, 0}), any({4, 1})}, [](const auto& in) { return in[0] + in[1]; });
  add("operator*(a, b)", {any({0, 3}), any({3})}, [](const auto& in) { return in[0] * in[1]; });
  add("operator/(a, b)", {any({0}), positive({})}, [](const auto& in) { return in[0] / in[1]; });
  add("where(condition, a, b)", {any({0, 2}), any({})},
      [](const auto& in) { return where(ones({2}), in[0], in[1]); });
  add("tanh(x)", {any({0, 3})}, [](const auto& in) { return tanh(in[0]); });
  add("pow(x, exponent)", {any({0})}, [](const auto& in) { return pow(in[0], 2); });
  add("gelu(x, kind)", {any({2, 0})}, [](const auto& in) { return gelu(in[0]); });
  add("sum(x, axes, keep)", {any({3, 0})}, [](const auto& in) { return sum(in[0]); });
  add("sum(x, axes, keep)", {any({3, 0})}, [](const auto& in) { return sum(in[0], {1}); });
  add("mean(x, axes, keep)", {any({0, 3})}, [](const auto& in) { return mean(in[0], {1}); });
  add("var(x, axes, keep)", {any({0, 3})}, [](const auto& in) { return var(in[0], {1}); });
  add("max(x, axes, keep)", {any({0, 3})}, [](const auto& in) { return max(in[0], {1}); });
  add("reshape(x, sizes)", {any({0, 3})}, [](const auto& in) { return reshape(in[0], {5, 0}); });
  add("permute(x, axes)", {any({0, 3})}, [](const auto& in) { return permute(in[0], {1, 0}); });
  add("narrow(x, axis, start, length)", {any({3, 5})},
      [](const auto& in) { return narrow(in[0], 1, 5, 0); });
  add("broadcast_to(x, shape)", {any({1, 3})}, [](const auto& in) {
    return broadcast_to(in[0], {0, 3});
  });
  add("cat(parts, axis)", {any({2, 0}), any({2, 0})}, [](const auto& in) {
    return cat(Operands{in[0], in[1]}, 1);
  });
  add("stack(parts, axis)", {any({0})}, [](const auto& in) { return stack(Operands{in[0]}, 0); });
  add("gather(x, axis, ids)", {any({3, 2})}, [](const auto& in) {
    return gather(in[0], 0, Indices({0, 2}, std::vector<Index>{}));
  });
  add("matmul(a, b)", {any({3, 4}), any({4, 0})},
      [](const auto& in) { return matmul(in[0], in[1]); });
  add("matmul(a, b)", {any({3, 0}), any({0, 4})},
      [](const auto& in) { return matmul(in[0], in[1]); });
  add("matmul(a, b)", {any({0, 3, 2}), any({2, 5})},
      [](const auto& in) { return matmul(in[0], in[1]); });
  add("linear(x, w, bias)", {any({0, 3}), any({3, 2}), any({2})},
      [](const auto& in) { return linear(in[0], in[1], in[2]); });
  add("softmax(x, axis)", {any({0, 3})}, [](const auto& in) { return softmax(in[0], -1); });
  add("softmax(x, axis)", {any({3, 0})}, [](const auto& in) { return softmax(in[0], -1); });
  add("log_softmax(x, axis)", {any({0, 3})}, [](const auto& in) { return log_softmax(in[0], 0); });
  add("cross_entropy(logits, targets, options)", {any({0, 3})},
      [](const auto& in) { return cross_entropy(in[0], Indices({0}, std::vector<Index>{})); });
  add("embedding(table, ids)", {any({3, 2})},
      [](const auto& in) { return embedding(in[0], Indices({0}, std::vector<Index>{})); });
  add("layer_norm(x, gain, bias, epsilon)", {any({0, 3}), any({3}), any({3})},
      [](const auto& in) { return layer_norm(in[0], in[1], in[2]); });
  add("rms_norm(x, gain, epsilon)", {any({0, 3}), any({3})},
      [](const auto& in) { return rms_norm(in[0], in[1]); });
  add("rotary(x, base, start)", {any({0, 4})}, [](const auto& in) { return rotary(in[0]); });
  add("scaled_dot_product_attention(q, k, v, mask)", {any({0, 3}), any({2, 3}), any({2, 5})},
      [](const auto& in) { return scaled_dot_product_attention(in[0], in[1], in[2]); });
  add("scaled_dot_product_attention(q, k, v, mask)", {any({2, 3}), any({0, 3}), any({0, 5})},
      [](const auto& in) { return scaled_dot_product_attention(in[0], in[1], in[2]); });
  add("scaled_dot_product_attention(q, k, v, mask)", {any({2, 3}), any({5, 3}), any({5, 0})},
      [](const auto& in) { return scaled_dot_product_attention(in[0], in[1], in[2]); });
}

void add_flat_rows(GradcheckRows& rows) {
  const auto add = [&rows](const char* name, const char* variant, const Variable& input,
                           const GradcheckFunction& f) {
    rows.push_back({name, variant, f, {input}});
  };
  add("pow(x, exponent)", "exponent 0", positive({3}),
      [](const auto& in) { return pow(in[0], 0); });
  add("var(x, axes, keep)", "of one element", any({3, 1}),
      [](const auto& in) { return var(in[0], {1}); });
  add("softmax(x, axis)", "of one element", any({3, 1}),
      [](const auto& in) { return softmax(in[0], 1); });
  add("log_softmax(x, axis)", "of one element", any({1, 3}),
      [](const auto& in) { return log_softmax(in[0], 0); });
  add("relu(x)", "below 0", positive({3}), [](const auto& in) { return relu(-in[0]); });
  add("clamp(x, low, high)", "outside", positive({3}),
      [](const auto& in) { return clamp(in[0], -2, Scalar(0.25)); });
  add("masked_fill(x, mask, value)", "everything", any({3}),
      [](const auto& in) { return masked_fill(in[0], ones({}), 1); });
  add("cross_entropy(logits, targets, options)", "all targets ignored", any({2, 3}),
      [](const auto& in) {
        return cross_entropy(in[0], Indices({2}, {-100, -100}));
      });
  add("attention_weights(q, k, mask)", "nothing to look at", any({2, 3}), [](const auto& in) {
    AttentionMask mask;
    mask.mask = zeros({2, 2});
    return attention_weights(in[0], in[0], mask);
  });
}

}  // namespace

GradcheckRows zero_gradient_table() {
  GradcheckRows rows;
  add_empty_rows(rows);
  add_flat_rows(rows);
  return rows;
}

}  // namespace vitro
