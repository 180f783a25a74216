// What the process holds and has asked for: equal before and after steps that leak nothing.
#pragma once

#include "tensor/scalar.h"

namespace vitro::training_runs {

struct Footprint {
  Index tensor_bytes_in_use = 0;
  Index tensor_bytes_kept = 0;
  Index system_requests = 0;  ///< of the buffer cache
  Index live_nodes = 0;
  Index detaching_copies = 0;
  Index mapped_pages = 0;    ///< address space that the system gave to the process
  Index page_faults = 0;     ///< pages that it handed out so far
  Index resident_bytes = 0;  ///< pages that the process holds, counted one by one

  /// Linux only: elsewhere the last three stay 0.
  static Footprint now();
};

}  // namespace vitro::training_runs
