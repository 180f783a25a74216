#include "examples/common/sequence_tasks.h"

#include <algorithm>
#include <utility>

#include "tensor/error.h"

#include "examples/common/sequence_draws.h"

namespace vitro::examples {
namespace {

constexpr const char* kDigits = "0123456789";

SequenceTask bare(const std::string& name, const std::string& about,
                  SequenceExample (*draw)(Rng&)) {
  return {.name = name,
          .about = about,
          .symbols = kDigits,
          .model = TaskModel::kBareAttention,
          .time = 16,
          .question_time = 16,
          .class_count = 10,
          .draw = draw};
}

std::vector<SequenceTask> make_tasks() {
  const std::string letters = "abcdefghijklmnopqrst";
  return {
      bare("copy", "each of 16 digits again", draw_copy),
      bare("reverse", "16 digits, the last one first", draw_reverse),
      bare("shift", "16 digits, each one place to the right, the last to the front", draw_shift),
      {.name = "sort",
       .about = "16 digits in order",
       .symbols = kDigits,
       .time = 16,
       .question_time = 16,
       .class_count = 10,
       .draw = draw_sort,
       .head_count = 2,
       .max_iters = 1500,
       .learning_rate = 0.005,
       .bar = 0.97},
      {.name = "add",
       .about = "the sum of two numbers of three digits, backwards",
       .symbols = "0123456789+=",
       .model = TaskModel::kCausal,
       .time = 11,
       .question_time = 8,
       .answer_time = 4,
       .class_count = 12,
       .draw = draw_addition,
       .layer_count = 2,
       .head_count = 4,
       .channels = 64,
       .max_iters = 3000,
       .learning_rate = 0.003,
       .bar = 0.99},
      {.name = "induction",
       .about = "12 letters, then 5 of them again: what follows each?",
       .symbols = letters,
       .model = TaskModel::kCausal,
       .time = 16,
       .question_time = 13,
       .answer_time = 4,
       .class_count = 20,
       .draw = draw_induction,
       .layer_count = 2,
       .head_count = 2,
       .channels = 64,
       .max_iters = 1500,
       .learning_rate = 0.001,
       .bar = 0.95},
      {.name = "recall",
       .about = "4 letters, each with its digit, then 12 of them: which had this letter?",
       .symbols = "0123456789abcdefghij",
       .model = TaskModel::kCausal,
       .time = 31,
       .question_time = 9,
       .answer_time = 1,
       .class_count = 20,
       .draw = draw_recall,
       .layer_count = 2,
       .head_count = 2,
       .channels = 64,
       .max_iters = 3000,
       .learning_rate = 0.0005,
       .bar = 0.95},
      {.name = "brackets",
       .about = "do these 20 brackets match?",
       .symbols = "()",
       .model = TaskModel::kWholeSequence,
       .time = 20,
       .question_time = 20,
       .class_count = 2,
       .class_symbols = "ny",
       .draw = draw_brackets,
       .layer_count = 2,
       .head_count = 2,
       .max_iters = 1000,
       .learning_rate = 0.003,
       .bar = 0.95},
      {.name = "majority",
       .about = "which of 4 symbols is most frequent among 15?",
       .symbols = "abcd",
       .model = TaskModel::kWholeSequence,
       .time = 15,
       .question_time = 15,
       .class_count = 4,
       .draw = draw_majority,
       .head_count = 2,
       .max_iters = 500,
       .learning_rate = 0.003,
       .bar = 0.95},
      {.name = "unique",
       .about = "the first of 8 digits that comes only once",
       .symbols = "01234567",
       .model = TaskModel::kWholeSequence,
       .time = 8,
       .question_time = 8,
       .class_count = 8,
       .draw = draw_unique,
       .head_count = 2,
       .channels = 64,
       .max_iters = 3000,
       .learning_rate = 0.001,
       .bar = 0.95},
  };
}

}  // namespace

const std::vector<SequenceTask>& sequence_tasks() {
  static const std::vector<SequenceTask> tasks = make_tasks();
  return tasks;
}

const SequenceTask& find_sequence_task(const std::string& name) {
  for (const SequenceTask& task : sequence_tasks()) {
    if (task.name == name) return task;
  }
  throw_invalid({"find_sequence_task: there is no task '", name, "'"});
}

SequenceBatch draw_sequence_batch(const SequenceTask& task, Part part, Index batch_size, Rng& rng) {
  std::vector<Index> inputs;
  std::vector<Index> targets;
  for (Index row = 0, attempt = 0; row < batch_size;) {
    const SequenceExample example = task.draw(rng);
    if (part_of(example.inputs) != part) {
      if (++attempt > 10'000) {  // cannot happen with tasks of this size
        throw_invalid({"draw_sequence_batch: no sequence of this part in 10000 draws"});
      }
      continue;
    }
    inputs.insert(inputs.end(), example.inputs.begin(), example.inputs.end());
    targets.insert(targets.end(), example.targets.begin(), example.targets.end());
    ++row;
    attempt = 0;
  }
  const Shape each{batch_size, task.time};
  const bool is_whole = task.model == TaskModel::kWholeSequence;
  return {Indices(each, std::move(inputs)),
          Indices(is_whole ? Shape{batch_size} : each, std::move(targets))};
}

Indices side_by_side(const std::vector<std::vector<Index>>& rows, Index filling) {
  std::size_t longest = 0;
  for (const std::vector<Index>& row : rows) longest = std::max(longest, row.size());
  std::vector<Index> ids;
  for (const std::vector<Index>& row : rows) {
    ids.insert(ids.end(), row.begin(), row.end());
    ids.insert(ids.end(), longest - row.size(), filling);
  }
  return Indices({static_cast<Index>(rows.size()), static_cast<Index>(longest)}, std::move(ids));
}

Index count_right(const Indices& answers, const Indices& targets) {
  const Index rows = targets.size(0);
  const Index width = targets.element_count() / std::max<Index>(rows, 1);
  Index right = 0;
  for (Index row = 0; row < rows; ++row) {
    bool all = true;
    for (Index i = row * width; i < (row + 1) * width; ++i) {
      all = all && (targets[i] == kNoTarget || answers[i] == targets[i]);
    }
    right += all ? 1 : 0;
  }
  return right;
}

}  // namespace vitro::examples
