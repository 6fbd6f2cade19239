// Buffers and transfers.
#include <algorithm>
#include <string>

#include "drivers/opencl/devices.hpp"
#include "drivers/opencl/functions.hpp"
#include "drivers/status.hpp"

namespace dlport::drivers::opencl {
namespace {

cl_mem memory_of(const dlport_region& region) noexcept {
  return static_cast<cl_mem>(region.data);
}

/// Work for a stream starts when it is given; a call without a stream waits for its own.
void submit(cl_command_queue queue, dlport_stream stream) {
  if (stream) {
    check(api().Flush(queue), "clFlush");
  } else {
    check(api().Finish(queue), "clFinish");
  }
}

const ClDevice& checked_device(const dlport_region& region, uint64_t size, const char* what) {
  const ClDevice& device = device_of(region.device);
  allocations().check(region, size, what);
  return device;
}

}  // namespace

cl_command_queue queue_of(const ClDevice& device, dlport_stream stream) noexcept {
  return stream ? reinterpret_cast<cl_command_queue>(stream) : device.queue;
}

dlport_status allocate(DLDevice device, uint64_t size, uint64_t alignment, dlport_stream, void** data) {
  return guarded([&] {
    const ClDevice& on = device_of(device);
    require(data, "data");
    check_alignment(alignment);
    if (alignment > on.alignment) {
      throw Error(ErrorCode::unsupported, "alignment = " + std::to_string(alignment) + " is more than the " +
                                              std::to_string(on.alignment) + " bytes of " + to_string(Device(device)));
    }
    if (size > on.max_allocation) {
      throw Error(ErrorCode::out_of_memory, std::to_string(size) + " bytes are more than " + to_string(Device(device)) +
                                                " gives at once (" + std::to_string(on.max_allocation) + ")");
    }
    cl_mem memory = nullptr;
    if (size > 0) {
      cl_int code = CL_SUCCESS;
      memory = api().CreateBuffer(on.context, CL_MEM_READ_WRITE, size, nullptr, &code);
      check(code, "clCreateBuffer");
      allocations().add(memory, size, device);
    }
    *data = memory;
  });
}

/// OpenCL itself keeps a released buffer until the commands that use it are done.
dlport_status release(DLDevice device, void* data, dlport_stream) {
  return guarded([&] {
    device_of(device);
    if (!data) return;
    allocations().remove(data, device);
    check(api().ReleaseMemObject(static_cast<cl_mem>(data)), "clReleaseMemObject");
  });
}

dlport_status read(void* host, dlport_region src, uint64_t size, dlport_stream stream) {
  return guarded([&] {
    const ClDevice& device = checked_device(src, size, "src");
    if (size == 0) return;
    require(host, "host");
    cl_command_queue queue = queue_of(device, stream);
    check(api().EnqueueReadBuffer(queue, memory_of(src), stream ? CL_FALSE : CL_TRUE, src.offset, size, host, 0,
                                  nullptr, nullptr),
          "clEnqueueReadBuffer");
    if (stream) submit(queue, stream);
  });
}

dlport_status write(dlport_region dst, const void* host, uint64_t size, dlport_stream stream) {
  return guarded([&] {
    const ClDevice& device = checked_device(dst, size, "dst");
    if (size == 0) return;
    require(host, "host");
    cl_command_queue queue = queue_of(device, stream);
    check(api().EnqueueWriteBuffer(queue, memory_of(dst), stream ? CL_FALSE : CL_TRUE, dst.offset, size, host, 0,
                                   nullptr, nullptr),
          "clEnqueueWriteBuffer");
    if (stream) submit(queue, stream);
  });
}

dlport_status copy(dlport_region dst, dlport_region src, uint64_t size, dlport_stream stream) {
  return guarded([&] {
    const ClDevice& to = checked_device(dst, size, "dst");
    const ClDevice& from = checked_device(src, size, "src");
    check_overlap(dst, src, size, /*by_address=*/false);
    if (size == 0) return;
    if (to.context != from.context) {
      throw Error(ErrorCode::unsupported, to_string(Device(src.device)) + " and " + to_string(Device(dst.device)) +
                                              " are of different OpenCL platforms");
    }
    cl_command_queue queue = queue_of(to, stream);
    check(api().EnqueueCopyBuffer(queue, memory_of(src), memory_of(dst), src.offset, dst.offset, size, 0, nullptr,
                                  nullptr),
          "clEnqueueCopyBuffer");
    submit(queue, stream);
  });
}

dlport_status fill(dlport_region dst, const void* pattern, size_t pattern_size, uint64_t size, dlport_stream stream) {
  return guarded([&] {
    check_pattern(pattern, pattern_size, size);
    const ClDevice& device = checked_device(dst, size, "dst");
    if (size == 0) return;
    if (dst.offset % pattern_size != 0) {
      throw Error(ErrorCode::unsupported, "dst.offset = " + std::to_string(dst.offset) +
                                              " is not a multiple of the pattern's " + std::to_string(pattern_size) +
                                              " bytes, which OpenCL asks for");
    }
    cl_command_queue queue = queue_of(device, stream);
    check(api().EnqueueFillBuffer(queue, memory_of(dst), pattern, pattern_size, dst.offset, size, 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
    submit(queue, stream);
  });
}

dlport_status copy_rows(dlport_region dst, uint64_t dst_pitch, dlport_region src, uint64_t src_pitch, uint64_t row_size,
                        uint64_t rows, dlport_stream stream) {
  return guarded([&] {
    const uint64_t dst_span = rows_span(dst_pitch, row_size, rows, "dst");
    const uint64_t src_span = rows_span(src_pitch, row_size, rows, "src");
    const bool from_host = Device(src.device) == cpu, to_host = Device(dst.device) == cpu;
    const dlport_region& mine = from_host ? dst : src;
    const ClDevice& device = checked_device(mine, from_host ? dst_span : src_span, from_host ? "dst" : "src");
    if (rows == 0 || row_size == 0) return;
    const size_t extent[] = {row_size, rows, 1};
    // OpenCL positions rectangles by column, row and plane; a place at any byte is a plane's column only where the
    // pitch of planes is that of one row.
    const size_t origin[] = {0, 0, 0};
    const size_t to_origin[] = {dst.offset % dst_pitch, dst.offset / dst_pitch, 0};
    const size_t from_origin[] = {src.offset % src_pitch, src.offset / src_pitch, 0};
    cl_command_queue queue = queue_of(device, stream);
    const cl_uint blocking = stream ? CL_FALSE : CL_TRUE;
    if (from_host) {
      check(api().EnqueueWriteBufferRect(queue, memory_of(dst), blocking, to_origin, origin, extent, dst_pitch, 0,
                                         src_pitch, 0, static_cast<const char*>(src.data) + src.offset, 0, nullptr,
                                         nullptr),
            "clEnqueueWriteBufferRect");
    } else if (to_host) {
      check(api().EnqueueReadBufferRect(queue, memory_of(src), blocking, from_origin, origin, extent, src_pitch, 0,
                                        dst_pitch, 0, static_cast<char*>(dst.data) + dst.offset, 0, nullptr, nullptr),
            "clEnqueueReadBufferRect");
    } else {
      checked_device(dst, dst_span, "dst");
      check_overlap(dst, src, std::max(dst_span, src_span), /*by_address=*/false);
      check(api().EnqueueCopyBufferRect(queue, memory_of(src), memory_of(dst), from_origin, to_origin, extent,
                                        src_pitch, 0, dst_pitch, 0, 0, nullptr, nullptr),
            "clEnqueueCopyBufferRect");
    }
    submit(queue, stream);
  });
}

}  // namespace dlport::drivers::opencl
