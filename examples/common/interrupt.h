// Ctrl+C and SIGTERM: finish the step, save, say how to go on.
#pragma once

namespace vitro::examples {

/// From now on the first SIGINT or SIGTERM is only noted; a second one ends the program at once.
void catch_interrupts();

/// They end the program at once again. One that was noted stays noted.
void release_interrupts();

/// The exit code that the noted signal asks for, 130 or 143; 0 where there was none.
int interrupt_code();

}  // namespace vitro::examples
