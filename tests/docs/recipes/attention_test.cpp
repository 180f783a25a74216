// The recipe "an attention variant" of docs/extending.md, followed literally.
#include <gtest/gtest.h>

#include "tensor/create.h"
#include "tensor/views.h"

#include "autograd/gradcheck.h"
#include "autograd/ops.h"

#include "nn/init.h"
#include "nn/module.h"

namespace vitro {
namespace {

// [time, time]: 1 where position i may look at position j: itself and the `reach` before it.
Tensor local_mask(Index time, Index reach) {
  return Tensor::filled({time, time}, [=](Scalar* out) {
    for (Index i = 0; i < time; ++i) {
      for (Index j = 0; j < time; ++j) *out++ = j <= i && i - j <= reach ? Scalar(1) : Scalar(0);
    }
  });
}

/// SelfAttention in which each position sees only the last few.
class LocalAttention : public nn::Layer {
 public:
  LocalAttention(Index width, Index reach, Rng& rng)
      : w_q_(add_parameter("w_q", nn::uniform_by_inputs(width, width, rng, "LocalAttention"))),
        w_k_(add_parameter("w_k", nn::uniform_by_inputs(width, width, rng, "LocalAttention"))),
        w_v_(add_parameter("w_v", nn::uniform_by_inputs(width, width, rng, "LocalAttention"))),
        reach_(reach) {}

  Variable forward(const Variable& x) override {
    const AttentionMask mask{.mask = local_mask(x.size(-2), reach_)};
    const Variable q = matmul(x, w_q_);                  // [.., time, width]
    const Variable k = matmul(x, w_k_);                  // [.., time, width]
    const Variable v = matmul(x, w_v_);                  // [.., time, width]
    return scaled_dot_product_attention(q, k, v, mask);  // [.., time, width]
  }

 private:
  const Variable w_q_;  // [width, width]
  const Variable w_k_;  // [width, width]
  const Variable w_v_;  // [width, width]
  const Index reach_;
};

// What position 4 puts out when the token at `place` changes: the same numbers?
bool sees(LocalAttention& attention, Index place) {
  Rng rng(2);
  Tensor x = normal({6, 4}, 0, 1, rng);
  const Tensor before = narrow(attention(Variable(x)).value(), 0, 4, 1);
  x.set({place, 0}, 10);
  const Tensor after = narrow(attention(Variable(x)).value(), 0, 4, 1);
  return before.to_vector() != after.to_vector();
}

TEST(Recipe, AnAttentionVariant) {
  Rng rng(1);
  LocalAttention attention(4, 2, rng);
  const std::vector<bool> seen = {false, false, true, true, true, false};
  for (Index place = 0; place < 6; ++place) {
    EXPECT_EQ(sees(attention, place), seen[static_cast<std::size_t>(place)]) << place;
  }
  const Variable x = parameter(normal({5, 4}, 0, 1, rng), "x");
  const GradcheckResult result = gradcheck([&](const auto& in) { return attention(in[0]); }, {x});
  EXPECT_TRUE(result.passed) << result;
}

}  // namespace
}  // namespace vitro
