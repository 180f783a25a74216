#include "tests/random_programs/stream.h"

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace vitro::programs {
namespace {

void append(std::vector<std::uint64_t>& words, const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors) {
    for (const Scalar x : tensor.to_vector()) {
      words.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(x)));
    }
  }
}

std::size_t count_of(const std::vector<std::vector<Bounded>>& lists) {
  std::size_t count = 0;
  for (const std::vector<Bounded>& list : lists) count += list.size();
  return count;
}

}  // namespace

void write_record(std::FILE* file, const Program& program, const Outcome& outcome) {
  std::vector<std::uint64_t> words{fingerprint(program), 0};
  append(words, outcome.values);
  append(words, outcome.gradients);
  words[1] = words.size() - 2;
  if (std::fwrite(words.data(), sizeof words[0], words.size(), file) != words.size()) {
    throw std::runtime_error("random_programs: cannot write a record");
  }
}

Child::Child(const std::string& program, std::uint64_t first, Index count) {
  const std::string command = "'" + program + "' --first " + std::to_string(first) + " --count " +
                              std::to_string(count) + " --stream";
  pipe_.reset(popen(command.c_str(), "r"));
  if (pipe_ == nullptr) throw std::runtime_error("random_programs: cannot start " + program);
}

std::uint64_t Child::read_word() {
  std::uint64_t word = 0;
  if (std::fread(&word, sizeof word, 1, pipe_.get()) != 1) {
    throw std::runtime_error("random_programs: the double program ended early");
  }
  return word;
}

Expected Child::read(const Program& program, const Expected& numbers) {
  const std::uint64_t its_fingerprint = read_word();
  const std::uint64_t count = read_word();
  const std::size_t expected_count = count_of(numbers.values) + count_of(numbers.gradients);
  if (its_fingerprint != fingerprint(program) || count != expected_count) {
    throw std::runtime_error("random_programs: the double program made another program of seed " +
                             std::to_string(program.seed));
  }
  Expected result = numbers;
  for (std::vector<std::vector<Bounded>>* lists : {&result.values, &result.gradients}) {
    for (std::vector<Bounded>& list : *lists) {
      for (Bounded& number : list) {
        number = {std::bit_cast<double>(read_word()), number.error * (1 + 1e-8)};
      }
    }
  }
  return result;
}

bool Child::succeeded() {
  std::FILE* const pipe = pipe_.release();
  return pclose(pipe) == 0;
}

}  // namespace vitro::programs
