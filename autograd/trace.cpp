#include "autograd/trace.h"

#include <iostream>
#include <unordered_map>
#include <variant>

#include "tensor/files/atomic_file.h"

#include "autograd/explorer/page.h"
#include "autograd/explorer/recording.h"
#include "autograd/observer.h"
#include "autograd/spelled_out.h"

namespace vitro {

using explorer::Role;

namespace {

constexpr Index kLargeParameter = 2048;    // numbers; see Trace
constexpr Index kMuch = 16 * 1024 * 1024;  // bytes of a page

// "attention.w_q": a parameter's own name below the module that used it first.
std::string full_name(const Node& node) {
  const std::shared_ptr<const std::string>& scope = context().module_path;
  if (node.name.empty() || !node.requires_grad || scope == nullptr || scope->empty()) {
    return node.name;
  }
  return *scope + "." + node.name;
}

}  // namespace

// Turns what happens into a Recording. Nodes are kept, so that no two have the same address.
class Trace::Recorder : public Observer {
 public:
  explicit Recorder(explorer::Recording& recording) : recording_(recording), scope_(*this) {}

  void operation_ends(const std::shared_ptr<Node>& node,
                      const std::vector<Operand>& inputs) override;
  void backward_step_begins(const Node& node, const Tensor& grad) override;
  void contribution(const Contribution& contribution) override;
  void backward_ends() override;
  void parameter_step_ends(const ParameterStep& step) override;

  /// Names that people gave to results after their operations were recorded.
  void take_names();

 private:
  Index tensor_of(const std::shared_ptr<Node>& node);

  explorer::RecordedTensor& tensor(Index number) {
    return recording_.tensors[static_cast<std::size_t>(number)];
  }

  explorer::Recording& recording_;
  std::vector<std::shared_ptr<Node>> nodes_;
  std::unordered_map<const Node*, Index> tensors_;     // numbers in recording_.tensors
  std::unordered_map<const Node*, Index> operations_;  // that made the node
  const SpelledOut spelled_out_;
  const ObserverScope scope_;
};

Trace::Trace(TraceOptions options)
    : recording_(std::make_unique<explorer::Recording>()),
      recorder_(std::make_unique<Recorder>(*recording_)) {
  recording_->options = std::move(options);
}

Trace::~Trace() = default;

void Trace::add_loss(Index step, double loss) { recording_->losses.emplace_back(step, loss); }

void Trace::add_snapshot(Index step, const std::vector<Tensor>& weights) {
  std::vector<explorer::Snapshot>& snapshots = recording_->snapshots;
  const bool is_first = snapshots.empty();
  if (!is_first && snapshots.front().weights.size() != weights.size()) {
    throw_invalid({"Trace::add_snapshot: ", weights.size(), " tensors of weights after ",
                   snapshots.front().weights.size(), " in the first; give as many each time"});
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Shape& shape = weights[i].shape();
    if (shape.rank() >= 2 && (is_first || shape == snapshots.front().weights[i].shape())) continue;
    throw ShapeError({"Trace::add_snapshot: weights of shape ", shape,
                      "; they must be [.., queries, keys], and the same in every snapshot"});
  }
  snapshots.push_back({step, weights});
}

void Trace::stop() {
  if (recorder_ == nullptr) return;
  recorder_->take_names();
  recorder_ = nullptr;
}

std::string Trace::page() {
  stop();
  return explorer::page(*recording_);
}

Index Trace::write(const std::string& path) {
  const std::string text = page();
  const auto size = static_cast<Index>(text.size());
  AtomicFile file("Trace::write", path);
  file.write(text.data(), size);
  file.commit();
  if (size > kMuch) {
    std::cerr << "Trace::write: the page has " << size / (1024 * 1024)
              << " MB; browsers will be slow: record a smaller model or shorter sequences\n";
  }
  return size;
}

Index Trace::Recorder::tensor_of(const std::shared_ptr<Node>& node) {
  const auto next = static_cast<Index>(recording_.tensors.size());
  const auto [place, is_new] = tensors_.emplace(node.get(), next);
  if (!is_new) return place->second;
  const Role role = node->operation != nullptr ? Role::kResult
                    : node->requires_grad      ? Role::kParameter
                                               : Role::kConstant;
  nodes_.push_back(node);
  recording_.tensors.push_back({full_name(*node), role, node->value, Tensor(), false});
  return next;
}

void Trace::Recorder::take_names() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i]->operation != nullptr) recording_.tensors[i].name = nodes_[i]->name;
  }
}

void Trace::Recorder::operation_ends(const std::shared_ptr<Node>& node,
                                     const std::vector<Operand>& inputs) {
  explorer::RecordedOperation operation;
  operation.kind = node->operation;
  for (const Operand& input : inputs) {
    operation.inputs.push_back(tensor_of(input.variable().shared_node()));
  }
  operation.output = tensor_of(node);
  operation.attributes = node->attributes;
  if (node->module_path != nullptr) operation.scope = *node->module_path;
  if (node->file != nullptr) operation.file = node->file;
  operation.line = node->line;
  operations_[node.get()] = static_cast<Index>(recording_.operations.size());
  recording_.operations.push_back(std::move(operation));
}

void Trace::Recorder::backward_step_begins(const Node& node, const Tensor& grad) {
  const auto operation = operations_.find(&node);
  if (operation == operations_.end()) {  // made before the recording began
    recording_.backward.push_back({});
    return;
  }
  explorer::RecordedTensor& result = tensor(tensors_.at(&node));
  result.grad = grad;
  result.has_grad = true;
  recording_.backward.push_back({operation->second, {}});
}

void Trace::Recorder::contribution(const Contribution& contribution) {
  recording_.backward.back().contributions.push_back(
      {contribution.input_number, contribution.gradient});
}

// Leaves have no backward of their own: their gradients are complete now.
void Trace::Recorder::backward_ends() {
  for (const auto& [node, number] : tensors_) {
    if (node->operation != nullptr || !node->has_grad) continue;
    tensor(number).grad = node->grad;
    tensor(number).has_grad = true;
  }
}

void Trace::Recorder::parameter_step_ends(const ParameterStep& step) {
  const auto place = tensors_.find(step.parameter.shared_node().get());
  if (place == tensors_.end()) return;  // no recorded operation used it
  const Index number = place->second;
  tensor(number).name = step.name;
  recording_.parameter_steps.push_back(
      {step.optimizer, number, step.parameter.value(), step.grad, step.settings});
  if (step.before.element_count() > kLargeParameter) {
    explorer::RecordedParameterStep& recorded = recording_.parameter_steps.back();
    if (tensor(number).has_grad) recorded.grad = tensor(number).grad;
    std::erase_if(recorded.settings, [](const Attribute& setting) {
      return std::holds_alternative<Tensor>(setting.value);
    });
  }
  tensors_.erase(place);  // used again, it has a new value
}

}  // namespace vitro
