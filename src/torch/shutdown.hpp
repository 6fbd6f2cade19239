// The end of the process.
#pragma once

namespace dlport::pytorch {

/// Called by every thread that sets its device through PyTorch's guard: backward threads do so when they start.
void note_thread();

/// Waits until PyTorch's backward threads have let go of the last backward pass. They do so a moment after its caller
/// goes on, and of Python objects with it; a thread that still does while the interpreter ends takes the process down.
/// Does nothing where no backward thread was started. To be called without the GIL.
void finish_backward();

}  // namespace dlport::pytorch
