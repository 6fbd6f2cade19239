// Which drivers there are, and which of them serves a device.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>

#include "dlport/driver.hpp"
#include "dlport/error.hpp"
#include "drivers/builtin.hpp"
#include "drivers/inspect.hpp"
#include "drivers/status.hpp"

namespace dlport {
namespace {

using drivers::kBuiltins;

struct Accepted {
  const dlport_driver* table;
  std::vector<dlport_device_properties> devices;
};

/// Opened by need: the host's driver at once, another built-in one when a device of its types is asked for, plugins
/// when no built-in one serves the device. A failure is remembered and not tried again.
class Registry {
 public:
  Registry() { open_builtin(0); }

  static Registry& get() {
    static auto* registry = new Registry;  // lives for ever: tensors are freed during shutdown
    return *registry;
  }

  const dlport_driver* find(Device device) {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < std::size(kBuiltins); ++i) {
      if (std::ranges::find(kBuiltins[i].types, device.type()) != kBuiltins[i].types.end()) open_builtin(i);
    }
    if (const dlport_driver* found = find_accepted(device)) return found;
    open_plugins();
    return find_accepted(device);
  }

  /// Opens everything there is; the lock is held while `look` reads.
  template <class Look>
  auto with_all(const Look& look) {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < std::size(kBuiltins); ++i) open_builtin(i);
    open_plugins();
    return look(accepted_, rejected_);
  }

  std::string load(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return load_locked(path);
  }

  void add(const dlport_driver* table) {
    const std::lock_guard lock(mutex_);
    accept(table);
  }

 private:
  const dlport_driver* find_accepted(Device device) const {
    for (const Accepted& driver : accepted_) {
      for (const dlport_device_properties& entry : driver.devices) {
        if (Device(entry.device) == device) return driver.table;
      }
    }
    return nullptr;
  }

  /// Takes a driver in, or throws the reason not to.
  void accept(const dlport_driver* table) {
    drivers::Inspection found = drivers::inspect(table);
    for (const Accepted& other : accepted_) {
      if (other.table == table) return;
      if (std::string_view(other.table->name) == table->name) {
        throw Error(ErrorCode::device, std::string("there is a driver named '") + table->name + "' already");
      }
    }
    for (const dlport_device_properties& entry : found.devices) {
      const Device device = entry.device;
      const dlport_driver* owner = find_accepted(device);
      for (const drivers::Builtin& builtin : kBuiltins) {
        if (!owner && std::string_view(builtin.name) != table->name &&
            std::ranges::find(builtin.types, device.type()) != builtin.types.end()) {
          throw Error(ErrorCode::device, to_string(device) + " belongs to the built-in driver '" + builtin.name + "'");
        }
      }
      if (owner) {
        throw Error(ErrorCode::device, to_string(device) + " is served by the driver '" + owner->name + "' already");
      }
    }
    accepted_.push_back({table, std::move(found.devices)});
  }

  void open_builtin(size_t index) {
    if (opened_[index]) return;
    opened_[index] = true;
    const drivers::Builtin& builtin = kBuiltins[index];
    try {
      accept(builtin.table());
      if (accepted_.back().devices.empty())
        rejected_.push_back({builtin.name, drivers::last_error_of(*builtin.table())});
    } catch (const Error& error) {
      rejected_.push_back({builtin.name, error.what()});
    }
  }

  std::string load_locked(const std::string& path) {
    if (auto found = loaded_.find(path); found != loaded_.end()) return found->second->name;
    try {
      drivers::try_plugin_out(path);
      const dlport_driver* table = drivers::open_plugin(path);
      accept(table);
      loaded_.emplace(path, table);
      return table->name;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::not_found) throw;
      throw Error(error.code(), "the driver at '" + path + "' is left out: " + error.what());
    }
  }

  /// What DLPORT_DRIVER_PATH names, separated by colons, once.
  void open_plugins() {
    if (plugins_opened_) return;
    plugins_opened_ = true;
    const char* variable = std::getenv("DLPORT_DRIVER_PATH");
    std::istringstream paths(variable ? variable : "");
    for (std::string path; std::getline(paths, path, ':');) {
      if (path.empty()) continue;
      try {
        load_locked(path);
      } catch (const Error& error) {
        rejected_.push_back({path, error.what()});
      }
    }
  }

  std::mutex mutex_;
  std::vector<Accepted> accepted_;
  std::vector<RejectedDriver> rejected_;
  std::map<std::string, const dlport_driver*> loaded_;
  bool opened_[std::size(kBuiltins)] = {};
  bool plugins_opened_ = false;
};

}  // namespace

std::vector<DeviceEntry> list_devices() {
  return Registry::get().with_all([](const auto& accepted, const auto&) {
    std::vector<DeviceEntry> entries;
    for (const Accepted& driver : accepted) {
      for (const auto& properties : driver.devices) {
        entries.push_back({properties.device, driver.table->name, properties});
      }
    }
    return entries;
  });
}

std::vector<std::string> list_drivers() {
  return Registry::get().with_all([](const auto& accepted, const auto&) {
    std::vector<std::string> names;
    for (const Accepted& driver : accepted) names.emplace_back(driver.table->name);
    return names;
  });
}

std::vector<RejectedDriver> rejected_drivers() {
  return Registry::get().with_all([](const auto&, const auto& rejected) { return rejected; });
}

std::string load_driver(const std::string& path) {
  return Registry::get().load(path);
}

void register_driver(const dlport_driver* table) {
  Registry::get().add(table);
}

const dlport_driver* find_driver(Device device) {
  device = physical(device);
  static const dlport_driver* const host = drivers::cpu_driver();  // always there, and asked for most
  return device == cpu ? host : Registry::get().find(device);
}

const dlport_driver& driver_for(Device device) {
  if (const dlport_driver* found = find_driver(device)) return *found;
  std::string message = "no driver serves " + to_string(device) + "; there are";
  for (const DeviceEntry& entry : list_devices()) message += " " + to_string(entry.device);
  for (const RejectedDriver& left_out : rejected_drivers()) message += "; " + left_out.source + ": " + left_out.reason;
  throw Error(ErrorCode::not_found, message);
}

const dlport_driver& driver_named(std::string_view name) {
  return *Registry::get().with_all([&](const auto& accepted, const auto&) {
    std::string names;
    for (const Accepted& driver : accepted) {
      if (driver.table->name == name) return driver.table;
      names += std::string(names.empty() ? "" : ", ") + driver.table->name;
    }
    throw Error(ErrorCode::not_found, "there is no driver named '" + std::string(name) + "', only " + names);
  });
}

void check(const dlport_driver& driver, dlport_status status) {
  if (status == DLPORT_OK) return;
  std::string sentence = drivers::last_error_of(driver);
  if (sentence.empty())
    sentence = "the driver '" + std::string(driver.name) + "' failed with status " + std::to_string(status);
  throw Error(drivers::code_of(status), sentence);
}

}  // namespace dlport
