// gpt2: a GPT-2 from its files writes on from a prompt, each token shown as it is drawn.
//
// DIR holds the four files that every GPT-2 comes with (config.json, model.safetensors, vocab.json,
// merges.txt), or a model that Vitro saved in that form. The first token takes the whole prompt
// through the model; from then on the keys and values of earlier tokens are remembered, and a token
// costs one pass through all weights.
//
// Takes as long as reading the weights and, for each token, one look at all of them.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <stdexcept>

#include "tensor/parallel.h"
#include "tensor/print.h"

#include "autograd/no_grad.h"

#include "nn/models/eval_scope.h"
#include "nn/models/generate.h"
#include "nn/models/gpt2_files.h"
#include "nn/text/bpe_tokenizer.h"

#include "examples/common/command_line.h"
#include "examples/common/interrupt.h"
#include "examples/common/recording.h"
#include "examples/common/run_main.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "gpt2";

struct Settings {
  std::string model;
  std::string prompt;
  Index max_new_tokens = 50;
  double temperature = 0.8;
  Index top_k = 200;
  double top_p = 1;
  Index seed = 1;
  Index threads = 0;
  std::string trace;
};

void add_options(CommandLine& line, Settings& s) {
  constexpr Index largest = std::numeric_limits<Index>::max();
  line.text("model", s.model, "DIR", "config.json, model.safetensors, vocab.json and merges.txt");
  line.text("prompt", s.prompt, "TEXT", "what it writes on from; without: a new text");
  line.integer("max_new_tokens", s.max_new_tokens, 0, 1'000'000, "tokens to write");
  line.number("temperature", s.temperature, 0, 100, "of what it writes; 0 takes the likeliest");
  line.integer("top_k", s.top_k, 0, largest, "only the k likeliest tokens; 0: all");
  line.number("top_p", s.top_p, 1e-9, 1, "only the likeliest that reach this probability");
  line.integer("seed", s.seed, 0, largest, "the same seed gives the same text");
  line.integer("threads", s.threads, 0, 1024, "0: as many as there are cores");
  add_trace_option(line, s.trace);
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The tokenizer's files have two names each.
std::string one_of(const std::string& folder, const char* name, const char* other) {
  const std::string path = folder + "/" + name;
  const std::string other_path = folder + "/" + other;
  return !std::filesystem::exists(path) && std::filesystem::exists(other_path) ? other_path : path;
}

nn::BpeTokenizer load_tokenizer(const std::string& folder) {
  return nn::BpeTokenizer::load(one_of(folder, "vocab.json", "encoder.json"),
                                one_of(folder, "merges.txt", "vocab.bpe"));
}

// A vocabulary of another size is that of another model, whichever is the larger.
void check_fits(const nn::BpeTokenizer& tokenizer, const nn::Gpt& model,
                const std::string& folder) {
  const Index vocab_size = model.options().vocab_size;
  if (tokenizer.vocab_size() == vocab_size) return;
  throw std::runtime_error(
      join_text({folder, ": the vocabulary has ", tokenizer.vocab_size(), " tokens, the model ",
                 vocab_size, "; the files must belong together"}));
}

// A prompt in tokens; a new text starts with the token that ends every other.
std::vector<Index> prompt_tokens(const nn::BpeTokenizer& tokenizer, const Settings& s) {
  if (!s.prompt.empty()) return tokenizer.encode(s.prompt);
  if (const auto end = tokenizer.end_of_text()) return {*end};
  throw UsageError("--prompt: the vocabulary has no <|endoftext|> to start from; give a prompt");
}

// A page shows one pass over the whole prompt.
void check_trace_prompt(const std::vector<Index>& prompt, const nn::Gpt& model, const Settings& s) {
  const auto length = static_cast<Index>(prompt.size());
  const Index block_size = model.options().block_size;
  if (s.trace.empty() || length <= block_size) return;
  throw UsageError(join_text({"--trace: the prompt has ", length, " tokens, the model reads ",
                              block_size, " at once; give a shorter prompt"}));
}

void show_speed(Index count, double seconds) {
  std::cerr << "; " << count << " more: " << number_text(seconds, 3) << " s, "
            << number_text(static_cast<double>(count) / seconds, 1) << " tokens/s";
}

/// --trace: a page of how the model reads the prompt. Weights are part of it: models of many
/// millions of parameters are refused, with their size.
void record_prompt(nn::Gpt& model, const nn::BpeTokenizer& tokenizer, const Settings& s) {
  const std::vector<Index> prompt = prompt_tokens(tokenizer, s);
  std::vector<std::string> labels;
  for (const Index token : prompt) labels.push_back(tokenizer.decode({token}));
  StepRecording recording(s.trace, {.program = kProgram, .tokens = labels});
  const nn::EvalScope evaluation(model);
  const NoGrad no_grad;
  recording.record(&model, [&] {
    model(Indices({1, static_cast<Index>(prompt.size())}, prompt));  // [1, time, vocab_size]
  });
}

void write_on(nn::Gpt& model, const nn::BpeTokenizer& tokenizer, const Settings& s) {
  const std::vector<Index> prompt = prompt_tokens(tokenizer, s);
  nn::Generator generator(model, prompt,
                          {.temperature = static_cast<Scalar>(s.temperature),
                           .top_k = s.top_k,
                           .top_p = static_cast<Scalar>(s.top_p)});
  Rng rng(static_cast<std::uint64_t>(s.seed));
  std::cout << s.prompt << std::flush;
  Stopwatch watch;
  double first_seconds = 0;
  Index count = 0;
  while (count < s.max_new_tokens && interrupt_code() == 0) {
    const Index token = generator.next(rng);
    if (++count == 1) first_seconds = watch.seconds();
    if (token == tokenizer.end_of_text()) break;
    std::cout << tokenizer.decode({token}) << std::flush;  // may be half a character: bytes pass
  }
  const double rest_seconds = watch.seconds() - first_seconds;
  std::cout << "\n" << std::flush;
  if (count == 0) return;
  std::cerr << "prompt of " << prompt.size()
            << " tokens and the first new one: " << number_text(first_seconds, 3) << " s";
  if (count > 1) show_speed(count - 1, rest_seconds);
  std::cerr << "\n";
}

int run(int argc, const char* const* argv) {
  Settings s;
  CommandLine command_line(kProgram, "a GPT-2 from its files writes on from a prompt.");
  add_options(command_line, s);
  if (!command_line.parse(argc, argv)) return 0;
  if (s.model.empty()) throw UsageError("--model: say which folder holds the model");
  if (s.threads > 0) set_num_threads(s.threads);
  check_trace(s.trace);
  const Stopwatch watch;
  const nn::BpeTokenizer tokenizer = load_tokenizer(s.model);
  const double tokenizer_seconds = watch.seconds();
  const std::unique_ptr<nn::Gpt> model = nn::load_gpt2(s.model);
  check_fits(tokenizer, *model, s.model);
  check_trace_prompt(prompt_tokens(tokenizer, s), *model, s);
  std::cerr << "loaded " << tokenizer.vocab_size() << " tokens in "
            << number_text(tokenizer_seconds, 3) << " s and " << model->parameter_count()
            << " parameters in " << number_text(watch.seconds() - tokenizer_seconds, 3) << " s\n";
  catch_interrupts();
  write_on(*model, tokenizer, s);
  record_prompt(*model, tokenizer, s);
  return interrupt_code();
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] { return run(argc, argv); });
}
