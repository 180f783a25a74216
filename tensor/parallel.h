// Threads: one pool, and one way to use it.
//
// parallel_for cuts a range into one chunk a thread and returns when all of it is done. A body
// writes only outputs of its own chunk and no sum is ever cut in two, so results have the same bits
// for any number of threads.
#pragma once

#include <algorithm>
#include <limits>

#include "tensor/scalar.h"

namespace vitro {

/// Runs body(chunk_begin, chunk_end) over [begin, end), on several threads where that pays.
///
/// `grain` is the smallest amount of work (in steps of the range) worth a thread of its own: a
/// range of at most `grain` steps runs in place, on the calling thread. So does a parallel_for
/// inside the body of another, and one that starts while another thread uses the pool. What a body
/// throws reaches the caller after all chunks have ended (of several, that of the first chunk).
/// Throws std::invalid_argument where end - begin is no Index, and as thread_count() does.
template <class Body>
void parallel_for(Index begin, Index end, Index grain, const Body& body);

/// The grain of a range whose steps take `work_per_step` each, where less than `work` is not worth
/// a thread of its own.
inline Index grain_for(Index work, Index work_per_step) {
  return std::max<Index>(1, work / std::max<Index>(1, work_per_step));
}

/// The number of threads that share the work, the caller included: set_num_threads, else the
/// environment variable VITRO_NUM_THREADS, else the number of cores.
/// Throws std::invalid_argument where VITRO_NUM_THREADS is asked and no number from 1 to 1024.
Index thread_count();

/// Sets thread_count(); more threads than cores are granted. Throws std::invalid_argument for
/// counts outside 1 .. 1024, std::logic_error inside a parallel_for.
void set_num_threads(Index count);

/// How often work was handed to the pool since the program started: 0 proves that all of it was
/// small enough to run in place.
Index handoff_count();

namespace detail {

/// A body without its type: so the pool is compiled once, not once for each lambda.
struct ChunkCall {
  const void* body;
  void (*call)(const void* body, Index chunk_begin, Index chunk_end);
};

void run_chunks(Index begin, Index end, Index grain, ChunkCall call);

/// Throws std::invalid_argument: end - begin is no Index.
[[noreturn]] void refuse_range(Index begin, Index end);

}  // namespace detail

template <class Body>
void parallel_for(Index begin, Index end, Index grain, const Body& body) {
  if (begin >= end) return;
  if (begin < 0 && end > std::numeric_limits<Index>::max() + begin) {
    detail::refuse_range(begin, end);
  }
  if (end - begin <= grain) {  // small work: a plain call, which the compiler can inline
    body(begin, end);
    return;
  }
  detail::run_chunks(begin, end, grain,
                     {&body, [](const void* erased, Index chunk_begin, Index chunk_end) {
                        (*static_cast<const Body*>(erased))(chunk_begin, chunk_end);
                      }});
}

}  // namespace vitro
