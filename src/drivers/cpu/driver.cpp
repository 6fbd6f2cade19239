// The cpu driver: host memory, everything done before a call returns.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>

#include "dlport/exchange.hpp"
#include "drivers/allocations.hpp"
#include "drivers/builtin.hpp"
#include "drivers/cpu/memory.hpp"
#include "drivers/cpu/operators.hpp"
#include "drivers/handles.hpp"
#include "drivers/launch_checks.hpp"
#include "drivers/status.hpp"

namespace dlport::drivers {
namespace {

/// Streams of the host keep nothing: work is over before it could be queued.
struct HostStream {};

struct HostEvent {
  std::atomic<int64_t> nanoseconds{-1};  // of a steady clock, when recorded
};

struct HostOperator {
  std::shared_ptr<const HostFunction> function;
};

Allocations& allocations() {
  static auto* instance = new Allocations(/*by_address=*/true);
  return *instance;
}

void check_device(DLDevice device) {
  if (!(Device(device) == cpu)) {
    throw Error(ErrorCode::not_found, to_string(Device(device)) + " is not one of the cpu driver's: it has cpu:0");
  }
}

char* address(const dlport_region& region) noexcept {
  return static_cast<char*>(region.data) + region.offset;
}

void check_region(const dlport_region& region, uint64_t size, const char* what) {
  check_device(region.device);
  allocations().check(region, size, what);
}

dlport_status device_count(int32_t* count) {
  return guarded([&] {
    require(count, "count");
    *count = 1;
  });
}

dlport_status device_properties(int32_t index, dlport_device_properties* out) {
  return guarded([&] {
    require(out, "properties");
    if (index != 0) {
      throw Error(ErrorCode::not_found, "device " + std::to_string(index) + " is not there: the cpu driver has one");
    }
    dlport_device_properties properties{};
    properties.size = std::min(out->size, sizeof(properties));
    properties.device = cpu;
    std::strcpy(properties.name, "host memory");
    properties.memory = cpu_memory::total();
    properties.alignment = cpu_memory::kAlignment;
    properties.capabilities = DLPORT_DEVICE_HOST_ACCESS | DLPORT_DEVICE_OPERATORS;
    std::strcpy(properties.operator_format, "function");
    std::memcpy(out, &properties, properties.size);
  });
}

dlport_status allocate(DLDevice device, uint64_t size, uint64_t alignment, dlport_stream, void** data) {
  return guarded([&] {
    check_device(device);
    require(data, "data");
    check_alignment(alignment);
    void* memory = nullptr;
    if (size > 0) {
      memory = cpu_memory::allocate(size, alignment);
      if (!memory) throw Error(ErrorCode::out_of_memory, "the host has no " + std::to_string(size) + " bytes left");
      allocations().add(memory, size, device);
    }
    *data = memory;
  });
}

dlport_status release(DLDevice device, void* data, dlport_stream) {
  return guarded([&] {
    check_device(device);
    if (!data) return;
    allocations().remove(data, device);
    cpu_memory::release(data);
  });
}

dlport_status read(void* host, dlport_region src, uint64_t size, dlport_stream) {
  return guarded([&] {
    check_region(src, size, "src");
    if (size == 0) return;
    require(host, "host");
    check_overlap({cpu, host, 0}, src, size, true);
    cpu_memory::copy(host, address(src), size);
  });
}

dlport_status write(dlport_region dst, const void* host, uint64_t size, dlport_stream) {
  return guarded([&] {
    check_region(dst, size, "dst");
    if (size == 0) return;
    require(host, "host");
    check_overlap(dst, {cpu, const_cast<void*>(host), 0}, size, true);
    cpu_memory::copy(address(dst), host, size);
  });
}

dlport_status copy(dlport_region dst, dlport_region src, uint64_t size, dlport_stream) {
  return guarded([&] {
    check_region(dst, size, "dst");
    check_region(src, size, "src");
    check_overlap(dst, src, size, true);
    if (size > 0) cpu_memory::copy(address(dst), address(src), size);
  });
}

dlport_status fill(dlport_region dst, const void* pattern, size_t pattern_size, uint64_t size, dlport_stream) {
  return guarded([&] {
    check_pattern(pattern, pattern_size, size);
    check_region(dst, size, "dst");
    cpu_memory::fill(address(dst), pattern, pattern_size, size);
  });
}

dlport_status stream_create(DLDevice device, dlport_stream* stream) {
  return guarded([&] {
    check_device(device);
    require(stream, "stream");
    *stream = give<dlport_stream>(std::make_unique<HostStream>());
  });
}

dlport_status stream_destroy(DLDevice device, dlport_stream stream) {
  return guarded([&] {
    check_device(device);
    take<HostStream>(stream).reset();
  });
}

dlport_status stream_synchronise(DLDevice device, dlport_stream) {
  return guarded([&] { check_device(device); });
}

dlport_status stream_wait(DLDevice device, dlport_stream, dlport_event event) {
  return guarded([&] {
    check_device(device);
    require(event, "event");
  });
}

dlport_status event_create(DLDevice device, dlport_event* event) {
  return guarded([&] {
    check_device(device);
    require(event, "event");
    *event = give<dlport_event>(std::make_unique<HostEvent>());
  });
}

dlport_status event_destroy(DLDevice device, dlport_event event) {
  return guarded([&] {
    check_device(device);
    take<HostEvent>(event).reset();
  });
}

dlport_status event_record(DLDevice device, dlport_event event, dlport_stream) {
  return guarded([&] {
    check_device(device);
    object_of<HostEvent>(event, "event").nanoseconds = std::chrono::steady_clock::now().time_since_epoch().count();
  });
}

dlport_status event_synchronise(DLDevice device, dlport_event event) {
  return guarded([&] {
    check_device(device);
    require(event, "event");
  });
}

dlport_status event_elapsed(DLDevice device, dlport_event start, dlport_event end, double* seconds) {
  return guarded([&] {
    check_device(device);
    require(seconds, "seconds");
    const int64_t begun = object_of<HostEvent>(start, "start").nanoseconds;
    const int64_t ended = object_of<HostEvent>(end, "end").nanoseconds;
    if (begun < 0 || ended < 0) {
      throw Error(ErrorCode::invalid_argument,
                  std::string("the ") + (begun < 0 ? "first" : "second") + " event was never recorded");
    }
    *seconds = static_cast<double>(ended - begun) * 1e-9;
  });
}

dlport_status operator_create(DLDevice device, const dlport_operator_source* source, dlport_operator* op) {
  return guarded([&] {
    check_device(device);
    check_source(source);
    require(op, "op");
    if (source->code) {
      throw Error(ErrorCode::invalid_argument, std::string("the cpu driver compiles nothing, but '") + source->name +
                                                   "' came with code: register a function under that name");
    }
    auto function = find_host_operator(source->name);
    if (!function) {
      throw Error(ErrorCode::not_found, std::string("no host operator is registered as '") + source->name + "'");
    }
    *op = give<dlport_operator>(std::make_unique<HostOperator>(std::move(function)));
  });
}

dlport_status operator_destroy(DLDevice device, dlport_operator op) {
  return guarded([&] {
    check_device(device);
    take<HostOperator>(op).reset();
  });
}

dlport_status operator_launch(DLDevice device, dlport_operator op, const dlport_launch* launch, dlport_stream) {
  return guarded([&] {
    check_device(device);
    const HostOperator& made = object_of<HostOperator>(op, "op");
    check_launch(device, launch);
    (*made.function)(*launch);
  });
}

dlport_status copy_rows(dlport_region dst, uint64_t dst_pitch, dlport_region src, uint64_t src_pitch, uint64_t row_size,
                        uint64_t rows, dlport_stream) {
  return guarded([&] {
    check_region(dst, rows_span(dst_pitch, row_size, rows, "dst"), "dst");
    check_region(src, rows_span(src_pitch, row_size, rows, "src"), "src");
    const int64_t shape[] = {static_cast<int64_t>(rows), static_cast<int64_t>(row_size)};
    const int64_t to_strides[] = {static_cast<int64_t>(dst_pitch), 1},
                  from_strides[] = {static_cast<int64_t>(src_pitch), 1};
    auto rows_of = [&](const dlport_region& region, const int64_t* strides) {
      return DLTensor{region.data,  cpu, 2, uint8, const_cast<int64_t*>(shape), const_cast<int64_t*>(strides),
                      region.offset};
    };
    copy_strided(rows_of(dst, to_strides), rows_of(src, from_strides));
  });
}

constexpr dlport_driver kTable{
    sizeof(dlport_driver),
    DLPORT_DRIVER_ABI,
    0,
    "cpu",
    "1.0",
    last_error,
    device_count,
    device_properties,
    allocate,
    release,
    read,
    write,
    copy,
    fill,
    stream_create,
    stream_destroy,
    stream_synchronise,
    stream_wait,
    event_create,
    event_destroy,
    event_record,
    event_synchronise,
    event_elapsed,
    operator_create,
    operator_destroy,
    operator_launch,
    copy_rows,
};

}  // namespace

const dlport_driver* cpu_driver() noexcept {
  return &kTable;
}

}  // namespace dlport::drivers
