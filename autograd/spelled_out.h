// SpelledOut: computing step by step, as the mathematics is written.
#pragma once

namespace vitro {

/// Modules compute several steps at once where that is faster, such as packed_attention. While one
/// of these lives, they take every step on its own on this thread: for traces and for reading.
/// Results agree within rounding.
///     const SpelledOut spelled_out;
class SpelledOut {
 public:
  SpelledOut();
  ~SpelledOut();
  SpelledOut(const SpelledOut&) = delete;
  SpelledOut& operator=(const SpelledOut&) = delete;
};

}  // namespace vitro
