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
#include <bit>
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensor/parallel.h"

#include "autograd/ops.h"
#include "autograd/spelled_out.h"

#include "nn/models/generate.h"
#include "nn/models/gpt.h"
#include "nn/optim/adam.h"

#include "examples/common/command_line.h"
#include "examples/common/run_main.h"

namespace vitro::benchmark {
namespace {

constexpr const char* kProgram = "train_step";
constexpr Index kBatchCount = 64;  // different batches, used in turn

struct Settings {
  std::string config;
  Index n_layer = 4;
  Index n_head = 4;
  Index n_embd = 128;
  Index block_size = 64;
  Index batch_size = 12;
  Index vocab_size = 65;
  Index threads = thread_count();
  Index steps = 0;  // 0: as many as fit into `seconds`
  double seconds = 3;
  Index warmup = 3;
  Index seed = 1;
  Index generate = 0;
  bool no_cache = false;
  bool spelled_out = false;
};

struct Preset {
  const char* name;
  std::array<Index, 6> sizes;  // n_layer, n_head, n_embd, block_size, batch_size, vocab_size
};

constexpr std::array<Preset, 4> kPresets = {{{"a", {1, 1, 32, 16, 32, 16}},
                                             {"b", {2, 4, 64, 32, 32, 32}},
                                             {"c", {4, 4, 128, 64, 12, 65}},
                                             {"d", {6, 6, 384, 256, 8, 65}}}};

using examples::CommandLine;

bool parse(int argc, const char* const* argv, Settings& s) {
  CommandLine line(kProgram, "Times a training step of a GPT on random tokens; prints JSON.");
  line.choice("config", s.config, {"a", "b", "c", "d"}, "preset of all sizes; others change it");
  const std::array<std::pair<const char*, Index*>, 6> sizes = {{{"n_layer", &s.n_layer},
                                                                {"n_head", &s.n_head},
                                                                {"n_embd", &s.n_embd},
                                                                {"block_size", &s.block_size},
                                                                {"batch_size", &s.batch_size},
                                                                {"vocab_size", &s.vocab_size}}};
  for (const auto& [name, value] : sizes) line.integer(name, *value, 1, 1 << 20, "model size");
  line.integer("threads", s.threads, 1, 1024, "threads that share the work");
  line.integer("steps", s.steps, 0, 1'000'000, "timed steps; 0: as many as fit into --seconds");
  line.number("seconds", s.seconds, 0, 3600, "how long to measure where --steps is 0");
  line.integer("warmup", s.warmup, 0, 1'000'000, "steps before the timed ones");
  line.integer("seed", s.seed, 0, 1'000'000'000, "of weights and tokens");
  line.integer("generate", s.generate, 0, 1'000'000, "time the making of this many tokens instead");
  line.flag("no_cache", s.no_cache, "generate without keys and values of earlier tokens");
  line.flag("spelled_out", s.spelled_out, "no fused operations");
  if (!line.parse(argc, argv)) return false;
  for (const Preset& preset : kPresets) {
    for (std::size_t i = 0; s.config == preset.name && i < sizes.size(); ++i) {
      if (!line.was_given(sizes[i].first)) *sizes[i].second = preset.sizes[i];
    }
  }
  return true;
}

nn::GptOptions model_options(const Settings& s) {
  nn::GptOptions options;
  options.vocab_size = s.vocab_size;
  options.block_size = s.block_size;
  options.layer_count = s.n_layer;
  options.head_count = s.n_head;
  options.channels = s.n_embd;
  return options;
}

/// Multiplications and additions of the step's matrix products, the causal half of attention left
/// out: forward once, backward twice.
double flops_a_step(const Settings& s) {
  const auto tokens = static_cast<double>(s.batch_size * s.block_size);
  const auto width = static_cast<double>(s.n_embd);
  const double weights = static_cast<double>(s.n_layer) * 12 * width * width +
                         width * static_cast<double>(s.vocab_size);
  const double attention =
      static_cast<double>(s.n_layer) * 2 * width * static_cast<double>(s.block_size) / 2;
  return 3 * 2 * tokens * (weights + attention);
}

/// FNV-1a over the bits of all parameters.
std::string weights_hash(const nn::Module& model) {
  using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
  std::uint64_t hash = 14695981039346656037U;
  for (const Variable& parameter : model.parameters()) {
    for (const Scalar value : parameter.value().to_vector()) {
      const auto bits = std::bit_cast<Bits>(value);
      for (std::size_t byte = 0; byte < sizeof(bits); ++byte) {
        hash = (hash ^ ((bits >> (8 * byte)) & 0xffU)) * 1099511628211U;
      }
    }
  }
  std::ostringstream text;
  text << std::hex << std::setw(16) << std::setfill('0') << hash;
  return text.str();
}

std::vector<Index> random_tokens(Index count, Index vocab_size, Rng& rng) {
  std::vector<Index> tokens;
  for (Index i = 0; i < count; ++i) tokens.push_back(rng.below(vocab_size));
  return tokens;
}

class Trainer {
 public:
  Trainer(const Settings& s, Rng& rng)
      : model_(model_options(s), rng), optimizer_({{model_.named_parameters(), Scalar(0.1)}}, {}) {
    const Shape shape{s.batch_size, s.block_size};
    for (Index i = 0; i < kBatchCount; ++i) {
      inputs_.emplace_back(shape, random_tokens(shape.element_count(), s.vocab_size, rng));
      targets_.emplace_back(shape, random_tokens(shape.element_count(), s.vocab_size, rng));
    }
  }

  /// One step; returns its loss.
  double step() {
    const std::size_t i = step_count_++ % inputs_.size();
    const Variable loss = cross_entropy(model_(inputs_[i]), targets_[i]);
    optimizer_.zero_grad();
    loss.backward();
    optimizer_.step();
    return static_cast<double>(loss.item());
  }

  const nn::Gpt& model() const { return model_; }

 private:
  nn::Gpt model_;
  nn::AdamW optimizer_;
  std::vector<Indices> inputs_;
  std::vector<Indices> targets_;
  std::size_t step_count_ = 0;
};

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
       << ", \"n_layer\": " << s.n_layer << ", \"n_head\": " << s.n_head
       << ", \"n_embd\": " << s.n_embd << ", \"block_size\": " << s.block_size
       << ", \"batch_size\": " << s.batch_size << ", \"vocab_size\": " << s.vocab_size
       << ", \"threads\": " << s.threads;
  return text.str();
}

void time_training(const Settings& s) {
  Rng rng(static_cast<std::uint64_t>(s.seed));
  Trainer trainer(s, rng);
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
    return s.steps > 0 ? done < s.steps : done < 8 || now() - begin < s.seconds;
  };
  while (wants_more()) {
    const double start = now();
    last_loss = trainer.step();
    times.push_back((now() - start) * 1e3);
    if (s.warmup == 0 && times.size() == 1) first_loss = last_loss;
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  const auto tokens = static_cast<double>(s.batch_size * s.block_size);
  std::cout << header(s) << ", \"ms_median\": " << json(median, 5)
            << ", \"ms_min\": " << json(times.front(), 5)
            << ", \"tokens_per_s\": " << json(tokens / median * 1e3, 6)
            << ", \"steps\": " << times.size() << ", \"first_loss\": " << json(first_loss, 9)
            << ", \"last_loss\": " << json(last_loss, 9)
            << ", \"gflops\": " << json(flops_a_step(s) / median / 1e6, 4)
            << ", \"peak_mb\": " << json(peak_megabytes(), 4)
            << ", \"weights_hash\": " << quoted(weights_hash(trainer.model())) << "}\n";
}

void time_generation(const Settings& s) {
  Rng rng(static_cast<std::uint64_t>(s.seed));
  nn::Gpt model(model_options(s), rng);
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
