// "ort" as a device of PyTorch: its allocator, its guard and the hooks through which PyTorch asks about it.
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "dlport/ort.hpp"
#include "torch/device.hpp"
#include "torch/buffer.hpp"
#include "torch/generator.hpp"

namespace dlport::pytorch {
namespace {

thread_local c10::DeviceIndex current_device = 0;

c10::DeviceIndex device_count() {
  try {
    return static_cast<c10::DeviceIndex>(ort::devices().size());
  } catch (const std::exception&) {  // PyTorch counts devices where it may not throw
    return 0;
  }
}

void select_device(c10::DeviceIndex index) {
  const c10::DeviceIndex count = device_count();
  TORCH_CHECK(index >= 0 && index < count, "ort:", static_cast<int>(index), " does not exist: there are ",
              static_cast<int>(count), " ort devices; configure it with torch.ort.configure");
  current_device = index;
}

/// Memory of the physical device's allocator, wrapped.
class OrtAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    c10::Storage physical(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes,
                                                                c10::GetCPUAllocator(), /*resizable=*/true));
    return wrap_data(std::move(physical), c10::Device(kORTDevice, current_device));
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }
};

/// The providers at hand run an operator to its end before they return, so there is one stream and it is always idle.
class OrtGuard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return kORTDevice; }
  c10::Device exchangeDevice(c10::Device device) const override {
    const c10::Device before = getDevice();
    if (device.index() != before.index()) setDevice(device);
    return before;
  }
  c10::Device getDevice() const override { return {kORTDevice, current_device}; }
  void setDevice(c10::Device device) const override {
    if (device.has_index()) select_device(device.index());
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index()) current_device = device.index();
  }
  c10::DeviceIndex deviceCount() const noexcept override { return device_count(); }

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
  c10::DeviceIndex deviceCount() const override { return device_count(); }
  void setCurrentDevice(c10::DeviceIndex index) const override { select_device(index); }
  c10::DeviceIndex getCurrentDevice() const override { return current_device; }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    const c10::DeviceIndex before = current_device;
    select_device(index);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
    return index < 0 ? current_device : exchangeDevice(index);
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override {
    return default_generator(c10::Device(kORTDevice, index < 0 ? current_device : index));
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return new_generator(c10::Device(kORTDevice, index < 0 ? current_device : index));
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    at::native::resize_bytes_cpu(physical_storage(storage).unsafeGetStorageImpl(), bytes);
    sync_storage(storage);
  }
};

OrtAllocator allocator;

}  // namespace

void register_device() {
  c10::SetAllocator(kORTDevice, &allocator);
  static OrtGuard guard;
  c10::impl::registerDeviceGuard(kORTDevice, &guard);
  static OrtHooks hooks;
  at::RegisterPrivateUse1HooksInterface(&hooks);
}

}  // namespace dlport::pytorch
