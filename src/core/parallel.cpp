#include "core/parallel.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace dlport::detail {
namespace {

/// Waking a helper takes some 10 µs, in which another thread copies about this many bytes.
constexpr int64_t kBytesPerThread = 1 << 20;
/// Memory has less to give than there are cores.
constexpr int64_t kMaxThreads = 8;
/// So long a helper looks for more work before it sleeps.
constexpr std::chrono::microseconds kPatience{100};
/// Parts a thread: what one is kept from doing another takes over.
constexpr int64_t kPartsPerThread = 4;

/// Tells the core that this is a loop that waits.
void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int64_t max_threads() noexcept {
  static const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min(cores, kMaxThreads);
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

/// Threads that wait for work. They are made with the first large copy and end with the process.
class Helpers {
 public:
  /// The helpers of this process: a forked child, which has none of its parent's threads, makes its own.
  static Helpers& of_this_process() {
    static std::atomic<Helpers*> current = nullptr;
    static std::once_flag watched;
    std::call_once(watched, [] { pthread_atfork(nullptr, nullptr, [] { current = nullptr; }); });
    Helpers* helpers = current;
    if (helpers) return *helpers;
    auto made = std::make_unique<Helpers>();
    if (current.compare_exchange_strong(helpers, made.get())) helpers = made.release();
    return *helpers;
  }

  /// Lets up to `count` helpers take part in `work`.
  void offer(const std::shared_ptr<SharedWork>& work, int64_t count) {
    std::lock_guard lock(mutex_);
    try {
      for (; threads_ < count; ++threads_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {  // no more threads to be had: those that there are do it all
    }
    for (int64_t i = 0; i < std::min(count, threads_); ++i) {
      offered_.push_back(work);
      waiting_.store(offered_.size(), std::memory_order_relaxed);
      ready_.notify_one();
    }
  }

 private:
  void serve() {
    for (;;) {
      // Copies come in a row; to sleep and be woken for each costs more than many of them.
      const auto until = std::chrono::steady_clock::now() + kPatience;
      while (waiting_.load(std::memory_order_relaxed) == 0 && std::chrono::steady_clock::now() < until) {
        relax();
      }
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [this] { return !offered_.empty(); });
      const std::shared_ptr<SharedWork> work = std::move(offered_.front());
      offered_.pop_front();
      waiting_.store(offered_.size(), std::memory_order_relaxed);
      lock.unlock();
      work->do_parts();
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::shared_ptr<SharedWork>> offered_;
  std::atomic<size_t> waiting_ = 0;  // the length of offered_
  int64_t threads_ = 0;
};

}  // namespace

void parallel_for(int64_t count, int64_t grain, int64_t bytes, const std::function<void(int64_t, int64_t)>& work) {
  const int64_t threads = std::min({bytes / kBytesPerThread, max_threads(), (count + grain - 1) / grain});
  if (threads <= 1) return work(0, count);
  const int64_t parts = threads * kPartsPerThread;
  auto shared = std::make_shared<SharedWork>();
  shared->count = count;
  shared->part = ((count + parts - 1) / parts + grain - 1) / grain * grain;
  shared->work = &work;
  Helpers::of_this_process().offer(shared, threads - 1);
  shared->do_parts();
  shared->wait();
}

}  // namespace dlport::detail
