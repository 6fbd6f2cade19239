/// Drivers in C++: which there are, memory on any device, and moving tensors between any two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dlport/device.hpp"
#include "dlport/driver.h"
#include "dlport/export.h"
#include "dlport/tensor.hpp"

namespace dlport {

/// One device of a driver.
struct DeviceEntry {
  Device device;
  std::string driver;  ///< the driver's name
  dlport_device_properties properties;
};

/// A driver that was left out.
struct RejectedDriver {
  std::string source;  ///< its path, or the name of a built-in one
  std::string reason;  ///< a sentence
};

/// Every device of every driver: built in ("cpu", "opencl", "cuda"), from DLPORT_DRIVER_PATH, and loaded or registered
/// since. Opens the runtimes that the built-in drivers need; those that are missing have no devices. Thread-safe, as is
/// all of this header.
DLPORT_API std::vector<DeviceEntry> list_devices();

/// The names of the drivers that were accepted, in the order in which a device is looked for.
DLPORT_API std::vector<std::string> list_drivers();

/// What was left out so far, and why: plugins of DLPORT_DRIVER_PATH, and built-in drivers whose runtime is missing.
DLPORT_API std::vector<RejectedDriver> rejected_drivers();

/// Loads the driver in the shared library at `path`, tried out in a child process first, so that one that crashes,
/// hangs or exits takes nobody down. Returns its name; a path loaded before gives the same again. Throws
/// Error{not_found} where there is no such library, Error{device} with the reason where it cannot be used.
DLPORT_API std::string load_driver(const std::string& path);

/// Adds a driver of this process; `table` lives as long as the process. Throws Error{device} as load_driver does.
DLPORT_API void register_driver(const dlport_driver* table);

/// The table of the driver that serves `device` (a virtual one is resolved), or null. The driver of a device type is
/// opened when one of its devices is first asked for.
DLPORT_API const dlport_driver* find_driver(Device device);

/// As find_driver; throws Error{not_found} that says what there is.
DLPORT_API const dlport_driver& driver_for(Device device);

/// The table of the driver of that name. Throws Error{not_found} naming those that there are.
DLPORT_API const dlport_driver& driver_named(std::string_view name);

/// Throws what `status` of a call to `driver` says: Error of the same code with the driver's own sentence.
DLPORT_API void check(const dlport_driver& driver, dlport_status status);

/// A shared handle to a stream of a device; the last reference destroys it, after its work.
class DLPORT_API Stream {
 public:
  /// A new stream of `device`. Throws Error{not_found} where no driver serves it.
  explicit Stream(Device device);
  Device device() const noexcept;
  dlport_stream handle() const noexcept;
  /// Waits for everything enqueued so far; throws Error{device} where any of it failed.
  void synchronise() const;

  struct State;
  const std::shared_ptr<State>& state() const noexcept { return state_; }  ///< for the library itself

 private:
  std::shared_ptr<State> state_;
};

/// A point in a stream. Not copyable.
class DLPORT_API Event {
 public:
  explicit Event(Device device);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  /// Marks the end of what `stream` has been given so far.
  void record(const Stream& stream);
  /// Holds what `stream` is given from now on until the event has been reached.
  void wait(const Stream& stream) const;
  void synchronise() const;
  /// Seconds on the device's own clock from `start` to this event; waits for both.
  double seconds_since(const Event& start) const;
  dlport_event handle() const noexcept { return handle_; }

 private:
  Device device_;
  const dlport_driver* driver_;
  dlport_event handle_ = nullptr;
};

/// An argument of a launch.
class Argument {
 public:
  Argument(const TensorView& tensor) noexcept : tensor_(tensor.dltensor()), is_tensor_(true) {}  // NOLINT: lending
  Argument(const Tensor& tensor) noexcept : Argument(tensor.view()) {}                           // NOLINT: lending
  /// A scalar or structure, passed by value; it has to outlive the launch call.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  Argument(const T& value) noexcept : value_(&value), size_(sizeof(T)) {}  // NOLINT: lending
  /// The bytes of a scalar or structure; they have to outlive the launch call.
  explicit Argument(std::span<const std::byte> value) noexcept : value_(value.data()), size_(value.size()) {}
  dlport_argument lend() const noexcept { return {is_tensor_ ? &tensor_ : nullptr, value_, size_}; }

 private:
  DLTensor tensor_{};
  bool is_tensor_ = false;
  const void* value_ = nullptr;
  size_t size_ = 0;
};

/// Work items in up to three directions, and of a group (0: the driver's choice).
struct Grid {
  uint64_t global[3] = {1, 1, 1};
  uint64_t local[3] = {0, 0, 0};
  uint32_t shared_memory = 0;
};

/// A computation of a device, ready to launch. Not copyable; launches are thread-safe.
class DLPORT_API Operator {
 public:
  /// `code` is in the device's operator_format; empty asks for one that the driver has under `name`.
  /// Throws Error{invalid_argument} with the compiler's log, Error{not_found} for a name that is not there.
  Operator(Device device, const std::string& name, std::string_view code = {}, const std::string& options = {});
  ~Operator();
  Operator(Operator&& other) noexcept;
  Operator& operator=(Operator&&) = delete;
  /// Without a stream the work is done when this returns. Arguments have to be on the operator's device.
  void launch(std::span<const Argument> arguments, const Grid& grid, const Stream* stream = nullptr) const;

 private:
  Device device_;
  const dlport_driver* driver_;
  dlport_operator handle_ = nullptr;
};

/// A function that the cpu driver offers as an operator. The launch and what it points to are the caller's. What it
/// throws becomes the launch's error.
using HostFunction = std::function<void(const dlport_launch&)>;

/// Makes `function` the cpu driver's operator `name`; replaces an earlier one for operators created from now on.
DLPORT_API void register_host_operator(const std::string& name, HostFunction function);

/// Uninitialised row-major memory of `device`, which may be virtual. With a stream, the memory is given and (once the
/// last reference is gone) taken back in the order of the stream.
/// Throws Error{not_found} without a driver, Error{invalid_argument} for a bad shape or dtype, Error{out_of_memory}.
DLPORT_API Tensor empty(Shape shape, DType dtype, Device device, const Stream* stream = nullptr, uint64_t flags = 0);

/// Copies every element of `src` to `dst`: the same shape, any strides, any two devices. The dtype is the same too,
/// unless both are in host memory: there elements convert as copy_cast() does. Takes the shortest way: within a driver
/// directly or between peers, otherwise through host memory, in chunks (pinned where a side has it). With a stream (of
/// the device that is not the host, `dst`'s where both are not) a direct copy may still be under way when this returns;
/// one through the host is done. Host memory and both tensors have to live until then. A `dst` with gaps between its
/// elements is read and written back whole where the device cannot copy rows. Throws Error{invalid_argument} where
/// shape or dtype differ, `dst` is read-only or the two overlap, and what copy_cast() does.
DLPORT_API void copy(const TensorView& dst, const TensorView& src, const Stream* stream = nullptr);

/// A row-major copy of `tensor` in fresh memory of `device`.
DLPORT_API Tensor copied_to(const Tensor& tensor, Device device, const Stream* stream = nullptr);

/// A row-major copy of `tensor` beside it: on its own device, in "cpu" memory where it is in host memory of any kind.
DLPORT_API Tensor copied(const Tensor& tensor);

/// `tensor` on `device`: itself where its memory is there already (under the virtual name where `device` is virtual),
/// otherwise a copy as copied_to() makes it.
DLPORT_API Tensor to(const Tensor& tensor, Device device, const Stream* stream = nullptr);

/// Notes that `stream` works on memory made by empty(): it is taken back only behind the work that `stream` has by
/// then. copy() and Operator::launch do this by themselves. Memory of other origin is its owner's business.
DLPORT_API void record_stream(const TensorView& tensor, const Stream& stream);

/// DLPack's rule for a producer: makes what has been enqueued on the stream that last used `tensor` visible to
/// `consumer`, a stream handle of the tensor's device, by an event; without one, by waiting.
DLPORT_API void make_ready(const TensorView& tensor, dlport_stream consumer = nullptr);

}  // namespace dlport
