// weights_hash: trains every model of tests/training_runs/ and prints a hash of the bits of its
// final weights, one line a model.
//
//   weights_hash --threads 3
//   weights_hash --only char_gpt --every_bit    to find where two builds part: diff their output
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "tensor/files/input_file.h"
#include "tensor/matmul.h"
#include "tensor/parallel.h"

#include "autograd/observer.h"

#include "examples/common/command_line.h"
#include "examples/common/run_main.h"

#include "tests/training_runs/bits.h"
#include "tests/training_runs/training_run.h"

namespace vitro::training_runs {
namespace {

constexpr const char* kProgram = "weights_hash";
constexpr int kSkipped = 77;  // the exit code that ctest takes for a test that does not apply

/// Prints a hash of each result, gradient and new weight, in the order of the work.
class EveryBit : public Observer {
 public:
  void operation_ends(const std::shared_ptr<Node>& node,
                      const std::vector<Operand>& /*inputs*/) override {
    std::cout << "  forward  " << described(*node) << " " << bits_hash(node->value) << "\n";
  }

  void contribution(const Contribution& contribution) override {
    if (!contribution.gradient.given) return;
    std::cout << "  backward " << described(contribution.node) << " input "
              << contribution.input_number << " " << bits_hash(contribution.gradient.tensor)
              << "\n";
  }

  void parameter_step_ends(const ParameterStep& step) override {
    std::cout << "  " << step.optimizer << " " << step.name << " "
              << bits_hash(step.parameter.value()) << "\n";
  }

 private:
  static std::string described(const Node& node) {
    return std::string(node.operation) + " at " + node.file + ":" + std::to_string(node.line);
  }
};

struct Settings {
  Index threads = thread_count();
  std::string only;
  std::string compare;
  bool every_bit = false;
};

bool parse(int argc, const char* const* argv, Settings& s) {
  examples::CommandLine line(kProgram, "Trains small models; prints a hash of their weights.");
  line.integer("threads", s.threads, 1, 1024, "threads that share the work");
  line.text("only", s.only, "NAME", "this model alone");
  line.text("compare", s.compare, "PAGE", "fail where the page's table has other hashes");
  line.flag("every_bit", s.every_bit, "also a hash of each result, gradient and new weight");
  if (!line.parse(argc, argv)) return false;
  if (!s.only.empty()) find_run(s.only);  // throws where there is none
  return true;
}

// (1 + e)² - (1 + 2e) is e² where a product is not rounded before the sum, else 0.
bool fuses_multiply_add() {
  const Scalar e = Scalar(1) / (sizeof(Scalar) == 4 ? 1 << 13 : 1 << 27);
  const Tensor rows({1, 2}, {-(1 + 2 * e), 1 + e});
  const Tensor columns({2, 1}, {1, 1 + e});
  return matmul(rows, columns).item() != 0;
}

std::string hash_of(const NamedRun& named, bool every_bit) {
  const std::unique_ptr<TrainingRun> training = named.make();
  EveryBit observer;
  std::optional<ObserverScope> scope;
  if (every_bit) scope.emplace(observer);
  for (Index step = 0; step < named.steps; ++step) training->step();
  return bits_hash(training->model());
}

// The cells of the page's row that starts with `name`, as one text; "" where there is none.
std::string recorded_row(const std::string& page, const std::string& name) {
  std::istringstream lines(read_small_file("--compare", page));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| " + name + " |")) return line;
  }
  return {};
}

int run(int argc, const char* const* argv) {
  Settings s;
  if (!parse(argc, argv, s)) return 0;
  set_num_threads(s.threads);
  if (!s.compare.empty() && !fuses_multiply_add()) {
    std::cout << "no fused multiply-add in this build: its bits are not those of the page\n";
    return kSkipped;
  }
  int code = 0;
  for (const NamedRun& named : all_runs()) {
    if (!s.only.empty() && s.only != named.name) continue;
    const std::string hash = hash_of(named, s.every_bit);
    std::cout << named.name << " " << hash << "\n";
    if (s.compare.empty()) continue;
    const std::string row = recorded_row(s.compare, named.name);
    if (row.find(" " + hash + " ") != std::string::npos) continue;
    std::cerr << kProgram << ": " << s.compare << " has: " << (row.empty() ? "no row" : row)
              << "\n";
    code = 1;
  }
  return code;
}

}  // namespace
}  // namespace vitro::training_runs

int main(int argc, char** argv) {
  return vitro::examples::run_main(vitro::training_runs::kProgram,
                                   [&] { return vitro::training_runs::run(argc, argv); });
}
