// Runs an example program and keeps what it printed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vitro::examples {

struct ProgramRun {
  int exit_code = -1;
  std::string out;
  std::string error;
};

/// `arguments` go through the shell; the program runs inside `folder`.
ProgramRun run_program(const std::string& name, const std::string& arguments,
                       const std::filesystem::path& folder);

/// Starts it, waits until the file `sign` in `folder` holds something, sends the signal, and waits.
ProgramRun interrupt_program(const std::string& name, const std::vector<std::string>& arguments,
                             const std::filesystem::path& folder, const std::string& sign,
                             int signal);

/// A folder of the test's own, empty, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::string file(const std::string& name) const { return (path_ / name).string(); }

  /// How many files and folders are in it.
  int entry_count() const;

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);

}  // namespace vitro::examples
