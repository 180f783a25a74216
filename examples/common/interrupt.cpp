#include "examples/common/interrupt.h"

#include <csignal>

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
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
}

int interrupt_code() { return noted_signal == 0 ? 0 : 128 + noted_signal; }

}  // namespace vitro::examples
