// Memory and transfers. Every pointer of CUDA is good in every context (unified addressing), so one copy call serves
// device, pinned and managed memory alike.
#include <algorithm>
#include <cstring>
#include <string>

#include "drivers/cuda/devices.hpp"
#include "drivers/cuda/functions.hpp"
#include "drivers/status.hpp"

namespace dlport::drivers::cuda {
namespace {

constexpr uint64_t kAlignment = 256;  // what CUDA promises for device memory

CUdeviceptr address(const dlport_region& region) noexcept {
  return reinterpret_cast<CUdeviceptr>(region.data) + region.offset;
}

const CuDevice& checked_device(const dlport_region& region, uint64_t size, const char* what) {
  const CuDevice& device = device_of(region.device);
  allocations().check(region, size, what);
  return device;
}

CUdeviceptr allocate_device(const CuDevice& device, uint64_t size, dlport_stream stream) {
  CUdeviceptr memory = 0;
  if (stream && device.has_pools) {
    check(api().MemAllocAsync(&memory, size, stream_of(stream)), "cuMemAllocAsync");
  } else {
    check(api().MemAlloc(&memory, size), "cuMemAlloc");
  }
  return memory;
}

void* allocate_of(DLDeviceType type, const CuDevice& device, uint64_t size, dlport_stream stream) {
  if (type == kDLCUDAHost) {
    void* memory = nullptr;
    check(api().MemHostAlloc(&memory, size, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc");
    return memory;
  }
  CUdeviceptr memory = 0;
  if (type == kDLCUDAManaged) {
    check(api().MemAllocManaged(&memory, size, CU_MEM_ATTACH_GLOBAL), "cuMemAllocManaged");
  } else {
    memory = allocate_device(device, size, stream);
  }
  return reinterpret_cast<void*>(memory);
}

/// Memory of a pool may be freed in the order of a stream; other memory once the stream is done.
void release_of(DLDeviceType type, const CuDevice& device, void* data, dlport_stream stream) {
  const auto memory = reinterpret_cast<CUdeviceptr>(data);
  if (type == kDLCUDA && stream && device.has_pools) {
    return check(api().MemFreeAsync(memory, stream_of(stream)), "cuMemFreeAsync");
  }
  if (stream) check(api().StreamSynchronize(stream_of(stream)), "cuStreamSynchronize");
  if (type == kDLCUDAHost) return check(api().MemFreeHost(data), "cuMemFreeHost");
  check(api().MemFree(memory), "cuMemFree");
}

/// Patterns wider than CUDA's own: a column of 32-bit words at a time.
void fill_words(CUdeviceptr memory, const void* pattern, size_t pattern_size, uint64_t size, CUstream stream) {
  for (size_t word = 0; word < pattern_size / 4; ++word) {
    uint32_t value = 0;
    std::memcpy(&value, static_cast<const char*>(pattern) + 4 * word, sizeof(value));
    check(api().MemsetD2D32Async(memory + 4 * word, pattern_size, value, 1, size / pattern_size, stream),
          "cuMemsetD2D32Async");
  }
}

void fill_of(CUdeviceptr memory, const void* pattern, size_t pattern_size, uint64_t size, CUstream stream) {
  if (pattern_size == 1) {
    return check(api().MemsetD8Async(memory, *static_cast<const unsigned char*>(pattern), size, stream),
                 "cuMemsetD8Async");
  }
  if (memory % std::min<size_t>(pattern_size, 4) != 0) {
    throw Error(ErrorCode::unsupported, "dst does not begin at a multiple of the pattern's " +
                                            std::to_string(pattern_size) + " bytes, which CUDA asks for");
  }
  if (pattern_size == 2) {
    unsigned short value = 0;
    std::memcpy(&value, pattern, sizeof(value));
    return check(api().MemsetD16Async(memory, value, size / 2, stream), "cuMemsetD16Async");
  }
  if (pattern_size == 4) {
    unsigned value = 0;
    std::memcpy(&value, pattern, sizeof(value));
    return check(api().MemsetD32Async(memory, value, size / 4, stream), "cuMemsetD32Async");
  }
  fill_words(memory, pattern, pattern_size, size, stream);
}

}  // namespace

dlport_status allocate(DLDevice device, uint64_t size, uint64_t alignment, dlport_stream stream, void** data) {
  return guarded([&] {
    const CuDevice& on = device_of(device);
    require(data, "data");
    check_alignment(alignment);
    if (alignment > kAlignment) {
      throw Error(ErrorCode::unsupported,
                  "alignment = " + std::to_string(alignment) + " is more than CUDA's 256 bytes");
    }
    void* memory = nullptr;
    if (size > 0) {
      const Current current(on);
      memory = allocate_of(device.device_type, on, size, stream);
      allocations().add(memory, size, device);
    }
    *data = memory;
  });
}

dlport_status release(DLDevice device, void* data, dlport_stream stream) {
  return guarded([&] {
    const CuDevice& on = device_of(device);
    if (!data) return;
    allocations().remove(data, device);
    const Current current(on);
    release_of(device.device_type, on, data, stream);
  });
}

dlport_status read(void* host, dlport_region src, uint64_t size, dlport_stream stream) {
  return guarded([&] {
    const CuDevice& device = checked_device(src, size, "src");
    if (size == 0) return;
    require(host, "host");
    const Current current(device);
    check(api().MemcpyDtoHAsync(host, address(src), size, stream_of(stream)), "cuMemcpyDtoHAsync");
    settle(stream);
  });
}

dlport_status write(dlport_region dst, const void* host, uint64_t size, dlport_stream stream) {
  return guarded([&] {
    const CuDevice& device = checked_device(dst, size, "dst");
    if (size == 0) return;
    require(host, "host");
    const Current current(device);
    check(api().MemcpyHtoDAsync(address(dst), host, size, stream_of(stream)), "cuMemcpyHtoDAsync");
    settle(stream);
  });
}

dlport_status copy(dlport_region dst, dlport_region src, uint64_t size, dlport_stream stream) {
  return guarded([&] {
    const CuDevice& to = checked_device(dst, size, "dst");
    const CuDevice& from = checked_device(src, size, "src");
    check_overlap(dst, src, size, /*by_address=*/true);
    if (size == 0) return;
    const bool peers = dst.device.device_type == kDLCUDA && src.device.device_type == kDLCUDA && to.id != from.id;
    if (peers) enable_peer(to, from);  // without it CUDA goes through host memory, which is right too
    const Current current(to);
    if (peers) {
      check(api().MemcpyPeerAsync(address(dst), to.context, address(src), from.context, size, stream_of(stream)),
            "cuMemcpyPeerAsync");
    } else {
      check(api().MemcpyAsync(address(dst), address(src), size, stream_of(stream)), "cuMemcpyAsync");
    }
    settle(stream);
  });
}

dlport_status fill(dlport_region dst, const void* pattern, size_t pattern_size, uint64_t size, dlport_stream stream) {
  return guarded([&] {
    check_pattern(pattern, pattern_size, size);
    const CuDevice& device = checked_device(dst, size, "dst");
    if (size == 0) return;
    const Current current(device);
    fill_of(address(dst), pattern, pattern_size, size, stream_of(stream));
    settle(stream);
  });
}

dlport_status copy_rows(dlport_region dst, uint64_t dst_pitch, dlport_region src, uint64_t src_pitch, uint64_t row_size,
                        uint64_t rows, dlport_stream stream) {
  return guarded([&] {
    const uint64_t dst_span = rows_span(dst_pitch, row_size, rows, "dst");
    const uint64_t src_span = rows_span(src_pitch, row_size, rows, "src");
    const bool from_host = Device(src.device) == cpu;
    const CuDevice& device = from_host ? checked_device(dst, dst_span, "dst") : checked_device(src, src_span, "src");
    if (!from_host && !(Device(dst.device) == cpu)) checked_device(dst, dst_span, "dst");
    check_overlap(dst, src, std::max(dst_span, src_span), /*by_address=*/true);
    if (rows == 0 || row_size == 0) return;
    CUDA_MEMCPY2D what{};
    what.srcMemoryType = what.dstMemoryType = CU_MEMORYTYPE_UNIFIED;  // CUDA tells the two kinds by the address
    what.srcDevice = address(src);
    what.dstDevice = address(dst);
    what.srcPitch = src_pitch;
    what.dstPitch = dst_pitch;
    what.WidthInBytes = row_size;
    what.Height = rows;
    if (from_host) {
      what.srcMemoryType = CU_MEMORYTYPE_HOST;
      what.srcHost = reinterpret_cast<const void*>(address(src));
    }
    if (Device(dst.device) == cpu) {
      what.dstMemoryType = CU_MEMORYTYPE_HOST;
      what.dstHost = reinterpret_cast<void*>(address(dst));
    }
    const Current current(device);
    check(api().Memcpy2DAsync(&what, stream_of(stream)), "cuMemcpy2DAsync");
    settle(stream);
  });
}

}  // namespace dlport::drivers::cuda
