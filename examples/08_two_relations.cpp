// 08: why several heads: two relations at once.
//
// "The animal didn't cross the street because it was too tired": to understand "it" one has to look
// at "animal" (what is it?) and at "tired" (how is it?), and to keep the two apart. Here the same
// as a task: each place says which symbol stands before it, and which one stands opposite. Each of
// two heads looks at one of the two places. One head has one set of weights, so its result is a
// mixture w1 · v(before) + w2 · v(opposite), and both answers must be read out of that. A linear
// layer that makes the heavier symbol win for one answer cannot, for all symbols, make the lighter
// one win for the other.
//
// Takes less than a second.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tensor/pictures/heatmap.h"
#include "tensor/print.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/layers/embedding.h"
#include "nn/layers/linear.h"
#include "nn/layers/multi_head_attention.h"
#include "nn/layers/positions.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/schedule.h"

#include "examples/common/command_line.h"
#include "examples/common/output_file.h"
#include "examples/common/recording.h"
#include "examples/common/run_checkpoint.h"
#include "examples/common/run_main.h"
#include "examples/common/saved_weights.h"
#include "examples/common/sequence_tasks.h"
#include "examples/common/terminal.h"
#include "examples/common/training.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "08_two_relations";
constexpr const char* kTask = "two_relations";
constexpr Index kTime = 10;
constexpr Index kSymbolCount = 10;

struct Settings {
  TrainingOptions training;
  Index n_head = 2;
  Index n_embd = 32;
  Index test_count = 1000;
};

Index before(Index place) { return (place + kTime - 1) % kTime; }

Index mirror(Index place) { return kTime - 1 - place; }

/// Ten digits [batch, time]; at each place the one before it and the one opposite, [batch, 2·time].
SequenceBatch draw_batch(Part part, Index batch_size, Rng& rng) {
  std::vector<Index> inputs;
  std::vector<Index> targets;
  for (Index row = 0; row < batch_size;) {
    std::vector<Index> x;
    for (Index i = 0; i < kTime; ++i) x.push_back(rng.below(kSymbolCount));
    if (part_of(x) != part) continue;
    inputs.insert(inputs.end(), x.begin(), x.end());
    for (Index i = 0; i < kTime; ++i) {
      targets.push_back(x[static_cast<std::size_t>(before(i))]);
      targets.push_back(x[static_cast<std::size_t>(mirror(i))]);
    }
    ++row;
  }
  return {Indices({batch_size, kTime}, inputs), Indices({batch_size, 2 * kTime}, targets)};
}

/// Attention between an embedding and a linear layer, and nothing else: see 03_train_reverse.
class Teller : public nn::Module {
 public:
  Teller(Index head_count, Index width, Rng& rng)
      : symbols_(add_module<nn::Embedding>("symbols", kSymbolCount, width, rng)),
        positions_(add_module<nn::LearnedPositions>("positions", kTime, width, rng)),
        attention_(add_module<nn::MultiHeadAttention>(
            "attention", nn::MultiHeadAttentionOptions{.channels = width, .head_count = head_count},
            rng)),
        answers_(add_module<nn::Linear>("answers", width, 2 * kSymbolCount, rng)) {
    attention_.keep_weights();
  }

  /// [batch, time] → [batch, 2·time, symbols]: two answers a place.
  Variable operator()(const Indices& inputs) {
    const Variable x = positions_(symbols_(inputs));  // [batch, time, width]
    const Variable heads = attention_(x);             // [batch, time, width]
    const Variable both = answers_(heads);            // [batch, time, 2·symbols]
    return reshape(both, {inputs.size(0), 2 * kTime, kSymbolCount});
  }

  /// Of the last call: [batch, heads, time, time].
  const Tensor& attention_weights() const { return attention_.weights().value(); }

 private:
  nn::Embedding& symbols_;
  nn::LearnedPositions& positions_;
  nn::MultiHeadAttention& attention_;
  nn::Linear& answers_;
};

/// --trace: a page of one step on a single unseen sequence.
void record_step(Teller& model, nn::Optimizer& optimizer, const TrainingOptions& options,
                 const TrainingReport& report) {
  Rng rng(static_cast<std::uint64_t>(options.seed));
  const SequenceBatch one = draw_batch(Part::kTest, 1, rng);
  StepRecording recording(options.trace, {.program = kProgram,
                                          .tokens = number_labels(one.inputs.values()),
                                          .classes = number_labels(kSymbolCount)});
  recording.add_losses(report.first_step(), report.losses());
  recording.record_training(model, optimizer,
                            [&] { return cross_entropy(model(one.inputs), one.targets); });
}

SavedTexts saved_texts(const Settings& s) {
  return {{"task", kTask}, {"n_head", TextPiece(s.n_head).text()}};
}

/// Returns the exit code: not 0 where Ctrl+C cut the training short.
int train(Teller& model, const Settings& s, const CommandLine& line, Rng& rng) {
  const TrainingOptions& options = s.training;
  nn::Adam optimizer(model.named_parameters(), {});
  const nn::WarmupCosine schedule{0, options.max_iters, options.learning_rate, 0};
  RunCheckpoint checkpoint(line, options, kTask, {model, optimizer, rng});
  const Index first = checkpoint.first_step();
  TrainingReport report(options, options.batch_size * kTime, first);
  for (Index step = first; report.goes_on(step); ++step) {
    const SequenceBatch batch = draw_batch(Part::kTrain, options.batch_size, rng);
    const Variable loss = cross_entropy(model(batch.inputs), batch.targets);  // []
    optimizer.zero_grad();
    loss.backward();
    nn::clip_grad_norm(optimizer.parameters(), 1.0);
    optimizer.set_learning_rate(static_cast<Scalar>(nn::warmup_cosine(step - 1, schedule)));
    optimizer.step();
    report.update(step, loss.item());
    checkpoint.after(step);
  }
  report.end();
  if (!checkpoint.was_stopped()) save_trained(options.save, model, saved_texts(s));
  report.show_losses(kSymbolCount, kTask);
  if (checkpoint.was_stopped()) return checkpoint.say_how_to_go_on();
  record_step(model, optimizer, options, report);
  return 0;
}

/// The share of unseen sequences with all twenty answers right, and of single answers.
void evaluate(Teller& model, const Settings& s, Rng& rng) {
  const NoGrad no_grad;
  const SequenceBatch test = draw_batch(Part::kTest, s.test_count, rng);
  const Indices answers = argmax(model(test.inputs).value(), -1);  // [tests, 2·time]
  Index right = 0;
  for (Index i = 0; i < answers.element_count(); ++i)
    right += answers[i] == test.targets[i] ? 1 : 0;
  const double all = static_cast<double>(count_right(answers, test.targets));
  const double share = all / static_cast<double>(s.test_count);
  std::cout << "with " << s.n_head << (s.n_head == 1 ? " head: " : " heads: ")
            << number_text(100.0 * double(right) / double(answers.element_count()), 1)
            << " % of the answers are right, and " << number_text(100 * share, 1)
            << " % of the sequences throughout\n";
  show_result("exact_match", share);
}

/// Each head's weights, mean of the unseen sequences.
void show_heads(Teller& model, const Settings& s, Rng& rng) {
  const NoGrad no_grad;
  model(draw_batch(Part::kTest, std::min<Index>(s.test_count, 200), rng).inputs);
  const Tensor weights = mean(model.attention_weights(), {0});  // [heads, time, time]
  const TerminalColor color = choose_color(s.training.color, terminal_state(OutputStream::kOut));
  for (Index head = 0; head < s.n_head; ++head) {
    const Tensor map = reshape(narrow(weights, 0, head, 1), {kTime, kTime});
    const std::string number = join_text({head + 1});
    const HeatmapOptions picture{.title = "Where head " + number + " looks, mean",
                                 .row_axis = "place",
                                 .column_axis = "looks at",
                                 .scale = HeatScale::kWeights};
    std::cout << "\n" << heatmap_text(map, picture, color);
    const std::string path = s.training.out_dir + "/two_relations_head_" + number + ".svg";
    write_file(path, heatmap_svg(map, picture));
    std::cout << "drawn in " << path << "\n";
  }
}

int run(CommandLine& line, int argc, const char* const* argv) {
  Settings s;
  s.training.max_iters = 300;
  s.training.learning_rate = 0.01;
  s.training.eval_interval = 50;
  line.integer("n_head", s.n_head, 1, 32, "heads: compare 1 and 2; must divide n_embd");
  line.integer("n_embd", s.n_embd, 1, 4096, "channels (d_model)");
  line.integer("test_count", s.test_count, 1, 10'000, "unseen test sequences");
  add_training_options(line, s.training, "uses saved weights; trains on only with --max_iters");
  if (!line.parse(argc, argv)) return 0;
  take_resumed_options(line, s.training);
  if (s.training.quick && !line.was_given("max_iters")) s.training.max_iters = 60;
  if (s.training.quick && !line.was_given("test_count")) s.test_count = 100;

  Rng rng(static_cast<std::uint64_t>(s.training.seed));
  Teller model(s.n_head, s.n_embd, rng);
  load_trained(s.training.load, model, saved_texts(s));
  if (!s.training.load.empty() && !line.was_given("max_iters")) s.training.max_iters = 0;
  prepare_training(s.training);
  std::cout << "One layer of attention with " << s.n_head << (s.n_head == 1 ? " head" : " heads")
            << " (" << model.parameter_count() << " parameters), " << s.training.max_iters
            << " steps; try --n_head 1 and --n_head 2. Less than a second.\n"
            << std::flush;
  if (s.training.max_iters > 0 || !s.training.resume.empty()) {
    if (const int code = train(model, s, line, rng); code != 0) return code;
  } else {
    save_trained(s.training.save, model, saved_texts(s));
  }
  evaluate(model, s, rng);
  show_heads(model, s, rng);
  return 0;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    CommandLine command_line(kProgram, "a task for two heads, and what one makes of it.");
    return run(command_line, argc, argv);
  });
}
