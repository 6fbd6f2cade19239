// Feeds the import path managed tensors of arbitrary content. Only two things are kept honest, since no consumer can
// check them: arrays are as long as ndim says, and memory that a copy may read is there.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "dlport/error.hpp"
#include "dlport/exchange.hpp"
#include "dlport/tensor.hpp"

namespace {

using dlport::Error;
using dlport::Tensor;
using dlport::TensorView;

constexpr int64_t kMemory = 4096;
constexpr int64_t kMaxCopy = 1 << 16;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Small numbers mostly, with the edges of int64 among them.
int64_t number(FuzzedDataProvider& data) {
  switch (data.ConsumeIntegralInRange(0, 7)) {
    case 0:
      return data.ConsumeIntegral<int64_t>();
    case 1:
      return int64_t{1} << data.ConsumeIntegralInRange(0, 62);
    case 2:
      return data.PickValueInArray<int64_t>({INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, -1, 0});
    default:
      return data.ConsumeIntegralInRange<int64_t>(-9, 40);
  }
}

std::unique_ptr<int64_t[]> numbers(FuzzedDataProvider& data, int32_t count) {
  auto result = std::make_unique<int64_t[]>(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) result[i] = number(data);
  return result;
}

std::vector<int64_t> few_numbers(FuzzedDataProvider& data) {
  std::vector<int64_t> result(data.ConsumeIntegralInRange<size_t>(0, 6));
  for (int64_t& value : result) value = number(data);
  return result;
}

/// More than a run of the fuzzer has time to copy.
bool is_large(const TensorView& view) {
  return view.numel() > kMaxCopy || view.numel() * view.dtype().itemsize() > kMaxCopy;
}

/// A tensor as a hostile producer might describe it.
struct Fuzzed {
  std::unique_ptr<char[]> memory = std::make_unique<char[]>(kMemory);
  std::unique_ptr<int64_t[]> shape, strides;
  DLTensor tensor{};

  explicit Fuzzed(FuzzedDataProvider& data) {
    tensor.ndim = data.ConsumeBool() ? data.ConsumeIntegralInRange<int32_t>(0, 8) : data.ConsumeIntegral<int32_t>();
    const int32_t entries = tensor.ndim >= 0 && tensor.ndim <= dlport::kMaxNdim ? tensor.ndim : 0;
    shape = numbers(data, entries);
    strides = numbers(data, entries);
    tensor.shape = data.ConsumeIntegralInRange(0, 15) ? shape.get() : nullptr;
    tensor.strides = data.ConsumeIntegralInRange(0, 3) ? strides.get() : nullptr;
    tensor.data = data.ConsumeIntegralInRange(0, 3) ? memory.get() + data.ConsumeIntegralInRange<int64_t>(0, kMemory)
                                                    : reinterpret_cast<void*>(data.ConsumeIntegral<uintptr_t>());
    tensor.byte_offset = static_cast<uint64_t>(data.ConsumeBool() ? 0 : number(data));
    tensor.device = {static_cast<DLDeviceType>(data.ConsumeBool() ? 1 : data.ConsumeIntegral<int32_t>()),
                     data.ConsumeBool() ? 0 : data.ConsumeIntegral<int32_t>()};
    tensor.dtype.code =
        data.ConsumeBool() ? data.ConsumeIntegralInRange<uint8_t>(0, 20) : data.ConsumeIntegral<uint8_t>();
    tensor.dtype.bits =
        data.PickValueInArray<uint8_t>({1, 2, 4, 6, 8, 16, 32, 64, 128, data.ConsumeIntegral<uint8_t>()});
    tensor.dtype.lanes = data.ConsumeBool() ? 1 : data.ConsumeIntegral<uint16_t>();
  }

  /// True where every element of a valid view of this tensor lies in `memory`.
  bool holds(const TensorView& view) const {
    if (!view.device().is_host() || is_large(view)) return false;
    const auto touched = dlport::extent(view.shape(), view.strides());
    const auto base = reinterpret_cast<intptr_t>(memory.get()), first = reinterpret_cast<intptr_t>(view.data());
    if (touched->empty()) return true;
    const __int128 low = first + static_cast<__int128>(touched->low) * view.dtype().itemsize();
    const __int128 high = first + (static_cast<__int128>(touched->high) + 1) * view.dtype().itemsize();
    return low >= base && high <= base + kMemory;
  }
};

/// Runs `work`, which may refuse its input in a sentence.
template <class Work>
void attempt(Work work) {
  try {
    work();
  } catch (const Error& error) {
    require(error.what()[0] != '\0' && error.code() != dlport::ErrorCode::internal);
  }
}

void copy_and_convert(FuzzedDataProvider& data, const Fuzzed& source, const Tensor& tensor) {
  if (!source.holds(tensor)) return;
  attempt([&] { dlport::contiguous_copy(tensor); });
  const dlport::DType to{static_cast<DLDataTypeCode>(data.ConsumeIntegralInRange(0, 17)),
                         data.PickValueInArray({4, 6, 8, 16, 32, 64}), tensor.dtype().lanes};
  attempt([&] { dlport::copy_cast(Tensor::empty(tensor.shape(), to), tensor); });
}

/// Takes views of views with arbitrary arguments; each must stay inside what it was taken from.
void take_views(FuzzedDataProvider& data, const Fuzzed& source, Tensor tensor) {
  const bool held = source.holds(tensor);
  while (data.remaining_bytes() > 0) {
    attempt([&] {
      const int axis = data.ConsumeIntegralInRange(-9, 9);
      switch (data.ConsumeIntegralInRange(0, 6)) {
        case 0:
          tensor = tensor.slice(axis, number(data), number(data), number(data));
          break;
        case 1:
          tensor = tensor.select(axis, number(data));
          break;
        case 2: {
          std::vector<int> axes(data.ConsumeIntegralInRange<size_t>(0, 6));
          for (int& entry : axes) entry = data.ConsumeIntegralInRange(-7, 7);
          tensor = tensor.permute(axes);
          break;
        }
        case 3:
          tensor = tensor.reshape(few_numbers(data));
          break;
        case 4:
          tensor = tensor.broadcast_to(few_numbers(data));
          break;
        case 5:
          tensor = tensor.as_strided(few_numbers(data), few_numbers(data), number(data));
          break;
        default:
          tensor = tensor.on({static_cast<DLDeviceType>(data.ConsumeIntegralInRange(0, 20)), axis});
      }
      dlport::validate(tensor.dltensor(), tensor.flags());
      require(!held || is_large(tensor) || source.holds(tensor));
    });
  }
  if (held) copy_and_convert(data, source, tensor);
}

void use(FuzzedDataProvider& data, const Fuzzed& source, const Tensor& tensor) {
  require(!to_string(tensor).empty());
  (void)tensor.is_contiguous();
  (void)tensor.is_aligned();
  if (tensor.physical_device().is_host()) require(dlport::may_share_memory(tensor, tensor) == (tensor.numel() > 0));
  (void)dlport::may_self_overlap(tensor.shape(), tensor.strides());
  copy_and_convert(data, source, tensor);
  attempt([&] { Tensor::from_managed(tensor.to_managed(data.ConsumeBool())); });
  attempt([&] { Tensor::from_managed_legacy(tensor.to_managed_legacy()); });
  take_views(data, source, tensor);
}

template <class Managed, class Import>
void import_once(FuzzedDataProvider& data, Import import) {
  Fuzzed source(data);
  int deletions = 0;
  Managed managed{};
  managed.manager_ctx = &deletions;
  managed.deleter = [](Managed* self) { ++*static_cast<int*>(self->manager_ctx); };
  managed.dl_tensor = source.tensor;
  if constexpr (requires { managed.version; }) {
    managed.version = {data.ConsumeIntegralInRange<uint32_t>(0, 2), data.ConsumeIntegral<uint32_t>()};
    managed.flags = data.ConsumeBool() ? data.ConsumeIntegralInRange<uint64_t>(0, 7) : data.ConsumeIntegral<uint64_t>();
  }
  attempt([&] { use(data, source, import(&managed)); });
  require(deletions == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  if (data.ConsumeBool()) {
    import_once<DLManagedTensorVersioned>(data, Tensor::from_managed);
  } else {
    import_once<DLManagedTensor>(data, Tensor::from_managed_legacy);
  }
  return 0;
}
