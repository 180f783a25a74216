// The table of bars: runs the example programs with three seeds each and fails where one misses
// what it is to reach. Takes some twenty minutes on two cores.
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/error.h"
#include "tensor/parallel.h"
#include "tensor/print.h"
#include "tensor/system.h"

#include "nn/models/generate.h"

#include "examples/common/command_line.h"
#include "examples/common/run_main.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "bars";

enum class Direction { kAtLeast, kAtMost };

/// One line of the table: what the number has to be that a run prints after `result`.
struct Bar {
  std::string name;
  std::string command;  ///< program and options, without seed
  Index steps;
  std::string result;
  Direction direction;
  double value;
};

struct Settings {
  std::string text;
  std::string names;
  std::string only;
  Index first_seed = 1;
  Index seed_count = 3;
  Index threads = 0;
};

std::vector<Bar> make_bars(const Settings& s) {
  const auto least = Direction::kAtLeast;
  const auto most = Direction::kAtMost;
  const std::string task = "09_sequence_tasks --task ";
  const std::string match = "result: exact_match = ";
  std::vector<Bar> bars = {
      {"reverse, bare attention", "03_train_reverse", 100, "unseen sequences: ", least, 1000},
      {"reverse, mean anti-diagonal weight", "03_train_reverse", 100,
       "on the anti-diagonal: ", least, 0.95},
      {"copy, bare attention", task + "copy", 100, match, least, 1},
      {"shift, bare attention", task + "shift", 100, match, least, 1},
      {"sort, 1 block", task + "sort", 1500, match, least, 0.97},
      {"sort, 2 blocks", task + "sort --n_layer 2", 1500, match, least, 0.995},
      {"add, 3 digits", task + "add", 3000, match, least, 0.99},
      {"two relations, 1 head: fails", "08_two_relations --n_head 1", 300, match, most, 0.5},
      {"two relations, 2 heads", "08_two_relations --n_head 2", 300, match, least, 0.99},
      {"induction, 1 layer: fails", task + "induction --n_layer 1", 1500, match, most, 0.5},
      {"induction, 2 layers", task + "induction", 1500, match, least, 0.95},
      {"recall, 1 layer: fails", task + "recall --n_layer 1", 3000, match, most, 0.5},
      {"recall, 2 layers", task + "recall", 3000, match, least, 0.95},
      {"brackets", task + "brackets", 1000, match, least, 0.95},
      {"majority", task + "majority", 500, match, least, 0.95},
      {"first unique", task + "unique", 3000, match, least, 0.95},
      {"long range, attention's worst", "07_long_range", 400, "result: attention_worst = ", least,
       0.99},
      {"long range, recurrent over 64: falls", "07_long_range", 400,
       "result: recurrent_longest = ", most, 0.5},
      {"dates to ISO form", "11_translate", 1000, match, least, 0.99},
  };
  bars.push_back({"names", s.names.empty() ? "" : "10_names --dropout 0 --text '" + s.names + "'",
                  6000, "result: test_loss = ", most, 2.0});
  bars.push_back({"char GPT, Shakespeare",
                  s.text.empty() ? "" : "04_char_model --text '" + s.text + "'", 2000,
                  "result: validation_loss = ", most, 1.9});
  return bars;
}

struct Run {
  std::string out;
  double seconds = 0;
};

Run run_program(const std::string& command, const std::string& folder) {
  const auto start = std::chrono::steady_clock::now();
  const std::string line =
      "cd '" + folder + "' && '" VITRO_EXAMPLES_DIR "'/" + command + " 2>error.txt";
  const auto close = [](std::FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(line.c_str(), "r"), close);
  Run run;
  std::array<char, 4096> buffer{};
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) {
    run.out += buffer.data();
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

std::optional<double> result_of(const Run& run, const std::string& name) {
  const std::size_t at = run.out.find(name);
  if (at == std::string::npos) return std::nullopt;
  double value = 0;
  std::from_chars(run.out.data() + at + name.size(), run.out.data() + run.out.size(), value);
  return value;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

/// Runs each bar with each seed; lines of one command share a run. Returns how many were missed.
Index run_all(const Settings& s, const std::string& folder) {
  std::cout << padded("task", 38) << padded("steps", 7) << padded("bar", 12)
            << "result and seconds with each seed\n"
            << std::flush;
  Index missed = 0;
  std::string last_command;
  std::vector<Run> runs;
  for (const Bar& bar : make_bars(s)) {
    if (!s.only.empty() && bar.name.find(s.only) == std::string::npos) continue;
    const bool is_least = bar.direction == Direction::kAtLeast;
    std::cout << padded(bar.name, 38) << padded(join_text({bar.steps}), 7)
              << padded((is_least ? ">= " : "<= ") + number_text(bar.value, 3), 12) << std::flush;
    if (bar.command.empty()) {
      std::cout << "SKIPPED: no file; see --help\n";
      continue;
    }
    const std::string steps = join_text({" --max_iters ", bar.steps});
    if (bar.command != last_command) runs.clear();
    last_command = bar.command;
    for (Index i = 0; i < s.seed_count; ++i) {
      if (static_cast<Index>(runs.size()) <= i) {
        runs.push_back(
            run_program(bar.command + steps +
                            join_text({" --threads ", s.threads, " --seed ", s.first_seed + i}),
                        folder));
      }
      const Run& run = runs[static_cast<std::size_t>(i)];
      const std::optional<double> value = result_of(run, bar.result);
      const bool is_reached = value && (is_least ? *value >= bar.value : *value <= bar.value);
      missed += is_reached ? 0 : 1;
      std::cout << padded(value ? number_text(*value, 4) : "none", 10) << "("
                << number_text(run.seconds, 1) << " s)" << (is_reached ? "   " : " MISSED   ")
                << std::flush;
    }
    std::cout << "\n" << std::flush;
  }
  return missed;
}

/// How many times faster a GPT of 04's size writes 500 tokens with a cache than without. Throws
/// where the tokens differ.
double cache_speedup(std::uint64_t seed) {
  Rng rng(seed);
  nn::Gpt model(
      {.vocab_size = 65, .block_size = 512, .layer_count = 4, .head_count = 4, .channels = 128},
      rng);
  std::vector<std::vector<Index>> written;
  std::vector<double> seconds;
  for (const nn::Cache cache : {nn::Cache::kNo, nn::Cache::kYes}) {
    Rng draws(seed);
    const auto start = std::chrono::steady_clock::now();
    written.push_back(nn::generate(model, {1}, 500, {}, draws, cache));
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  if (written[0] != written[1]) throw std::logic_error("the cache changed what was written");
  return seconds[0] / seconds[1];
}

/// The table's last line. Returns how many seeds missed.
Index run_cache(const Settings& s) {
  if (!s.only.empty() && s.only != "cache") return 0;
  std::cout << padded("500 tokens with a cache: times faster", 38) << padded("-", 7)
            << padded(">= 5", 12) << std::flush;
  Index missed = 0;
  for (Index i = 0; i < s.seed_count; ++i) {
    const double speedup = cache_speedup(static_cast<std::uint64_t>(s.first_seed + i));
    missed += speedup >= 5 ? 0 : 1;
    std::cout << number_text(speedup, 1) << (speedup >= 5 ? "   " : " MISSED   ") << std::flush;
  }
  std::cout << "\n";
  return missed;
}

int run(CommandLine& line, int argc, const char* const* argv) {
  Settings s;
  line.text("text", s.text, "FILE", "Shakespeare's text, for the character model");
  line.text("names", s.names, "FILE", "makemore's names");
  line.text("only", s.only, "PART", "only tasks with this in their name");
  line.integer("first_seed", s.first_seed, 0, 1'000'000, "the first of the seeds");
  line.integer("seed_count", s.seed_count, 1, 100, "how many seeds");
  line.integer("threads", s.threads, 0, 1024, "0: as many as there are cores");
  if (!line.parse(argc, argv)) return 0;
  namespace fs = std::filesystem;
  for (std::string* path : {&s.text, &s.names}) {
    if (path->empty()) continue;
    if (!fs::exists(*path)) throw std::runtime_error("there is no file '" + *path + "'");
    *path = fs::absolute(*path).string();  // the programs run in a folder of their own
  }
  const fs::path folder = fs::temp_directory_path() / join_text({"vitro-bars-", process_id()});
  fs::create_directories(folder);
  if (s.threads > 0) set_num_threads(s.threads);
  const Index missed = run_all(s, folder.string()) + run_cache(s);
  fs::remove_all(folder);
  if (missed > 0) {
    std::cout << missed << " missed\n";
    return 1;
  }
  std::cout << "all that ran were reached\n";
  return 0;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    CommandLine command_line(kProgram, "what each example must reach, with three seeds.");
    return run(command_line, argc, argv);
  });
}
