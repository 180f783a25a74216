// 09: ten small tasks on sequences, each with the smallest model that solves it.
//
// Copying needs one look, sorting needs all of them at once, adding needs a carry, and finding what
// came after a letter earlier needs two layers: the first to mark each place with what stood before
// it, the second to find the mark. --task picks one, --n_layer and --n_head break it.
//
// Takes seconds on two cores, the longest task about half a minute.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <utility>

#include "tensor/print.h"
#include "tensor/reduce.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/layers/self_attention.h"
#include "nn/models/encoder.h"
#include "nn/models/eval_scope.h"
#include "nn/models/gpt.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/schedule.h"

#include "examples/common/command_line.h"
#include "examples/common/recording.h"
#include "examples/common/run_checkpoint.h"
#include "examples/common/run_main.h"
#include "examples/common/saved_weights.h"
#include "examples/common/sequence_tasks.h"
#include "examples/common/training.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "09_sequence_tasks";

struct Settings {
  TrainingOptions training;
  std::string task = "sort";
  Index n_layer = 1;
  Index n_head = 1;
  Index n_embd = 32;
  std::string positions = "learned";
  Index test_count = 1000;
  std::string ask;
};

/// A model of any kind: tokens in, logits out.
class Solver : public nn::Module {
 public:
  virtual Variable operator()(const Indices& inputs) = 0;  // → [batch, time or none, classes]
};

/// Attention and nothing else: see 03_train_reverse. Symbols start smaller than places, since these
/// tasks are about places: with equal ones copying needs three times as many steps.
class BareAttention : public Solver {
 public:
  BareAttention(const SequenceTask& task, Index width, Rng& rng)
      : symbols_(add_module<nn::Embedding>("symbols", task.class_count, width, rng, Scalar(0.5))),
        positions_(add_module<nn::LearnedPositions>("positions", task.time, width, rng)),
        attention_(add_module<nn::SelfAttention>("attention", width, width, width, rng)),
        head_(add_module<nn::Linear>("head", width, task.class_count, rng)) {}

  Variable operator()(const Indices& inputs) override {
    return head_(attention_(positions_(symbols_(inputs))));  // [batch, time, classes]
  }

 private:
  nn::Embedding& symbols_;
  nn::LearnedPositions& positions_;
  nn::SelfAttention& attention_;
  nn::Linear& head_;
};

/// One of the library's models, as it is.
template <typename Model>
class LibraryModel : public Solver {
 public:
  template <typename... Arguments>
  explicit LibraryModel(Arguments&&... arguments)
      : model_(add_module<Model>("model", std::forward<Arguments>(arguments)...)) {}

  Variable operator()(const Indices& inputs) override { return model_(inputs); }

 private:
  Model& model_;
};

std::unique_ptr<Solver> make_solver(const SequenceTask& task, const Settings& s, Rng& rng) {
  if (task.model == TaskModel::kBareAttention) {
    return std::make_unique<BareAttention>(task, s.n_embd, rng);
  }
  const auto symbol_count = static_cast<Index>(task.symbols.size());
  const nn::PositionKind positions =
      s.positions == "rotary" ? nn::PositionKind::kRotary : nn::PositionKind::kLearned;
  if (task.model == TaskModel::kCausal) {
    return std::make_unique<LibraryModel<nn::Gpt>>(nn::GptOptions{.vocab_size = symbol_count,
                                                                  .block_size = task.time,
                                                                  .layer_count = s.n_layer,
                                                                  .head_count = s.n_head,
                                                                  .channels = s.n_embd,
                                                                  .positions = positions},
                                                   rng);
  }
  const nn::EncoderOptions options{.vocab_size = symbol_count,
                                   .block_size = task.time,
                                   .layer_count = s.n_layer,
                                   .block = {.channels = s.n_embd, .head_count = s.n_head},
                                   .positions = positions};
  const nn::Labels labels =
      task.model == TaskModel::kEachToken ? nn::Labels::kEachToken : nn::Labels::kWholeSequence;
  return std::make_unique<LibraryModel<nn::EncoderClassifier>>(options, task.class_count, labels,
                                                               rng);
}

/// --trace: a page of one step on a single unseen sequence.
void record_step(Solver& model, nn::Optimizer& optimizer, const SequenceTask& task,
                 const TrainingOptions& options, const TrainingReport& report) {
  Rng rng(static_cast<std::uint64_t>(options.seed));
  const SequenceBatch one = draw_sequence_batch(task, Part::kTest, 1, rng);
  StepRecording recording(options.trace, {.program = kProgram,
                                          .configuration = {{"task", task.name}},
                                          .tokens = number_labels(one.inputs.values()),
                                          .classes = number_labels(task.class_count)});
  recording.add_losses(report.first_step(), report.losses());
  recording.record_training(model, optimizer,
                            [&] { return cross_entropy(model(one.inputs), one.targets); });
}

SavedTexts saved_texts(const Settings& s) {
  return {{"task", s.task}, {"n_head", TextPiece(s.n_head).text()}, {"positions", s.positions}};
}

/// Returns the exit code: not 0 where Ctrl+C cut the training short.
int train(Solver& model, const SequenceTask& task, const Settings& s, const CommandLine& line,
          Rng& rng) {
  const TrainingOptions& options = s.training;
  nn::Adam optimizer(model.named_parameters(),
                     {.learning_rate = static_cast<Scalar>(options.learning_rate)});
  // Bare attention learns within 100 steps at one rate; blocks need a rate that falls.
  const bool is_bare = task.model == TaskModel::kBareAttention;
  const nn::WarmupCosine schedule{.warmup = is_bare ? 0 : options.max_iters / 20,
                                  .total = options.max_iters,
                                  .max_rate = options.learning_rate,
                                  .min_rate = 0};
  RunCheckpoint checkpoint(line, options, task.name, {model, optimizer, rng});
  const Index first = checkpoint.first_step();
  TrainingReport report(options, options.batch_size * task.time, first);

  for (Index step = first; report.goes_on(step); ++step) {
    const SequenceBatch batch = draw_sequence_batch(task, Part::kTrain, options.batch_size, rng);
    const Variable logits = model(batch.inputs);                 // [batch, time, classes]
    const Variable loss = cross_entropy(logits, batch.targets);  // [], of the answers only
    optimizer.zero_grad();
    loss.backward();
    if (!is_bare) nn::clip_grad_norm(optimizer.parameters(), 1.0);
    optimizer.set_learning_rate(static_cast<Scalar>(nn::warmup_cosine(step - 1, schedule)));
    optimizer.step();
    report.update(step, loss.item());
    checkpoint.after(step);
  }
  report.end();
  if (!checkpoint.was_stopped()) save_trained(options.save, model, saved_texts(s));
  report.show_losses(task.class_count, task.name);
  if (checkpoint.was_stopped()) return checkpoint.say_how_to_go_on();
  record_step(model, optimizer, task, options, report);
  return 0;
}

/// The share of unseen sequences with a right answer throughout. A GPT is shown the right answer up
/// to each token; where it then likes every right token best, writing greedily gives the same.
double exact_match(Solver& model, const SequenceTask& task, const Settings& s, Rng& rng) {
  const NoGrad no_grad;
  const nn::EvalScope evaluation(model);
  Index right = 0;
  for (Index done = 0; done < s.test_count; done += 250) {
    const Index count = std::min<Index>(250, s.test_count - done);
    const SequenceBatch test = draw_sequence_batch(task, Part::kTest, count, rng);
    right += count_right(argmax(model(test.inputs).value(), -1), test.targets);
  }
  return static_cast<double>(right) / static_cast<double>(s.test_count);
}

std::string text_of(const std::vector<Index>& ids, const std::string& symbols) {
  std::string text;
  for (const Index id : ids) text += symbols[static_cast<std::size_t>(id)];
  return text;
}

/// The tokens of a question, spaces left out. Throws UsageError.
std::vector<Index> parse_question(const SequenceTask& task, const std::string& text) {
  std::vector<Index> ids;
  for (const char letter : text) {
    if (letter == ' ') continue;
    const std::size_t id = task.symbols.find(letter);
    if (id == std::string::npos) {
      throw UsageError(join_text({"--ask: '", letter, "' is none of ", task.symbols}));
    }
    ids.push_back(static_cast<Index>(id));
  }
  if (static_cast<Index>(ids.size()) != task.question_time) {
    throw UsageError(join_text({"--ask: there are ", ids.size(), " symbols; ", task.name, " takes ",
                                task.question_time, " of ", task.symbols}));
  }
  return ids;
}

void answer(Solver& model, const SequenceTask& task, std::vector<Index> tokens) {
  const NoGrad no_grad;
  const nn::EvalScope evaluation(model);
  const std::string& letters = task.class_symbols.empty() ? task.symbols : task.class_symbols;
  std::cout << "asked:    " << text_of(tokens, task.symbols) << "\nanswered: ";
  if (task.model != TaskModel::kCausal) {
    const Indices inputs({1, task.time}, tokens);
    std::cout << text_of(argmax(model(inputs).value(), -1).values(), letters);
  } else {
    const Index end = task.question_time + task.answer_time;
    while (static_cast<Index>(tokens.size()) < end) {  // its own answer, token by token
      const Indices inputs({1, static_cast<Index>(tokens.size())}, tokens);
      tokens.push_back(argmax(model(inputs).value(), -1).values().back());
    }
    std::cout << text_of({tokens.begin() + task.question_time, tokens.end()}, letters);
  }
  std::cout << "\n";
}

/// What the task needs, where the user did not ask for something else.
void take_defaults(const SequenceTask& task, Settings& s, const CommandLine& line) {
  const auto set = [&line](const char* name, auto& value, auto task_value) {
    if (!line.was_given(name)) value = task_value;
  };
  TrainingOptions& options = s.training;
  const bool quick = options.quick;
  set("n_layer", s.n_layer, task.layer_count);
  set("n_head", s.n_head, task.head_count);
  set("n_embd", s.n_embd, task.channels);
  set("learning_rate", options.learning_rate, task.learning_rate);
  set("max_iters", options.max_iters, quick ? std::min<Index>(task.max_iters, 60) : task.max_iters);
  set("eval_interval", options.eval_interval, std::max<Index>(1, options.max_iters / 10));
  set("test_count", s.test_count, Index{quick ? 100 : 1000});
  if (!options.load.empty() && !line.was_given("max_iters")) options.max_iters = 0;
}

int run(CommandLine& line, int argc, const char* const* argv) {
  Settings s;
  CommandLine::Names names;
  for (const SequenceTask& task : sequence_tasks()) names.push_back(task.name);
  take_defaults(find_sequence_task(s.task), s, line);  // what --help shows
  line.choice("task", s.task, names, "what to learn; each has defaults of its own, below: sort's");
  line.integer("n_layer", s.n_layer, 1, 48, "blocks");
  line.integer("n_head", s.n_head, 1, 64, "heads of each block; must divide n_embd");
  line.integer("n_embd", s.n_embd, 1, 4096, "channels (d_model)");
  line.choice("positions", s.positions, {"learned", "rotary"}, "how blocks know places");
  line.integer("test_count", s.test_count, 1, 100'000, "unseen test sequences");
  line.text("ask", s.ask, "TEXT", "a question of your own, such as 358+067=");
  add_training_options(line, s.training, "uses saved weights; trains on only with --max_iters");
  if (!line.parse(argc, argv)) return 0;
  take_resumed_options(line, s.training);
  const SequenceTask& task = find_sequence_task(s.task);
  take_defaults(task, s, line);
  const std::vector<Index> question =
      s.ask.empty() ? std::vector<Index>{} : parse_question(task, s.ask);

  Rng rng(static_cast<std::uint64_t>(s.training.seed));
  const std::unique_ptr<Solver> model = make_solver(task, s, rng);
  load_trained(s.training.load, *model, saved_texts(s));
  prepare_training(s.training);
  std::cout << task.name << ": " << task.about << "\n"
            << model->parameter_count() << " parameters, " << s.training.max_iters << " steps of "
            << s.training.batch_size << " sequences: seconds on two cores, for the longest task "
            << "about half a minute.\n"
            << std::flush;
  if (s.training.max_iters > 0 || !s.training.resume.empty()) {
    if (const int code = train(*model, task, s, line, rng); code != 0) return code;
  } else {
    save_trained(s.training.save, *model, saved_texts(s));
  }
  const double share = exact_match(*model, task, s, rng);
  std::cout << "unseen sequences whose answer is right throughout: " << number_text(100 * share, 1)
            << " % of " << s.test_count << " (the bar: " << number_text(100 * task.bar, 0)
            << " %)\n";
  show_result("exact_match", share);
  if (!question.empty()) answer(*model, task, question);
  return 0;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    CommandLine command_line(kProgram, "small tasks on sequences, and what solves them.");
    return run(command_line, argc, argv);
  });
}
