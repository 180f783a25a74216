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

namespace {

// What was told to ignore a signal, as in the background of a script, goes on ignoring it.
void handle_interrupts(void (*handler)(int)) {
  for (const int number : {SIGINT, SIGTERM}) {
    if (std::signal(number, handler) == SIG_IGN) std::signal(number, SIG_IGN);
  }
}

}  // namespace

void catch_interrupts() { handle_interrupts(note_signal); }

void release_interrupts() { handle_interrupts(SIG_DFL); }

int interrupt_code() { return noted_signal == 0 ? 0 : 128 + noted_signal; }

}  // namespace vitro::examples
