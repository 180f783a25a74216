// 04: a small GPT learns to write, one character at a time.
//
// The model sees up to --block_size characters and predicts, at every position at once, the one
// that follows. Its loss stands beside what counting reaches: guessing the next character from how
// often it came after the last none, one or two. A model above that has not learnt to look back.
//
// Takes about a minute on two cores.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "autograd/ops.h"

#include "nn/models/generate.h"
#include "nn/optim/accumulate.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/early_stop.h"
#include "nn/optim/schedule.h"

#include "examples/common/char_data.h"
#include "examples/common/char_model_file.h"
#include "examples/common/char_recording.h"
#include "examples/common/command_line.h"
#include "examples/common/run_checkpoint.h"
#include "examples/common/run_main.h"
#include "examples/common/training.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "04_char_model";

struct Settings {
  TrainingOptions training;
  std::string text = VITRO_DATA_DIR "/seeing_glass.txt";
  Index n_layer = 4;
  Index n_head = 4;
  Index n_embd = 128;
  Index block_size = 64;
  double dropout = 0;
  Index max_new_tokens = 400;
  double temperature = 0.8;
  std::string ask;
};

// nanoGPT's recipe for a small character model on a CPU.
void set_defaults(TrainingOptions& options) {
  options.max_iters = 2000;
  options.batch_size = 12;
  options.learning_rate = 1e-3;
  options.eval_interval = 100;
}

void add_options(CommandLine& line, Settings& s) {
  line.text("text", s.text, "FILE", "the text to learn");
  line.integer("n_layer", s.n_layer, 1, 48, "blocks");
  line.integer("n_head", s.n_head, 1, 64, "heads of each block; must divide n_embd");
  line.integer("n_embd", s.n_embd, 1, 4096, "channels (d_model)");
  line.integer("block_size", s.block_size, 1, 4096, "characters that the model sees");
  line.number("dropout", s.dropout, 0, 0.95, "share of activations dropped while training");
  line.integer("max_new_tokens", s.max_new_tokens, 0, 1'000'000, "characters to write at the end");
  line.number("temperature", s.temperature, 0, 100, "of what it writes; 0 takes the likeliest");
  line.text("ask", s.ask, "TEXT", "what the model writes on from");
  add_training_options(line, s.training, "uses a saved model; trains on only with --max_iters");
  add_accumulation_option(line, s.training);
  add_patience_option(line, s.training);
}

// A small model and few steps: the same path in a second or two. What the user said stays.
void make_quick(Settings& s, const CommandLine& line) {
  const auto set = [&line](const char* name, Index& value, Index quick_value) {
    if (!line.was_given(name)) value = quick_value;
  };
  set("n_layer", s.n_layer, 2);
  set("n_head", s.n_head, 2);
  set("n_embd", s.n_embd, 32);
  set("block_size", s.block_size, 32);
  set("max_iters", s.training.max_iters, std::min<Index>(s.training.max_iters, 60));
  set("eval_interval", s.training.eval_interval, 30);
  set("max_new_tokens", s.max_new_tokens, 80);
}

// Saved weights are a whole model: its sizes come along, and a text is for training only.
void apply_load(Settings& s, const CommandLine& line) {
  for (const char* name : {"n_layer", "n_head", "n_embd", "block_size", "dropout"}) {
    if (line.was_given(name)) {
      throw UsageError(join_text({"--", name, ": comes with the weights of --load; leave it out"}));
    }
  }
  if (line.was_given("max_iters")) return;
  for (const char* name : {"text", "grad_accum", "patience"}) {
    if (!line.was_given(name)) continue;
    throw UsageError(
        join_text({"--", name, ": saved weights train on only with --max_iters; give it, too"}));
  }
  s.training.max_iters = 0;
}

// Returns the exit code: not 0 where Ctrl+C cut the training short.
int train(nn::Gpt& model, const CharData& data, const Settings& s, const CommandLine& line,
          Rng& rng) {
  const TrainingOptions& options = s.training;
  const std::vector<nn::ParameterGroup> groups =
      nn::decay_groups(model, /*weight_decay=*/Scalar(0.1));
  std::cout << nn::decay_text(groups) << "\n" << std::flush;
  nn::AdamW optimizer(groups, {.beta2 = Scalar(0.99)});
  const nn::WarmupCosine schedule{std::min<Index>(100, options.max_iters / 10), options.max_iters,
                                  options.learning_rate, options.learning_rate / 10};
  nn::EarlyStop stop = early_stop(options);
  RunCheckpoint checkpoint(line, options, "char_model", {model, optimizer, rng},
                           char_model_texts(model, data.tokenizer), {.early_stop = &stop});
  const Index first = checkpoint.first_step();
  TrainingReport report(options, options.grad_accum * options.batch_size * s.block_size, first);
  for (Index step = first; report.goes_on(step) && !stop.is_over(); ++step) {
    optimizer.zero_grad();
    nn::GradientAccumulation accumulation;
    for (Index part = 0; part < options.grad_accum; ++part) {  // one batch, if not told otherwise
      const nn::Batch batch = data.train.random(options.batch_size, rng);
      const Variable logits = model(batch.inputs);                 // [batch, time, vocab]
      const Variable loss = cross_entropy(logits, batch.targets);  // []
      accumulation.add(loss, nn::counted_tokens(batch.targets));
    }
    const double loss = accumulation.finish(optimizer.parameters());
    nn::clip_grad_norm(optimizer.parameters(), 1.0);
    optimizer.set_learning_rate(static_cast<Scalar>(nn::warmup_cosine(step - 1, schedule)));
    optimizer.step();
    report.update(step, static_cast<Scalar>(loss));
    const bool is_due = step % options.eval_interval == 0 || step == options.max_iters;
    if (is_due && data.validation) {
      report.validate(step, validation_loss(model, *data.validation), stop);
    }
    checkpoint.after(step);
  }
  report.end();
  if (!checkpoint.was_stopped()) save_char_model(options.save, model, data.tokenizer);
  report.show_losses(data.tokenizer.vocab_size(), "char_model");
  if (checkpoint.was_stopped()) return checkpoint.say_how_to_go_on();
  record_char_step(model, optimizer, {options.trace, data.train, data.tokenizer}, report);
  if (data.validation) {
    show_result("validation_loss", whole_validation_loss(model, *data.validation));
  }
  return 0;
}

void write_on(nn::Gpt& model, const nn::CharTokenizer& tokenizer, const Settings& s, Rng& rng) {
  if (s.max_new_tokens == 0) return;
  const std::string start = s.ask.empty() ? tokenizer.characters().front() : s.ask;
  const std::vector<Index> tokens =
      nn::generate(model, tokenizer.encode(start), s.max_new_tokens,
                   {.temperature = static_cast<Scalar>(s.temperature)}, rng);
  std::cout << "\nwhat it writes (at a loss near 2.5 letters that look like words, near 1.5 mostly "
               "real words):\n----\n"
            << tokenizer.decode(tokens) << "\n----\n";
}

std::unique_ptr<nn::Gpt> make_model(const Settings& s, Index vocab_size, Rng& rng) {
  return std::make_unique<nn::Gpt>(nn::GptOptions{.vocab_size = vocab_size,
                                                  .block_size = s.block_size,
                                                  .layer_count = s.n_layer,
                                                  .head_count = s.n_head,
                                                  .channels = s.n_embd,
                                                  .dropout = static_cast<Scalar>(s.dropout)},
                                   rng);
}

// A new model, or the loaded one, and what it is to learn.
struct Learner {
  CharData data;
  CharModel model;
};

Learner prepare(const Settings& s, std::optional<CharModel> loaded, Rng& rng) {
  CharData data = load_char_data(s.text, s.block_size, loaded ? &loaded->tokenizer : nullptr);
  if (s.training.patience > 0 && !data.validation) {
    throw UsageError("--patience: there is no validation; give a longer --text, or leave it out");
  }
  if (!s.ask.empty()) data.tokenizer.encode(s.ask);  // refuse it before the training, not after
  CharModel model{data.tokenizer, loaded ? std::move(loaded->model)
                                         : make_model(s, data.tokenizer.vocab_size(), rng)};
  prepare_training(s.training, {{"text", s.text}});
  show_counting_losses(data);
  std::cout << "a GPT of " << model.model->parameter_count() << " parameters trains for "
            << s.training.max_iters << " steps of " << s.training.grad_accum * s.training.batch_size
            << " windows of " << s.block_size
            << " characters;\n2,000 steps of the default size take about a "
            << "minute on two cores\n"
            << std::flush;
  return {std::move(data), std::move(model)};
}

// The weights that --load or --resume names.
std::optional<CharModel> load(Settings& s) {
  const std::string& path = s.training.resume.empty() ? s.training.load : s.training.resume;
  if (path.empty()) return std::nullopt;
  CharModel model = load_char_model(path);
  s.block_size = model.model->options().block_size;
  if (!s.ask.empty()) model.tokenizer.encode(s.ask);
  return model;
}

int run(CommandLine& command_line, int argc, const char* const* argv) {
  Settings s;
  set_defaults(s.training);
  add_options(command_line, s);
  if (!command_line.parse(argc, argv)) return 0;
  take_resumed_options(command_line, s.training);
  if (!s.training.load.empty()) apply_load(s, command_line);
  if (s.training.quick) make_quick(s, command_line);
  Rng rng(static_cast<std::uint64_t>(s.training.seed));
  std::optional<CharModel> model = load(s);
  if (model && s.training.max_iters == 0) {
    prepare_training(s.training);
    save_char_model(s.training.save, *model->model, model->tokenizer);
  } else {
    Learner learner = prepare(s, std::move(model), rng);
    const int code = train(*learner.model.model, learner.data, s, command_line, rng);
    if (code != 0) return code;
    model = std::move(learner.model);
  }
  write_on(*model->model, model->tokenizer, s, rng);
  return 0;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    CommandLine command_line(kProgram, "a GPT learns the characters of a text and writes on.");
    return run(command_line, argc, argv);
  });
}
