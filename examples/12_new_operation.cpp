// 12: an operation of your own, in one file, without a change to the library.
//
// An operation is a function that computes numbers and tells `record` how the gradient comes back.
// This one is softsign, y = x / (1 + |x|): like tanh, without an exponential. It is compared with
// its own differences, so that a wrong formula would be found, and then used in a small network.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"

#include "autograd/gradcheck.h"
#include "autograd/ops.h"

#include "nn/layers/linear.h"
#include "nn/optim/adam.h"

#include "examples/common/command_line.h"
#include "examples/common/recording.h"
#include "examples/common/run_main.h"
#include "examples/common/training.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "12_new_operation";

/// x / (1 + |x|). With s = 1 + |x|, dy/dx = (s - |x|) / s² = 1 / s².
Variable softsign(const Operand& x) {
  const Tensor s = 1 + abs(x.value());
  const Tensor y = x.value() / s;
  return record("softsign", y, {x},
                [s](const Tensor& grad) -> Gradients { return {grad / (s * s)}; });
}

/// The same with a slip: the square is forgotten.
Variable softsign_with_a_slip(const Operand& x) {
  const Tensor s = 1 + abs(x.value());
  const Tensor y = x.value() / s;
  return record("softsign_with_a_slip", y, {x},
                [s](const Tensor& grad) -> Gradients { return {grad / s}; });
}

/// A layer of your own, from the library's parts and your operation: it joins by being a Module.
class SmallNetwork : public nn::Layer {
 public:
  explicit SmallNetwork(Rng& rng)
      : expand_(add_module<nn::Linear>("expand", 1, 16, rng)),
        contract_(add_module<nn::Linear>("contract", 16, 1, rng)) {}

  Variable forward(const Variable& x) override {  // [rows, 1]
    return contract_(softsign(expand_(x)));       // [rows, 1]
  }

 private:
  nn::Linear& expand_;
  nn::Linear& contract_;
};

/// Whether the check passes the right gradient and finds the wrong one.
bool check_gradients() {
  const Variable x = parameter(Tensor({5}, {-2, Scalar(-0.5), Scalar(0.25), 1, 3}), "x");
  const auto check = [&x](Variable (*operation)(const Operand&)) {
    const GradcheckResult result =
        gradcheck([operation](const std::vector<Variable>& in) { return operation(in[0]); }, {x});
    std::cout << "  " << result << "\n";
    return result.passed;
  };
  std::cout << "softsign, y = x / (1 + |x|), dy/dx = 1 / (1 + |x|)²:\n";
  const bool right = check(softsign);
  std::cout << "the same with a slip, dy/dx = 1 / (1 + |x|):\n";
  const bool slip = check(softsign_with_a_slip);
  return right && !slip;
}

/// --trace: a page of one step on four numbers. It has the new operation like any other, and says
/// of it alone that the page cannot compute it again.
void record_step(SmallNetwork& model, nn::Optimizer& optimizer, const std::string& path) {
  const Variable x(Tensor({4, 1}, {Scalar(-0.75), Scalar(-0.25), Scalar(0.25), Scalar(0.75)}));
  StepRecording recording(path, {.program = kProgram});
  recording.record_training(model, optimizer, [&] { return mean_squared_error(model(x), x * x); });
}

/// Learns the parabola y = x² on [-1, 1] and returns the last loss.
double learn_a_parabola(Index max_iters, const std::string& trace, Rng& rng) {
  SmallNetwork model(rng);
  nn::Adam optimizer(model.named_parameters(), {.learning_rate = Scalar(0.02)});
  double last = 0;
  for (Index step = 1; step <= max_iters; ++step) {
    const Tensor x = uniform({64, 1}, -1, 1, rng);
    const Variable loss = mean_squared_error(model(Variable(x)), Variable(x * x));  // []
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    last = static_cast<double>(loss.item());
    if (step == 1 || step % 100 == 0) {
      std::cout << "  step " << step << ": loss " << loss_text(last) << "\n";
    }
  }
  record_step(model, optimizer, trace);
  return last;
}

int run(CommandLine& line, int argc, const char* const* argv) {
  Index max_iters = 500;
  Index seed = 1;
  bool quick = false;
  std::string trace;
  line.integer("max_iters", max_iters, 1, 100'000, "training steps", {"steps"});
  line.integer("seed", seed, 0, 1'000'000'000, "the same seed gives the same numbers");
  line.flag("quick", quick, "the same path: it takes less than a second anyway");
  add_trace_option(line, trace);
  if (!line.parse(argc, argv)) return 0;
  const bool as_claimed = check_gradients();
  std::cout << "\na network of 16 softsigns learns y = x², less than a second:\n";
  Rng rng(static_cast<std::uint64_t>(seed));
  show_result("loss", learn_a_parabola(max_iters, trace, rng));
  std::cout << (as_claimed ? "The right gradient passed, and the slip was found.\n"
                           : "Something is NOT as claimed above.\n");
  return as_claimed ? 0 : 1;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    CommandLine command_line(kProgram, "an operation of your own, checked and used.");
    return run(command_line, argc, argv);
  });
}
