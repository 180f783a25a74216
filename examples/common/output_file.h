// Files that are written whole or not at all.
#pragma once

#include <string>

namespace vitro::examples {

/// Makes the folder and those above it. Throws std::runtime_error, one line, where it cannot.
void make_folder(const std::string& path);

/// Throws std::runtime_error, one line, where a file of this name can never be written: the folder
/// is missing, or it is a folder itself. `future_folder`, where given, counts as being there
/// already. To be asked before the work that the file is about.
void check_writable(const std::string& path, const std::string& future_folder = "");

/// Makes an unnamed file beside `path` and takes it away: what the system would refuse, it refuses
/// now. Throws FileError, one line.
void try_writing(const std::string& path);

/// The same for a file that will grow line by line; one that is there stays as it is. Throws
/// FileError or std::runtime_error, one line.
void try_appending(const std::string& path);

/// Replaces the file by `text`, whole or not at all (see AtomicFile). Throws FileError.
void write_file(const std::string& path, const std::string& text);

}  // namespace vitro::examples
