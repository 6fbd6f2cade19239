// Streams are command queues, events are markers in them.
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "drivers/handles.hpp"
#include "drivers/opencl/devices.hpp"
#include "drivers/opencl/functions.hpp"
#include "drivers/status.hpp"

namespace dlport::drivers::opencl {
namespace {

/// A reference to a cl_event.
class Marker {
 public:
  Marker() noexcept = default;
  explicit Marker(cl_event owned) noexcept : event_(owned) {}
  Marker(Marker&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Marker& operator=(Marker&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Marker() {
    if (event_) api().ReleaseEvent(event_);
  }
  Marker share() const {
    if (event_) check(api().RetainEvent(event_), "clRetainEvent");
    return Marker(event_);
  }
  explicit operator bool() const noexcept { return event_ != nullptr; }
  const cl_event* get() const noexcept { return &event_; }

 private:
  cl_event event_ = nullptr;
};

struct ClEvent {
  std::mutex mutex;
  Marker marker;  // what was recorded last
};

Marker marker_of(dlport_event event, const char* name) {
  ClEvent& recorded = object_of<ClEvent>(event, name);
  const std::lock_guard lock(recorded.mutex);
  return recorded.marker.share();
}

cl_ulong reached_at(const Marker& marker) {
  cl_ulong nanoseconds = 0;
  check(
      api().GetEventProfilingInfo(*marker.get(), CL_PROFILING_COMMAND_END, sizeof(nanoseconds), &nanoseconds, nullptr),
      "clGetEventProfilingInfo");
  return nanoseconds;
}

}  // namespace

dlport_status stream_create(DLDevice device, dlport_stream* stream) {
  return guarded([&] {
    const ClDevice& on = device_of(device);
    require(stream, "stream");
    *stream = reinterpret_cast<dlport_stream>(create_queue(on));
  });
}

dlport_status stream_destroy(DLDevice device, dlport_stream stream) {
  return guarded([&] {
    device_of(device);
    if (!stream) return;
    auto* queue = reinterpret_cast<cl_command_queue>(stream);
    check(api().Finish(queue), "clFinish");
    check(api().ReleaseCommandQueue(queue), "clReleaseCommandQueue");
  });
}

dlport_status stream_synchronise(DLDevice device, dlport_stream stream) {
  return guarded([&] { check(api().Finish(queue_of(device_of(device), stream)), "clFinish"); });
}

dlport_status stream_wait(DLDevice device, dlport_stream stream, dlport_event event) {
  return guarded([&] {
    const ClDevice& on = device_of(device);
    const Marker marker = marker_of(event, "event");
    if (!marker) return;
    check(api().EnqueueBarrierWithWaitList(queue_of(on, stream), 1, marker.get(), nullptr),
          "clEnqueueBarrierWithWaitList");
  });
}

dlport_status event_create(DLDevice device, dlport_event* event) {
  return guarded([&] {
    device_of(device);
    require(event, "event");
    *event = give<dlport_event>(std::make_unique<ClEvent>());
  });
}

dlport_status event_destroy(DLDevice device, dlport_event event) {
  return guarded([&] {
    device_of(device);
    take<ClEvent>(event).reset();
  });
}

dlport_status event_record(DLDevice device, dlport_event event, dlport_stream stream) {
  return guarded([&] {
    const ClDevice& on = device_of(device);
    ClEvent& recorded = object_of<ClEvent>(event, "event");
    cl_command_queue queue = queue_of(on, stream);
    cl_event made = nullptr;
    check(api().EnqueueMarkerWithWaitList(queue, 0, nullptr, &made), "clEnqueueMarkerWithWaitList");
    Marker marker(made);
    check(api().Flush(queue), "clFlush");  // another queue may wait for it, and would wait for ever
    const std::lock_guard lock(recorded.mutex);
    recorded.marker = std::move(marker);
  });
}

dlport_status event_synchronise(DLDevice device, dlport_event event) {
  return guarded([&] {
    device_of(device);
    const Marker marker = marker_of(event, "event");
    if (marker) check(api().WaitForEvents(1, marker.get()), "clWaitForEvents");
  });
}

dlport_status event_elapsed(DLDevice device, dlport_event start, dlport_event end, double* seconds) {
  return guarded([&] {
    device_of(device);
    const Marker first = marker_of(start, "start"), second = marker_of(end, "end");
    require(seconds, "seconds");
    if (!first || !second) {
      throw Error(ErrorCode::invalid_argument,
                  std::string("the ") + (first ? "second" : "first") + " event was never recorded");
    }
    const cl_event both[] = {*first.get(), *second.get()};
    check(api().WaitForEvents(2, both), "clWaitForEvents");
    *seconds = static_cast<double>(static_cast<int64_t>(reached_at(second) - reached_at(first))) * 1e-9;
  });
}

}  // namespace dlport::drivers::opencl
