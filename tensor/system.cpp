#include "tensor/system.h"

#ifdef _WIN32
#include <io.h>
#include <process.h>
#else
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace vitro {

#ifdef _WIN32

Index process_id() { return _getpid(); }

bool is_terminal(OutputStream stream) {
  return _isatty(_fileno(stream == OutputStream::kOut ? stdout : stderr)) != 0;
}

bool flush_to_disk(std::FILE* file) {
  return std::fflush(file) == 0 && _commit(_fileno(file)) == 0;
}

void flush_folder_to_disk(const std::string&) {}

void keep_standard_streams() {}  // the C library knows them by other means than numbers

void prefer_large_pages(void*, Index) {}

#else

Index process_id() { return getpid(); }

bool is_terminal(OutputStream stream) {
  return isatty(fileno(stream == OutputStream::kOut ? stdout : stderr)) != 0;
}

bool flush_to_disk(std::FILE* file) { return std::fflush(file) == 0 && fsync(fileno(file)) == 0; }

void flush_folder_to_disk(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);  // some file systems cannot do it for folders: the file is whole all the same
  close(descriptor);
}

// open() takes the lowest free number. Reading from stdout's or writing to stdin's is an error, as
// it was while they were closed.
void keep_standard_streams() {
  for (int number = 0; number <= 2; ++number) {
    if (fcntl(number, F_GETFD) == -1) open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY);
  }
}

void prefer_large_pages([[maybe_unused]] void* start, [[maybe_unused]] Index byte_count) {
#ifdef MADV_HUGEPAGE
  // Advice is given for whole small pages; the system looks for room for large ones by itself.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(start) + page - 1) / page * page;
  const auto end =
      (reinterpret_cast<std::uintptr_t>(start) + static_cast<std::uintptr_t>(byte_count)) / page *
      page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

#endif

}  // namespace vitro
