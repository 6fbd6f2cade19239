// Streams and events are CUDA's own: a handle is a CUstream, as DLPack's stream rules have it.
#include <memory>
#include <string>

#include "drivers/cuda/devices.hpp"
#include "drivers/cuda/functions.hpp"
#include "drivers/handles.hpp"
#include "drivers/status.hpp"

namespace dlport::drivers::cuda {
namespace {

CUevent event_of(dlport_event event, const char* name) {
  require(event, name);
  return reinterpret_cast<CUevent>(event);
}

}  // namespace

void settle(dlport_stream stream) {
  if (!stream) check(api().StreamSynchronize(nullptr), "cuStreamSynchronize");
}

dlport_status stream_create(DLDevice device, dlport_stream* stream) {
  return guarded([&] {
    const CuDevice& on = device_of(device);
    require(stream, "stream");
    const Current current(on);
    CUstream made = nullptr;
    check(api().StreamCreate(&made, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    *stream = reinterpret_cast<dlport_stream>(made);
  });
}

dlport_status stream_destroy(DLDevice device, dlport_stream stream) {
  return guarded([&] {
    const CuDevice& on = device_of(device);
    if (!stream) return;
    const Current current(on);
    check(api().StreamSynchronize(stream_of(stream)), "cuStreamSynchronize");
    check(api().StreamDestroy(stream_of(stream)), "cuStreamDestroy");
  });
}

dlport_status stream_synchronise(DLDevice device, dlport_stream stream) {
  return guarded([&] {
    const Current current(device_of(device));
    check(api().StreamSynchronize(stream_of(stream)), "cuStreamSynchronize");
  });
}

dlport_status stream_wait(DLDevice device, dlport_stream stream, dlport_event event) {
  return guarded([&] {
    const Current current(device_of(device));
    check(api().StreamWaitEvent(stream_of(stream), event_of(event, "event"), 0), "cuStreamWaitEvent");
  });
}

dlport_status event_create(DLDevice device, dlport_event* event) {
  return guarded([&] {
    const CuDevice& on = device_of(device);
    require(event, "event");
    const Current current(on);
    CUevent made = nullptr;
    check(api().EventCreate(&made, 0), "cuEventCreate");
    *event = reinterpret_cast<dlport_event>(made);
  });
}

dlport_status event_destroy(DLDevice device, dlport_event event) {
  return guarded([&] {
    const CuDevice& on = device_of(device);
    if (!event) return;
    const Current current(on);
    check(api().EventDestroy(event_of(event, "event")), "cuEventDestroy");
  });
}

dlport_status event_record(DLDevice device, dlport_event event, dlport_stream stream) {
  return guarded([&] {
    const Current current(device_of(device));
    check(api().EventRecord(event_of(event, "event"), stream_of(stream)), "cuEventRecord");
  });
}

dlport_status event_synchronise(DLDevice device, dlport_event event) {
  return guarded([&] {
    const Current current(device_of(device));
    check(api().EventSynchronize(event_of(event, "event")), "cuEventSynchronize");
  });
}

dlport_status event_elapsed(DLDevice device, dlport_event start, dlport_event end, double* seconds) {
  return guarded([&] {
    const Current current(device_of(device));
    require(seconds, "seconds");
    const CUevent first = event_of(start, "start"), second = event_of(end, "end");
    check(api().EventSynchronize(first), "cuEventSynchronize");
    check(api().EventSynchronize(second), "cuEventSynchronize");
    float milliseconds = 0;
    const CUresult result = api().EventElapsedTime(&milliseconds, first, second);
    if (result == CUDA_ERROR_INVALID_HANDLE) {
      throw Error(ErrorCode::invalid_argument, "one of the two events was never recorded");
    }
    check(result, "cuEventElapsedTime");
    *seconds = static_cast<double>(milliseconds) * 1e-3;
  });
}

}  // namespace dlport::drivers::cuda
