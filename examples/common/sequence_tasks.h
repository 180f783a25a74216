// The tasks of 09_sequence_tasks: made-up sequences, each with its right answer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tensor/indices.h"
#include "tensor/random.h"

#include "examples/common/reverse_task.h"
#include "examples/common/sequence_draws.h"

namespace vitro::examples {

/// What a task is solved with.
enum class TaskModel {
  kBareAttention,  ///< one SelfAttention layer and nothing else: a label for each token
  kEachToken,      ///< an encoder: a label for each token
  kWholeSequence,  ///< an encoder: one label
  kCausal,         ///< a GPT that goes on after the question
};

struct SequenceTask {
  std::string name;
  std::string about;    ///< what is asked, in one line
  std::string symbols;  ///< a letter for each token: symbols[id]
  TaskModel model = TaskModel::kEachToken;
  Index time = 0;                  ///< tokens of an input
  Index question_time = 0;         ///< how many of them are the question
  Index answer_time = 0;           ///< how many tokens of a GPT's own follow it
  Index class_count = 0;           ///< labels
  std::string class_symbols = {};  ///< a letter for each label, where they are not the tokens
  std::function<SequenceExample(Rng&)> draw;
  // What the task needs to reach its bar.
  Index layer_count = 1;
  Index head_count = 1;
  Index channels = 32;
  Index max_iters = 100;
  double learning_rate = 0.01;
  double bar = 1;  ///< share of unseen sequences that must be right throughout
};

/// All of them, in the order in which they are best met.
const std::vector<SequenceTask>& sequence_tasks();

/// Throws std::invalid_argument where there is none of that name.
const SequenceTask& find_sequence_task(const std::string& name);

/// Inputs [batch, time]; targets [batch, time], or [batch] for a label of the whole.
struct SequenceBatch {
  Indices inputs;
  Indices targets;
};

/// Sequences all of one part: see part_of. Throws std::invalid_argument where none can be found.
SequenceBatch draw_sequence_batch(const SequenceTask& task, Part part, Index batch_size, Rng& rng);

/// Rows of one length, [rows, longest]: those that are shorter are filled up.
Indices side_by_side(const std::vector<std::vector<Index>>& rows, Index filling);

/// How many rows of `answers` are right wherever there is a target; both of targets' shape.
Index count_right(const Indices& answers, const Indices& targets);

}  // namespace vitro::examples
