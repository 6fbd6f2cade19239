// Splitting one large piece of work over threads that are started for it: there is no pool that a fork would break.
#pragma once

#include <cstdint>
#include <functional>

namespace dlport::detail {

/// Calls `work(begin, end)` on parts of [0, count) that together make up all of it, on several threads where `bytes`
/// (what the whole of it moves) is worth their start. Parts begin at multiples of `grain`. `work` must not throw.
void parallel_for(int64_t count, int64_t grain, int64_t bytes, const std::function<void(int64_t, int64_t)>& work);

}  // namespace dlport::detail
