// train_step: times one training step of a GPT on random tokens, or the making of tokens, and
// prints one line of JSON.
//
//   train_step --config c --threads 2
//   train_step --config c --generate 500 --no-cache
//
// The model is that of tests/benchmark/peers/torch_gpt_step.py: blocks that normalize first,
// learned positions, biases, GELU by tanh, an output layer of its own, AdamW on every parameter.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include "tensor/parallel.h"

#include "autograd/spelled_out.h"

#include "nn/models/generate.h"
#include "nn/models/gpt.h"

#include "examples/common/command_line.h"
#include "examples/common/run_main.h"

#include "tests/training_runs/bits.h"
#include "tests/training_runs/gpt_steps.h"

namespace vitro::benchmark {
namespace {

constexpr const char* kProgram = "train_step";

struct Settings {
  std::string config;
  training_runs::GptSizes sizes;
  Index threads = thread_count();
  Index steps = 0;  // 0: as many as fit into `seconds`
  double seconds = 3;
  Index warmup = 3;
  Index seed = 1;
  Index generate = 0;
  bool no_cache = false;
  bool spelled_out = false;
};

using examples::CommandLine;
using training_runs::GptSizes;

bool parse(int argc, const char* const* argv, Settings& s) {
  CommandLine line(kProgram, "Times a training step of a GPT on random tokens; prints JSON.");
  line.choice("config", s.config, {"a", "b", "c", "d"}, "preset of all sizes; others change it");
  const std::array<std::pair<const char*, Index GptSizes::*>, 6> sizes = {
      {{"n_layer", &GptSizes::layers},
       {"n_head", &GptSizes::heads},
       {"n_embd", &GptSizes::width},
       {"block_size", &GptSizes::context},
       {"batch_size", &GptSizes::batch},
       {"vocab_size", &GptSizes::vocabulary}}};
  for (const auto& [name, size] : sizes) {
    line.integer(name, s.sizes.*size, 1, 1 << 20, "model size");
  }
  line.integer("threads", s.threads, 1, 1024, "threads that share the work");
  line.integer("steps", s.steps, 0, 1'000'000, "timed steps; 0: as many as fit into --seconds");
  line.number("seconds", s.seconds, 0, 3600, "how long to measure where --steps is 0");
  line.integer("warmup", s.warmup, 0, 1'000'000, "steps before the timed ones");
  line.integer("seed", s.seed, 0, 1'000'000'000, "of weights and tokens");
  line.integer("generate", s.generate, 0, 1'000'000, "time the making of this many tokens instead");
  line.flag("no_cache", s.no_cache, "generate without keys and values of earlier tokens");
  line.flag("spelled_out", s.spelled_out, "no fused operations");
  if (!line.parse(argc, argv)) return false;
  if (s.config.empty()) return true;
  for (const auto& [name, size] : sizes) {
    if (!line.was_given(name)) s.sizes.*size = training_runs::gpt_sizes(s.config).*size;
  }
  return true;
}

/// Multiplications and additions of the step's matrix products, the causal half of attention left
/// out: forward once, backward twice.
double flops_a_step(const GptSizes& s) {
  const auto tokens = static_cast<double>(s.batch * s.context);
  const auto width = static_cast<double>(s.width);
  const double weights = static_cast<double>(s.layers) * 12 * width * width +
                         width * static_cast<double>(s.vocabulary);
  const double attention =
      static_cast<double>(s.layers) * 2 * width * static_cast<double>(s.context) / 2;
  return 3 * 2 * tokens * (weights + attention);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::string json(double number, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << number;
  return text.str();
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string header(const Settings& s) {
  std::ostringstream text;
  text << "{\"config\": " << quoted(s.config.empty() ? "own" : s.config)
       << ", \"n_layer\": " << s.sizes.layers << ", \"n_head\": " << s.sizes.heads
       << ", \"n_embd\": " << s.sizes.width << ", \"block_size\": " << s.sizes.context
       << ", \"batch_size\": " << s.sizes.batch << ", \"vocab_size\": " << s.sizes.vocabulary
       << ", \"threads\": " << s.threads;
  return text.str();
}

void time_training(const Settings& s) {
  training_runs::GptSteps trainer(s.sizes, static_cast<std::uint64_t>(s.seed));
  double first_loss = 0;
  for (Index i = 0; i < s.warmup; ++i) {
    const double loss = trainer.step();
    if (i == 0) first_loss = loss;
  }
  std::vector<double> times;
  double last_loss = 0;
  const double begin = now();
  const auto wants_more = [&] {
    const auto done = static_cast<Index>(times.size());
    return s.steps > 0 ? done < s.steps : done < 5 || now() - begin < s.seconds;
  };
  while (wants_more()) {
    const double start = now();
    last_loss = trainer.step();
    times.push_back((now() - start) * 1e3);
    if (s.warmup == 0 && times.size() == 1) first_loss = last_loss;
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  const auto tokens = static_cast<double>(s.sizes.batch * s.sizes.context);
  std::cout << header(s) << ", \"ms_median\": " << json(median, 5)
            << ", \"ms_min\": " << json(times.front(), 5)
            << ", \"tokens_per_s\": " << json(tokens / median * 1e3, 6)
            << ", \"steps\": " << times.size() << ", \"first_loss\": " << json(first_loss, 9)
            << ", \"last_loss\": " << json(last_loss, 9)
            << ", \"gflops\": " << json(flops_a_step(s.sizes) / median / 1e6, 4)
            << ", \"peak_mb\": " << json(peak_megabytes(), 4)
            << ", \"weights_hash\": " << quoted(training_runs::bits_hash(trainer.model())) << "}\n";
}

void time_generation(const Settings& s) {
  Rng rng(static_cast<std::uint64_t>(s.seed));
  nn::Gpt model(training_runs::gpt_options(s.sizes), rng);
  const nn::Cache cache = s.no_cache ? nn::Cache::kNo : nn::Cache::kYes;
  std::vector<double> rates;
  const double begin = now();
  while (rates.size() < 3 || (rates.size() < 15 && now() - begin < s.seconds)) {
    const double start = now();
    nn::generate(model, {0}, s.generate, {}, rng, cache);
    rates.push_back(static_cast<double>(s.generate) / (now() - start));
  }
  std::sort(rates.begin(), rates.end());
  std::cout << header(s) << ", \"generate\": " << s.generate
            << ", \"cached\": " << (s.no_cache ? "false" : "true")
            << ", \"tokens_per_s\": " << json(rates[rates.size() / 2], 6)
            << ", \"best\": " << json(rates.back(), 6) << "}\n";
}

int run(int argc, const char* const* argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) return 0;
  set_num_threads(settings.threads);
  std::optional<SpelledOut> spelled_out;
  if (settings.spelled_out) spelled_out.emplace();
  if (settings.generate > 0) {
    time_generation(settings);
  } else {
    time_training(settings);
  }
  return 0;
}

}  // namespace
}  // namespace vitro::benchmark

int main(int argc, char** argv) {
  return vitro::examples::run_main(vitro::benchmark::kProgram,
                                   [&] { return vitro::benchmark::run(argc, argv); });
}
