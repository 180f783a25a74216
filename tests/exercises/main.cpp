// Grades the exercises and ends with a line such as "4 of 10 solved".
//
//     exercises           status 0 where all are solved
//     exercises --stubs   status 0 where every exercise that is still a stub fails every test
#include <array>
#include <cstddef>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>

namespace {

struct Exercise {
  const char* suite;
  const char* file;     // in examples/exercises/
  const char* chapter;  // in docs/book/
};

constexpr std::array<Exercise, 10> kExercises = {{
    {"Exercise01", "01_unbroadcast.cpp", "03_history_and_gradients.md"},
    {"Exercise02", "02_softplus.cpp", "03_history_and_gradients.md"},
    {"Exercise03", "03_softmax.cpp", "05_learning_to_guess.md"},
    {"Exercise04", "04_attention.cpp", "06_attention.md"},
    {"Exercise05", "05_causal.cpp", "07_order_and_masks.md"},
    {"Exercise06", "06_multi_head_attention.cpp", "08_many_heads.md"},
    {"Exercise07", "07_layer_norm.cpp", "09_the_block.md"},
    {"Exercise08", "08_adam.cpp", "09_the_block.md"},
    {"Exercise09", "09_sample_top_k.cpp", "10_a_model_that_writes.md"},
    {"Exercise10", "10_cached_attention.cpp", "12_cache_rotary_induction.md"},
}};

struct Tally {
  int passed = 0;
  int failed = 0;
};

class Grader : public testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const testing::TestInfo& test) override {
    Tally& tally = tallies_[test.test_suite_name()];
    (test.result()->Passed() ? tally.passed : tally.failed) += 1;
  }

  Tally tally_of(const Exercise& exercise) const {
    const auto found = tallies_.find(exercise.suite);
    return found == tallies_.end() ? Tally{} : found->second;
  }

 private:
  std::map<std::string, Tally> tallies_;
};

bool is_stub(const Exercise& exercise) {
  std::ifstream stream(std::string(VITRO_SOURCE_DIR "/examples/exercises/") + exercise.file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return text.find("not_written_yet(") != std::string::npos;
}

void print_progress(const Grader& grader) {
  int solved = 0;
  std::cout << "\n";
  for (std::size_t i = 0; i < kExercises.size(); ++i) {
    const Exercise& exercise = kExercises[i];
    const Tally tally = grader.tally_of(exercise);
    const bool is_solved = tally.failed == 0 && tally.passed > 0;
    solved += is_solved ? 1 : 0;
    std::cout << (is_solved ? "  solved  " : "  open    ") << (i < 9 ? " " : "") << i + 1 << "  "
              << "examples/exercises/" << exercise.file;
    if (!is_solved) std::cout << "   hint: in the file, and docs/book/" << exercise.chapter;
    std::cout << "\n";
  }
  std::cout << solved << " of " << kExercises.size() << " solved\n";
}

// A test that a stub passes would grade nothing.
int check_stubs(const Grader& grader) {
  int status = 0;
  for (const Exercise& exercise : kExercises) {
    const Tally tally = grader.tally_of(exercise);
    if (!is_stub(exercise)) {
      std::cout << exercise.file << ": somebody solves it here, NOT checked as a stub\n";
    } else if (tally.passed > 0 || tally.failed == 0) {
      std::cout << exercise.file << ": the stub passes " << tally.passed << " tests\n";
      status = 1;
    }
  }
  return status;
}

}  // namespace

int main(int argument_count, char** arguments) {
  testing::InitGoogleTest(&argument_count, arguments);
  const bool checks_stubs = argument_count == 2 && std::string(arguments[1]) == "--stubs";
  Grader* const grader = std::make_unique<Grader>().release();  // GoogleTest owns its listeners
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(grader);
  const int status = RUN_ALL_TESTS();
  print_progress(*grader);
  return checks_stubs ? check_stubs(*grader) : status;
}
