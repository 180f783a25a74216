// Program: a list of steps, each an operation of autograd/ops.h on the results of earlier ones.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tensor/indices.h"
#include "tensor/shape.h"

namespace vitro::programs {

/// Numbers with a shape; [0] stands for none. Doubles that float holds exactly.
struct Numbers {
  Shape shape{0};
  std::vector<double> values;
};

/// What an operation needs besides its inputs; each row of the table says what it reads.
struct Settings {
  std::vector<Index> integers = {};
  std::vector<double> numbers = {};
  bool flag = false;
  Indices ids = {};
  Numbers mask = {};
  Numbers bias = {};
};

/// Every number of a value lies between these, whatever rounding does.
struct Range {
  double low = 0;
  double high = 0;

  double size() const { return low < -high ? -low : high; }
};

enum class LeafKind {
  kParameter,  ///< collects gradients
  kConstant,
  kNumber  ///< a plain number where a Variable may stand
};

/// How the numbers of a leaf lie in memory.
enum class Layout { kPlain, kTransposed, kNarrowed, kStretched };

struct Leaf {
  LeafKind kind = LeafKind::kParameter;
  Layout layout = Layout::kPlain;
  std::vector<double> values;
};

struct Step {
  int operation = -1;       // its row in the table; -1: a leaf
  std::vector<int> inputs;  // numbers of earlier steps
  Settings settings;
  Leaf leaf;
  Shape shape;
  Range range;
  bool no_grad = false;    // computed under a NoGrad
  bool contiguous = true;  // so that view() takes it
  bool hidden = false;     // holds -infinity: for softmax alone

  bool is_leaf() const { return operation < 0; }

  bool is_parameter() const { return is_leaf() && leaf.kind == LeafKind::kParameter; }
};

/// The last step is a single number: what backward starts from.
struct Program {
  std::uint64_t seed = 0;
  Index operation_count = 0;  // asked for; 0 where the seed decided
  std::deque<Step> steps;     // where one that is held stays while others are added
};

/// One line a step.
std::string listing(const Program& program);

/// Of the listing and of everything that it leaves out.
std::uint64_t fingerprint(const Program& program);

}  // namespace vitro::programs
