#include "ort/devices.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <deque>
#include <mutex>
#include <utility>

#include "dlport/error.hpp"
#include "ort/environment.hpp"

namespace dlport::ort {
namespace {

constexpr std::string_view kCpuProvider = "CPUExecutionProvider";

/// A provider's short name: "CPUExecutionProvider" -> "cpu".
std::string short_name(std::string_view provider) {
  constexpr std::string_view suffix = "ExecutionProvider";
  if (provider.ends_with(suffix)) provider.remove_suffix(suffix.size());
  std::string name(provider);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

std::span<const OrtEpDevice* const> ep_devices() {
  const OrtEpDevice* const* all = nullptr;
  size_t count = 0;
  check(api::GetEpDevices(environment(), &all, &count), "listing providers");
  return {all, count};
}

const char* hardware_name(HardwareType type) {
  constexpr const char* kNames[] = {"CPU", "GPU", "NPU"};
  return kNames[std::clamp(static_cast<int>(type), 0, 2)];
}

/// DLPack's device for the memory that a provider computes on: the host's where it names none of its own.
Device memory_device(const OrtEpDevice* device) {
  const OrtMemoryInfo* memory = api::EpDevice_MemoryInfo(device, DeviceMemory::standard);
  if (!memory) return cpu;
  MemoryDevice kind{};
  api::MemoryInfoGetDeviceType(memory, &kind);
  if (kind == MemoryDevice::cpu) return cpu;
  int id = 0;
  check(api::MemoryInfoGetId(memory, &id), "memory info");
  constexpr struct {
    uint32_t vendor;  // PCI's number
    DLDeviceType type;
  } kVendors[] = {{0x10DE, kDLCUDA}, {0x1002, kDLROCM}, {0x8086, kDLOneAPI}};
  for (const auto& known : kVendors) {
    if (known.vendor == api::MemoryInfoGetVendorId(memory)) return {known.type, id};
  }
  throw Error(ErrorCode::unsupported,
              std::string(api::EpDevice_EpName(device)) + " computes on memory that DLPack has no device type for");
}

bool has_sync_streams(const OrtEpDevice* device) {
  OrtSyncStream* stream = nullptr;
  OrtStatus* refusal = api::CreateSyncStreamForEpDevice(device, nullptr, &stream);
  const SyncStreamHandle made(stream);
  if (refusal) api::ReleaseStatus(refusal);
  return made != nullptr;
}

DeviceInfo describe(int index, const OrtEpDevice* device, const Options& options) {
  return {index,
          api::EpDevice_EpName(device),
          api::EpDevice_EpVendor(device),
          hardware_name(api::HardwareDevice_Type(api::EpDevice_Device(device))),
          memory_device(device),
          has_sync_streams(device),
          options};
}

struct Configured {
  DeviceInfo info;
  const OrtEpDevice* device;
  SessionOptionsHandle launch;
  Target target;
};

struct Devices {
  std::mutex mutex;
  std::deque<Configured> list;      // a deque: what lies in it stays where it is
  std::deque<Configured> replaced;  // kept, because somebody may be compiling with their options
};

/// The targets of the first devices, so that a launch takes no lock; configuration 0 is none.
std::array<std::atomic<Target>, 64> targets{};
static_assert(std::atomic<Target>::is_always_lock_free);

void publish(const Configured& device) {
  const auto index = static_cast<size_t>(device.info.index);
  if (index < targets.size()) targets[index].store(device.target, std::memory_order_release);
}

Target make_target(std::string_view provider) {
  static std::atomic<uint32_t> configurations{1};
  const bool is_cpu = provider == kCpuProvider;
  // Seen of OpenVINO's: float64 results carry float32's error, (1 << 40) + 1 is 1, INT32_MAX > INT32_MAX - 1 is false.
  return {configurations.fetch_add(1), is_cpu, !is_cpu, provider.starts_with("OpenVINOExecutionProvider")};
}

SessionOptionsHandle make_session_options(const OrtEpDevice* device, const Options& options) {
  auto made = create<SessionOptionsHandle>(api::CreateSessionOptions);
  check(api::SetSessionLogSeverityLevel(made.get(), static_cast<int>(LoggingLevel::fatal)), "session options");
  const std::string provider = api::EpDevice_EpName(device);
  if (provider == kCpuProvider) {  // it is there in any case
    if (options.empty()) return made;
    throw Error(ErrorCode::invalid_argument,
                "the CPU's provider takes no options, but was given '" + options.begin()->first + "'");
  }

  std::vector<const char*> keys, values;
  for (const auto& [key, value] : options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  check(api::SessionOptionsAppendExecutionProvider_V2(made.get(), environment(), &device, 1, keys.data(), values.data(),
                                                      keys.size()),
        provider.c_str());
  return made;
}

Configured configure(int index, const OrtEpDevice* device, const Options& options) {
  SessionOptionsHandle launch = make_session_options(device, options);
  use_shared_threads(launch.get());
  check(api::DisableMemPattern(launch.get()), "session options");
  DeviceInfo info = describe(index, device, options);
  const Target target = make_target(info.provider);
  return {std::move(info), device, std::move(launch), target};
}

/// The registered provider libraries that offer no device on this machine.
struct Idle {
  std::mutex mutex;
  std::string names;
};

Idle& idle_providers() {
  static Idle& idle = *new Idle;
  return idle;
}

const OrtEpDevice* find_provider(std::string_view name) {
  std::string known;
  for (const OrtEpDevice* device : ep_devices()) {
    const std::string provider = api::EpDevice_EpName(device);
    const std::string shown = short_name(provider);
    if (provider == name || shown == name) return device;
    if (known.find(shown) == std::string::npos) known += (known.empty() ? "" : ", ") + shown;
  }
  Idle& idle = idle_providers();
  const std::lock_guard lock(idle.mutex);
  const std::string why = idle.names.empty()
                              ? " (a plugin provider has to be registered first)"
                              : " (registered, but without a device for this machine's hardware: " + idle.names + ")";
  throw Error(ErrorCode::not_found,
              "no execution provider is called '" + std::string(name) + "'; there are: " + known + why);
}

Devices& configured_devices() {
  static Devices& devices = *[] {
    auto* made = new Devices;
    made->list.push_back(configure(0, find_provider(kCpuProvider), {}));
    publish(made->list.back());
    register_ort_device();
    return made;
  }();
  return devices;
}

/// Calls `use` with what ort:`index` is, under the lock.
template <class Use>
auto with_device(int index, const Use& use) {
  Devices& devices = configured_devices();
  std::lock_guard lock(devices.mutex);
  if (index < 0 || static_cast<size_t>(index) >= devices.list.size()) {
    throw Error(ErrorCode::not_found, "ort:" + std::to_string(index) +
                                          " is not configured, and the last that is is ort:" +
                                          std::to_string(devices.list.size() - 1) + "; add it with set_device");
  }
  return use(devices.list[static_cast<size_t>(index)]);
}

}  // namespace

SessionOptionsHandle session_options(int device) {
  return with_device(device, [](const Configured& it) { return make_session_options(it.device, it.info.options); });
}

const OrtSessionOptions* launch_options(int device) {
  return with_device(device, [](const Configured& it) { return it.launch.get(); });
}

Target target(int device) {
  if (device >= 0 && static_cast<size_t>(device) < targets.size()) {
    const Target known = targets[static_cast<size_t>(device)].load(std::memory_order_acquire);
    if (known.configuration) return known;
  }
  return with_device(device, [](const Configured& it) { return it.target; });
}

DeviceInfo device_info(int device) {
  return with_device(device, [](const Configured& it) { return it.info; });
}

const OrtEpDevice* ep_device(int device) {
  return with_device(device, [](const Configured& it) { return it.device; });
}

const OrtEpDevice* ep_device_on(Device physical) {
  Devices& devices = configured_devices();
  std::lock_guard lock(devices.mutex);
  for (const Configured& it : devices.list) {
    if (it.info.physical == physical) return it.device;
  }
  throw Error(ErrorCode::unsupported, "no configured ort device computes on " + to_string(physical) +
                                          "; add a provider that does with set_device");
}

void set_device(int index, std::string_view provider, const Options& options) {
  Devices& devices = configured_devices();
  Configured made = configure(index, find_provider(provider), options);
  std::lock_guard lock(devices.mutex);
  if (index < 0 || static_cast<size_t>(index) > devices.list.size()) {
    throw Error(ErrorCode::invalid_argument, "ort:" + std::to_string(index) + " leaves a gap: the next index is " +
                                                 std::to_string(devices.list.size()));
  }
  if (static_cast<size_t>(index) == devices.list.size()) {
    devices.list.push_back(std::move(made));
  } else {
    devices.replaced.push_back(std::exchange(devices.list[static_cast<size_t>(index)], std::move(made)));
  }
  publish(devices.list[static_cast<size_t>(index)]);
}

std::vector<DeviceInfo> devices() {
  Devices& configured = configured_devices();
  std::lock_guard lock(configured.mutex);
  std::vector<DeviceInfo> result;
  for (const Configured& device : configured.list) result.push_back(device.info);
  return result;
}

std::vector<DeviceInfo> available_devices() {
  std::vector<DeviceInfo> result;
  for (const OrtEpDevice* device : ep_devices()) result.push_back(describe(-1, device, {}));
  return result;
}

void register_provider(const std::string& name, const std::string& path) {
  Idle& idle = idle_providers();
  const std::lock_guard lock(idle.mutex);
  const size_t devices = ep_devices().size();
  check(api::RegisterExecutionProviderLibrary(environment(), name.c_str(), path.c_str()), "registering a provider");
  if (ep_devices().size() == devices) idle.names += (idle.names.empty() ? "" : ", ") + name;
}

void register_ort_device() {
  register_virtual_device(kORT, "ort", [](int32_t index) { return device_info(index).physical; });
}

}  // namespace dlport::ort
