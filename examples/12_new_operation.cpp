// 12: an operation of your own, in one file, without a change to the library.
//
// An operation is a function that computes numbers and tells `record` how the gradient comes back.
// This one is softsign, y = x / (1 + |x|): like tanh, without an exponential. It is compared with
// its own differences, so that a wrong formula would be found, and then used in a small network.
//
// Takes less than a second.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <system_error>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/pictures/glyphs.h"
#include "tensor/print.h"

#include "autograd/gradcheck.h"
#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/layers/linear.h"
#include "nn/optim/adam.h"

#include "examples/common/command_line.h"
#include "examples/common/recording.h"
#include "examples/common/run_log.h"
#include "examples/common/run_main.h"
#include "examples/common/saved_weights.h"
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

/// How far the network is from y = x² on [-1, 1].
Variable parabola_loss(SmallNetwork& model, Index count, Rng& rng) {
  const Tensor x = uniform({count, 1}, -1, 1, rng);
  return mean_squared_error(model(Variable(x)), Variable(x * x));  // []
}

void save(const SmallNetwork& model, const TrainingOptions& options) {
  save_trained(options.save, model, {{"task", "parabola"}});
}

/// Learns the parabola, saves it and returns the last loss.
double learn_a_parabola(SmallNetwork& model, const TrainingOptions& options, Rng& rng) {
  nn::Adam optimizer(model.named_parameters(),
                     {.learning_rate = static_cast<Scalar>(options.learning_rate)});
  RunLog log(options.log, options.csv);
  double last = 0;
  for (Index step = 1; step <= options.max_iters; ++step) {
    const Variable loss = parabola_loss(model, options.batch_size, rng);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    last = static_cast<double>(loss.item());
    log.write(step, {{"loss", last}});
    if (step == 1 || step % 100 == 0) {
      std::cout << "  step " << step << ": loss " << loss_text(last) << "\n";
    }
  }
  save(model, options);  // before anything else can fail
  record_step(model, optimizer, options.trace);
  return last;
}

/// A number from -1 to 1. Throws UsageError.
double parse_question(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !(std::abs(number) <= 1)) {
    throw UsageError(join_text({"--ask: '", visible_text(text), "' is no number from -1 to 1"}));
  }
  return number;
}

/// The network's answer to one number, beside the right one.
void answer(SmallNetwork& model, double question) {
  const NoGrad no_grad;
  const Variable y = model(Variable(Tensor({1, 1}, {static_cast<Scalar>(question)})));  // [1, 1]
  std::cout << "asked:    " << number_text(question, 4)
            << "\nanswered: " << number_text(static_cast<double>(y.value().item()), 4) << " (x² is "
            << number_text(question * question, 4) << ")\n";
}

// Without --out_dir and --resume: it draws nothing, and a second of training is not stopped.
void add_options(CommandLine& line, TrainingOptions& options, std::string& ask) {
  options.max_iters = 500;
  options.learning_rate = 0.02;
  options.out_dir = "";
  add_step_options(line, options, /*least_steps=*/0);
  add_run_options(line, options);
  add_weight_options(line, options, "uses saved weights; trains on only with --max_iters");
  line.text("ask", ask, "X", "asks the network for the square of this, from -1 to 1");
  add_log_options(line, options, "a step");
  add_trace_option(line, options.trace);
}

int run(CommandLine& line, int argc, const char* const* argv) {
  TrainingOptions options;
  std::string ask;
  add_options(line, options, ask);
  if (!line.parse(argc, argv)) return 0;
  if (options.quick && !line.was_given("max_iters")) options.max_iters = 200;
  if (!options.load.empty() && !line.was_given("max_iters")) options.max_iters = 0;
  const double question = ask.empty() ? 0 : parse_question(ask);
  Rng rng(static_cast<std::uint64_t>(options.seed));
  SmallNetwork model(rng);
  load_trained(options.load, model, {{"task", "parabola"}});
  prepare_training(options);
  const bool as_claimed = check_gradients();
  std::cout << (options.max_iters > 0
                    ? "\na network of 16 softsigns learns y = x², less than a second:\n"
                    : "\na network of 16 softsigns that has learnt y = x²:\n");
  const double last = learn_a_parabola(model, options, rng);
  const double loss =
      options.max_iters > 0 ? last : static_cast<double>(parabola_loss(model, 1000, rng).item());
  show_result("loss", loss);
  if (!ask.empty()) answer(model, question);
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
