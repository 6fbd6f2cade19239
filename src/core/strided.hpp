// Copying bytes between two layouts of host memory.
#pragma once

#include <functional>

#include "core/loop_nest.hpp"

namespace dlport::detail {

/// Runs `nest`, moving items of the same size on both sides; large ones on several threads. The two sides do not
/// overlap, and no two turns write the same item.
void copy_items(const LoopNest& nest);

/// Calls `work` with parts that make up `nest`, on several threads where `bytes` are worth it.
void split_over_threads(const LoopNest& nest, int64_t bytes, const std::function<void(const LoopNest&)>& work);

/// copy_items, on this thread alone.
void copy_items_here(const LoopNest& nest) noexcept;

}  // namespace dlport::detail
