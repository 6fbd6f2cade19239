// The platforms that OpenCL's loader finds.
#pragma once

namespace dlport::drivers::opencl {

/// Opens the libraries of all platforms so that each finds its own symbols first. Their compilers are built on LLVM, as
/// parts of some frameworks are (TensorFlow), and a process that has loaded one of these would bind the compiler to it
/// and crash. OpenCL's loader, which opens them by name afterwards, gets what is open.
void open_vendors() noexcept;

}  // namespace dlport::drivers::opencl
