// Long histories, histories that are dropped, and what a training step costs in memory.
#include <gtest/gtest.h>
#include <pthread.h>
#include <thread>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

namespace vitro {
namespace {

// Runs `body` on a thread whose stack holds 1 MiB, as `ulimit -s 1024` gives.
void on_small_stack(void (*body)()) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 1 << 20), 0);
  pthread_t thread;
  const auto run = [](void* function) -> void* {
    (*static_cast<void (**)()>(function))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &body), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

// A million operations: 500,000 times · 1 and + 0.
Variable long_chain(const Variable& x) {
  const Variable one(ones({1}));
  const Variable zero(zeros({1}));
  Variable y = x;
  for (int i = 0; i < 500000; ++i) y = y * one + zero;
  return y;
}

TEST(EngineMemory, BL19_AMillionOperationsRunBackwardOnASmallStack) {
  const Index before = live_node_count();
  on_small_stack([] {
    const Variable x = parameter(ones({1}));
    const Variable y = long_chain(x);
    y.backward();
    EXPECT_EQ(x.grad().item(), 1);
  });
  EXPECT_EQ(live_node_count(), before);
  release_kept_memory();
}

TEST(EngineMemory, BL19_AMillionOperationsAreDroppedOnASmallStack) {
  const Index before = live_node_count();
  on_small_stack([] {
    const Variable x = parameter(ones({1}));
    const Variable y = long_chain(x);
    EXPECT_EQ(y.value().item(), 1);
  });
  EXPECT_EQ(live_node_count(), before);
  release_kept_memory();
}

// A small transformer's worth of operations.
struct SmallModel {
  Variable table = parameter(ones({7, 6}) * Scalar(0.1));
  Variable w = parameter(draw({6, 18}));
  Variable w_out = parameter(draw({6, 7}));
  Variable bias = parameter(zeros({7}));
  Variable gain = parameter(ones({6}));
  Variable shift = parameter(zeros({6}));

  static Tensor draw(const Shape& shape) {
    Rng rng(11);
    return normal(shape, 0, Scalar(0.3), rng);
  }

  std::vector<Variable> parameters() const { return {table, w, w_out, bias, gain, shift}; }

  Variable loss(const Indices& ids, const Indices& targets) const {
    const Variable x = embedding(table, ids);  // [batch, time, 6]
    const Variable qkv = matmul(layer_norm(x, gain, shift), w);
    AttentionMask causal;
    causal.causal = true;
    const Variable mixed = scaled_dot_product_attention(
        narrow(qkv, -1, 0, 6), narrow(qkv, -1, 6, 6), narrow(qkv, -1, 12, 6), causal);
    return cross_entropy(linear(gelu(x + mixed), w_out, bias), targets);
  }

  void step(const Indices& ids, const Indices& targets) {
    for (const Variable& p : parameters()) p.zero_grad();
    loss(ids, targets).backward();
    for (Variable p : parameters()) p.set_value(p.value() - p.grad() * Scalar(0.1));
  }
};

const Indices& ids() {
  static const Indices value({2, 5}, {1, 2, 3, 4, 5, 6, 0, 2, 2, 1});
  return value;
}

const Indices& targets() {
  static const Indices value({2, 5}, {2, 3, 4, 5, 6, 0, 2, 2, 1, 3});
  return value;
}

TEST(EngineMemory, ForwardsWithoutBackwardLeaveNothingAlive) {
  const SmallModel model;
  const Index before = live_node_count();
  for (int i = 0; i < 1000; ++i) model.loss(ids(), targets());
  EXPECT_EQ(live_node_count(), before);
}

TEST(EngineMemory, BL21_KeptNumbersKeepNoHistory) {
  SmallModel model;
  const Index before = live_node_count();
  std::vector<Scalar> losses;
  for (int i = 0; i < 1000; ++i) {
    losses.push_back(model.loss(ids(), targets()).item());
    ASSERT_EQ(live_node_count(), before) << "step " << i;
  }
  std::vector<Variable> detached;
  for (int i = 0; i < 1000; ++i) detached.push_back(model.loss(ids(), targets()).detach());
  EXPECT_EQ(live_node_count(), before + 1000);
  const NoGrad no_grad;
  detached.clear();
  for (int i = 0; i < 1000; ++i) detached.push_back(model.loss(ids(), targets()));
  EXPECT_EQ(live_node_count(), before + 1000);
}

// The price of keeping tensors instead: after backward the loss alone, without backward all of it.
TEST(EngineMemory, BL21_KeptLossesKeepTheirNodes) {
  const SmallModel model;
  const Index before = live_node_count();
  std::vector<Variable> trained;
  for (int i = 0; i < 1000; ++i) {
    trained.push_back(model.loss(ids(), targets()));
    trained.back().backward();
    ASSERT_EQ(live_node_count(), before + i + 1);
  }
  trained.clear();
  const Variable one = model.loss(ids(), targets());
  const Index history = live_node_count() - before;
  EXPECT_GT(history, 10);
  std::vector<Variable> open;
  for (int i = 0; i < 99; ++i) open.push_back(model.loss(ids(), targets()));
  EXPECT_EQ(live_node_count(), before + 100 * history);
}

TEST(EngineMemory, ASteadyStepCopiesNothingAndAsksForNoMemory) {
  SmallModel model;
  const Scalar before = model.loss(ids(), targets()).item();
  for (int i = 0; i < 3; ++i) model.step(ids(), targets());
  const Index copies = detaching_copy_count();
  const Index requests = memory_counts().system_requests;
  for (int i = 0; i < 20; ++i) model.step(ids(), targets());
  EXPECT_EQ(detaching_copy_count(), copies);
  EXPECT_EQ(memory_counts().system_requests, requests);
  EXPECT_LT(model.loss(ids(), targets()).item(), before);
}

std::vector<Scalar> trained_values(SmallModel model) {
  for (int i = 0; i < 20; ++i) model.step(ids(), targets());
  std::vector<Scalar> values;
  for (const Variable& p : model.parameters()) {
    for (const Scalar value : p.value().to_vector()) values.push_back(value);
  }
  return values;
}

// A model of its own leaves, on the same storage as another's.
SmallModel sharing_values(const SmallModel& model) {
  return {parameter(model.table.value()), parameter(model.w.value()),
          parameter(model.w_out.value()), parameter(model.bias.value()),
          parameter(model.gain.value()),  parameter(model.shift.value())};
}

TEST(EngineMemory, TwoThreadsTrainOnSharedValuesAndSeparateGraphs) {
  const SmallModel origin;
  const std::vector<Scalar> alone = trained_values(sharing_values(origin));
  std::vector<std::vector<Scalar>> results(2);
  std::vector<std::thread> threads;
  for (std::vector<Scalar>& result : results) {
    threads.emplace_back([&result, &origin] { result = trained_values(sharing_values(origin)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results[0], alone);
  EXPECT_EQ(results[1], alone);
}

}  // namespace
}  // namespace vitro
