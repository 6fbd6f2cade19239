#include "core/parallel.hpp"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace dlport::detail {
namespace {

/// A thread costs some 30 µs to start and join, in which another copies this many bytes several times.
constexpr int64_t kBytesPerThread = 4 << 20;
/// Memory has less to give than there are cores.
constexpr int64_t kMaxThreads = 8;

int64_t threads_for(int64_t bytes) noexcept {
  if (bytes < 2 * kBytesPerThread) return 1;
  static const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min({bytes / kBytesPerThread, cores, kMaxThreads});
}

}  // namespace

void parallel_for(int64_t count, int64_t grain, int64_t bytes, const std::function<void(int64_t, int64_t)>& work) {
  const int64_t parts = std::min(threads_for(bytes), (count + grain - 1) / grain);
  if (parts <= 1) return work(0, count);
  const int64_t part = ((count + parts - 1) / parts + grain - 1) / grain * grain;
  std::vector<std::jthread> helpers;
  helpers.reserve(static_cast<size_t>(parts));
  int64_t begin = part;  // the first part is this thread's own
  try {
    for (; begin < count; begin += part) {
      helpers.emplace_back(work, begin, std::min(begin + part, count));
    }
  } catch (const std::system_error&) {  // no more threads to be had: the rest is done here
    work(begin, count);
  }
  work(0, std::min(part, count));
}

}  // namespace dlport::detail
