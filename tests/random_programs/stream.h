// What the double program tells the float program: the numbers of each program's run, as doubles.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "tests/random_programs/run.h"

namespace vitro::programs {

/// Writes a record: the program's fingerprint, how many numbers follow, and all values and
/// gradients.
void write_record(std::FILE* file, const Program& program, const Outcome& outcome);

/// The records of `program --first FIRST --count COUNT --stream`, which runs meanwhile.
class Child {
 public:
  Child(const std::string& program, std::uint64_t first, Index count);

  /// `numbers` with the double program's in place of the tape's. The bounds grow a little: the
  /// double run may be off as well, by half a billionth of what float may. Throws
  /// std::runtime_error where the record is missing or is that of another program.
  Expected read(const Program& program, const Expected& numbers);

  /// Waits for its end; whether it found no fault of its own.
  bool succeeded();

 private:
  struct Close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };

  std::uint64_t read_word();

  std::unique_ptr<std::FILE, Close> pipe_;
};

}  // namespace vitro::programs
