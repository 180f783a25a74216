// Exercise 6 (chapter 8): multi-head attention, from the parts of SelfAttention.
//
// Hint: SelfAttention::forward (nn/layers/self_attention.cpp) is one head. Project x once with each
// of w_q, w_k and w_v; cut the channels into heads, [.., time, channels] → reshape →
// [.., time, heads, head_size] → transpose → [.., heads, time, head_size]; attend as one head does,
// since matmul and softmax leave axes in front alone; bring the heads back, transpose first, then
// reshape; multiply by w_o. Each head has d_k = channels / head_count.
#include <cmath>

#include "autograd/ops.h"

#include "nn/init.h"

#include "examples/exercises/exercises.h"

namespace vitro::exercises {
namespace {

class MyMultiHeadAttention : public nn::Layer {
 public:
  MyMultiHeadAttention(Index channels, Index head_count, Rng& rng) {
    // Write: parameters w_q, w_k, w_v and w_o by add_parameter, each [channels, channels], and what
    // forward needs to remember.
    (void)channels;
    (void)head_count;
    (void)rng;
  }

  Variable forward(const Variable& x) override {  // [.., time, channels]
    (void)x;
    not_written_yet(6);
  }
};

}  // namespace

std::unique_ptr<nn::Layer> make_multi_head_attention(Index channels, Index head_count, Rng& rng) {
  return std::make_unique<MyMultiHeadAttention>(channels, head_count, rng);
}

}  // namespace vitro::exercises
