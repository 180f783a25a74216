// Runs every recorded case of a folder through Vitro's public functions.
//
//     conformance DIR
//
// DIR/OP__NNN.safetensors are single operations, sub-folders with expected.safetensors are whole
// models. A line for each tensor that differs; an operation that is not known is a failure. Last
// line: "N passed, N failed". Exit status 0 only where all pass, 2 for a wrong call.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/conformance/compare.h"
#include "tests/conformance/model_case.h"
#include "tests/conformance/operations.h"

namespace vitro::conformance {
namespace {

namespace fs = std::filesystem;
using Problems = std::vector<std::string>;

OperationTable all_operations() {
  OperationTable table;
  add_basic_operations(table);
  add_layer_operations(table);
  add_training_operations(table);
  return table;
}

void compare_results(const RecordedCase& recorded, const std::vector<Variable>& results,
                     Problems& problems) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string name = recorded.file.contains("out") ? "out" : join_text({"out.", i});
    if (auto problem = difference(results[i].value(), recorded.file, name)) {
      problems.push_back(*problem);
    }
  }
}

void compare_gradients(const RecordedCase& recorded, const Variable& result, Problems& problems) {
  if (!recorded.file.contains("grad_out")) return;
  result.backward(recorded.file.tensor("grad_out"));
  for (std::size_t i = 0; i < recorded.variables.size(); ++i) {
    const std::string name = join_text({"grad.", i});
    if (!recorded.file.contains(name)) continue;
    if (auto problem = difference(recorded.variables[i].grad(), recorded.file, name)) {
      problems.push_back(*problem);
    }
  }
}

Problems run_operation_case(const fs::path& path, const OperationTable& table, std::string& op) {
  const RecordedCase recorded(path.string());
  op = recorded.op;
  const auto operation = table.find(recorded.op);
  if (operation == table.end()) return {"this operation is not known"};
  const std::vector<Variable> results = operation->second(recorded);
  Problems problems;
  compare_results(recorded, results, problems);
  compare_gradients(recorded, results.front(), problems);
  return problems;
}

// What differs in one case; a thrown error is a difference too.
Problems run_case(const fs::path& path, const OperationTable& table, std::string& op) {
  try {
    if (!fs::is_directory(path)) return run_operation_case(path, table, op);
    op = "model";
    return run_model_case(path.string());
  } catch (const std::exception& error) {
    return {error.what()};
  }
}

bool is_case(const fs::directory_entry& entry) {
  if (entry.is_directory()) return fs::exists(entry.path() / "expected.safetensors");
  return entry.path().extension() == ".safetensors";
}

int run_folder(const std::string& folder) {
  std::vector<fs::path> cases;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_case(entry)) cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  const OperationTable table = all_operations();
  int failed = 0;
  for (const fs::path& path : cases) {
    std::string op = "unknown";
    const Problems problems = run_case(path, table, op);
    for (const std::string& problem : problems) {
      std::printf("%s: %s: %s\n", path.filename().c_str(), op.c_str(), problem.c_str());
    }
    failed += problems.empty() ? 0 : 1;
  }
  std::printf("%zu passed, %d failed\n", cases.size() - static_cast<std::size_t>(failed), failed);
  return failed == 0 && !cases.empty() ? 0 : 1;
}

}  // namespace
}  // namespace vitro::conformance

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: conformance DIR\n");
    return 2;
  }
  try {
    return vitro::conformance::run_folder(arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conformance: %s\n", error.what());
    return 1;
  }
}
