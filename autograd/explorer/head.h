// The JSON head of a page: what the recording holds, and where its numbers are.
#pragma once

#include <string>

#include "autograd/explorer/pool.h"
#include "autograd/explorer/recording.h"

namespace vitro::explorer {

/// Puts every tensor into the pool and describes it.
std::string head_json(const Recording& recording, Pool& pool);

/// The text of a file that called operations: from the library's own, or from source_folders.
/// Empty where there is none.
std::string source_text(const std::string& path, const TraceOptions& options);

}  // namespace vitro::explorer
