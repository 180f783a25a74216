// 04: a small GPT learns to write, one character at a time.
//
// The model sees up to --block_size characters and predicts, at every position at once, the one
// that follows. Its loss stands beside what counting reaches: guessing the next character from how
// often it came after the last none, one or two. A model above that has not learnt to look back.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tensor/math.h"
#include "tensor/print.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/models/generate.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/schedule.h"
#include "nn/text/token_windows.h"

#include "examples/common/char_model_file.h"
#include "examples/common/command_line.h"
#include "examples/common/interrupt.h"
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

// nanoGPT's small character model, for half as many steps.
void set_defaults(TrainingOptions& options) {
  options.max_iters = 1000;
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
  add_training_options(line, s.training, "writes with a saved model; trains nothing");
}

// A small model and few steps: the same path in a second or two. What the user gave stays.
void make_quick(Settings& s, const CommandLine& line) {
  const auto shorten = [&line](const char* name, Index& value, Index quick) {
    if (!line.was_given(name)) value = quick;
  };
  shorten("n_layer", s.n_layer, 2);
  shorten("n_head", s.n_head, 2);
  shorten("n_embd", s.n_embd, 32);
  shorten("block_size", s.block_size, 32);
  shorten("max_iters", s.training.max_iters, 60);
  shorten("eval_interval", s.training.eval_interval, 30);
  shorten("max_new_tokens", s.max_new_tokens, 80);
}

// What belongs to the training, or is told by the file, would be ignored in silence.
void check_load_alone(const CommandLine& line) {
  for (const char* name : {"text", "n_layer", "n_head", "n_embd", "block_size", "dropout",
                           "max_iters", "save", "log", "csv"}) {
    if (line.was_given(name)) {
      throw UsageError(std::string("--") + name +
                       " does not go with --load, which only writes with the model in the file");
    }
  }
}

std::string read_text(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw std::runtime_error("cannot read " + path + ": it is a folder; name a text file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::system_error(errno, std::generic_category(), "cannot read " + path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.empty()) throw std::runtime_error(path + " is empty; give a text to learn");
  return text;
}

/// The text as tokens: the first 90 % to train on, the rest to validate.
struct Data {
  nn::CharTokenizer tokenizer;
  nn::TokenWindows train;
  std::optional<nn::TokenWindows> validation;  // none where the rest is shorter than a window
};

Data load_data(const Settings& s) {
  const std::string text = read_text(s.text);
  nn::CharTokenizer tokenizer{std::string_view(text)};
  auto [train, rest] = nn::split_tokens(tokenizer.encode(text), 0.9);
  std::cout << s.text << ": " << train.size() + rest.size() << " characters, "
            << tokenizer.vocab_size() << " of them different; " << train.size() << " to train on, "
            << rest.size() << " to validate\n";
  std::optional<nn::TokenWindows> validation;
  if (static_cast<Index>(rest.size()) > s.block_size) {
    validation.emplace(rest, s.block_size, "the validation part of " + s.text);
  } else {
    std::cout << "no validation: " << rest.size() << " characters hold no window of "
              << s.block_size + 1 << "; the training goes on without\n";
  }
  return {std::move(tokenizer),
          nn::TokenWindows(train, s.block_size, "the training part of " + s.text),
          std::move(validation)};
}

// Losses that need no model, on the validation part.
void show_counting_losses(const Data& data) {
  const Index vocab_size = data.tokenizer.vocab_size();
  std::cout << "what a guess costs: at random "
            << number_text(math::log(static_cast<double>(vocab_size)), 3) << " (ln " << vocab_size
            << ")";
  if (data.validation) {
    const char* names[] = {", by counts of single characters ", ", of pairs ", ", of triples "};
    for (Index order = 0; order < 3; ++order) {
      const double loss =
          nn::counting_loss(data.train.tokens(), data.validation->tokens(), vocab_size, order);
      std::cout << names[order] << number_text(loss, 3);
    }
  }
  std::cout << "\n";
}

// The mean over up to 64 windows, evenly spaced, so that every call sees the same ones.
double validation_loss(nn::Gpt& model, const nn::TokenWindows& windows) {
  const NoGrad no_grad;
  model.eval();
  const Index window_count = std::min<Index>(64, windows.count());
  double sum = 0;
  for (Index i = 0; i < window_count; ++i) {
    const nn::Batch window = windows.at({i * windows.count() / window_count});
    sum += static_cast<double>(cross_entropy(model(window.inputs), window.targets).item());
  }
  model.train();
  return sum / static_cast<double>(window_count);
}

void train(nn::Gpt& model, const Data& data, const Settings& s, Rng& rng) {
  const TrainingOptions& options = s.training;
  nn::AdamW optimizer(nn::decay_groups(model, /*weight_decay=*/Scalar(0.1)),
                      {.beta2 = Scalar(0.99)});
  const nn::WarmupCosine schedule{std::min<Index>(100, options.max_iters / 10), options.max_iters,
                                  options.learning_rate, options.learning_rate / 10};
  TrainingReport report(options, options.batch_size * s.block_size);
  for (Index step = 1; report.goes_on(step); ++step) {
    const nn::Batch batch = data.train.random(options.batch_size, rng);
    const Variable logits = model(batch.inputs);                 // [batch, time, vocab]
    const Variable loss = cross_entropy(logits, batch.targets);  // []
    optimizer.zero_grad();
    loss.backward();
    nn::clip_grad_norm(optimizer.parameters(), 1.0);
    optimizer.set_learning_rate(static_cast<Scalar>(nn::warmup_cosine(step - 1, schedule)));
    optimizer.step();
    report.update(step, loss.item());
    const bool is_due = step % options.eval_interval == 0 || step == options.max_iters;
    if (is_due && data.validation) report.validate(step, validation_loss(model, *data.validation));
  }
  report.show_losses(data.tokenizer.vocab_size(), "char_model");
}

void write_on(nn::Gpt& model, const nn::CharTokenizer& tokenizer, const Settings& s, Rng& rng) {
  if (s.max_new_tokens == 0) return;
  const std::string start = s.ask.empty() ? tokenizer.characters().front() : s.ask;
  const std::vector<Index> tokens =
      nn::generate(model, tokenizer.encode(start), s.max_new_tokens,
                   {.temperature = static_cast<Scalar>(s.temperature)}, rng);
  std::cout << "what it writes (at a loss near 2.5 letters that look like words, near 1.5 mostly "
               "real words):\n----\n"
            << tokenizer.decode(tokens) << "\n----\n";
}

// Saves the model if asked to, or if Ctrl+C cut the training short. Returns the exit code.
int save(const nn::Gpt& model, const nn::CharTokenizer& tokenizer, const Settings& s) {
  const int code = interrupt_code();
  std::string path = s.training.save;
  if (path.empty() && code == 0) return 0;
  if (path.empty()) path = s.training.out_dir + "/char_model.safetensors";
  save_char_model(path, model, tokenizer);
  std::cout << "saved in " << path << "\n";
  if (code != 0) std::cout << "stopped; let it write with --load " << path << "\n";
  return code;
}

int learn(const Settings& s, Rng& rng) {
  const Data data = load_data(s);
  nn::Gpt model({.vocab_size = data.tokenizer.vocab_size(),
                 .block_size = s.block_size,
                 .layer_count = s.n_layer,
                 .head_count = s.n_head,
                 .channels = s.n_embd,
                 .dropout = static_cast<Scalar>(s.dropout)},
                rng);
  if (!s.ask.empty()) data.tokenizer.encode(s.ask);  // refuse it before the training, not after
  prepare_training(s.training);
  show_counting_losses(data);
  std::cout << "a GPT of " << model.parameter_count() << " parameters trains for "
            << s.training.max_iters << " steps of " << s.training.batch_size << " windows of "
            << s.block_size << " characters;\n1,000 steps of the default size take about a minute "
            << "on two cores\n"
            << std::flush;
  train(model, data, s, rng);
  if (const int code = save(model, data.tokenizer, s); code != 0) return code;
  write_on(model, data.tokenizer, s, rng);
  return 0;
}

int run(CommandLine& command_line, int argc, const char* const* argv) {
  Settings s;
  set_defaults(s.training);
  add_options(command_line, s);
  if (!command_line.parse(argc, argv)) return 0;
  if (!s.training.load.empty()) check_load_alone(command_line);
  if (s.training.quick) make_quick(s, command_line);
  Rng rng(static_cast<std::uint64_t>(s.training.seed));
  if (s.training.load.empty()) return learn(s, rng);
  CharModel loaded = load_char_model(s.training.load);
  write_on(*loaded.model, loaded.tokenizer, s, rng);
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
