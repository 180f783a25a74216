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
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "tensor/parallel.h"
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
  Index n_embd = 32;
  Index max_iters = 400;
  Index batch_size = 64;
  Index longest = 64;
  double learning_rate = 0.003;
  Index seed = 1;
  Index threads = 0;
  std::string out_dir = "out";
  std::string trace;
  bool quick = false;
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
  Rng rng(static_cast<std::uint64_t>(s.seed));
  const SequenceBatch one = draw_batch(Part::kTest, 1, distance, rng);
  StepRecording recording(s.trace, {.program = kProgram,
                                    .configuration = {{"distance", join_text({distance})},
                                                      {"n_embd", join_text({s.n_embd})}},
                                    .tokens = number_labels(one.inputs.values()),
                                    .classes = number_labels(kSymbolCount)});
  recording.record_training(model, optimizer,
                            [&] { return cross_entropy(model(one.inputs), one.targets); });
}

Outcome train_and_test(LastTeller& model, Index distance, const Settings& s, Rng& rng) {
  nn::Adam optimizer(model.named_parameters(),
                     {.learning_rate = static_cast<Scalar>(s.learning_rate)});
  const auto start = std::chrono::steady_clock::now();
  for (Index step = 1; step <= s.max_iters; ++step) {
    const SequenceBatch batch = draw_batch(Part::kTrain, s.batch_size, distance, rng);
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
          1e6 * seconds.count() / static_cast<double>(s.max_iters * s.batch_size)};
}

std::string cell(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

int run(Settings s, CommandLine& line, int argc, const char* const* argv) {
  line.integer("n_embd", s.n_embd, 1, 4096, "width of both layers");
  line.integer("max_iters", s.max_iters, 1, 100'000, "steps of each training", {"steps"});
  line.integer("batch_size", s.batch_size, 1, 65'536, "sequences a step");
  line.integer("longest", s.longest, kShortest, 1024, "the longest distance");
  line.number("learning_rate", s.learning_rate, 0, 10, "how far a step goes");
  line.integer("seed", s.seed, 0, 1'000'000'000, "the same seed gives the same numbers");
  line.integer("threads", s.threads, 0, 1024, "0: as many as there are cores");
  line.text("out_dir", s.out_dir, "DIR", "where the picture goes");
  line.flag("quick", s.quick, "the same path, shorter");
  add_trace_option(line, s.trace);
  if (!line.parse(argc, argv)) return 0;
  if (s.quick && !line.was_given("longest")) s.longest = 16;
  if (s.quick && !line.was_given("max_iters")) s.max_iters = 150;
  make_folder(s.out_dir);
  if (s.threads > 0) set_num_threads(s.threads);

  std::cout
      << "Tell the first symbol after 4 … " << s.longest << " symbols: attention and a tanh "
      << "recurrent network of width " << s.n_embd << ",\ntrained for " << s.max_iters
      << " steps of " << s.batch_size << " sequences at each distance; about half a minute "
      << "on two cores.\n\n"
      << "              right on unseen sequences    microseconds a sequence   steps in a row\n"
      << "    distance   attention   recurrent         attention   recurrent\n"
      << std::flush;
  Curve attended{"attention", {}, {}};
  Curve recurred{"recurrent", {}, {}};
  for (Index distance = kShortest; distance <= s.longest; distance *= 2) {
    Outcome outcomes[2];
    for (const bool uses_attention : {true, false}) {
      Rng rng(static_cast<std::uint64_t>(s.seed));
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
    attended.x.push_back(static_cast<double>(distance));
    recurred.x.push_back(static_cast<double>(distance));
    attended.y.push_back(outcomes[0].accuracy);
    recurred.y.push_back(outcomes[1].accuracy);
  }
  const Chart chart{.title = "Right on unseen sequences",
                    .x_axis = "distance",
                    .curves = {attended, recurred},
                    .levels = {{"guessing", 0.1}}};
  write_file(s.out_dir + "/long_range.svg", chart_svg(chart));
  std::cout << "\ndrawn in " << s.out_dir << "/long_range.svg\n";
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
