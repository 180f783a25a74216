// 03: a bare self-attention layer learns to reverse a sequence, and shows where it looks.
//
// 3 1 4 1 5 … becomes … 5 1 4 1 3. To put the right symbol at place i, the layer has to look at
// place length - 1 - i and to copy what stands there. Nothing tells it so: it finds the places from
// examples alone, and the anti-diagonal in its attention weights is the proof.
//
// Takes less than a second.
#include <algorithm>
#include <cstdint>
#include <iostream>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/pictures/heatmap.h"
#include "tensor/print.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/layers/embedding.h"
#include "nn/layers/linear.h"
#include "nn/layers/positions.h"
#include "nn/layers/self_attention.h"
#include "nn/optim/adam.h"

#include "examples/common/command_line.h"
#include "examples/common/output_file.h"
#include "examples/common/recording.h"
#include "examples/common/reverse_task.h"
#include "examples/common/run_checkpoint.h"
#include "examples/common/run_main.h"
#include "examples/common/saved_weights.h"
#include "examples/common/terminal.h"
#include "examples/common/training.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "03_train_reverse";
constexpr Index kSymbolCount = 10;
constexpr Index kEvaluationBatch = 256;  // sequences at once, so that any number fits

struct Settings {
  TrainingOptions training;
  Index block_size = 16;
  Index n_embd = 32;
  Index test_count = 1000;
  std::string ask;
};

/// The whole model: a self-attention layer between an embedding and a linear head. No residual
/// connection, no normalization, no MLP: what it can do, attention does.
class Reverser : public nn::Module {
 public:
  Reverser(Index length, Index width, Rng& rng)
      : symbols_(add_module<nn::Embedding>("symbols", kSymbolCount, width, rng)),
        positions_(add_module<nn::LearnedPositions>("positions", length, width, rng)),
        attention_(add_module<nn::SelfAttention>("attention", width, width, width, rng)),
        head_(add_module<nn::Linear>("head", width, kSymbolCount, rng)) {
    attention_.keep_weights();
  }

  Variable operator()(const Indices& inputs) {        // [batch, length]
    const Variable x = positions_(symbols_(inputs));  // [batch, length, width]
    const Variable mixture = attention_(x);           // [batch, length, width]
    return head_(mixture);                            // [batch, length, symbols]
  }

  /// Of the last call: who looked at whom, [batch, length, length].
  const Tensor& attention_weights() const { return attention_.weights().value(); }

 private:
  nn::Embedding& symbols_;
  nn::LearnedPositions& positions_;
  nn::SelfAttention& attention_;
  nn::Linear& head_;
};

/// --trace: a page of one training step on a single sequence, and of how the attention came about.
class ReverseRecording {
 public:
  /// Records how the model reverses `question`, or an unseen sequence where that is empty.
  ReverseRecording(const Settings& settings, const std::vector<Index>& question)
      : sequence_(probe(settings, question)),
        recording_(settings.training.trace,
                   {.program = kProgram,
                    .configuration = {{"block_size", TextPiece(settings.block_size).text()},
                                      {"n_embd", TextPiece(settings.n_embd).text()},
                                      {"max_iters", TextPiece(settings.training.max_iters).text()},
                                      {"seed", TextPiece(settings.training.seed).text()}},
                    .tokens = number_labels(sequence_.inputs.values()),
                    .classes = number_labels(kSymbolCount)}) {}

  void after_step(Index step, Reverser& model) {
    if (!recording_.is_due(step)) return;
    const NoGrad no_grad;
    model(sequence_.inputs);
    recording_.add_snapshot(step, {model.attention_weights()});  // [1, length, length]
  }

  void add_losses(const TrainingReport& report) {
    recording_.add_losses(report.first_step(), report.losses());
  }

  void record(Reverser& model, nn::Optimizer& optimizer) {
    recording_.record(&model, [&] {
      const Variable logits = model(sequence_.inputs);                 // [1, length, symbols]
      const Variable loss = cross_entropy(logits, sequence_.targets);  // []
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    });
  }

 private:
  static ReverseBatch probe(const Settings& settings, const std::vector<Index>& question) {
    Rng rng(static_cast<std::uint64_t>(settings.training.seed));
    const Index length = settings.block_size;
    if (static_cast<Index>(question.size()) != length) {
      return draw_reverse_batch(Part::kTest, 1, length, kSymbolCount, rng);
    }
    return {Indices({1, length}, question),
            Indices({1, length}, std::vector<Index>(question.rbegin(), question.rend()))};
  }

  const ReverseBatch sequence_;
  StepRecording recording_;
};

void save(const Reverser& model, const Settings& settings) {
  save_trained(settings.training.save, model, {{"task", "reverse"}});
}

/// Returns the exit code: not 0 where Ctrl+C cut the training short.
int train(Reverser& model, const Settings& settings, const CommandLine& command_line,
          ReverseRecording& recording, Rng& rng) {
  const TrainingOptions& options = settings.training;
  std::cout << "One self-attention layer of width " << settings.n_embd << " ("
            << model.parameter_count() << " parameters) learns to reverse " << settings.block_size
            << " symbols:\n"
            << options.max_iters << " steps of " << options.batch_size
            << " sequences. With the defaults that is less than a second.\n"
            << std::flush;
  nn::Adam optimizer(model.named_parameters(),
                     {.learning_rate = static_cast<Scalar>(options.learning_rate)});
  RunCheckpoint checkpoint(command_line, options, "reverse", {model, optimizer, rng});
  const Index first = checkpoint.first_step();
  TrainingReport report(options, options.batch_size * settings.block_size, first);

  for (Index step = first; report.goes_on(step); ++step) {
    const ReverseBatch batch = draw_reverse_batch(Part::kTrain, options.batch_size,
                                                  settings.block_size, kSymbolCount, rng);
    const Variable logits = model(batch.inputs);                 // [batch, length, symbols]
    const Variable loss = cross_entropy(logits, batch.targets);  // []
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    report.update(step, loss.item());
    recording.after_step(step, model);
    checkpoint.after(step);
  }
  report.end();
  if (!checkpoint.was_stopped()) save(model, settings);  // before anything else can fail
  report.show_losses(kSymbolCount, "reverse");
  if (checkpoint.was_stopped()) return checkpoint.say_how_to_go_on();
  recording.add_losses(report);
  recording.record(model, optimizer);
  return 0;
}

struct Evaluation {
  Index right_count = 0;     ///< sequences without a single wrong symbol
  Tensor mean_weights = {};  ///< [length, length]
  double diagonal = 0;       ///< the mean weight on the anti-diagonal
};

Evaluation evaluate(Reverser& model, const Settings& settings, Rng& rng) {
  const NoGrad no_grad;
  const Index length = settings.block_size;
  Evaluation result{.mean_weights = zeros({length, length})};
  for (Index done = 0; done < settings.test_count; done += kEvaluationBatch) {
    const Index count = std::min(kEvaluationBatch, settings.test_count - done);
    const ReverseBatch test = draw_reverse_batch(Part::kTest, count, length, kSymbolCount, rng);
    const Indices answers = argmax(model(test.inputs).value(), -1);  // [count, length]
    for (Index row = 0; row < count; ++row) {
      if (narrow(answers, 0, row, 1) == narrow(test.targets, 0, row, 1)) result.right_count += 1;
    }
    result.mean_weights.accumulate(sum(model.attention_weights(), {0}));
  }
  result.mean_weights = result.mean_weights / static_cast<Scalar>(settings.test_count);
  for (Index i = 0; i < length; ++i) {
    result.diagonal += static_cast<double>(result.mean_weights.at({i, length - 1 - i}));
  }
  result.diagonal /= static_cast<double>(length);
  return result;
}

/// Where the answer looked. `weights` is [answer, question]; the labels are their symbols or
/// places.
HeatmapOptions attention_map(const std::string& title, const std::vector<Index>& answer,
                             const std::vector<Index>& question) {
  HeatmapOptions options{.title = title,
                         .row_axis = "answer",
                         .column_axis = "looks at",
                         .scale = HeatScale::kWeights};
  for (const Index label : answer) options.row_labels.push_back(TextPiece(label).text());
  for (const Index label : question) options.column_labels.push_back(TextPiece(label).text());
  return options;
}

/// Answers one question and draws where the model looked. The model always reverses block_size
/// places: a shorter input stands in the first ones, with 0 in the rest, so that its answer is what
/// comes out of the last ones.
void answer(Reverser& model, const Settings& settings, const std::vector<Index>& question,
            TerminalColor color) {
  const NoGrad no_grad;
  const Index length = settings.block_size;
  const auto count = static_cast<Index>(question.size());
  std::vector<Index> padded = question;
  padded.resize(static_cast<std::size_t>(length), 0);
  const Indices answers = argmax(model(Indices({1, length}, padded)).value(), -1);  // [1, length]
  const std::vector<Index> reply = narrow(answers, 1, length - count, count).values();

  std::cout << "\nasked:    " << symbols_text(question) << "\nanswered: " << symbols_text(reply)
            << "\n\n";
  const Tensor weights = reshape(model.attention_weights(), {length, length});
  const Tensor looked_at = narrow(narrow(weights, 0, length - count, count), 1, 0, count);
  std::cout << heatmap_text(
      looked_at, attention_map("Where each symbol of the answer looked", reply, question), color);
}

/// What evaluate found, on stdout and as pictures in out_dir.
void show_evaluation(const Evaluation& result, const Settings& settings, TerminalColor color) {
  std::vector<Index> places;
  for (Index place = 0; place < settings.block_size; ++place) places.push_back(place);
  const HeatmapOptions options =
      attention_map("Learned attention, mean of the unseen sequences", places, places);
  std::cout << heatmap_text(result.mean_weights, options, color) << "\nexact match on "
            << settings.test_count << " unseen sequences: " << result.right_count << " ("
            << number_text(100.0 * double(result.right_count) / double(settings.test_count), 1)
            << " %)"
            << "\nmean weight on the anti-diagonal: " << number_text(result.diagonal, 4) << "\n";
  const std::string picture = settings.training.out_dir + "/reverse_attention.svg";
  write_file(picture, heatmap_svg(result.mean_weights, options));
  std::cout << "drawn in " << picture << "\n";
}

int run(Settings settings, CommandLine& command_line, int argc, const char* const* argv) {
  TrainingOptions& options = settings.training;
  command_line.integer("block_size", settings.block_size, 4, 256, "length of the sequences");
  command_line.integer("n_embd", settings.n_embd, 1, 4096, "width of the layer (d)");
  command_line.integer("test_count", settings.test_count, 1, 100'000, "unseen test sequences");
  command_line.text("ask", settings.ask, "'3 1 4'",
                    "reverses this; a shorter one than block_size is filled up with 0");
  add_training_options(command_line, options,
                       "uses saved weights; trains on only with --max_iters");
  if (!command_line.parse(argc, argv)) return 0;
  take_resumed_options(command_line, options);
  if (options.quick && !command_line.was_given("test_count")) settings.test_count = 100;
  if (!options.load.empty() && !command_line.was_given("max_iters")) options.max_iters = 0;
  const std::vector<Index> question =
      settings.ask.empty() ? std::vector<Index>{}
                           : parse_symbols(settings.ask, settings.block_size, kSymbolCount);

  Rng rng(static_cast<std::uint64_t>(options.seed));
  Reverser model(settings.block_size, settings.n_embd, rng);
  load_trained(options.load, model, {{"task", "reverse"}});
  prepare_training(options);
  ReverseRecording recording(settings, question);
  if (options.max_iters > 0 || !options.resume.empty()) {
    const int code = train(model, settings, command_line, recording, rng);
    if (code != 0) return code;
  } else {
    save(model, settings);
    nn::Adam optimizer(model.named_parameters(), {});
    recording.record(model, optimizer);
  }

  const TerminalColor color = choose_color(options.color, terminal_state(OutputStream::kOut));
  show_evaluation(evaluate(model, settings, rng), settings, color);
  if (!question.empty()) answer(model, settings, question, color);
  return 0;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    CommandLine command_line(kProgram, "a self-attention layer learns to reverse sequences.");
    return run({}, command_line, argc, argv);
  });
}
