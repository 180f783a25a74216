#include "tests/training_runs/footprint.h"

#include <fstream>
#include <string>
#include <sys/resource.h>

#include "tensor/storage.h"
#include "tensor/tensor.h"

#include "autograd/node.h"

namespace vitro::training_runs {
namespace {

Index mapped_pages() {
  Index pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

// statm's own count is kept a core and may lag; smaps_rollup walks the pages.
Index resident_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  Index kilobytes = 0;
  for (std::string word; file >> word;) {
    if (word == "Rss:") {
      file >> kilobytes;
      break;
    }
  }
  return kilobytes * 1024;
}

}  // namespace

Footprint Footprint::now() {
  const MemoryCounts memory = memory_counts();
  Footprint result;
  result.resident_bytes = training_runs::resident_bytes();
  result.mapped_pages = training_runs::mapped_pages();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  result.page_faults = usage.ru_minflt;
  result.tensor_bytes_in_use = memory.bytes_in_use;
  result.tensor_bytes_kept = memory.bytes_kept;
  result.system_requests = memory.system_requests;
  result.live_nodes = live_node_count();
  result.detaching_copies = detaching_copy_count();
  return result;
}

}  // namespace vitro::training_runs
