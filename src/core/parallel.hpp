// Splitting one large piece of work over the cores.
#pragma once

#include <cstdint>
#include <functional>

namespace dlport::detail {

/// Calls `work(begin, end)` on parts of [0, count) that together make up all of it, on several threads where `bytes`
/// (what the whole of it moves) is worth waking them. Parts begin at multiples of `grain`. `work` must not throw.
/// Works in a forked child as in its parent.
void parallel_for(int64_t count, int64_t grain, int64_t bytes, const std::function<void(int64_t, int64_t)>& work);

}  // namespace dlport::detail
