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
constexpr int64_t kBytesPerThread = 1 << 18;
/// Memory has less to give than there are cores.
constexpr int64_t kMaxThreads = 8;
/// So long a thread looks for what it waits for before it sleeps. Threads of OpenMP look about as long: who sleeps
/// sooner is woken on the core of the one that it is to help, and stays there for milliseconds.
constexpr std::chrono::milliseconds kPatience{5};
/// Parts a thread: what one is kept from doing another takes over.
constexpr int64_t kPartsPerThread = 4;

/// Looks until `ready` or the patience ends. Whoever else has something to do on this core goes first.
template <class Ready>
void look_for(const Ready& ready) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!ready() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

int64_t max_threads() noexcept {
  static const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min(cores, kMaxThreads);
}

/// Work that several threads share. Nobody waits for a helper that the system has not let run yet: it finds nothing
/// left to do, and looks at nothing but this object, which it owns a share of. `work` lives as long as parts are being
/// done.
class SharedWork {
 public:
  SharedWork(int64_t count, int64_t grain, int64_t threads, const std::function<void(int64_t, int64_t)>& work)
      : count_(count),
        threads_(threads),
        range_(ceil_to(grain, count, threads)),
        part_(ceil_to(grain, range_, kPartsPerThread)),
        work_(&work) {
    for (int64_t i = 0; i < threads; ++i) next_[i] = i * range_;
  }

  /// Does the thread's own range first, the same in each call, so that what one call leaves in the core's cache the
  /// next one finds there. Then it helps with those of the others.
  void do_parts(int64_t thread) {
    for (int64_t i = 0; i < threads_; ++i) {
      const int64_t range = (thread + i) % threads_, range_end = std::min((range + 1) * range_, count_);
      for (int64_t begin = 0; (begin = next_[range].fetch_add(part_)) < range_end;) {
        const int64_t end = std::min(begin + part_, range_end);
        (*work_)(begin, end);
        if (done_.fetch_add(end - begin) + end - begin == count_) done_.notify_all();
      }
    }
  }

  void wait() {
    look_for([this] { return done_ == count_; });
    for (int64_t now = done_; now < count_; now = done_) done_.wait(now);
  }

 private:
  /// What each of `shares` gets of `count`, in whole units.
  static int64_t ceil_to(int64_t unit, int64_t count, int64_t shares) noexcept {
    return ((count + shares - 1) / shares + unit - 1) / unit * unit;
  }

  const int64_t count_, threads_, range_, part_;
  const std::function<void(int64_t, int64_t)>* const work_;
  std::atomic<int64_t> next_[kMaxThreads], done_ = 0;
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
      for (; threads_ < count; ++threads_) std::thread([this, own = threads_ + 1] { serve(own); }).detach();
    } catch (const std::system_error&) {  // no more threads to be had: those that there are do it all
    }
    for (int64_t i = 0; i < std::min(count, threads_); ++i) {
      offered_.push_back(work);
      waiting_.store(offered_.size(), std::memory_order_relaxed);
      ready_.notify_one();
    }
  }

 private:
  void serve(int64_t thread) {
    for (;;) {
      // Copies come in a row; to sleep and be woken for each costs more than many of them.
      look_for([this] { return waiting_.load(std::memory_order_relaxed) != 0; });
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [this] { return !offered_.empty(); });
      const std::shared_ptr<SharedWork> work = std::move(offered_.front());
      offered_.pop_front();
      waiting_.store(offered_.size(), std::memory_order_relaxed);
      lock.unlock();
      work->do_parts(thread);
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
  const auto shared = std::make_shared<SharedWork>(count, grain, threads, work);
  Helpers::of_this_process().offer(shared, threads - 1);
  shared->do_parts(0);
  shared->wait();
}

}  // namespace dlport::detail
