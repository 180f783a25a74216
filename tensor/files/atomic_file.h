// AtomicFile: a file that appears whole or not at all.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "tensor/scalar.h"

namespace vitro {

/// Writes beside `path`, under a name of its own, and takes the name `path` at commit(). Whoever
/// reads `path` meanwhile, or after a crash, finds the old file. Without commit() nothing remains.
/// A symbolic link stays one: the file that it points to is replaced.
class AtomicFile {
 public:
  /// `function` opens every error's sentence. Throws FileError (CannotWrite) with the system's
  /// reason where no file can be made there.
  AtomicFile(const char* function, const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(const void* bytes, Index count);

  /// Hands everything to the disk, then renames.
  void commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[noreturn]] void fail(const char* what, int error_number) const;

  const char* function_;
  std::string path_;            // as the caller names it
  std::string target_;          // the same, links followed
  std::string temporary_path_;  // empty once there is nothing to remove
  std::unique_ptr<std::FILE, Close> file_;
};

/// Whether two names, of files that exist or not, lead to one file.
bool same_file(const std::string& a, const std::string& b);

}  // namespace vitro
