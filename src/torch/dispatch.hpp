// The one way by which an operator on ort tensors is carried out: its lowering on ONNX Runtime, else the native kernel.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dlport::pytorch {

/// What to do with an operator that has no lowering (the environment's DLPORT_FALLBACK).
enum class Fallback { native, warn, error };

void set_fallback(Fallback fallback);
Fallback fallback();

/// Which of the operators that have a lowering run on ONNX Runtime (the environment's DLPORT_LOWERING): those whose
/// native kernel is not known to be faster, all, or none. Fallback::error implies all.
enum class LoweringMode { automatic, always, never };

void set_lowering(LoweringMode mode);
LoweringMode lowering();

/// Whether a native kernel may do in one piece what else is composed of several operators on ort:`index`.
bool may_take_one_piece(int index);

/// Calls of one operator since the last reset.
struct Calls {
  uint64_t lowered = 0, native = 0;
};

/// By operator, "aten::add.Tensor" and so on; operators without calls are left out.
std::map<std::string, Calls> calls();
void reset_calls();

/// Registers the dispatch function for every operator that has a CPU kernel, and as the device's fallback.
void register_operators();

}  // namespace dlport::pytorch
