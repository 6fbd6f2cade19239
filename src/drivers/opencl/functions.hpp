// The functions of the driver's table, by concept; what each does is said in dlport/driver.h.
#pragma once

#include "dlport/driver.h"
#include "drivers/opencl/api.hpp"

namespace dlport::drivers::opencl {

/// The queue behind a stream, or the device's own for none.
cl_command_queue queue_of(const struct ClDevice& device, dlport_stream stream) noexcept;

// memory.cpp
dlport_status allocate(DLDevice device, uint64_t size, uint64_t alignment, dlport_stream stream, void** data);
dlport_status release(DLDevice device, void* data, dlport_stream stream);
dlport_status read(void* host, dlport_region src, uint64_t size, dlport_stream stream);
dlport_status write(dlport_region dst, const void* host, uint64_t size, dlport_stream stream);
dlport_status copy(dlport_region dst, dlport_region src, uint64_t size, dlport_stream stream);
dlport_status fill(dlport_region dst, const void* pattern, size_t pattern_size, uint64_t size, dlport_stream stream);
dlport_status copy_rows(dlport_region dst, uint64_t dst_pitch, dlport_region src, uint64_t src_pitch, uint64_t row_size,
                        uint64_t rows, dlport_stream stream);

// streams.cpp
dlport_status stream_create(DLDevice device, dlport_stream* stream);
dlport_status stream_destroy(DLDevice device, dlport_stream stream);
dlport_status stream_synchronise(DLDevice device, dlport_stream stream);
dlport_status stream_wait(DLDevice device, dlport_stream stream, dlport_event event);
dlport_status event_create(DLDevice device, dlport_event* event);
dlport_status event_destroy(DLDevice device, dlport_event event);
dlport_status event_record(DLDevice device, dlport_event event, dlport_stream stream);
dlport_status event_synchronise(DLDevice device, dlport_event event);
dlport_status event_elapsed(DLDevice device, dlport_event start, dlport_event end, double* seconds);

// operators.cpp
dlport_status operator_create(DLDevice device, const dlport_operator_source* source, dlport_operator* op);
dlport_status operator_destroy(DLDevice device, dlport_operator op);
dlport_status operator_launch(DLDevice device, dlport_operator op, const dlport_launch* launch, dlport_stream stream);

}  // namespace dlport::drivers::opencl
