// The tasks: right answers, counted where they should be, and no sequence in both parts.
#include "examples/common/sequence_tasks.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>

#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

#include "autograd/ops.h"

#include "nn/models/generate.h"
#include "nn/optim/accumulate.h"

#include "examples/common/date_pairs.h"

namespace vitro::examples {
namespace {

std::string text_of(const SequenceTask& task, const std::vector<Index>& ids) {
  std::string text;
  for (const Index id : ids) text += id == kNoTarget ? '.' : task.symbols.at(std::size_t(id));
  return text;
}

TEST(SequenceTasks, BL88_NoSequenceIsInBothParts) {
  for (const SequenceTask& task : sequence_tasks()) {
    Rng rng(1);
    std::set<std::vector<Index>> seen[2];
    for (const Part part : {Part::kTrain, Part::kTest}) {
      const SequenceBatch batch = draw_sequence_batch(task, part, 2000, rng);
      ASSERT_EQ(batch.inputs.shape(), Shape({2000, task.time})) << task.name;
      for (Index row = 0; row < 2000; ++row) {
        seen[part == Part::kTest ? 1 : 0].insert(narrow(batch.inputs, 0, row, 1).values());
      }
    }
    for (const auto& sequence : seen[0]) EXPECT_FALSE(seen[1].contains(sequence)) << task.name;
  }
}

TEST(SequenceTasks, BL87_OnlyAnswersCount) {
  Rng rng(2);
  for (const char* name : {"add", "induction", "recall"}) {
    const SequenceTask& task = find_sequence_task(name);
    for (int i = 0; i < 50; ++i) {
      const SequenceExample example = task.draw(rng);
      ASSERT_EQ(example.inputs.size(), example.targets.size());
      for (std::size_t t = 0; t < example.targets.size(); ++t) {
        const bool is_question = static_cast<Index>(t) + 1 < task.question_time;
        if (is_question) {
          EXPECT_EQ(example.targets[t], kNoTarget) << name;
        }
        if (example.targets[t] == kNoTarget) continue;
        if (t + 1 < example.inputs.size()) {
          EXPECT_EQ(example.targets[t], example.inputs[t + 1]);
        }
      }
      EXPECT_NE(example.targets.back(), kNoTarget) << name;
    }
  }
}

// Of each sequence the four answer tokens and nothing else: in the loss, and in its gradient.
TEST(SequenceTasks, BL87_TheLossCountsExactlyTheAnswerTokens) {
  Rng rng(87);
  for (const auto& [name, answers] : {std::pair{"add", 4}, {"induction", 4}, {"recall", 12}}) {
    const SequenceTask& task = find_sequence_task(name);
    const SequenceBatch batch = draw_sequence_batch(task, Part::kTrain, 7, rng);
    EXPECT_EQ(nn::counted_tokens(batch.targets), 7 * answers) << name;
    const Variable logits = parameter(normal({7, task.time, task.class_count}, 0, 1, rng));
    cross_entropy(logits, batch.targets).backward();
    const Tensor sizes = sum(abs(logits.grad()), {-1});  // [7, time]
    for (Index i = 0; i < 7 * task.time; ++i) {
      const bool counts = batch.targets[i] != kNoTarget;
      EXPECT_EQ(sizes.at({i / task.time, i % task.time}) > 0, counts) << name << " " << i;
    }
  }
}

// What a GPT writes on its own from a question of `given` tokens, always the likeliest.
std::vector<Index> written_greedily(nn::Gpt& model, const std::vector<Index>& tokens, Index given) {
  Rng rng(1);
  const std::vector<Index> question(tokens.begin(), tokens.begin() + given);
  return nn::generate(model, question, static_cast<Index>(tokens.size()) - given,
                      {.temperature = 0}, rng);
}

// Exact match is read off one forward with the right answer shown. That equals greedy writing:
// where every shown token is also the likeliest, the model writes just these.
TEST(SequenceTasks, BL87_ExactMatchIsThatOfGreedyWriting) {
  Rng rng(88);
  nn::Gpt model(
      {.vocab_size = 3, .block_size = 8, .layer_count = 1, .head_count = 2, .channels = 8}, rng);
  for (Variable parameter : model.parameters()) {
    parameter.set_value(uniform(parameter.shape(), -1, 1, rng));
  }
  model.eval();
  Index right = 0;
  for (Index i = 0; i < 300; ++i) {
    std::vector<Index> tokens;  // a question of 4, an answer of 2
    for (int t = 0; t < 6; ++t) tokens.push_back(rng.below(3));
    const Indices inputs({1, 5}, {tokens.begin(), tokens.end() - 1});
    const Indices targets({1, 5}, {kNoTarget, kNoTarget, kNoTarget, tokens[4], tokens[5]});
    const bool is_right = count_right(argmax(model(inputs).value(), -1), targets) == 1;
    EXPECT_EQ(is_right, written_greedily(model, tokens, 4) == tokens);
    right += is_right ? 1 : 0;
  }
  EXPECT_GT(right, 10);
  EXPECT_LT(right, 290);
}

TEST(SequenceTasks, AnswersAreRight) {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const SequenceTask& add = find_sequence_task("add");
    const SequenceExample sum = add.draw(rng);
    const std::string question = text_of(add, sum.inputs);
    std::string answer = text_of(add, sum.targets).substr(7);
    std::reverse(answer.begin(), answer.end());
    EXPECT_EQ(std::stoi(answer), std::stoi(question.substr(0, 3)) + std::stoi(question.substr(4)))
        << question;

    const SequenceTask& recall = find_sequence_task("recall");
    const SequenceExample pairs = recall.draw(rng);
    for (std::size_t t = 8; t < pairs.inputs.size(); t += 2) {
      const auto at = std::find(pairs.inputs.begin(), pairs.inputs.begin() + 8, pairs.inputs[t]);
      EXPECT_EQ(pairs.targets[t], *(at + 1));
    }

    const SequenceExample unique = find_sequence_task("unique").draw(rng);
    const auto count = [&](Index id) {
      return std::count(unique.inputs.begin(), unique.inputs.end(), id);
    };
    const auto first = std::find_if(unique.inputs.begin(), unique.inputs.end(),
                                    [&](Index id) { return count(id) == 1; });
    EXPECT_EQ(unique.targets[0], *first);
  }
}

// Half of the brackets match, and counting alone does not tell.
TEST(SequenceTasks, BracketsAreBalancedInHalfOfTheCases) {
  Rng rng(4);
  const SequenceTask& task = find_sequence_task("brackets");
  int matching = 0;
  for (int i = 0; i < 1000; ++i) {
    const SequenceExample example = task.draw(rng);
    int depth = 0;
    bool matches = true;
    for (const Index bracket : example.inputs) {
      depth += bracket == 0 ? 1 : -1;
      matches = matches && depth >= 0;
    }
    EXPECT_EQ(depth, 0);
    EXPECT_EQ(example.targets[0], matches ? 1 : 0);
    matching += matches ? 1 : 0;
  }
  EXPECT_NEAR(matching, 545, 60);  // half, and 1/11 of the other half by chance
}

TEST(SequenceTasks, CountRightWantsEveryCountedTarget) {
  const Indices targets({3, 2}, {1, kNoTarget, 1, 2, 3, 4});
  EXPECT_EQ(count_right(Indices({3, 2}, {1, 9, 1, 2, 3, 5}), targets), 2);
  EXPECT_EQ(count_right(Indices({2}, {1, 2}), Indices({2}, {1, 3})), 1);
}

TEST(DatePairs, CoverTwoCenturiesOnceInOnePart) {
  Rng rng(1);
  const auto train = date_pairs(Part::kTrain, rng);
  const auto test = date_pairs(Part::kTest, rng);
  EXPECT_EQ(train.size() + test.size(), 73049u);  // 1900 is no leap year, 2000 is one
  std::set<std::string> seen;
  for (const auto* part : {&train, &test}) {
    for (const auto& [source, target] : *part) {
      EXPECT_TRUE(seen.insert(target).second) << target;
      EXPECT_EQ(target.size(), 10u);
      EXPECT_NE(source.find(target.substr(0, 4)), std::string::npos) << source << " " << target;
    }
  }
  EXPECT_TRUE(seen.contains("2000-02-29"));
  EXPECT_FALSE(seen.contains("1900-02-29"));
}

}  // namespace
}  // namespace vitro::examples
