// RunLog: what a training run did, step by step, for other programs to read.
#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tensor/scalar.h"

namespace vitro::examples {

/// Writes one line a step, at once, so that a run can be watched and a crash loses nothing: JSON
/// lines {"step":1,"loss":2.25} (NaN and infinities are null), and the same as CSV.
class RunLog {
 public:
  /// Starts the files anew; an empty name means no such file. `counter` is what is counted. Where a
  /// run was resumed, so that its first step is not 1, the lines of earlier steps stay. Throws
  /// std::runtime_error where one cannot be written, and std::invalid_argument where both have the
  /// same name.
  RunLog(const std::string& jsonl_path, const std::string& csv_path, Index first_step = 1,
         std::string counter = "step");

  using Fields = std::vector<std::pair<std::string, double>>;

  /// Throws std::invalid_argument where the names differ from those of the first line, and
  /// std::runtime_error where the disk takes no more.
  void write(Index step, const Fields& fields);

 private:
  void write_line(std::ofstream& file, const std::string& path, const std::string& line);

  std::string jsonl_path_;
  std::string csv_path_;
  std::string counter_;
  std::ofstream jsonl_;
  std::ofstream csv_;
  bool has_lines_ = false;
  bool needs_heading_ = true;       // of the table
  std::vector<std::string> names_;  // of the first line
};

}  // namespace vitro::examples
