#include "examples/common/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace vitro::examples {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

}  // namespace

// A signal handler has C's linkage, and may do no more than this.
extern "C" {
static void note_signal(int number) {
  noted_signal = number;
  std::signal(number, SIG_DFL);
}
}

void catch_interrupts() {
  for (const int number : {SIGINT, SIGTERM}) {
    // What was told to ignore a signal, as in the background of a script, goes on ignoring it.
    if (std::signal(number, note_signal) == SIG_IGN) std::signal(number, SIG_IGN);
  }
}

int interrupt_code() { return noted_signal == 0 ? 0 : 128 + noted_signal; }

}  // namespace vitro::examples
