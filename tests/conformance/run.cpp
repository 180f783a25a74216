#include "tests/conformance/run.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
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

// The recorded results: "out", or "out.0", "out.1", …
std::vector<std::string> result_names(const SafetensorsFile& file) {
  if (file.contains("out")) return {"out"};
  std::vector<std::string> names;
  for (const SafetensorsEntry& entry : file.entries()) {
    if (entry.name.rfind("out.", 0) == 0) names.push_back(join_text({"out.", names.size()}));
  }
  return names;
}

void compare_results(const RecordedCase& recorded, const std::vector<Variable>& results,
                     Problems& problems) {
  const std::vector<std::string> names = result_names(recorded.file);
  if (names.size() != results.size()) {
    problems.push_back(
        join_text({names.size(), " results are recorded, ", results.size(), " came out"}));
    return;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (auto problem = difference(results[i].value(), recorded.file, names[i])) {
      problems.push_back(*problem);
    }
  }
}

// Whatever has a gradient here must have one in the record: a lost one is no agreement.
void find_missing_gradients(const RecordedCase& recorded, Problems& problems) {
  for (std::size_t input = 0; input < recorded.variables.size(); ++input) {
    const Variable& x = recorded.variables[input];
    const std::string name = join_text({"grad.", input});
    if (x.is_defined() && x.has_grad() && !recorded.file.contains(name)) {
      problems.push_back(name + " came, but none is recorded");
    }
  }
}

void compare_gradients(const RecordedCase& recorded, const Variable& result, Problems& problems) {
  const SafetensorsFile& file = recorded.file;
  if (file.contains("grad_out")) {
    result.backward(file.tensor("grad_out"));
  } else if (result.requires_grad()) {
    problems.push_back("no grad_out is recorded, though the result depends on the inputs");
  }
  find_missing_gradients(recorded, problems);
  for (const SafetensorsEntry& entry : file.entries()) {
    if (entry.name.rfind("grad.", 0) != 0) continue;
    const auto input = static_cast<std::size_t>(std::stoul(entry.name.substr(5)));
    const Variable& x = recorded.x(input);
    if (!x.has_grad()) {
      problems.push_back(entry.name + " is recorded, but no gradient came");
    } else if (auto problem = difference(x.grad(), file, entry.name)) {
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

}  // namespace

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

}  // namespace vitro::conformance
