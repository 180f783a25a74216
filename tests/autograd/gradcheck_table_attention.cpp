// Rows for attention: its masks, its views, its weights.
#include "tensor/positions.h"

#include "tests/autograd/gradcheck_table.h"

namespace vitro {

void add_attention_rows(GradcheckRows& rows) {
  AttentionMask causal;
  causal.causal = true;
  AttentionMask padding;  // query 1 of batch 1 may look at nothing
  padding.mask = Tensor({2, 3, 2}, {1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0});
  AttentionMask all = causal;
  all.mask = Tensor({3}, {1, 0, 1});
  all.bias = alibi_bias(2, 3);
  const auto attend = [](const AttentionMask& mask) {
    return
        [mask](const auto& in) { return scaled_dot_product_attention(in[0], in[1], in[2], mask); };
  };
  const auto weigh = [](const AttentionMask& mask) {
    return [mask](const auto& in) { return attention_weights(in[0], in[1], mask); };
  };
  const char* name = "scaled_dot_product_attention(q, k, v, mask)";
  rows.push_back({name, "one head", attend({}), {any({3, 5}), any({2, 5}), any({2, 7})}});
  rows.push_back(
      {name, "causal", attend(causal), {any({2, 3, 5}), any({2, 3, 5}), any({2, 3, 2})}});
  rows.push_back(
      {name, "causal, fewer queries", attend(causal), {any({2, 5}), any({3, 5}), any({3, 7})}});
  rows.push_back({name,
                  "padding, a query without keys",
                  attend(padding),
                  {any({2, 3, 5}), any({2, 2, 5}), any({2, 2, 3})}});
  rows.push_back({name,
                  "causal, mask and bias",
                  attend(all),
                  {any({2, 3, 5}), any({2, 3, 5}), any({2, 3, 7})}});
  rows.push_back(
      {name, "k and v shared by heads", attend({}), {any({2, 3, 5}), any({1, 2, 5}), any({2, 7})}});
  rows.push_back({name,
                  "views",
                  attend({}),
                  {transposed(any, 3, 5), narrowed(any, 2, 5), transposed(any, 2, 7)}});
  rows.push_back(
      {name,
       "of itself",
       [=](const auto& in) { return scaled_dot_product_attention(in[0], in[0], in[0], causal); },
       {any({3, 5})}});
  rows.push_back({name,
                  "more than a block of queries",
                  attend(causal),
                  {any({37, 2}), any({41, 2}), any({41, 3})}});
  name = "packed_attention(qkv, head_count, mask)";
  const auto packed = [](Index heads, const AttentionMask& mask) {
    return [=](const auto& in) { return packed_attention(in[0], heads, mask); };
  };
  rows.push_back({name, "one head", packed(1, {}), {any({3, 15})}});
  rows.push_back({name, "heads, causal", packed(2, causal), {any({2, 5, 18})}});
  rows.push_back({name, "causal, mask and bias", packed(2, all), {any({7, 3, 6})}});
  rows.push_back({name, "view", packed(2, causal), {transposed(any, 3, 12)}});
  rows.push_back({name,
                  "used twice",
                  [=](const auto& in) { return packed(2, {})(in) * narrow(in[0], -1, 0, 4); },
                  {any({3, 12})}});
  const auto mask_only = [](const AttentionMask& mask) {
    return [mask](const auto& in) { return softmax(mask_scores(in[0], mask), -1); };
  };
  name = "mask_scores(scores, mask)";
  rows.push_back({name, "no mask", mask_only({}), {any({3, 5})}});
  rows.push_back({name, "causal, mask and bias", mask_only(all), {any({2, 3, 3})}});
  rows.push_back({name,
                  "view, used twice",
                  [=](const auto& in) { return mask_only(causal)(in) * in[0]; },
                  {transposed(any, 3, 3)}});
  name = "attention_weights(q, k, mask)";
  rows.push_back({name, "one head", weigh({}), {any({3, 5}), any({2, 5})}});
  rows.push_back({name, "causal, mask and bias", weigh(all), {any({2, 3, 5}), any({2, 3, 5})}});
  rows.push_back({name, "views", weigh(causal), {transposed(any, 3, 5), narrowed(any, 3, 5)}});
  rows.push_back({name,
                  "of itself",
                  [=](const auto& in) { return attention_weights(in[0], in[0]); },
                  {any({3, 5})}});
}

}  // namespace vitro
