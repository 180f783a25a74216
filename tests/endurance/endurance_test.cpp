// A hundred thousand steps hold no more than a thousand did.
#include <functional>
#include <gtest/gtest.h>
#include <string>

#include "tensor/create.h"

#include "autograd/ops.h"

#include "nn/layers/dropout.h"
#include "nn/layers/linear.h"
#include "nn/layers/self_attention.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/sgd.h"

#include "tests/support/sanitizers.h"
#include "tests/training_runs/footprint.h"

namespace vitro::training_runs {
namespace {

constexpr Index kFirst = 1'000;
constexpr Index kLast = 100'000;

// The smallest block of the heap takes 32 bytes: one lost a step is 3 MB in the end. What may come
// are pages that the heap has had all along and touches late: a few in all.
constexpr Index kMostGrowth = 2 * (kLast - kFirst);  // 2 bytes a step

void expect_no_growth(const std::function<void()>& step) {
  for (Index i = 0; i < kFirst; ++i) step();
  const Footprint before = Footprint::now();
  for (Index i = kFirst; i < kLast; ++i) step();
  const Footprint after = Footprint::now();
  EXPECT_EQ(after.live_nodes, before.live_nodes);
  EXPECT_EQ(after.tensor_bytes_in_use, before.tensor_bytes_in_use);
  EXPECT_EQ(after.tensor_bytes_kept, before.tensor_bytes_kept);
  EXPECT_EQ(after.system_requests, before.system_requests);
  EXPECT_EQ(after.detaching_copies, before.detaching_copies);
  if (test::kIsSanitized) return;  // a sanitizer's heap keeps what was freed
  EXPECT_EQ(after.mapped_pages, before.mapped_pages);
  EXPECT_LT(after.resident_bytes - before.resident_bytes, kMostGrowth);
  testing::Test::RecordProperty("growth_in_bytes",
                                std::to_string(after.resident_bytes - before.resident_bytes));
}

TEST(Endurance, AnAttentionLayerWithAdam) {
  Rng rng(1);
  nn::SelfAttention attention(6, 4, 5, rng);
  nn::Adam optimizer(attention.named_parameters(), {});
  expect_no_growth([&] {
    const Variable x(normal({2, 3, 6}, 0, 1, rng));
    const Variable target(normal({2, 3, 5}, 0, 1, rng));
    const Variable loss = mean_squared_error(attention(x), target);
    optimizer.zero_grad();
    loss.backward();
    nn::clip_grad_norm(optimizer.parameters(), 1);
    optimizer.step();
  });
}

class Perceptron : public nn::Layer {
 public:
  explicit Perceptron(Rng& rng)
      : hidden_(add_module<nn::Linear>("hidden", 5, 11, rng)),
        dropout_(add_module<nn::Dropout>("dropout", Scalar(0.2), rng)),
        out_(add_module<nn::Linear>("out", 11, 3, rng)) {}

  Variable forward(const Variable& x) override { return out_(dropout_(gelu(hidden_(x)))); }

 private:
  nn::Linear& hidden_;
  nn::Dropout& dropout_;
  nn::Linear& out_;
};

TEST(Endurance, APerceptronWithMomentum) {
  Rng rng(2);
  Perceptron model(rng);
  nn::Sgd optimizer(model.named_parameters(), {.momentum = Scalar(0.9)});
  const Indices targets({7}, {0, 1, 2, 0, 1, 2, 0});
  expect_no_growth([&] {
    const Variable x(normal({7, 5}, 0, 1, rng));
    const Variable loss = cross_entropy(model(x), targets);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  });
}

}  // namespace
}  // namespace vitro::training_runs
