// 04: a small GPT learns to write, one character at a time.
//
//     build/release/examples/04_char_model
//     build/release/examples/04_char_model --text my_text.txt --save model.safetensors
//     build/release/examples/04_char_model --load model.safetensors --ask "The glass"
//
// The model sees up to --block_size characters and predicts the next one at every position. Its
// loss stands beside what counting reaches: a model that looks at nothing but the last characters.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "tensor/parallel.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/models/generate.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/schedule.h"
#include "nn/text/char_tokenizer.h"
#include "nn/text/token_windows.h"

#include "examples/common/char_model_file.h"
#include "examples/common/command_line.h"
#include "examples/common/loss_curve.h"
#include "examples/common/output_file.h"
#include "examples/common/progress.h"
#include "examples/common/run_log.h"
#include "examples/common/run_main.h"
#include "examples/common/terminal.h"

namespace vitro::examples {
namespace {

struct Settings {
  std::string text = VITRO_DATA_DIR "/seeing_glass.txt";
  Index n_layer = 4;
  Index n_head = 4;
  Index n_embd = 128;
  Index block_size = 64;
  Index batch_size = 12;
  double learning_rate = 1e-3;
  double dropout = 0;
  Index max_iters = 1000;
  Index eval_interval = 100;
  Index sample_size = 400;
  double temperature = 0.8;
  Index seed = 1;
  Index threads = 0;
  bool quick = false;
  std::string out_dir, log, csv, save, load, ask;
  std::string color = "auto";
};

CommandLine make_command_line(Settings& s) {
  CommandLine line("04_char_model",
                   "A causal GPT learns the characters of a text and writes on. With its default "
                   "options it trains for about half a minute on two cores.");
  line.text("text", s.text, "FILE", "the text to learn");
  line.integer("n_layer", s.n_layer, 1, 48, "blocks");
  line.integer("n_head", s.n_head, 1, 64, "heads of each block; must divide n_embd");
  line.integer("n_embd", s.n_embd, 1, 4096, "channels (d_model)");
  line.integer("block_size", s.block_size, 1, 4096, "characters that the model sees");
  line.integer("batch_size", s.batch_size, 1, 4096, "windows a step");
  line.number("learning_rate", s.learning_rate, 1e-8, 1, "the peak, after 100 steps of warm-up");
  line.number("dropout", s.dropout, 0, 0.95, "share of activations dropped while training");
  line.integer("max_iters", s.max_iters, 0, 100'000'000, "training steps", {"steps"});
  line.integer("eval_interval", s.eval_interval, 1, 100'000'000, "steps between validations");
  line.integer("sample_size", s.sample_size, 0, 1'000'000, "characters to write at the end");
  line.number("temperature", s.temperature, 0, 100, "of the sample; 0 takes the likeliest");
  line.integer("seed", s.seed, 0, INT64_MAX, "of weights, batches and samples");
  line.integer("threads", s.threads, 0, 1024, "0: as many as there are cores");
  line.flag("quick", s.quick, "a tiny model for a second or two: the same path");
  line.text("out_dir", s.out_dir, "DIR", "write the loss curve there as SVG");
  line.text("log", s.log, "FILE", "one JSON line a step");
  line.text("csv", s.csv, "FILE", "the same as CSV");
  line.text("save", s.save, "FILE", "write the trained model there");
  line.text("load", s.load, "FILE", "take a saved model instead of training one");
  line.text("ask", s.ask, "TEXT", "let the model write on from this");
  add_color_option(line, s.color);
  return line;
}

void make_quick(Settings& s) {
  s.n_layer = 2;
  s.n_head = 2;
  s.n_embd = 32;
  s.block_size = 32;
  s.max_iters = std::min<Index>(s.max_iters, 60);
  s.eval_interval = 30;
  s.sample_size = 80;
}

std::string read_text(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw std::runtime_error("cannot read " + path + ": it is a folder; name a text file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::system_error(errno, std::generic_category(), "cannot read " + path);
  }
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.empty()) throw std::runtime_error(path + " is empty; give a text to learn");
  return text;
}

nn::GptOptions gpt_options(const Settings& s, Index vocab_size) {
  nn::GptOptions options;
  options.vocab_size = vocab_size;
  options.block_size = s.block_size;
  options.layer_count = s.n_layer;
  options.head_count = s.n_head;
  options.channels = s.n_embd;
  options.dropout = static_cast<Scalar>(s.dropout);
  return options;
}

// The mean loss over up to 64 windows, evenly spaced, so that every call sees the same ones.
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

void print_counting_losses(const std::vector<Index>& train, const std::vector<Index>& validation,
                           Index vocab_size) {
  std::printf("validation loss of guessing  at random (ln %lld)  %.3f\n",
              static_cast<long long>(vocab_size), std::log(static_cast<double>(vocab_size)));
  const char* names[] = {"single characters", "pairs            ", "triples          "};
  for (Index order = 0; order < 3; ++order) {
    if (static_cast<Index>(validation.size()) <= order) continue;
    std::printf("    by counts of             %s  %.3f\n", names[order],
                nn::counting_loss(train, validation, vocab_size, order));
  }
}

struct Run {
  std::vector<double> steps, losses, validation_steps, validation_losses;
};

// The training loop: what every transformer's training comes down to.
Run train(nn::Gpt& model, const nn::TokenWindows& windows,
          const std::optional<nn::TokenWindows>& validation, const Settings& s, Rng& rng) {
  nn::AdamOptions adam;
  adam.learning_rate = static_cast<Scalar>(s.learning_rate);
  adam.beta2 = Scalar(0.99);
  nn::AdamW optimizer(nn::decay_groups(model, Scalar(0.1)), adam);
  const Index warmup = std::min<Index>(100, s.max_iters / 10);
  const nn::WarmupCosine schedule{warmup, s.max_iters, s.learning_rate, s.learning_rate / 10};
  ProgressOptions progress_options;
  progress_options.step_count = s.max_iters;
  progress_options.tokens_per_step = s.batch_size * s.block_size;
  progress_options.interval = s.eval_interval;
  progress_options.is_terminal = terminal_state(OutputStream::kError).is_terminal;
  Progress progress(progress_options);
  RunLog log(s.log, s.csv);
  Run run;
  for (Index step = 0; step < s.max_iters; ++step) {
    const nn::Batch batch = windows.random(s.batch_size, rng);
    optimizer.zero_grad();
    const Variable loss = cross_entropy(model(batch.inputs), batch.targets);
    loss.backward();
    const double norm = nn::clip_grad_norm(optimizer.parameters(), 1.0);
    const double rate = nn::warmup_cosine(step, schedule);
    optimizer.set_learning_rate(static_cast<Scalar>(rate));
    optimizer.step();

    const auto loss_now = static_cast<double>(loss.item());
    run.steps.push_back(static_cast<double>(step + 1));
    run.losses.push_back(loss_now);
    log.write(step + 1, {{"loss", loss_now}, {"grad_norm", norm}, {"learning_rate", rate}});
    progress.update(step + 1, loss_now);
    const bool evaluate = (step + 1) % s.eval_interval == 0 || step + 1 == s.max_iters;
    if (evaluate && validation) {
      run.validation_steps.push_back(static_cast<double>(step + 1));
      run.validation_losses.push_back(validation_loss(model, *validation));
      progress.clear();
      std::printf("step %5lld  train %.4f  validation %.4f\n", static_cast<long long>(step + 1),
                  loss_now, run.validation_losses.back());
      std::fflush(stdout);
    }
  }
  progress.clear();
  std::printf("trained %lld steps in %.1f s on %lld threads\n", static_cast<long long>(s.max_iters),
              progress.seconds(), static_cast<long long>(thread_count()));
  return run;
}

void write_curve(const Run& run, const Settings& s, Index vocab_size) {
  if (s.out_dir.empty() || run.steps.empty()) return;
  Chart chart;
  chart.title = "Loss of 04_char_model";
  chart.x_axis = "step";
  chart.curves = {{"train", run.steps, run.losses}};
  if (!run.validation_steps.empty()) {
    chart.curves.push_back({"validation", run.validation_steps, run.validation_losses});
  }
  chart.levels = {{"ln V", std::log(static_cast<double>(vocab_size))}};
  const std::string path = s.out_dir + "/char_model_loss.svg";
  write_file(path, chart_svg(chart));
  std::printf("loss curve: %s\n", path.c_str());
}

void print_sample(nn::Gpt& model, const nn::CharTokenizer& tokenizer, const Settings& s, Rng& rng) {
  if (s.sample_size == 0) return;
  const std::string start = s.ask.empty() ? tokenizer.decode({0}) : s.ask;
  nn::SamplingOptions sampling;
  sampling.temperature = static_cast<Scalar>(s.temperature);
  const std::vector<Index> written =
      nn::generate(model, tokenizer.encode(start), s.sample_size, sampling, rng);
  std::printf(
      "\n---- a sample at temperature %g (near a loss of 2.5 expect letters that look like "
      "words, near 1.5 real words) ----\n%s\n",
      s.temperature, tokenizer.decode(written).c_str());
}

int learn(const Settings& s) {
  const std::string text = read_text(s.text);
  const nn::CharTokenizer tokenizer{std::string_view(text)};
  const auto [train_tokens, validation_tokens] = nn::split_tokens(tokenizer.encode(text), 0.9);
  const nn::TokenWindows windows(train_tokens, s.block_size, "the training part of " + s.text);
  std::optional<nn::TokenWindows> validation;
  if (static_cast<Index>(validation_tokens.size()) > s.block_size) {
    validation.emplace(validation_tokens, s.block_size, "the validation part of " + s.text);
  }
  if (!s.out_dir.empty()) make_folder(s.out_dir);
  if (!s.save.empty()) check_writable(s.save);

  Rng rng(static_cast<std::uint64_t>(s.seed));
  nn::Gpt model(gpt_options(s, tokenizer.vocab_size()), rng);
  std::printf("%s: %zu characters, %lld different; %zu to train on, %zu to validate\n",
              s.text.c_str(), train_tokens.size() + validation_tokens.size(),
              static_cast<long long>(tokenizer.vocab_size()), train_tokens.size(),
              validation_tokens.size());
  std::printf("model: %lld layers, %lld heads, %lld channels, %lld numbers to train\n",
              static_cast<long long>(s.n_layer), static_cast<long long>(s.n_head),
              static_cast<long long>(s.n_embd), static_cast<long long>(model.parameter_count()));
  print_counting_losses(train_tokens, validation_tokens, tokenizer.vocab_size());
  if (validation) {
    std::printf("first validation loss  %.4f, before any training\n",
                validation_loss(model, *validation));
  } else {
    std::printf("no validation: its %zu characters make no window of %lld; training goes on\n",
                validation_tokens.size(), static_cast<long long>(s.block_size + 1));
  }
  std::fflush(stdout);
  const Run run = train(model, windows, validation, s, rng);
  write_curve(run, s, tokenizer.vocab_size());
  if (!s.save.empty()) {
    save_char_model(s.save, model, tokenizer);
    std::printf("model: %s\n", s.save.c_str());
  }
  print_sample(model, tokenizer, s, rng);
  return 0;
}

int write_on(const Settings& s) {
  CharModel loaded = load_char_model(s.load);
  Rng rng(static_cast<std::uint64_t>(s.seed));
  print_sample(*loaded.model, loaded.tokenizer, s, rng);
  return 0;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main("04_char_model", [&] {
    Settings settings;
    if (!make_command_line(settings).parse(argc, argv)) return 0;
    if (settings.quick) make_quick(settings);
    if (settings.threads > 0) vitro::set_num_threads(settings.threads);
    return settings.load.empty() ? learn(settings) : write_on(settings);
  });
}
