// Adam and AdamW, against steps computed by hand.
#include "nn/optim/adam.h"

#include <cmath>
#include <limits>

#include "tensor/kernels/adam.h"

#include "nn/optim/clip.h"

#include "tests/nn/optim_support.h"

namespace vitro::test {
namespace {

TEST(Adam, FirstStepHasTheSizeOfTheLearningRate) {
  const Variable x = two(1, -1);
  nn::AdamOptions options;
  options.learning_rate = Scalar(0.125);
  options.epsilon = 0;
  nn::Adam optimizer({{"x", x}}, options);
  set_grad(x, 1e-3, -50);
  optimizer.step();  // m̂/√v̂ = g/|g|
  expect_close(x.value(), {2}, {0.875, -0.875});
}

// Adam as the paper has it, one number, in double.
struct PlainAdam {
  double value;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double rate = 0.05;
  double epsilon = 1e-8;
  double decay = 0;
  double m = 0;
  double v = 0;
  int t = 0;

  void step(double g) {
    ++t;
    value -= rate * decay * value;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g;
    const double m_hat = m / (1 - std::pow(beta1, t));
    const double v_hat = v / (1 - std::pow(beta2, t));
    value -= rate * m_hat / (std::sqrt(v_hat) + epsilon);
  }
};

TEST(Adam, FollowsThePaperForManySteps) {
  const Variable x = two(0.5, -1.5);
  nn::AdamOptions options;
  options.learning_rate = Scalar(0.05);
  nn::Adam optimizer({{"x", x}}, options);
  PlainAdam a{0.5};
  PlainAdam b{-1.5};
  for (int step = 0; step < 40; ++step) {
    const double g = std::sin(1.0 + step);
    set_grad(x, g, 3 * g - 1);
    optimizer.step();
    a.step(g);
    b.step(3 * g - 1);
    expect_close(x.value(), {2}, {a.value, b.value}, 20 * kTolerance * 10);
  }
  EXPECT_EQ(optimizer.step_count(), 40);
}

TEST(Adam, KernelEqualsThePlainFormAtEveryLength) {
  kernels::AdamStep step{};
  step.beta1 = Scalar(0.75);
  step.beta2 = Scalar(0.875);
  step.epsilon = Scalar(0.125);
  step.step_size = Scalar(0.5);
  step.inverse_sqrt_correction = 2;
  step.kept = Scalar(0.9375);
  Rng rng(1);
  for (Index count = 0; count < 41; ++count) {
    const Tensor g = random_tensor({count + 1}, rng);
    Tensor value = random_tensor({count + 1}, rng);
    Tensor first = random_tensor({count + 1}, rng);
    Tensor second = random_tensor({count + 1}, rng);
    second.accumulate(full({count + 1}, Scalar(1.5)));  // not negative
    const Tensor values[] = {value, first, second};
    kernels::adam_update(step, g.data(), value.mutable_data(), first.mutable_data(),
                         second.mutable_data(), count);
    for (Index i = 0; i < count; ++i) {
      const auto grad = static_cast<double>(g.at({i}));
      const double m = 0.75 * static_cast<double>(values[1].at({i})) + 0.25 * grad;
      const double v = 0.875 * static_cast<double>(values[2].at({i})) + 0.125 * grad * grad;
      const double moved =
          0.9375 * static_cast<double>(values[0].at({i})) - 0.5 * m / (2 * std::sqrt(v) + 0.125);
      ASSERT_NEAR(static_cast<double>(first.at({i})), m, kTolerance);
      ASSERT_NEAR(static_cast<double>(second.at({i})), v, kTolerance);
      ASSERT_NEAR(static_cast<double>(value.at({i})), moved, kTolerance);
    }
    EXPECT_EQ(value.at({count}), values[0].at({count}));  // nothing past the end
    EXPECT_EQ(second.at({count}), values[2].at({count}));
  }
}

TEST(Adam, RefusesSettingsOutOfRange) {
  const Variable x = two(0, 0);
  const auto make = [&](const nn::AdamOptions& options) {
    return [&x, options] { nn::Adam({{"x", x}}, options); };
  };
  for (const double beta : {-0.1, 1.0, kNan}) {
    nn::AdamOptions options;
    options.beta1 = static_cast<Scalar>(beta);
    expect_error_contains<std::invalid_argument>(make(options), "beta1");
    options = {};
    options.beta2 = static_cast<Scalar>(beta);
    expect_error_contains<std::invalid_argument>(make(options), "beta2");
  }
  nn::AdamOptions options;
  options.epsilon = Scalar(-1);
  expect_error_contains<std::invalid_argument>(make(options), "epsilon");
  for (const double decay : {-0.1, kNan, kInfinity}) {
    const auto decaying = [&] { nn::AdamW({{{{"x", x}}, static_cast<Scalar>(decay)}}, {}); };
    expect_error_contains<std::invalid_argument>(decaying, "weight_decay");
  }
}

TEST(AdamW, DecayIsApartFromTheGradient) {
  const Variable x = two(2, -3);
  nn::AdamOptions options;
  options.learning_rate = Scalar(0.05);
  nn::AdamW optimizer({{{{"x", x}}, Scalar(0.3)}}, options);
  PlainAdam a{2};
  PlainAdam b{-3};
  a.decay = b.decay = 0.3;
  for (int step = 0; step < 10; ++step) {
    set_grad(x, 0.25, -4);
    optimizer.step();
    a.step(0.25);
    b.step(-4);
    expect_close(x.value(), {2}, {a.value, b.value}, 200 * kTolerance);
  }
}

// A matrix, a bias and a gain, all 1.
class Three : public nn::Module {
 public:
  Three() {
    add_parameter("weight", ones({1, 1}));
    add_parameter("bias", ones({1}));
    add_parameter("gain", ones({1}));
  }
};

TEST(AdamW, BL48_BiasesAndGainsDoNotDecay) {
  const Three module;
  const std::vector<nn::ParameterGroup> groups = nn::decay_groups(module, Scalar(0.1));
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].parameters.size(), 1U);
  EXPECT_EQ(groups[1].parameters.size(), 2U);
  nn::AdamOptions options;
  options.learning_rate = Scalar(0.1);
  nn::AdamW optimizer(groups, options);
  for (const Variable& parameter : module.parameters()) {
    parameter.set_grad(zeros(parameter.shape()));
  }
  optimizer.step();
  expect_close(named(module, "weight").value(), {1, 1}, {0.99});
  expect_equal(named(module, "bias").value(), {1}, {1});
  expect_equal(named(module, "gain").value(), {1}, {1});
}

TEST(AdamW, BL49_ATiedTableDecaysOnceAndIsClippedOnce) {
  nn::GptOptions gpt = small_gpt();
  gpt.head = nn::Head::kTied;
  Rng rng(1);
  const nn::Gpt model(gpt, rng);
  std::vector<double> expected;
  for (const Scalar value : named(model, "tokens.weight").value().to_vector()) {
    expected.push_back(static_cast<double>(value) * (1 - 0.1 * 0.1));
  }
  nn::AdamOptions options;
  options.learning_rate = Scalar(0.1);
  nn::AdamW optimizer(nn::decay_groups(model, Scalar(0.1)), options);
  for (const NamedParameter& parameter : optimizer.parameters()) {
    const bool is_table = parameter.name == "tokens.weight";
    parameter.variable.set_grad(full(parameter.variable.shape(), Scalar(is_table ? 1 : 0)));
  }
  EXPECT_NEAR(nn::clip_grad_norm(optimizer.parameters(), 1000), std::sqrt(11.0 * 12.0), 1e-9);
  named(model, "tokens.weight").set_grad(zeros({11, 12}));
  optimizer.step();
  expect_close(named(model, "tokens.weight").value(), {11, 12}, expected);
}

}  // namespace
}  // namespace vitro::test
