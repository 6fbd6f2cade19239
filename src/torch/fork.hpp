// What a forked child may not do.
#pragma once

namespace dlport::pytorch {

/// Marks the device as used, and throws in a child that was forked after it had been used: PyTorch's and ONNX Runtime's
/// threads do not exist there, and waiting for them would never end. Called before anything that may use threads.
void check_not_forked();

/// True where check_not_forked() throws.
bool is_forked();

}  // namespace dlport::pytorch
