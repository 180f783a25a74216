// 06: why attention divides by √d_k.
//
// A score is a dot product of d_k numbers, so its variance is d_k times that of one product.
// Softmax of numbers that far apart puts everything on one key: its other weights are 0, and so are
// the gradients through it. Divided by √d_k the variance is 1, whatever the width. First the
// numbers, then two trainings that differ in nothing else.
//
// Takes a second or two on two cores.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/print.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/init.h"
#include "nn/layers/embedding.h"
#include "nn/layers/linear.h"
#include "nn/layers/positions.h"
#include "nn/optim/adam.h"

#include "examples/common/command_line.h"
#include "examples/common/loss_curve.h"
#include "examples/common/output_file.h"
#include "examples/common/recording.h"
#include "examples/common/reverse_task.h"
#include "examples/common/run_log.h"
#include "examples/common/run_main.h"
#include "examples/common/sequence_tasks.h"
#include "examples/common/training.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "06_why_scale";
constexpr Index kKeyCount = 16;
constexpr Index kWidth = 32;  // d_model
constexpr Index kSymbolCount = 10;

enum class Scaling { kNone, kSqrtDk };

const char* name_of(Scaling scaling) {
  return scaling == Scaling::kNone ? "as they are" : "divided by √d_k";
}

struct Settings {
  TrainingOptions training;  // of each of the two
  Index d_k = 1024;
};

std::string cell(double value) {
  const std::string text = number_text(value, 4);
  return std::string(text.size() < 12 ? 12 - text.size() : 0, ' ') + text;
}

/// One line: what scores of unit-normal queries and keys are like, and what softmax makes of them.
void show_width(Index d_k, Scaling scaling, Rng& rng) {
  const Index query_count = 200;
  const Tensor q = normal({query_count, d_k}, 0, 1, rng);
  const Tensor k = normal({kKeyCount, d_k}, 0, 1, rng);
  const Tensor products = matmul(Variable(q), transpose(Variable(k), 0, 1)).value();
  const Scalar divisor = scaling == Scaling::kNone ? 1 : std::sqrt(static_cast<Scalar>(d_k));
  const Variable scores = parameter(products / divisor, "scores");  // [queries, keys]
  const Variable weights = softmax(scores, /*axis=*/-1);            // [queries, keys]
  // What comes back to the scores when each weight is pulled at random, per query.
  weights.backward(normal({query_count, kKeyCount}, 0, 1, rng));
  const Tensor squares = scores.grad() * scores.grad();
  const double grad_norm =
      std::sqrt(static_cast<double>(sum(squares).item()) / static_cast<double>(query_count));
  const std::string width = join_text({d_k});
  std::cout << "  " << std::string(6 - width.size(), ' ') << width
            << cell(static_cast<double>(var(scores.value()).item()))
            << cell(static_cast<double>(mean(max(weights.value(), {-1})).item())) << cell(grad_norm)
            << "\n";
}

void show_numbers(Rng& rng) {
  for (const Scaling scaling : {Scaling::kNone, Scaling::kSqrtDk}) {
    std::cout << "Scores " << name_of(scaling) << ", " << kKeyCount << " keys:\n"
              << "     d_k    variance  max weight   grad norm\n";
    for (Index d_k = 4; d_k <= 1024; d_k *= 4) show_width(d_k, scaling, rng);
    std::cout << "\n";
  }
}

/// 03's reverser with attention spelled out, so that the division can be left out.
class Reverser : public nn::Module {
 public:
  Reverser(Index d_k, Scaling scaling, Rng& rng)
      : symbols_(add_module<nn::Embedding>("symbols", kSymbolCount, kWidth, rng)),
        positions_(add_module<nn::LearnedPositions>("positions", kKeyCount, kWidth, rng)),
        w_q_(add_parameter("w_q", nn::uniform_by_inputs(kWidth, d_k, rng, "w_q"))),
        w_k_(add_parameter("w_k", nn::uniform_by_inputs(kWidth, d_k, rng, "w_k"))),
        w_v_(add_parameter("w_v", nn::uniform_by_inputs(kWidth, kWidth, rng, "w_v"))),
        head_(add_module<nn::Linear>("head", kWidth, kSymbolCount, rng)),
        divisor_(scaling == Scaling::kNone ? 1 : std::sqrt(static_cast<Scalar>(d_k))) {}

  Variable operator()(const Indices& inputs) {                // [batch, time]
    const Variable x = positions_(symbols_(inputs));          // [batch, time, d_model]
    const Variable q = matmul(x, w_q_);                       // [batch, time, d_k]
    const Variable k = matmul(x, w_k_);                       // [batch, time, d_k]
    const Variable v = matmul(x, w_v_);                       // [batch, time, d_model]
    const Variable scores = matmul(q, transpose(k, -2, -1));  // [batch, time, time]
    const Variable weights = softmax(scores / divisor_, -1);  // [batch, time, time]
    return head_(matmul(weights, v));                         // [batch, time, symbols]
  }

 private:
  nn::Embedding& symbols_;
  nn::LearnedPositions& positions_;
  const Variable w_q_;  // [d_model, d_k]
  const Variable w_k_;  // [d_model, d_k]
  const Variable w_v_;  // [d_model, d_model]
  nn::Linear& head_;
  const Scalar divisor_;
};

struct Outcome {
  Curve losses;
  double exact_match = 0;
};

/// --trace: a page of one step of the undivided scores on a single unseen sequence.
void record_step(Reverser& model, nn::Optimizer& optimizer, const Settings& s,
                 const std::vector<double>& losses) {
  Rng rng(static_cast<std::uint64_t>(s.training.seed));
  const ReverseBatch one = draw_reverse_batch(Part::kTest, 1, kKeyCount, kSymbolCount, rng);
  StepRecording recording(s.training.trace, {.program = kProgram,
                                             .configuration = {{"d_k", join_text({s.d_k})},
                                                               {"scores", name_of(Scaling::kNone)}},
                                             .tokens = number_labels(one.inputs.values()),
                                             .classes = number_labels(kSymbolCount)});
  recording.add_losses(1, losses);
  recording.record_training(model, optimizer,
                            [&] { return cross_entropy(model(one.inputs), one.targets); });
}

/// The same seed, data and rate for both: only the division differs.
Outcome train(Scaling scaling, const Settings& s) {
  const TrainingOptions& options = s.training;
  Rng rng(static_cast<std::uint64_t>(options.seed));
  Reverser model(s.d_k, scaling, rng);
  nn::Adam optimizer(model.named_parameters(),
                     {.learning_rate = static_cast<Scalar>(options.learning_rate)});
  Outcome outcome{.losses = {name_of(scaling), {}, {}}};
  for (Index step = 1; step <= options.max_iters; ++step) {
    const ReverseBatch batch =
        draw_reverse_batch(Part::kTrain, options.batch_size, kKeyCount, kSymbolCount, rng);
    const Variable loss = cross_entropy(model(batch.inputs), batch.targets);  // []
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    outcome.losses.x.push_back(static_cast<double>(step));
    outcome.losses.y.push_back(static_cast<double>(loss.item()));
  }
  if (scaling == Scaling::kNone) record_step(model, optimizer, s, outcome.losses.y);
  const NoGrad no_grad;
  const ReverseBatch test = draw_reverse_batch(Part::kTest, 250, kKeyCount, kSymbolCount, rng);
  const Indices answers = argmax(model(test.inputs).value(), -1);
  outcome.exact_match = static_cast<double>(count_right(answers, test.targets)) / 250;
  return outcome;
}

/// Both losses of each step side by side, for --log and --csv.
void write_log(const Outcome& scaled, const Outcome& plain, const TrainingOptions& options) {
  RunLog log(options.log, options.csv);
  for (std::size_t i = 0; i < scaled.losses.y.size(); ++i) {
    log.write(static_cast<Index>(i) + 1,
              {{"scaled_loss", scaled.losses.y[i]}, {"unscaled_loss", plain.losses.y[i]}});
  }
}

// Without --save, --load and --ask: what counts is the difference between two models, not either.
void add_options(CommandLine& line, Settings& s) {
  line.integer("d_k", s.d_k, 1, 4096, "width of queries and keys in the two trainings");
  add_step_options(line, s.training, /*least_steps=*/1);
  add_run_options(line, s.training);
  add_log_options(line, s.training, "a step, with both losses, at the end");
  add_picture_options(line, s.training);
  add_trace_option(line, s.training.trace);
}

int run(Settings s, CommandLine& line, int argc, const char* const* argv) {
  TrainingOptions& options = s.training;
  add_options(line, s);
  if (!line.parse(argc, argv)) return 0;
  if (options.quick && !line.was_given("max_iters")) options.max_iters = 20;
  if (options.quick && !line.was_given("d_k")) s.d_k = 256;
  prepare_training(options);
  Rng rng(static_cast<std::uint64_t>(options.seed));
  show_numbers(rng);

  std::cout << "Two trainings on 03's reverse task, d_k = " << s.d_k << ", " << options.max_iters
            << " steps each; a second or two.\n"
            << std::flush;
  const Outcome scaled = train(Scaling::kSqrtDk, s);
  const Outcome plain = train(Scaling::kNone, s);
  const Chart chart{
      .title = "Loss", .x_axis = "step", .curves = {scaled.losses, plain.losses}, .levels = {}};
  write_log(scaled, plain, options);
  write_file(options.out_dir + "/why_scale_loss.svg", chart_svg(chart));
  for (const Outcome* outcome : {&scaled, &plain}) {
    std::cout << "  scores " << outcome->losses.name << ":\n    loss "
              << loss_text(outcome->losses.y.front()) << " at first, "
              << loss_text(outcome->losses.y.back()) << " at last  "
              << sparkline(outcome->losses.y, 40)
              << "\n    unseen sequences reversed: " << number_text(100 * outcome->exact_match, 1)
              << " %\n";
  }
  std::cout << "drawn in " << options.out_dir << "/why_scale_loss.svg\n";
  show_result("scaled_exact_match", scaled.exact_match);
  show_result("unscaled_exact_match", plain.exact_match);
  return 0;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    CommandLine command_line(kProgram, "why attention divides its scores by √d_k.");
    return run({}, command_line, argc, argv);
  });
}
