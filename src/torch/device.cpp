// "ort" as a device of PyTorch: its allocator, its guard and the hooks through which PyTorch asks about it.
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "dlport/ort.hpp"
#include "torch/device.hpp"
#include "torch/buffer.hpp"
#include "torch/generator.hpp"

namespace dlport::pytorch {
namespace {

/// The providers' own count, as PyTorch's interfaces want it.
c10::DeviceIndex count() { return static_cast<c10::DeviceIndex>(device_count()); }

thread_local c10::DeviceIndex current = 0;

/// Memory of the physical device's allocator, wrapped.
class OrtAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    c10::Storage physical(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes,
                                                                c10::GetCPUAllocator(), /*resizable=*/true));
    return wrap_data(std::move(physical), c10::Device(kORTDevice, current));
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }
};

/// Host memory that answers `is_pinned()` with yes. The device computes on host memory, so that nothing has to be locked
/// for it: being pinned is a matter of bookkeeping, kept because programs ask.
class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    c10::DataPtr data = c10::GetCPUAllocator()->allocate(bytes);
    void* const address = data.get();
    {
      std::lock_guard lock(mutex_);
      blocks_[address] = bytes;
    }
    return {address, new Block{this, std::move(data)}, [](void* context) { delete static_cast<Block*>(context); },
            c10::DeviceType::CPU};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  bool contains(const void* pointer) const {
    std::lock_guard lock(mutex_);
    auto next = blocks_.upper_bound(pointer);
    if (next == blocks_.begin()) return false;
    const auto& [start, bytes] = *std::prev(next);
    return pointer < static_cast<const char*>(start) + bytes;
  }

 private:
  struct Block {
    PinnedAllocator* allocator;
    c10::DataPtr data;
    ~Block() {
      std::lock_guard lock(allocator->mutex_);
      allocator->blocks_.erase(data.get());
    }
  };
  mutable std::mutex mutex_;
  std::map<const void*, size_t> blocks_;  // start and size
};

OrtAllocator allocator;
PinnedAllocator& pinned_allocator() {
  static auto* made = new PinnedAllocator;  // blocks may outlive static objects
  return *made;
}

/// The providers at hand run an operator to its end before they return, so there is one stream and it is always idle.
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

  c10::Stream getStream(c10::Device device) const override { return c10::Stream(c10::Stream::DEFAULT, device); }
  c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
  c10::Stream getNewStream(c10::Device device, int) const override { return getStream(device); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getStream(device); }
  c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override {}
  void synchronizeDevice(c10::DeviceIndex) const override {}

  void destroyEvent(void*, c10::DeviceIndex) const noexcept override {}
  void record(void** event, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {
    static char recorded;  // all that there is to remember of work that is done already
    *event = &recorded;
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
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
    return default_generator(c10::Device(kORTDevice, index < 0 ? current : index));
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return new_generator(c10::Device(kORTDevice, index < 0 ? current : index));
  }
  c10::Allocator* getPinnedMemoryAllocator() const override { return &pinned_allocator(); }
  bool isPinnedPtr(const void* pointer) const override { return pinned_allocator().contains(pointer); }
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

int current_device() { return current; }

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
  c10::SetAllocator(kORTDevice, &allocator);
  static OrtGuard guard;
  c10::impl::registerDeviceGuard(kORTDevice, &guard);
  static OrtHooks hooks;
  at::RegisterPrivateUse1HooksInterface(&hooks);
}

}  // namespace dlport::pytorch
