// 08: why several heads: two relations at once.
//
// "The animal didn't cross the street because it was too tired": to understand "it" one has to look
// at "animal" (what is it?) and at "tired" (how is it?), and to keep the two apart. One head has
// one set of weights: it can only give a mixture. Here the same as a task: each place looks at the
// symbol before it and at its mirror image, and says which of the two is larger. Two heads look at
// one each, and the next layer subtracts. One head has to read both out of one mixture: with some
// seeds it fails, with others it learns to weigh the two unequally and tells them apart by that.
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

#include "nn/models/encoder.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/schedule.h"
#include "nn/weights.h"

#include "examples/common/command_line.h"
#include "examples/common/output_file.h"
#include "examples/common/recording.h"
#include "examples/common/run_checkpoint.h"
#include "examples/common/run_main.h"
#include "examples/common/sequence_tasks.h"
#include "examples/common/terminal.h"
#include "examples/common/training.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "08_two_relations";
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

/// Ten digits; 1 where the one before is larger than the one opposite.
SequenceExample draw_comparison(Rng& rng) {
  std::vector<Index> x;
  for (Index i = 0; i < kTime; ++i) x.push_back(rng.below(kSymbolCount));
  SequenceExample example{x, {}};
  for (Index i = 0; i < kTime; ++i) {
    const Index left = x[static_cast<std::size_t>(before(i))];
    const Index opposite = x[static_cast<std::size_t>(mirror(i))];
    example.targets.push_back(left > opposite ? 1 : 0);
  }
  return example;
}

const SequenceTask& task() {
  static const SequenceTask comparison{.name = "two_relations",
                                       .about = "is the one before larger than the one opposite?",
                                       .symbols = "0123456789",
                                       .time = kTime,
                                       .question_time = kTime,
                                       .class_count = 2,
                                       .draw = draw_comparison};
  return comparison;
}

/// --trace: a page of one step on a single unseen sequence.
void record_step(nn::EncoderClassifier& model, nn::Optimizer& optimizer,
                 const TrainingOptions& options, const std::vector<double>& losses) {
  Rng rng(static_cast<std::uint64_t>(options.seed));
  const SequenceBatch one = draw_sequence_batch(task(), Part::kTest, 1, rng);
  StepRecording recording(options.trace,
                          {.program = kProgram, .tokens = number_labels(one.inputs.values())});
  recording.add_losses(losses);
  recording.record_training(model, optimizer,
                            [&] { return cross_entropy(model(one.inputs), one.targets); });
}

/// Returns the exit code: not 0 where Ctrl+C cut the training short.
int train(nn::EncoderClassifier& model, const Settings& s, const CommandLine& line, Rng& rng) {
  const TrainingOptions& options = s.training;
  nn::Adam optimizer(model.named_parameters(), {});
  const nn::WarmupCosine schedule{options.max_iters / 20, options.max_iters, options.learning_rate,
                                  0};
  RunCheckpoint checkpoint(line, options, task().name, {model, optimizer, rng});
  const Index first = checkpoint.first_step();
  TrainingReport report(options, options.batch_size * kTime, first);
  for (Index step = first; report.goes_on(step); ++step) {
    const SequenceBatch batch = draw_sequence_batch(task(), Part::kTrain, options.batch_size, rng);
    const Variable loss = cross_entropy(model(batch.inputs), batch.targets);  // []
    optimizer.zero_grad();
    loss.backward();
    nn::clip_grad_norm(optimizer.parameters(), 1.0);
    optimizer.set_learning_rate(static_cast<Scalar>(nn::warmup_cosine(step - 1, schedule)));
    optimizer.step();
    report.update(step, loss.item());
    checkpoint.after(step);
  }
  report.show_losses(2, task().name);
  if (checkpoint.was_stopped()) return checkpoint.say_how_to_go_on();
  record_step(model, optimizer, options, report.losses());
  return 0;
}

/// The share of unseen sequences with all ten answers right, and of single answers.
void evaluate(nn::EncoderClassifier& model, const Settings& s, Rng& rng) {
  const NoGrad no_grad;
  const SequenceBatch test = draw_sequence_batch(task(), Part::kTest, s.test_count, rng);
  const Indices answers = argmax(model(test.inputs).value(), -1);  // [tests, time]
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
void show_heads(nn::EncoderClassifier& model, const Settings& s, Rng& rng) {
  const NoGrad no_grad;
  nn::MultiHeadAttention& attention = *model.encoder().attentions().front();
  attention.keep_weights();
  model(draw_sequence_batch(task(), Part::kTest, std::min<Index>(s.test_count, 200), rng).inputs);
  const Tensor weights = mean(attention.weights().value(), {0});  // [heads, time, time]
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
  s.training.max_iters = 1500;
  s.training.learning_rate = 0.005;
  s.training.eval_interval = 150;
  line.integer("n_head", s.n_head, 1, 32, "heads: compare 1 and 2; must divide n_embd");
  line.integer("n_embd", s.n_embd, 1, 4096, "channels (d_model)");
  line.integer("test_count", s.test_count, 1, 10'000, "unseen test sequences");
  add_training_options(line, s.training, "uses saved weights; trains on only with --max_iters");
  if (!line.parse(argc, argv)) return 0;
  take_resumed_options(line, s.training);
  if (s.training.quick && !line.was_given("max_iters")) s.training.max_iters = 60;
  if (s.training.quick && !line.was_given("test_count")) s.test_count = 100;

  Rng rng(static_cast<std::uint64_t>(s.training.seed));
  const nn::EncoderOptions options{.vocab_size = kSymbolCount,
                                   .block_size = kTime,
                                   .layer_count = 1,
                                   .block = {.channels = s.n_embd, .head_count = s.n_head}};
  nn::EncoderClassifier model(options, 2, nn::Labels::kEachToken, rng);
  if (!s.training.load.empty()) {
    nn::load_weights(s.training.load, model);
    if (!line.was_given("max_iters")) s.training.max_iters = 0;
  }
  prepare_training(s.training);
  std::cout << "One block with " << s.n_head << (s.n_head == 1 ? " head" : " heads") << " ("
            << model.parameter_count() << " parameters), " << s.training.max_iters
            << " steps; try --n_head 1 and --n_head 2. About ten seconds.\n"
            << std::flush;
  if (s.training.max_iters > 0) {
    if (const int code = train(model, s, line, rng); code != 0) return code;
  }
  if (!s.training.save.empty()) nn::save_weights(s.training.save, model);
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
