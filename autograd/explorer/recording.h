// Recording: what a trace holds, as plain data.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/node.h"
#include "autograd/trace.h"

namespace vitro::explorer {

inline constexpr Index kNone = -1;

enum class Role { kParameter, kConstant, kResult };

struct RecordedTensor {
  std::string name;  ///< given by people; may be empty
  Role role = Role::kConstant;
  Tensor value;
  Tensor grad;  ///< the whole gradient, where has_grad
  bool has_grad = false;
};

struct RecordedOperation {
  std::string kind;
  std::vector<Index> inputs;  ///< numbers of tensors
  Index output = kNone;
  Attributes attributes;
  std::string scope;  ///< the module's path
  std::string file;
  int line = 0;
};

/// A gradient that flowed from an operation's result to one of its inputs.
struct RecordedContribution {
  Index input_number = 0;  ///< among the operation's inputs
  Gradient gradient;
};

/// One node's backward.
struct RecordedBackward {
  Index operation = kNone;
  std::vector<RecordedContribution> contributions;
};

struct RecordedParameterStep {
  std::string optimizer;
  Index parameter = kNone;
  Tensor after;
  Tensor grad;  ///< what the optimizer saw: clipped, perhaps
  Attributes settings;
};

struct Snapshot {
  Index step = 0;
  std::vector<Tensor> weights;  ///< one for each attention, [.., queries, keys]
};

struct Recording {
  TraceOptions options;
  std::vector<RecordedTensor> tensors;
  std::vector<RecordedOperation> operations;
  std::vector<RecordedBackward> backward;
  std::vector<RecordedParameterStep> parameter_steps;
  std::vector<std::pair<Index, double>> losses;  ///< of training steps
  std::vector<Snapshot> snapshots;
};

}  // namespace vitro::explorer
