#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <system_error>
#include <thread>

namespace dlport::detail {
namespace {

/// A thread costs some 30 µs to start, in which another copies this many bytes several times.
constexpr int64_t kBytesPerThread = 4 << 20;
/// Memory has less to give than there are cores.
constexpr int64_t kMaxThreads = 8;
/// Parts a thread: what one is kept from doing another takes over.
constexpr int64_t kPartsPerThread = 4;

int64_t threads_for(int64_t bytes) noexcept {
  if (bytes < 2 * kBytesPerThread) return 1;
  static const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min({bytes / kBytesPerThread, cores, kMaxThreads});
}

/// Work that several threads share. Nobody waits for a helper that the system has not let run yet: it finds nothing
/// left to do, and looks at nothing but this object, which it owns a share of. `work` lives as long as parts are being
/// done.
struct SharedWork {
  int64_t count, part;
  const std::function<void(int64_t, int64_t)>* work;
  std::atomic<int64_t> next = 0, done = 0;

  void do_parts() {
    for (int64_t begin = 0; (begin = next.fetch_add(part)) < count;) {
      const int64_t end = std::min(begin + part, count);
      (*work)(begin, end);
      if (done.fetch_add(end - begin) + end - begin == count) done.notify_all();
    }
  }

  void wait() {
    for (int64_t now = done; now < count; now = done) done.wait(now);
  }
};

}  // namespace

void parallel_for(int64_t count, int64_t grain, int64_t bytes, const std::function<void(int64_t, int64_t)>& work) {
  const int64_t threads = std::min(threads_for(bytes), (count + grain - 1) / grain);
  if (threads <= 1) return work(0, count);
  const int64_t parts = threads * kPartsPerThread;
  auto shared = std::make_shared<SharedWork>();
  shared->count = count;
  shared->part = ((count + parts - 1) / parts + grain - 1) / grain * grain;
  shared->work = &work;
  try {
    for (int64_t i = 1; i < threads; ++i) std::thread([shared] { shared->do_parts(); }).detach();
  } catch (const std::system_error&) {  // no more threads to be had: those that there are do it all
  }
  shared->do_parts();
  shared->wait();
}

}  // namespace dlport::detail
