#include "examples/common/reverse_task.h"

#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/common/command_line.h"

namespace vitro::examples {
namespace {

using Sequence = std::vector<Index>;

std::vector<Sequence> rows_of(const Indices& batch) {
  std::vector<Sequence> rows;
  for (Index row = 0; row < batch.size(0); ++row) {
    rows.push_back(narrow(batch, 0, row, 1).values());
  }
  return rows;
}

TEST(ReverseTask, TargetsAreInputsBackwards) {
  Rng rng(5);
  const ReverseBatch batch = draw_reverse_batch(Part::kTrain, 7, 5, 3, rng);
  EXPECT_EQ(batch.inputs.shape(), (Shape{7, 5}));
  const std::vector<Sequence> inputs = rows_of(batch.inputs);
  const std::vector<Sequence> targets = rows_of(batch.targets);
  for (std::size_t row = 0; row < 7; ++row) {
    EXPECT_EQ(targets[row], Sequence(inputs[row].rbegin(), inputs[row].rend()));
  }
}

// All 10,000 sequences of four symbols are drawn from again and again: without the split, nearly
// every test sequence would have been trained on.
TEST(ReverseTask, BL88_TrainAndTestShareNoSequence) {
  Rng rng(6);
  std::set<Sequence> trained;
  for (const Sequence& row : rows_of(draw_reverse_batch(Part::kTrain, 40'000, 4, 10, rng).inputs)) {
    trained.insert(row);
  }
  std::set<Sequence> tested;
  for (const Sequence& row : rows_of(draw_reverse_batch(Part::kTest, 8000, 4, 10, rng).inputs)) {
    EXPECT_FALSE(trained.contains(row));
    tested.insert(row);
  }
  // One in eight is for testing.
  EXPECT_GT(trained.size(), 8000u);
  EXPECT_GT(tested.size(), 1000u);
  EXPECT_LT(tested.size(), 1500u);
}

// 729 sequences, all of them drawn: each is in one part and in no other.
TEST(ReverseTask, BL88_AllSequencesOfThreeSymbolsAreSplit) {
  Rng rng(88);
  std::set<Sequence> parts[2];
  for (const Part part : {Part::kTrain, Part::kTest}) {
    for (Sequence& row : rows_of(draw_reverse_batch(part, 20'000, 6, 3, rng).inputs)) {
      EXPECT_EQ(part_of(row), part);
      parts[part == Part::kTest ? 1 : 0].insert(row);
    }
  }
  EXPECT_EQ(parts[0].size() + parts[1].size(), 729U);
  for (const Sequence& row : parts[1]) EXPECT_FALSE(parts[0].contains(row));
  EXPECT_GT(parts[1].size(), 60U);  // an eighth is 91
}

TEST(ReverseTask, EverySymbolIsAsLikelyAtEveryPlace) {
  Rng rng(7);
  std::vector<std::vector<Index>> counts(3, std::vector<Index>(10));
  for (const Sequence& row : rows_of(draw_reverse_batch(Part::kTest, 5000, 3, 10, rng).inputs)) {
    for (std::size_t place = 0; place < 3; ++place) counts[place][row[place]] += 1;
  }
  for (const auto& place : counts) {
    for (const Index count : place) {
      EXPECT_GT(count, 300);  // 500 expected; the split is by a hash, not by any symbol
      EXPECT_LT(count, 700);
    }
  }
}

TEST(ReverseTask, SaysWhereThereAreNoSequences) {
  Rng rng(8);
  EXPECT_THROW(
      {
        draw_reverse_batch(Part::kTest, 1, 1, 1, rng);
        draw_reverse_batch(Part::kTrain, 1, 1, 1, rng);  // the one sequence is in one of the two
      },
      std::invalid_argument);
}

std::string error_of(const std::string& text) {
  try {
    parse_symbols(text, 4, 10);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseSymbols, TakesSymbolsAndRefusesTheRest) {
  EXPECT_EQ(parse_symbols("3 1 4", 4, 10), (Sequence{3, 1, 4}));
  EXPECT_EQ(parse_symbols("  3  1 ", 4, 10), (Sequence{3, 1}));
  EXPECT_EQ(error_of("3 10"), "--ask: '10' is no symbol from 0 to 9");
  EXPECT_EQ(error_of("3 -1"), "--ask: '-1' is no symbol from 0 to 9");
  EXPECT_EQ(error_of("3 1.5"), "--ask: '1.5' is no symbol from 0 to 9");
  EXPECT_EQ(error_of("3,1"), "--ask: '3,1' is no symbol from 0 to 9");
  EXPECT_EQ(error_of("99999999999999999999"),
            "--ask: '99999999999999999999' is no symbol from 0 to 9");
  EXPECT_EQ(error_of("1 2 3 4 5"), "--ask: there are 5 symbols; the model takes 1 to 4");
  EXPECT_EQ(error_of("   "), "--ask: there are 0 symbols; the model takes 1 to 4");
}

TEST(SymbolsText, IsTheInverse) {
  EXPECT_EQ(symbols_text({3, 1, 4}), "3 1 4");
  EXPECT_EQ(symbols_text({}), "");
}

}  // namespace
}  // namespace vitro::examples
