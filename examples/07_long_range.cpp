// 07: long range: attention beside a recurrent network.
//
// The first symbol is to be told at the end, after more and more others. Attention looks at it
// directly, however far back it is. A recurrent network has to carry it through every step between,
// and its gradient has to come back the same way, shrinking: it learns short distances only.
//
// The times show the other difference only in part: the recurrent network does less work (attention
// compares every position with every other), but in as many steps as there are positions, each of
// which waits for the one before. Attention is three products over all positions, whatever their
// number: the more the machine can do at once, the more that is worth.
//
// Takes a few seconds on two cores.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "tensor/print.h"
#include "tensor/reduce.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/layers/embedding.h"
#include "nn/layers/linear.h"
#include "nn/layers/positions.h"
#include "nn/layers/recurrent.h"
#include "nn/layers/self_attention.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"

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

constexpr const char* kProgram = "07_long_range";
constexpr Index kSymbolCount = 10;
constexpr Index kQuestion = 10;  // the last token: what came first?
constexpr Index kTestCount = 500;
constexpr Index kShortest = 4;

struct Settings {
  TrainingOptions training;  // of each model at each distance
  Index n_embd = 32;
  Index longest = 64;
};

/// A layer between a table of symbols and a head that reads the last position.
class LastTeller : public nn::Module {
 public:
  LastTeller(Index time, Index width, bool uses_attention, Rng& rng)
      : symbols_(add_module<nn::Embedding>("symbols", kSymbolCount + 1, width, rng)),
        head_(add_module<nn::Linear>("head", width, kSymbolCount, rng)) {
    if (uses_attention) {
      positions_ = &add_module<nn::LearnedPositions>("positions", time, width, rng);
      layer_ = &add_module<nn::SelfAttention>("attention", width, width, width, rng);
    } else {
      layer_ = &add_module<nn::TanhRecurrent>("recurrent", width, width, rng);
    }
  }

  Variable operator()(const Indices& inputs) {                 // [batch, time]
    Variable x = symbols_(inputs);                             // [batch, time, width]
    if (positions_ != nullptr) x = (*positions_)(x);           // order is in the steps otherwise
    const Variable y = (*layer_)(x);                           // [batch, time, width]
    return head_(squeeze(narrow(y, 1, y.size(1) - 1, 1), 1));  // [batch, symbols]
  }

  bool is_recurrent() const { return positions_ == nullptr; }

 private:
  nn::Embedding& symbols_;
  nn::Linear& head_;
  nn::Positions* positions_ = nullptr;  // with attention only
  nn::Layer* layer_ = nullptr;          // a child of this module
};

/// `distance` symbols and the question; the target is the first of them.
SequenceBatch draw_batch(Part part, Index batch_size, Index distance, Rng& rng) {
  std::vector<Index> inputs;
  std::vector<Index> targets;
  while (static_cast<Index>(targets.size()) < batch_size) {
    std::vector<Index> sequence;
    for (Index i = 0; i < distance; ++i) sequence.push_back(rng.below(kSymbolCount));
    if (part_of(sequence) != part) continue;
    inputs.insert(inputs.end(), sequence.begin(), sequence.end());
    inputs.push_back(kQuestion);
    targets.push_back(sequence.front());
  }
  return {Indices({batch_size, distance + 1}, inputs), Indices({batch_size}, targets)};
}

struct Outcome {
  double accuracy = 0;
  double microseconds = 0;  ///< of training, a sequence
};

/// --trace: a page of one step of the recurrent network at the shortest distance: how the first
/// symbol, and later the gradient, goes through every step in between.
void record_step(LastTeller& model, nn::Optimizer& optimizer, Index distance, const Settings& s) {
  Rng rng(static_cast<std::uint64_t>(s.training.seed));
  const SequenceBatch one = draw_batch(Part::kTest, 1, distance, rng);
  StepRecording recording(s.training.trace, {.program = kProgram,
                                             .configuration = {{"distance", join_text({distance})},
                                                               {"n_embd", join_text({s.n_embd})}},
                                             .tokens = number_labels(one.inputs.values()),
                                             .classes = number_labels(kSymbolCount)});
  recording.record_training(model, optimizer,
                            [&] { return cross_entropy(model(one.inputs), one.targets); });
}

Outcome train_and_test(LastTeller& model, Index distance, const Settings& s, Rng& rng) {
  const TrainingOptions& options = s.training;
  nn::Adam optimizer(model.named_parameters(),
                     {.learning_rate = static_cast<Scalar>(options.learning_rate)});
  const auto start = std::chrono::steady_clock::now();
  for (Index step = 1; step <= options.max_iters; ++step) {
    const SequenceBatch batch = draw_batch(Part::kTrain, options.batch_size, distance, rng);
    const Variable loss = cross_entropy(model(batch.inputs), batch.targets);  // []
    optimizer.zero_grad();
    loss.backward();
    nn::clip_grad_norm(optimizer.parameters(), 1.0);
    optimizer.step();
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (distance == kShortest && model.is_recurrent()) {
    record_step(model, optimizer, distance, s);
  }
  const NoGrad no_grad;
  const SequenceBatch test = draw_batch(Part::kTest, kTestCount, distance, rng);
  const Indices answers = argmax(model(test.inputs).value(), -1);  // [tests]
  return {static_cast<double>(count_right(answers, test.targets)) / double(kTestCount),
          1e6 * seconds.count() / static_cast<double>(options.max_iters * options.batch_size)};
}

std::string cell(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

// Without --save, --load and --ask: there are two models a distance, and none knows another one.
void add_options(CommandLine& line, Settings& s) {
  s.training.max_iters = 400;
  s.training.learning_rate = 0.003;
  line.integer("n_embd", s.n_embd, 1, 4096, "width of both layers");
  line.integer("longest", s.longest, kShortest, 1024, "the longest distance");
  add_step_options(line, s.training, /*least_steps=*/1);
  add_run_options(line, s.training);
  add_log_options(line, s.training, "a distance");
  add_picture_options(line, s.training);
  add_trace_option(line, s.training.trace);
}

int run(Settings s, CommandLine& line, int argc, const char* const* argv) {
  TrainingOptions& options = s.training;
  add_options(line, s);
  if (!line.parse(argc, argv)) return 0;
  if (options.quick && !line.was_given("longest")) s.longest = 16;
  if (options.quick && !line.was_given("max_iters")) options.max_iters = 150;
  prepare_training(options);
  RunLog log(options.log, options.csv, /*first_step=*/1, "distance");

  std::cout
      << "Tell the first symbol after 4 … " << s.longest << " symbols: attention and a tanh "
      << "recurrent network of width " << s.n_embd << ",\ntrained for " << options.max_iters
      << " steps of " << options.batch_size << " sequences at each distance; a few seconds "
      << "on two cores.\n\n"
      << "              right on unseen sequences    microseconds a sequence   steps in a row\n"
      << "    distance   attention   recurrent         attention   recurrent\n"
      << std::flush;
  Curve attended{"attention", {}, {}};
  Curve recurred{"recurrent", {}, {}};
  for (Index distance = kShortest; distance <= s.longest; distance *= 2) {
    Outcome outcomes[2];
    for (const bool uses_attention : {true, false}) {
      Rng rng(static_cast<std::uint64_t>(options.seed));
      LastTeller model(distance + 1, s.n_embd, uses_attention, rng);
      outcomes[uses_attention ? 0 : 1] = train_and_test(model, distance, s, rng);
    }
    const auto percent = [](double share) { return number_text(100 * share, 1) + " %"; };
    std::cout << cell(join_text({distance}), 12) << cell(percent(outcomes[0].accuracy), 12)
              << cell(percent(outcomes[1].accuracy), 12)
              << cell(number_text(outcomes[0].microseconds, 1), 18)
              << cell(number_text(outcomes[1].microseconds, 1), 12)
              << cell(join_text({"3 | ", distance + 1}), 17) << "\n"
              << std::flush;
    log.write(distance, {{"attention", outcomes[0].accuracy},
                         {"recurrent", outcomes[1].accuracy},
                         {"attention_microseconds", outcomes[0].microseconds},
                         {"recurrent_microseconds", outcomes[1].microseconds}});
    attended.x.push_back(static_cast<double>(distance));
    recurred.x.push_back(static_cast<double>(distance));
    attended.y.push_back(outcomes[0].accuracy);
    recurred.y.push_back(outcomes[1].accuracy);
  }
  const Chart chart{.title = "Right on unseen sequences",
                    .x_axis = "distance",
                    .curves = {attended, recurred},
                    .levels = {{"guessing", 0.1}}};
  write_file(options.out_dir + "/long_range.svg", chart_svg(chart));
  std::cout << "\ndrawn in " << options.out_dir << "/long_range.svg\n";
  show_result("attention_worst", *std::min_element(attended.y.begin(), attended.y.end()));
  show_result("recurrent_shortest", recurred.y.front());
  show_result("recurrent_longest", recurred.y.back());
  return 0;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    CommandLine command_line(kProgram, "attention and a recurrent network over long distances.");
    return run({}, command_line, argc, argv);
  });
}
