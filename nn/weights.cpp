#include "nn/weights.h"

#include <set>
#include <string>
#include <vector>

namespace vitro::nn {
namespace {

// Everything that keeps the file's tensors from being the module's parameters; "" where nothing.
std::string differences(const SafetensorsFile& file, const std::vector<NamedParameter>& parameters,
                        const FileNames& names) {
  std::string text;
  std::set<std::string> expected;
  const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  for (const auto& [name, variable] : parameters) {
    const std::string file_name = names.of_parameter(name);
    expected.insert(file_name);
    if (!file.contains(file_name)) {
      add("missing: " + file_name + " " + variable.shape().to_string());
    } else if (file.entry(file_name).shape != variable.shape()) {
      add(join_text({"shape of ", file_name, ": ", file.entry(file_name).shape, " in the file, ",
                     variable.shape(), " in the model"}));
    } else if (!is_float(file.entry(file_name).dtype)) {
      add("type of " + file_name + ": " + dtype_name(file.entry(file_name).dtype) +
          " in the file, floats in the model");
    }
  }
  for (const SafetensorsEntry& entry : file.entries()) {
    if (expected.count(entry.name) == 0 && !names.is_ignored(entry.name)) {
      add("extra: " + entry.name + " " + entry.shape.to_string());
    }
  }
  return text;
}

// Training that diverged leaves NaN behind, and a model with one NaN answers nothing but NaN.
void check_finite(const SafetensorsFile& file, const std::vector<NamedParameter>& parameters,
                  const FileNames& names) {
  for (const auto& [name, variable] : parameters) {
    const std::string file_name = names.of_parameter(name);
    const Index place = file.first_non_finite(file_name);
    if (place < 0) continue;
    throw_invalid({"load_weights: ", file.path(), ": number ", place, " of ", file_name, " ",
                   variable.shape(), " is NaN or infinite; weights must be finite (had the ",
                   "training diverged that saved them?)"});
  }
}

}  // namespace

void save_weights(const std::string& path, const Module& module,
                  const std::map<std::string, std::string>& metadata) {
  std::vector<NamedValues> tensors;
  for (const auto& [name, variable] : module.named_parameters()) {
    tensors.push_back({name, variable.value()});
  }
  write_safetensors(path, tensors, metadata);
}

void load_weights(const std::string& path, const Module& module) {
  load_weights(SafetensorsFile::open(path), module);
}

void load_weights(const SafetensorsFile& file, const Module& module, const FileNames& names) {
  std::vector<NamedParameter> parameters = module.named_parameters();
  const std::string problems = differences(file, parameters, names);
  if (!problems.empty()) {
    throw_invalid({"load_weights: ", file.path(), " does not fit the model: ", problems});
  }
  check_finite(file, parameters, names);  // all of them, before the first is overwritten

  struct Target {
    std::string file_name;
    Scalar* memory;
  };

  std::vector<Target> targets;  // all memory is there before the first is overwritten
  for (auto& [name, variable] : parameters) {
    targets.push_back({names.of_parameter(name), variable.mutable_data()});
  }
  for (const Target& target : targets) file.read_into(target.file_name, target.memory);
}

void load_weights(const SafetensorsFile& file, const Module& module) {
  const FileNames same{[](const std::string& name) { return name; },
                       [](const std::string& name) { return name.starts_with("optimizer."); }};
  load_weights(file, module, same);
}

}  // namespace vitro::nn
