#include "torch/fork.hpp"

#include <c10/util/Exception.h>
#include <pthread.h>

#include <atomic>

namespace dlport::pytorch {
namespace {

std::atomic<bool> used{false}, forked{false};

[[maybe_unused]] const int handler = pthread_atfork(nullptr, nullptr, [] { forked = used.load(); });

}  // namespace

void check_not_forked() {
  TORCH_CHECK(!forked.load(std::memory_order_relaxed),
              "the ort device was used before this process was forked, and its threads are gone in the child; use the "
              "'spawn' start method of multiprocessing, or use the device in one of the two processes only");
  if (!used.load(std::memory_order_relaxed)) used = true;
}

bool is_forked() {
  return forked;
}

}  // namespace dlport::pytorch
