#include "ort/memory.hpp"

#include <atomic>
#include <utility>
#include <vector>

#include "dlport/error.hpp"
#include "dlport/exchange.hpp"
#include "dlport/ort.hpp"
#include "dlport/ort_session.hpp"
#include "ort/devices.hpp"
#include "ort/element_type.hpp"
#include "ort/environment.hpp"

namespace dlport::ort {
namespace {

std::atomic<uint64_t> copies_made{0};

const OrtMemoryInfo* host_memory() {
  static OrtMemoryInfo* const made = [] {
    OrtMemoryInfo* info = nullptr;
    check(api::CreateCpuMemoryInfo(AllocatorType::device, MemoryType::standard, &info), "memory info");
    return info;
  }();
  return made;
}

const OrtMemoryInfo* memory_info(Device device) {
  if (device.is_host()) return host_memory();
  return api::EpDevice_MemoryInfo(ep_device_on(device), DeviceMemory::standard);
}

/// What keeps an output's memory.
struct HeldValue {
  std::shared_ptr<const void> owner;  // before the value, so that it goes last
  ValueHandle value;
};

struct Block {
  OrtAllocator* allocator;
  void* memory;
  ~Block() {
    if (OrtStatus* refusal = api::AllocatorFree(allocator, memory)) api::ReleaseStatus(refusal);  // nobody to tell
  }
};

template <class T>
void destroy(void* context) {
  delete static_cast<T*>(context);
}

Device device_of(OrtValue* value) {
  const OrtMemoryInfo* info = nullptr;
  check(api::GetTensorMemoryInfo(value, &info), "memory info");
  MemoryDevice kind{};
  api::MemoryInfoGetDeviceType(info, &kind);
  if (kind == MemoryDevice::cpu) return cpu;
  int id = 0;
  check(api::MemoryInfoGetId(info, &id), "memory info");
  for (const DeviceInfo& configured : devices()) {
    if (!configured.physical.is_host() && configured.physical.index() == id) return configured.physical;
  }
  throw Error(ErrorCode::unsupported, "ONNX Runtime returned a tensor in memory that no configured ort device has");
}

}  // namespace

OrtAllocator* host_allocator() {
  static OrtAllocator* const allocator = [] {
    OrtAllocator* found = nullptr;
    check(api::GetAllocatorWithDefaultOptions(&found), "allocator");
    return found;
  }();
  return allocator;
}

OrtValue* make_value(const TensorView& tensor) {
  static char nothing;  // ONNX Runtime wants an address even where there are no elements
  void* data = tensor.dltensor().data ? tensor.data() : &nothing;
  OrtValue* value = nullptr;
  check(api::CreateTensorWithDataAsOrtValue(memory_info(tensor.device()), data, static_cast<size_t>(tensor.nbytes()),
                                            tensor.shape().data(), tensor.shape().size(), element_type(tensor.dtype()),
                                            &value),
        "wrapping a tensor");
  return value;
}

Tensor row_major_copy(const TensorView& tensor) {
  copies_made.fetch_add(1, std::memory_order_relaxed);
  Tensor packed = Tensor::empty(tensor.shape(), tensor.dtype());
  copy_strided(packed, tensor);
  return packed;
}

uint64_t strided_copies() noexcept {
  return copies_made.load(std::memory_order_relaxed);
}

OrtValue* lend(const TensorView& tensor, std::vector<Tensor>& copies) {
  if (is_row_major(tensor)) return make_value(tensor);
  return make_value(copies.emplace_back(row_major_copy(tensor)));
}

TensorFacts::TensorFacts(const OrtValue* value) {
  if (has_api(24)) {
    const int64_t* dims = nullptr;
    size_t ndim = 0;
    check(api::GetTensorElementTypeAndShapeDataReference(value, &element_, &dims, &ndim), "shape");
    shape_ = {dims, ndim};
    return;
  }
  const auto info = create<TensorInfoHandle>(api::GetTensorTypeAndShape, value);
  size_t ndim = 0;
  check(api::GetTensorElementType(info.get(), &element_), "element type");
  check(api::GetDimensionsCount(info.get(), &ndim), "dimensions");
  copied_.resize(ndim);
  check(api::GetDimensions(info.get(), copied_.data(), ndim), "dimensions");
  shape_ = copied_;
}

Tensor take_tensor(ValueHandle value, std::shared_ptr<const void> owner) {
  const TensorFacts facts(value.get());
  if (facts.shape().size() > static_cast<size_t>(kMaxNdim)) {
    throw Error(ErrorCode::unsupported, "ONNX Runtime returned a tensor of " + std::to_string(facts.shape().size()) +
                                            " dimensions, and a tensor has at most " + std::to_string(kMaxNdim));
  }
  void* data = nullptr;
  check(api::GetTensorMutableData(value.get(), &data), "tensor data");
  const Device device = device_of(value.get());
  const DType dtype = dtype_of(facts.element());
  auto* held = new HeldValue{std::move(owner), std::move(value)};
  return Tensor::from_blob(data, facts.shape(), {}, dtype, device, held, destroy<HeldValue>);
}

Tensor empty(Shape shape, DType dtype, int device) {
  const Device memory = device_info(device).physical;
  if (memory.is_host()) return Tensor::empty(shape, dtype).on({kORT, device});
  const auto count = checked_numel(shape);
  if (!count) throw Error(ErrorCode::invalid_argument, dlport::to_string(shape) + " is not a shape");
  OrtAllocator* allocator = nullptr;
  check(api::CreateSharedAllocator(environment(), ep_device(device), DeviceMemory::standard, AllocatorType::device,
                                   nullptr, &allocator),
        "allocator");
  void* memory_block = nullptr;
  check(api::AllocatorAlloc(allocator, static_cast<size_t>((*count * dtype.element_bits() + 7) / 8), &memory_block),
        "allocating device memory");
  return Tensor::from_blob(memory_block, shape, {}, dtype, {kORT, device}, new Block{allocator, memory_block},
                           destroy<Block>);
}

void copy(const TensorView& dst, const TensorView& src) {
  if (dst.device().is_host() && src.device().is_host()) return copy_strided(dst, src);
  const ValueHandle from(make_value(src)), to(make_value(dst));
  const OrtValue* sources[] = {from.get()};
  OrtValue* targets[] = {to.get()};
  check(api::CopyTensors(environment(), sources, targets, nullptr, 1), "copying between devices");
}

}  // namespace dlport::ort
