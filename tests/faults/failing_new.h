// Memory that is refused on purpose: this program's operator new counts requests, and fails some.
#pragma once

#include "tensor/scalar.h"

namespace vitro::test {

/// Which requests are refused once counting begins.
enum class Refusal {
  kOne,    ///< the n-th alone: whoever asks again gets memory
  kOnward  ///< the n-th and all after it, until the object is gone: the system has none left
};

/// While it lives, requests for memory of all threads are counted from 1, and refused as asked.
/// One at a time.
class FailingNew {
 public:
  FailingNew(Index first_refused, Refusal refusal);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;

  /// Whether a request was refused so far.
  static bool has_refused();
};

}  // namespace vitro::test
