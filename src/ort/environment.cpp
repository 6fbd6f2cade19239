#include "ort/environment.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "dlport/error.hpp"

namespace dlport::ort {
namespace {

OrtEnv* create_environment() {
  auto options = create<ThreadingOptionsHandle>(api::CreateThreadingOptions);
  // One pool for all sessions: a pool each would make as many threads as there are operators. Its threads sleep while
  // idle, because they share the cores with the framework's own.
  check(api::SetGlobalIntraOpNumThreads(options.get(), static_cast<int>(std::thread::hardware_concurrency())),
        "threads");
  check(api::SetGlobalInterOpNumThreads(options.get(), 1), "threads");
  check(api::SetGlobalSpinControl(options.get(), 0), "threads");
  OrtEnv* environment = nullptr;
  check(api::CreateEnvWithGlobalThreadPools(LoggingLevel::error, "dlport", options.get(), &environment),
        "starting ONNX Runtime");
  return environment;
}

/// A provider's short name: "CPUExecutionProvider" -> "cpu".
std::string short_name(std::string_view provider) {
  constexpr std::string_view suffix = "ExecutionProvider";
  if (provider.ends_with(suffix)) provider.remove_suffix(suffix.size());
  std::string name(provider);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

std::vector<const OrtEpDevice*> ep_devices() {
  const OrtEpDevice* const* all = nullptr;
  size_t count = 0;
  check(api::GetEpDevices(environment(), &all, &count), "listing providers");
  return {all, all + count};
}

const char* hardware_name(HardwareType type) {
  constexpr const char* kNames[] = {"CPU", "GPU", "NPU"};
  return kNames[std::clamp(static_cast<int>(type), 0, 2)];
}

DeviceInfo describe(int index, const OrtEpDevice* device, const Options& options) {
  const HardwareType hardware = api::HardwareDevice_Type(api::EpDevice_Device(device));
  return {index, api::EpDevice_EpName(device), api::EpDevice_EpVendor(device), hardware_name(hardware), cpu, options};
}

struct Configured {
  DeviceInfo info;
  SessionOptionsHandle launch;
};

struct Devices {
  std::mutex mutex;
  std::deque<Configured> list;  // a deque: launch_options() hands out what lies in it
};

SessionOptionsHandle make_launch_options(const DeviceInfo& info) {
  auto options = create<SessionOptionsHandle>(api::CreateSessionOptions);
  check(api::DisablePerSessionThreads(options.get()), "session options");
  check(api::DisableMemPattern(options.get()), "session options");
  check(api::SetSessionLogSeverityLevel(options.get(), 4), "session options");
  if (info.provider == "CPUExecutionProvider") return options;

  std::vector<const OrtEpDevice*> chosen;
  for (const OrtEpDevice* device : ep_devices()) {
    if (api::EpDevice_EpName(device) == info.provider &&
        hardware_name(api::HardwareDevice_Type(api::EpDevice_Device(device))) == info.hardware) {
      chosen.push_back(device);
      break;
    }
  }
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : info.options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  check(api::SessionOptionsAppendExecutionProvider_V2(options.get(), environment(), chosen.data(), chosen.size(),
                                                      keys.data(), values.data(), keys.size()),
        info.provider.c_str());
  return options;
}

DeviceInfo find_provider(int index, std::string_view name, const Options& options) {
  std::string known;
  for (const OrtEpDevice* device : ep_devices()) {
    const std::string provider = api::EpDevice_EpName(device);
    if (provider == name || short_name(provider) == name) return describe(index, device, options);
    const std::string shown = short_name(provider);
    if (known.find(shown) == std::string::npos) known += (known.empty() ? "" : ", ") + shown;
  }
  throw Error(ErrorCode::not_found, "no execution provider is called '" + std::string(name) + "'; there are: " + known +
                                        " (a plugin provider has to be registered first)");
}

Devices& configured_devices() {
  static Devices& devices = *[] {
    auto* made = new Devices;
    DeviceInfo info = find_provider(0, "CPUExecutionProvider", {});
    SessionOptionsHandle launch = make_launch_options(info);
    made->list.push_back({std::move(info), std::move(launch)});
    return made;
  }();
  return devices;
}

Device resolve(int32_t index) {
  Devices& devices = configured_devices();
  std::lock_guard lock(devices.mutex);
  if (index < 0 || static_cast<size_t>(index) >= devices.list.size()) {
    throw Error(ErrorCode::not_found, "ort:" + std::to_string(index) + " is not configured: there are " +
                                          std::to_string(devices.list.size()) + " ort devices; add it with set_device");
  }
  return devices.list[static_cast<size_t>(index)].info.physical;
}

}  // namespace

OrtEnv* environment() {
  static OrtEnv* const made = create_environment();
  return made;
}

const OrtMemoryInfo* host_memory() {
  static OrtMemoryInfo* const made = [] {
    OrtMemoryInfo* info = nullptr;
    check(api::CreateCpuMemoryInfo(AllocatorType::device, MemoryType::standard, &info), "memory info");
    return info;
  }();
  return made;
}

const OrtSessionOptions* launch_options(int device) {
  resolve(device);
  Devices& devices = configured_devices();
  std::lock_guard lock(devices.mutex);
  return devices.list[static_cast<size_t>(device)].launch.get();
}

void set_device(int index, std::string_view provider, const Options& options) {
  Devices& devices = configured_devices();
  DeviceInfo info = find_provider(index, provider, options);
  SessionOptionsHandle launch = make_launch_options(info);
  std::lock_guard lock(devices.mutex);
  if (index < 0 || static_cast<size_t>(index) > devices.list.size()) {
    throw Error(ErrorCode::invalid_argument, "ort:" + std::to_string(index) + " leaves a gap: the next index is " +
                                                 std::to_string(devices.list.size()));
  }
  if (static_cast<size_t>(index) == devices.list.size()) {
    devices.list.push_back({std::move(info), std::move(launch)});
  } else {
    devices.list[static_cast<size_t>(index)] = {std::move(info), std::move(launch)};
  }
}

std::vector<DeviceInfo> devices() {
  Devices& configured = configured_devices();
  std::lock_guard lock(configured.mutex);
  std::vector<DeviceInfo> result;
  for (const Configured& device : configured.list) result.push_back(device.info);
  return result;
}

void register_provider(const std::string& name, const std::string& path) {
  check(api::RegisterExecutionProviderLibrary(environment(), name.c_str(), path.c_str()), "registering a provider");
}

void register_ort_device() {
  register_virtual_device(kORT, "ort", resolve);
}

}  // namespace dlport::ort
