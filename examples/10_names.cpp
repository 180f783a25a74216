// 10: names: a GPT that makes up new ones.
//
// A list with one name a line; each is a sequence of its own, from a line end to a line end. Short
// names are filled up, and the filling is not counted: the loss is the mean over letters and ends.
// Two hundred names are soon known by heart: few steps and much dropout are for them. A list of
// thousands wants more, such as --max_iters 6000 --dropout 0.
//
// Takes about a second.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tensor/files/input_file.h"
#include "tensor/print.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/models/eval_scope.h"
#include "nn/models/generate.h"
#include "nn/optim/accumulate.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/early_stop.h"
#include "nn/optim/schedule.h"
#include "nn/text/char_tokenizer.h"
#include "nn/text/lines.h"
#include "nn/text/shuffled_order.h"
#include "nn/text/token_windows.h"

#include "examples/common/char_model_file.h"
#include "examples/common/command_line.h"
#include "examples/common/recording.h"
#include "examples/common/run_checkpoint.h"
#include "examples/common/run_main.h"
#include "examples/common/sequence_tasks.h"
#include "examples/common/training.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "10_names";

struct Settings {
  TrainingOptions training;
  std::string text = VITRO_DATA_DIR "/names.txt";
  Index n_layer = 4;
  Index n_head = 4;
  Index n_embd = 64;
  double dropout = 0.3;
  Index name_count = 20;
};

/// The names as tokens, each from "\n" to "\n", in two parts.
struct Names {
  nn::CharTokenizer tokenizer;
  Index end;  ///< the token of the line end
  Index longest = 0;
  std::vector<std::vector<Index>> train = {};
  std::vector<std::vector<Index>> test = {};
};

Names load_names(const Settings& s, Rng& rng) {
  const std::vector<std::string> lines = nn::split_lines(read_small_file("--text", s.text));
  if (lines.size() < 20) {
    throw std::runtime_error(join_text(
        {s.text, " has ", lines.size(), " names; there must be at least 20, one a line"}));
  }
  std::string letters = "\n";
  for (const std::string& line : lines) letters += line;
  Names names{.tokenizer = nn::CharTokenizer(std::string_view(letters)), .end = 0};
  names.end = names.tokenizer.encode("\n").front();
  const auto count = static_cast<Index>(lines.size());
  const Index test_count = std::min<Index>(1000, count / 10);
  for (const Index i : rng.permutation(count)) {
    std::vector<Index> tokens =
        names.tokenizer.encode("\n" + lines[static_cast<std::size_t>(i)] + "\n");
    names.longest = std::max(names.longest, static_cast<Index>(tokens.size()) - 1);
    const bool is_test = static_cast<Index>(names.test.size()) < test_count;
    (is_test ? names.test : names.train).push_back(std::move(tokens));
  }
  return names;
}

/// Names side by side: each predicts its next letter; behind its end it is filled up, uncounted.
nn::Batch batch_of(const std::vector<std::vector<Index>>& names, const std::vector<Index>& picked) {
  std::size_t longest = 0;
  for (const Index i : picked) longest = std::max(longest, names[std::size_t(i)].size() - 1);
  std::vector<Index> inputs;
  std::vector<Index> targets;
  for (const Index i : picked) {
    const std::vector<Index>& name = names[static_cast<std::size_t>(i)];
    for (std::size_t t = 0; t < longest; ++t) {
      const bool is_inside = t + 1 < name.size();
      inputs.push_back(is_inside ? name[t] : name.back());
      targets.push_back(is_inside ? name[t + 1] : kNoTarget);
    }
  }
  const Shape shape{static_cast<Index>(picked.size()), static_cast<Index>(longest)};
  return {Indices(shape, std::move(inputs)), Indices(shape, std::move(targets))};
}

/// The mean over all letters of the unseen names, however they fall into batches.
double test_loss(nn::Gpt& model, const Names& names) {
  const NoGrad no_grad;
  const nn::EvalScope evaluation(model);
  nn::TokenMean mean;
  const auto count = static_cast<Index>(names.test.size());
  for (Index start = 0; start < count; start += 200) {
    std::vector<Index> picked;
    for (Index i = start; i < std::min(start + 200, count); ++i) picked.push_back(i);
    const nn::Batch batch = batch_of(names.test, picked);
    const Variable loss = cross_entropy(model(batch.inputs), batch.targets);
    mean.add(static_cast<double>(loss.item()), nn::counted_tokens(batch.targets));
  }
  return mean.mean();
}

/// --trace: a page of one step on a single unseen name.
void record_step(nn::Gpt& model, const Names& names, nn::Optimizer& optimizer,
                 const TrainingOptions& options, const TrainingReport& report) {
  const nn::Batch one = batch_of(names.test, {0});
  std::vector<std::string> letters;
  for (const Index id : one.inputs.values()) letters.push_back(names.tokenizer.decode({id}));
  StepRecording recording(
      options.trace,
      {.program = kProgram, .tokens = letters, .classes = names.tokenizer.characters()});
  recording.add_losses(report.first_step(), report.losses());
  recording.record_training(model, optimizer,
                            [&] { return cross_entropy(model(one.inputs), one.targets); });
}

/// Returns the exit code: not 0 where Ctrl+C cut the training short.
int train(nn::Gpt& model, const Names& names, const Settings& s, const CommandLine& line,
          Rng& rng) {
  const TrainingOptions& options = s.training;
  const std::vector<nn::ParameterGroup> groups = nn::decay_groups(model, Scalar(0.1));
  std::cout << nn::decay_text(groups) << "\n" << std::flush;
  nn::AdamW optimizer(groups, {.beta2 = Scalar(0.99)});
  const nn::WarmupCosine schedule{std::min<Index>(100, options.max_iters / 10), options.max_iters,
                                  options.learning_rate, options.learning_rate / 20};
  nn::ShuffledOrder order(static_cast<Index>(names.train.size()), rng);  // no name is left out
  nn::EarlyStop stop = early_stop(options);
  RunCheckpoint checkpoint(line, options, "names", {model, optimizer, rng},
                           char_model_texts(model, names.tokenizer), {&order, &stop});
  const Index first = checkpoint.first_step();
  TrainingReport report(options, options.grad_accum * options.batch_size * names.longest, first);
  for (Index step = first; report.goes_on(step) && !stop.is_over(); ++step) {
    optimizer.zero_grad();
    nn::GradientAccumulation accumulation;
    for (Index part = 0; part < options.grad_accum; ++part) {  // each letter counts the same
      const nn::Batch batch = batch_of(names.train, order.next(options.batch_size));
      const Variable loss = cross_entropy(model(batch.inputs), batch.targets);  // []
      accumulation.add(loss, nn::counted_tokens(batch.targets));
    }
    const double loss = accumulation.finish(optimizer.parameters());
    nn::clip_grad_norm(optimizer.parameters(), 1.0);
    optimizer.set_learning_rate(static_cast<Scalar>(nn::warmup_cosine(step - 1, schedule)));
    optimizer.step();
    report.update(step, static_cast<Scalar>(loss));
    const bool is_due = step % options.eval_interval == 0 || step == options.max_iters;
    if (is_due) report.validate(step, test_loss(model, names), stop);
    checkpoint.after(step);
  }
  report.end();
  if (!checkpoint.was_stopped()) save_char_model(options.save, model, names.tokenizer);
  report.show_losses(names.tokenizer.vocab_size(), "names");
  if (checkpoint.was_stopped()) return checkpoint.say_how_to_go_on();
  record_step(model, names, optimizer, options, report);
  return 0;
}

using Known = std::set<std::string>;

Known known_names(const Names& names) {
  Known known;
  for (const auto* part : {&names.train, &names.test}) {
    for (const std::vector<Index>& name : *part) {
      known.insert(names.tokenizer.decode({name.begin() + 1, name.end() - 1}));
    }
  }
  return known;
}

/// Says of each name that stands in the list that it does.
void make_up_names(nn::Gpt& model, const nn::CharTokenizer& tokenizer, const Settings& s,
                   const Known& known, Rng& rng) {
  const Index end = tokenizer.encode("\n").front();
  std::cout << "\nmade up:\n";
  for (Index i = 0; i < s.name_count; ++i) {
    std::vector<Index> tokens = nn::generate(model, {end}, model.options().block_size,
                                             {.temperature = Scalar(0.8), .stop_token = end}, rng);
    if (tokens.back() == end) tokens.pop_back();
    const std::string name = tokenizer.decode({tokens.begin() + 1, tokens.end()});
    std::cout << "  " << name << (known.contains(name) ? "  (in the list)\n" : "\n");
  }
}

// What counting costs: each name's letters guessed from the none or one before them.
void show_counting_losses(const Names& names) {
  const auto joined = [](const std::vector<std::vector<Index>>& list) {
    std::vector<Index> tokens;  // ends are shared: a name starts where the one before it stopped
    for (const auto& name : list) tokens.insert(tokens.end(), name.begin(), name.end() - 1);
    return tokens;
  };
  const Index vocab_size = names.tokenizer.vocab_size();
  std::cout << "what a guess costs: by counts of single letters ";
  for (Index order = 0; order < 2; ++order) {
    const double loss =
        nn::counting_loss(joined(names.train), joined(names.test), vocab_size, order);
    std::cout << number_text(loss, 3) << (order == 0 ? ", of pairs " : "\n");
  }
}

// Saved weights are a whole model, which only makes up names.
void check_load(const CommandLine& line) {
  const std::set<std::string> useful = {"load", "name_count", "seed", "threads", "color"};
  for (const auto& [name, value] : line.given()) {
    if (useful.contains(name)) continue;
    throw UsageError(
        join_text({"--", name, ": with --load nothing is trained or drawn; leave it out"}));
  }
}

int run(CommandLine& line, int argc, const char* const* argv) {
  Settings s;
  TrainingOptions& options = s.training;
  options.max_iters = 100;
  options.learning_rate = 0.003;
  options.eval_interval = 25;
  line.text("text", s.text, "FILE", "names, one a line");
  line.integer("n_layer", s.n_layer, 1, 48, "blocks");
  line.integer("n_head", s.n_head, 1, 64, "heads of each block; must divide n_embd");
  line.integer("n_embd", s.n_embd, 1, 4096, "channels (d_model)");
  line.number("dropout", s.dropout, 0, 0.95, "share of activations dropped while training");
  line.integer("name_count", s.name_count, 0, 10'000, "names to make up at the end");
  add_training_options(line, options, "makes up names with a saved model, without training");
  add_accumulation_option(line, options);
  add_patience_option(line, options);
  if (!line.parse(argc, argv)) return 0;
  take_resumed_options(line, options);
  if (options.quick && !line.was_given("max_iters")) options.max_iters = 40;
  if (options.quick && !line.was_given("n_layer")) s.n_layer = 2;

  Rng rng(static_cast<std::uint64_t>(options.seed));
  if (!options.load.empty()) {
    check_load(line);
    const CharModel loaded = load_char_model(options.load);
    prepare_training(options);
    make_up_names(*loaded.model, loaded.tokenizer, s, {}, rng);
    return 0;
  }
  const Names names = load_names(s, rng);
  nn::Gpt model({.vocab_size = names.tokenizer.vocab_size(),
                 .block_size = names.longest,
                 .layer_count = s.n_layer,
                 .head_count = s.n_head,
                 .channels = s.n_embd,
                 .dropout = static_cast<Scalar>(s.dropout)},
                rng);
  prepare_training(options, {{"text", s.text}});
  std::cout << s.text << ": " << names.train.size() << " names to train on, " << names.test.size()
            << " to test; " << model.parameter_count() << " parameters, " << options.max_iters
            << " steps of " << options.grad_accum * options.batch_size
            << " names.\nThe defaults take about a second.\n";
  show_counting_losses(names);
  if (const int code = train(model, names, s, line, rng); code != 0) return code;
  show_result("test_loss", test_loss(model, names));
  make_up_names(model, names.tokenizer, s, known_names(names), rng);
  return 0;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    CommandLine command_line(kProgram, "a GPT learns a list of names and makes up new ones.");
    return run(command_line, argc, argv);
  });
}
