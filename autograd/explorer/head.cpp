#include "autograd/explorer/head.h"

#include <fstream>
#include <iterator>
#include <set>
#include <variant>

#include "tensor/pictures/glyphs.h"

#include "autograd/explorer/embedded.h"
#include "autograd/explorer/json_text.h"

namespace vitro::explorer {
namespace {

constexpr int kFormat = 1;
constexpr std::size_t kMaxSourceBytes = 200'000;

std::string integer(Index number) { return join_text({number}); }

// Writes attributes; tensors go to the pool.
struct AttributeJson {
  Pool& pool;

  std::string operator()(Index number) const { return integer(number); }

  std::string operator()(double number) const { return json_number(number); }

  std::string operator()(const Shape& shape) const { return json_array(shape.sizes()); }

  std::string operator()(const std::string& text) const { return json_text(text); }

  std::string operator()(const std::vector<Index>& axes) const { return json_array(axes); }

  std::string operator()(const Tensor& tensor) const {
    return JsonList()
        .member("shape", json_array(tensor.shape().sizes()))
        .member("offset", integer(pool.add(tensor)))
        .object();
  }

  std::string operator()(const Indices& ids) const {
    return JsonList()
        .member("shape", json_array(ids.shape().sizes()))
        .member("values", json_array(ids.values()))
        .object();
  }
};

std::string attributes_json(const Attributes& attributes, Pool& pool) {
  JsonList list;
  for (const Attribute& attribute : attributes) {
    list.member(attribute.name, std::visit(AttributeJson{pool}, attribute.value));
  }
  return list.object();
}

const char* role_name(Role role) {
  switch (role) {
    case Role::kParameter:
      return "parameter";
    case Role::kConstant:
      return "constant";
    case Role::kResult:
      return "result";
  }
  return "";
}

std::string tensor_json(const RecordedTensor& tensor, Pool& pool) {
  JsonList list;
  list.member("name", json_text(visible_text(tensor.name)))
      .member("role", json_text(role_name(tensor.role)))
      .member("shape", json_array(tensor.value.shape().sizes()))
      .member("offset", integer(pool.add(tensor.value)));
  if (tensor.has_grad) list.member("grad", integer(pool.add(tensor.grad)));
  return list.object();
}

std::string operation_json(const RecordedOperation& operation, Pool& pool) {
  return JsonList()
      .member("kind", json_text(operation.kind))
      .member("in", json_array(operation.inputs))
      .member("out", integer(operation.output))
      .member("attributes", attributes_json(operation.attributes, pool))
      .member("scope", json_text(operation.scope))
      .member("file", json_text(operation.file))
      .member("line", integer(operation.line))
      .object();
}

std::string contribution_json(const RecordedContribution& contribution, Pool& pool) {
  const Gradient& gradient = contribution.gradient;
  JsonList list;
  list.member("input", integer(contribution.input_number))
      .member("shape", json_array(gradient.tensor.shape().sizes()))
      .member("offset", integer(pool.add(gradient.tensor)));
  if (gradient.is_region) {
    list.member("axis", integer(gradient.axis)).member("start", integer(gradient.start));
  }
  return list.object();
}

std::string backward_json(const RecordedBackward& step, Pool& pool) {
  JsonList contributions;
  for (const RecordedContribution& contribution : step.contributions) {
    contributions.element(contribution_json(contribution, pool));
  }
  return JsonList()
      .member("operation", integer(step.operation))
      .member("contributions", contributions.array())
      .object();
}

std::string parameter_step_json(const RecordedParameterStep& step, Pool& pool) {
  return JsonList()
      .member("kind", json_text(step.optimizer))
      .member("tensor", integer(step.parameter))
      .member("after", integer(pool.add(step.after)))
      .member("grad", integer(pool.add(step.grad)))
      .member("attributes", attributes_json(step.settings, pool))
      .object();
}

// Each label as its bytes and as text that can be seen.
std::string labels_json(const std::vector<std::string>& labels) {
  JsonList list;
  for (const std::string& label : labels) {
    std::string hex;
    for (const char letter : label) hex += hex_text(static_cast<unsigned char>(letter));
    list.element(JsonList()
                     .member("hex", json_text(hex))
                     .member("text", json_text(visible_text(label)))
                     .object());
  }
  return list.array();
}

std::string sources_json(const Recording& recording) {
  std::set<std::string> paths;
  for (const RecordedOperation& operation : recording.operations) paths.insert(operation.file);
  JsonList list;
  for (const std::string& path : paths) {
    const std::string text = source_text(path, recording.options);
    if (!text.empty()) list.member(path, json_text(text));
  }
  return list.object();
}

std::string curve_json(const Recording& recording) {
  std::vector<Index> steps;
  JsonList losses;
  for (const auto& [step, loss] : recording.losses) {
    steps.push_back(step);
    losses.element(json_number(loss));
  }
  return JsonList().member("steps", json_array(steps)).member("losses", losses.array()).object();
}

std::string snapshots_json(const std::vector<Snapshot>& snapshots) {
  std::vector<Index> steps;
  for (const Snapshot& snapshot : snapshots) steps.push_back(snapshot.step);
  JsonList shapes;
  if (!snapshots.empty()) {
    for (const Tensor& weights : snapshots.front().weights) {
      shapes.element(json_array(weights.shape().sizes()));
    }
  }
  return JsonList().member("steps", json_array(steps)).member("shapes", shapes.array()).object();
}

}  // namespace

std::string source_text(const std::string& path, const TraceOptions& options) {
  const std::string_view own = embedded_file(path);
  if (own.data() != nullptr) return std::string(own);
  if (path.empty()) return "";
  for (const std::string& folder : options.source_folders) {
    const bool is_absolute = path.front() == '/';
    std::ifstream file(is_absolute ? path : folder + "/" + path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!text.empty() && text.size() <= kMaxSourceBytes) return text;
  }
  return "";
}

std::string head_json(const Recording& recording, Pool& pool) {
  const TraceOptions& options = recording.options;
  JsonList configuration, tensors, operations, backward, steps;
  for (const auto& [name, value] : options.configuration) {
    configuration.member(visible_text(name), json_text(visible_text(value)));
  }
  for (const RecordedTensor& tensor : recording.tensors) tensors.element(tensor_json(tensor, pool));
  for (const RecordedOperation& operation : recording.operations) {
    operations.element(operation_json(operation, pool));
  }
  for (const RecordedBackward& step : recording.backward) {
    if (step.operation != kNone) backward.element(backward_json(step, pool));
  }
  for (const RecordedParameterStep& step : recording.parameter_steps) {
    steps.element(parameter_step_json(step, pool));
  }
  return JsonList()
      .member("format", integer(kFormat))
      .member("title", json_text(visible_text(options.title)))
      .member("configuration", configuration.object())
      .member("tokens", labels_json(options.tokens))
      .member("classes", labels_json(options.classes))
      .member("tensors", tensors.array())
      .member("operations", operations.array())
      .member("backward", backward.array())
      .member("optimizer", steps.array())
      .member("curve", curve_json(recording))
      .member("snapshots", snapshots_json(recording.snapshots))
      .member("sources", sources_json(recording))
      .member("floats", integer(pool.float_count()))
      .object();
}

}  // namespace vitro::explorer
