/*
 * The driver interface: one C table with which a device is listed, copied to and from, written, read and launched on.
 *
 * WHAT A DRIVER IS. A shared library that exports `dlport_driver_entry` (see the end of this file), or a part of dlport
 * itself. It implements every device of one or more DLPack device types. Nothing but this header and dlpack.h is needed
 * to write one: a driver does not link libdlport.
 *
 * VERSIONS. Every structure that crosses the boundary starts with its own size, set by whoever made it. Members are
 * only ever added at the end, so
 *   - a host reads a member of the table only where DLPORT_DRIVER_HAS(table, member) holds; an older driver works;
 *   - a driver reads a member of a structure that the host made only where its size reaches that far, and ignores
 *     what lies behind the members that it knows; a newer host works.
 * `abi_version` changes only when that promise is broken. A host leaves out a driver of another abi_version, and one
 * whose table ends before DLPORT_DRIVER_REQUIRED_SIZE or has a NULL pointer before it.
 *
 * MEMORY. `data` is what DLPack's DLTensor.data is for the device type: an address, or a handle (a cl_mem on OpenCL)
 * that only the driver can read. Positions are therefore always a handle with an offset in bytes: dlport_region.
 *   - `allocate` gives memory to the caller, who ends it with `free` of the same driver, once.
 *   - Every other function borrows what it is given. A driver may be handed memory of its device types that it did not
 *     allocate (another framework's, through DLPack); it has to accept it everywhere but in `free`.
 *   - Reaching past the end of an allocation that the driver made, freeing twice, and freeing what the driver did not
 *     allocate give DLPORT_INVALID_ARGUMENT and change nothing. So does a copy between regions that overlap.
 *   - A size of 0 is allowed everywhere: allocate gives NULL, free(NULL) and the transfers do nothing.
 *
 * STREAMS. A stream is a queue of work of one device that is done in order. Its handle is what DLPack's `stream` means
 * for the device type where DLPack says so (CUDA: a CUstream), so a stream of another framework can be passed as it is.
 *   - With a stream, a function may return before the work is done. Host memory that it reads or writes has to stay,
 *     untouched, until the stream has been synchronised or has passed an event behind it. Errors of such work may be
 *     reported by any later call on the stream.
 *   - With NULL, the work starts after what was enqueued with NULL before, and is done when the function returns.
 *   - `free` with a stream takes effect when the work enqueued on the stream so far is done; with NULL the caller has
 *     made sure that nothing uses the memory any more.
 *   - Work on different streams has no order but by events: record one on a stream, wait for it on the other.
 * A driver without asynchronous work completes everything at once; its streams and events are still objects.
 *
 * THREADS. Every function may be called by any number of threads at a time, also on the same device, stream, event or
 * operator; only destroying an object while another call uses it is the caller's mistake. No function runs the
 * caller's code, waits for another thread of the caller, or lets a C++ exception out.
 *
 * ERRORS. Every function that returns a dlport_status returns DLPORT_OK, or has had no effect and says why in
 * `last_error`. The codes are those of dlport.h; a driver uses
 *   DLPORT_INVALID_ARGUMENT  a null pointer, an unknown or foreign handle, a region that is out of range, a bad size
 *   DLPORT_UNSUPPORTED       well formed, but this device cannot do it (the host then looks for another way)
 *   DLPORT_OUT_OF_MEMORY     also for a size that no device has, however large
 *   DLPORT_NOT_FOUND         a device index or an operator that is not there; a runtime library that is missing
 *   DLPORT_DEVICE            the device's own runtime failed; last_error quotes it
 * Output parameters are written only on success.
 */
#ifndef DLPORT_DRIVER_H_
#define DLPORT_DRIVER_H_

#include "dlport/dlpack.h"
#include "dlport/dlport.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DLPORT_DRIVER_ABI 1

typedef struct dlport_stream_s* dlport_stream;     /* NULL: complete before returning */
typedef struct dlport_event_s* dlport_event;       /* a point in a stream, and when it was reached */
typedef struct dlport_operator_s* dlport_operator; /* a named computation, ready to launch */

/* What a device is and can do: bits of dlport_device_properties.capabilities. */
enum {
  DLPORT_DEVICE_HOST_ACCESS = 1u << 0, /* the CPU may read and write through `data` */
  DLPORT_DEVICE_HANDLES = 1u << 1,     /* `data` is a handle, not an address */
  DLPORT_DEVICE_ASYNC = 1u << 2,       /* work on a stream may be done after the call returns */
  DLPORT_DEVICE_OPERATORS = 1u << 3    /* operators can be created and launched */
};

typedef struct dlport_device_properties {
  size_t size;              /* set by the caller: how much of this structure it knows */
  DLDevice device;          /* what tensors on it carry; no two devices of a driver share it */
  char name[128];           /* for people, zero-terminated UTF-8 */
  uint64_t memory;          /* bytes in all; 0 where it is not known */
  uint64_t max_allocation;  /* bytes of the largest single allocation; 0 where it is not known */
  uint32_t alignment;       /* bytes, a power of two: what every allocation is aligned to, where `data` is an address */
  uint32_t capabilities;    /* DLPORT_DEVICE_* */
  char operator_format[32]; /* what dlport_operator_source.code is: "function", "opencl-c", "ptx", ...; "" for none */
} dlport_device_properties;

/* A place in a device's memory. */
typedef struct dlport_region {
  DLDevice device;
  void* data;
  uint64_t offset; /* bytes */
} dlport_region;

/* What an operator is made of. The driver copies what it keeps. */
typedef struct dlport_operator_source {
  size_t size;         /* sizeof(dlport_operator_source) as the caller knows it */
  const char* name;    /* of the kernel or function within the code */
  const void* code;    /* in the device's operator_format; NULL for one that the driver has under that name */
  size_t code_size;    /* bytes; the terminating zero of a text not counted */
  const char* options; /* for the compiler, "" or NULL for none */
} dlport_operator_source;

/* One argument of a launch: a tensor, or `size` bytes of a scalar or structure. A tensor's argument in the kernel is
 * the place of its first element; shapes and strides go as scalars where a kernel needs them. */
typedef struct dlport_argument {
  const DLTensor* tensor; /* NULL for a value */
  const void* value;
  size_t size;
} dlport_argument;

typedef struct dlport_launch {
  size_t size; /* sizeof(dlport_launch) as the caller knows it */
  const dlport_argument* arguments;
  uint32_t argument_count;
  uint32_t shared_memory; /* bytes per group, for devices that have it; 0 for none */
  uint64_t global[3];     /* work items in each direction, at least 1 */
  uint64_t local[3];      /* work items of a group; 0: the driver's choice */
} dlport_launch;

typedef struct dlport_driver {
  size_t size;          /* sizeof(dlport_driver) as the driver was compiled */
  uint32_t abi_version; /* DLPORT_DRIVER_ABI */
  uint32_t reserved;    /* 0 */
  const char* name;     /* short and lower case, "opencl"; lives as long as the process */
  const char* version;  /* of the driver, for people */

  /* The sentence about the calling thread's last failure in this driver: names the offending value. Never NULL. Valid
   * until the thread's next failing call. */
  const char* (*last_error)(void);

  /* Devices. `index` counts from 0 up to *count; a driver whose runtime is missing has 0 devices, and says why in
   * last_error although device_count succeeds. The answers do not change while the process lives. */
  dlport_status (*device_count)(int32_t* count);
  dlport_status (*device_properties)(int32_t index, dlport_device_properties* properties);

  /* Memory. `alignment` 0 asks for the device's own; a larger power of two may give DLPORT_UNSUPPORTED. */
  dlport_status (*allocate)(DLDevice device, uint64_t size, uint64_t alignment, dlport_stream stream, void** data);
  dlport_status (*free)(DLDevice device, void* data, dlport_stream stream);

  /* Transfers of `size` bytes. `stream` belongs to dst.device for write, fill and copy, to src.device for read. Copies
   * between two devices of the driver may give DLPORT_UNSUPPORTED. A pattern has 1, 2, 4, 8 or 16 bytes, and `size`
   * is a multiple of that; it is read before the call returns. */
  dlport_status (*read)(void* host, dlport_region src, uint64_t size, dlport_stream stream);
  dlport_status (*write)(dlport_region dst, const void* host, uint64_t size, dlport_stream stream);
  dlport_status (*copy)(dlport_region dst, dlport_region src, uint64_t size, dlport_stream stream);
  dlport_status (*fill)(dlport_region dst, const void* pattern, size_t pattern_size, uint64_t size,
                        dlport_stream stream);

  /* Streams. Destroying one waits for its work. `stream_wait` makes later work of the stream wait for what the event
   * recorded last; an event that was never recorded holds nothing up. */
  dlport_status (*stream_create)(DLDevice device, dlport_stream* stream);
  dlport_status (*stream_destroy)(DLDevice device, dlport_stream stream);
  dlport_status (*stream_synchronise)(DLDevice device, dlport_stream stream);
  dlport_status (*stream_wait)(DLDevice device, dlport_stream stream, dlport_event event);

  /* Events. Recording again moves the event. `event_elapsed` waits for both and gives the seconds between them;
   * DLPORT_INVALID_ARGUMENT where one was never recorded. */
  dlport_status (*event_create)(DLDevice device, dlport_event* event);
  dlport_status (*event_destroy)(DLDevice device, dlport_event event);
  dlport_status (*event_record)(DLDevice device, dlport_event event, dlport_stream stream);
  dlport_status (*event_synchronise)(DLDevice device, dlport_event event);
  dlport_status (*event_elapsed)(DLDevice device, dlport_event start, dlport_event end, double* seconds);

  /* Operators. Code that does not compile gives DLPORT_INVALID_ARGUMENT with the compiler's log in last_error; a name
   * that is not in the code, or that the driver does not have, DLPORT_NOT_FOUND. A launch may be under way when its
   * operator is destroyed. A device without DLPORT_DEVICE_OPERATORS answers DLPORT_UNSUPPORTED. */
  dlport_status (*operator_create)(DLDevice device, const dlport_operator_source* source, dlport_operator* op);
  dlport_status (*operator_destroy)(DLDevice device, dlport_operator op);
  dlport_status (*operator_launch)(DLDevice device, dlport_operator op, const dlport_launch* launch,
                                   dlport_stream stream);

  /* Optional from here on: absent in an older driver, NULL where the device has nothing better than the host does. */

  /* Copies `rows` rows of `row_size` bytes whose starts lie `dst_pitch` and `src_pitch` bytes apart; pitches are at
   * least row_size. The devices are equal, or one is cpu:0 with the address of host memory as data. */
  dlport_status (*copy_rows)(dlport_region dst, uint64_t dst_pitch, dlport_region src, uint64_t src_pitch,
                             uint64_t row_size, uint64_t rows, dlport_stream stream);
} dlport_driver;

/* Where the part of the table ends that every driver has: everything before the first optional member. */
#define DLPORT_DRIVER_REQUIRED_SIZE offsetof(dlport_driver, copy_rows)

/* Whether `table` reaches as far as `member` and has it. */
#define DLPORT_DRIVER_HAS(table, member) \
  ((table)->size >= offsetof(dlport_driver, member) + sizeof((table)->member) && (table)->member != NULL)

/* What a driver's library exports under the name "dlport_driver_entry". Returns its table, which lives as long as the
 * process, or NULL for a driver that cannot work here. Called at least once, and not only by the process that will use
 * the driver: a host may try a driver out in a child process first. */
typedef const dlport_driver* (*dlport_driver_entry_t)(void);
#define DLPORT_DRIVER_ENTRY "dlport_driver_entry"

#ifdef __cplusplus
}
#endif
#endif /* DLPORT_DRIVER_H_ */
