// "ort" as a device of PyTorch: its allocator, its guard and the hooks through which PyTorch asks about it.
#include "torch/device.hpp"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <utility>

#include "dlport/ort.hpp"
#include "torch/buffer.hpp"
#include "torch/generator.hpp"
#include "torch/pinned.hpp"
#include "torch/pool.hpp"

namespace dlport::pytorch {
namespace {

/// The providers' own count, as PyTorch's interfaces want it.
c10::DeviceIndex count() {
  return static_cast<c10::DeviceIndex>(device_count());
}

thread_local c10::DeviceIndex current = 0;

/// Free and total bytes: the machine's, or those of the limit where that is less.
std::pair<size_t, size_t> memory_info(c10::DeviceIndex index) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t free = page * static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES));
  const size_t total = page * static_cast<size_t>(sysconf(_SC_PHYS_PAGES));
  const size_t limit = pool(index).limit();
  const auto used = static_cast<size_t>(pool(index).stats().allocated_bytes[0].current);
  return {std::min(free, limit - std::min(limit, used)), std::min(total, limit)};
}

/// Memory of the current device's pool, wrapped.
class OrtAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    c10::Storage physical(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes,
                                                                &pool(current), /*resizable=*/true));
    return wrap_data(std::move(physical), c10::Device(kORTDevice, current));
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {
    for (c10::DeviceIndex index = 0; index < count(); ++index) pool(index).empty_cache();
  }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}  // nothing is in use once an operator has returned
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex index) override {
    return pool(index).stats();
  }
  void resetAccumulatedStats(c10::DeviceIndex index) override { pool(index).reset_accumulated_stats(); }
  void resetPeakStats(c10::DeviceIndex index) override { pool(index).reset_peak_stats(); }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) override { return memory_info(index); }
};

OrtAllocator& allocator() {
  static auto* made = new OrtAllocator;
  return *made;
}
/// The stream on which this thread works, by device. The providers at hand run an operator to its end before they
/// return: streams are numbers that programs may tell apart, and all of them are always idle.
thread_local std::array<c10::StreamId, 128> current_streams{};

/// "ort" alone means the current device.
c10::Device with_index(c10::Device device) {
  return device.has_index() ? device : c10::Device(kORTDevice, current);
}

/// When the work before an event was done: all of it, by the time that the event is recorded.
using Moment = std::chrono::steady_clock::time_point;

class OrtGuard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return kORTDevice; }
  c10::Device exchangeDevice(c10::Device device) const override {
    const c10::Device before = getDevice();
    if (device.index() != before.index()) setDevice(device);
    return before;
  }
  c10::Device getDevice() const override { return {kORTDevice, current}; }
  void setDevice(c10::Device device) const override {
    if (device.has_index()) set_device(device.index());
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index()) current = device.index();
  }
  c10::DeviceIndex deviceCount() const noexcept override { return count(); }
  c10::DeviceCapability getDeviceCapability(c10::Device) const override {
    c10::DeviceCapability all_but_quantized;
    for (const auto dtype :
         {c10::kIndex_QInt8, c10::kIndex_QUInt8, c10::kIndex_QInt32, c10::kIndex_QUInt4x2, c10::kIndex_QUInt2x4}) {
      all_but_quantized.capability_data.capability_bits &= ~(uint64_t{1} << dtype);
    }
    return all_but_quantized;
  }

  c10::Stream getStream(c10::Device device) const override {
    const c10::Device one = with_index(device);
    return c10::Stream(c10::Stream::UNSAFE, one, current_streams[static_cast<size_t>(one.index())]);
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, with_index(device));
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    static std::atomic<c10::StreamId> last{0};
    return c10::Stream(c10::Stream::UNSAFE, with_index(device), ++last);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getNewStream(device, 0); }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    const c10::Stream before = getStream(stream.device());
    current_streams[static_cast<size_t>(stream.device_index())] = stream.id();
    return before;
  }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override {}
  void synchronizeDevice(c10::DeviceIndex) const override {}

  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override { delete static_cast<Moment*>(event); }
  void record(void** event, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {
    if (!*event) *event = new Moment;
    *static_cast<Moment*>(*event) = std::chrono::steady_clock::now();
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
  double elapsedTime(void* from, void* to, c10::DeviceIndex) const override {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    return Milliseconds(*static_cast<Moment*>(to) - *static_cast<Moment*>(from)).count();
  }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}
};

class OrtHooks final : public at::PrivateUse1HooksInterface {
 public:
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return device_count() > 0; }
  bool hasPrimaryContext(c10::DeviceIndex index) const override { return index >= 0 && index < device_count(); }
  c10::DeviceIndex deviceCount() const override { return count(); }
  void setCurrentDevice(c10::DeviceIndex index) const override { set_device(index); }
  c10::DeviceIndex getCurrentDevice() const override { return current; }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    const c10::DeviceIndex before = current;
    set_device(index);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
    return index < 0 ? current : exchangeDevice(index);
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override {
    return default_generator(with_index(c10::Device(kORTDevice, index)));
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return new_generator(with_index(c10::Device(kORTDevice, index)));
  }
  c10::Allocator* getPinnedMemoryAllocator() const override { return &pinned_allocator(); }
  bool isPinnedPtr(const void* pointer) const override { return is_pinned(pointer); }
  at::Device getDeviceFromPtr(void*) const override { return {kORTDevice, current}; }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    at::native::resize_bytes_cpu(physical_storage(storage).unsafeGetStorageImpl(), bytes);
    sync_storage(storage);
  }
};

}  // namespace

int device_count() {
  try {
    return static_cast<int>(ort::devices().size());
  } catch (const std::exception&) {  // PyTorch counts devices where it may not throw
    return 0;
  }
}

int current_device() {
  return current;
}

void set_device(int index) {
  const int devices = device_count();
  TORCH_CHECK(index >= 0 && index < devices, "ort:", index, " does not exist: there are ", devices,
              " ort devices; configure it with dlport.ort.set_device");
  current = static_cast<c10::DeviceIndex>(index);
}

std::string device_name(int index) {
  const auto devices = ort::devices();
  TORCH_CHECK(index >= 0 && static_cast<size_t>(index) < devices.size(), "ort:", index, " does not exist: there are ",
              devices.size(), " ort devices");
  return devices[static_cast<size_t>(index)].provider;
}

void register_device() {
  c10::SetAllocator(kORTDevice, &allocator());
  static OrtGuard guard;
  c10::impl::registerDeviceGuard(kORTDevice, &guard);
  static OrtHooks hooks;
  at::RegisterPrivateUse1HooksInterface(&hooks);
}

}  // namespace dlport::pytorch
