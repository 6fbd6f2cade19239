// The threads in which PyTorch runs backward passes: one a device, started with the first pass.
#pragma once

namespace dlport::pytorch {

/// Called by every thread that sets its device through PyTorch's guard: backward threads do so when they start.
void note_thread();

/// How many devices have a backward thread; INT_MAX before the first pass. A device that is configured later has none.
int backward_devices() noexcept;

/// Waits until the threads have let go of the last pass. They do so a moment after its caller goes on, and of Python
/// objects with it; a thread that still does while the interpreter ends takes the process down. Does nothing where
/// there was no pass. To be called without the GIL.
void finish_backward();

}  // namespace dlport::pytorch
