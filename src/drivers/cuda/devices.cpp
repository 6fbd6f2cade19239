#include "drivers/cuda/devices.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "dlport/error.hpp"

namespace dlport::drivers::cuda {
namespace {

std::vector<CuDevice> find_devices() {
  int count = 0;
  check(api().DeviceGetCount(&count), "cuDeviceGetCount");
  if (count == 0) throw Error(ErrorCode::not_found, "NVIDIA's driver is there, but no GPU is visible to it");
  std::vector<CuDevice> found;
  for (int index = 0; index < count; ++index) {
    CuDevice device{};
    check(api().DeviceGet(&device.id, index), "cuDeviceGet");
    check(api().DevicePrimaryCtxRetain(&device.context, device.id), "cuDevicePrimaryCtxRetain");
    char name[128] = {};
    check(api().DeviceGetName(name, sizeof(name) - 1, device.id), "cuDeviceGetName");
    device.name = name;
    size_t memory = 0;
    check(api().DeviceTotalMem(&memory, device.id), "cuDeviceTotalMem");
    device.memory = memory;
    int pools = 0;
    check(api().DeviceGetAttribute(&pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device.id),
          "cuDeviceGetAttribute");
    device.has_pools = pools != 0;
    found.push_back(std::move(device));
  }
  return found;
}

}  // namespace

const std::vector<CuDevice>& devices() {
  static const auto* found = new std::vector<CuDevice>(find_devices());  // for ever: memory is freed during shutdown
  return *found;
}

const CuDevice& device_of(DLDevice device) {
  const std::vector<CuDevice>& all = devices();
  const bool host = device.device_type == kDLCUDAHost || device.device_type == kDLCUDAManaged;
  const int32_t last = host ? 1 : static_cast<int32_t>(all.size());
  if ((!host && device.device_type != kDLCUDA) || device.device_id < 0 || device.device_id >= last) {
    throw Error(ErrorCode::not_found, to_string(Device(device)) + " is not one of the cuda driver's: it has " +
                                          std::to_string(all.size()) + " GPUs, cuda_host:0 and cuda_managed:0");
  }
  return all[static_cast<size_t>(device.device_id)];
}

Current::Current(const CuDevice& device) {
  check(api().CtxPushCurrent(device.context), "cuCtxPushCurrent");
}

Current::~Current() {
  CUcontext popped = nullptr;
  api().CtxPopCurrent(&popped);
}

bool enable_peer(const CuDevice& device, const CuDevice& peer) {
  static std::mutex mutex;
  static std::map<std::pair<CUdevice, CUdevice>, bool> known;
  const std::lock_guard lock(mutex);
  if (auto found = known.find({device.id, peer.id}); found != known.end()) return found->second;
  int possible = 0;
  check(api().DeviceCanAccessPeer(&possible, device.id, peer.id), "cuDeviceCanAccessPeer");
  if (possible) {
    const Current current(device);
    const CUresult result = api().CtxEnablePeerAccess(peer.context, 0);
    if (result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) check(result, "cuCtxEnablePeerAccess");
  }
  return known[{device.id, peer.id}] = possible != 0;
}

Allocations& allocations() {
  static auto* instance = new Allocations(/*by_address=*/true);
  return *instance;
}

}  // namespace dlport::drivers::cuda
