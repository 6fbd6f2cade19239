/*
 * A complete device driver in plain C, to start one from: a device whose memory is a fixed pool of the host's.
 *
 *     cc -std=c11 -O2 -shared -fPIC -I <dlport>/include heap.c -o libheap.so -lpthread
 *     dlport check driver ./libheap.so
 *     DLPORT_DRIVER_PATH=./libheap.so dlport devices
 *
 * What a real driver replaces is marked HARDWARE: where memory comes from, how bytes get there and how work is queued.
 * Everything around it, the checks and the errors, stays.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dlport/driver.h"

/* The device type that tensors carry: one of DLPack's, which nobody else in the process serves. */
static const DLDevice kDevice = {kDLHexagon, 0};

enum { kAlignment = 64, kMostBlocks = 1 << 16 };
static const uint64_t kMemory = (uint64_t)1 << 30;

struct dlport_stream_s {
  int unused;
};
struct dlport_event_s {
  int recorded;
  double seconds;
};
struct dlport_operator_s {
  void (*function)(const dlport_argument* arguments, uint64_t items);
};

/* Errors: a sentence a thread. */

static _Thread_local char failure[256] = "";

static dlport_status fail(dlport_status status, const char* format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(failure, sizeof(failure), format, values);
  va_end(values);
  return status;
}

static const char* last_error(void) {
  return failure;
}

static dlport_status check_device(DLDevice device) {
  if (device.device_type == kDevice.device_type && device.device_id == kDevice.device_id) return DLPORT_OK;
  return fail(DLPORT_NOT_FOUND, "device type %d, index %d is not this driver's", (int)device.device_type,
              (int)device.device_id);
}

/* Memory: the live blocks, so that mistakes are found before they do harm. */

typedef struct {
  char* start;
  uint64_t size;
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block blocks[kMostBlocks];
static size_t block_count = 0;
static uint64_t used = 0;

static dlport_status allocate(DLDevice device, uint64_t size, uint64_t alignment, dlport_stream stream, void** data) {
  (void)stream;
  dlport_status status = check_device(device);
  if (status != DLPORT_OK) return status;
  if (!data) return fail(DLPORT_INVALID_ARGUMENT, "data is a null pointer");
  if (alignment & (alignment - 1)) {
    return fail(DLPORT_INVALID_ARGUMENT, "alignment = %llu is not a power of two", (unsigned long long)alignment);
  }
  if (alignment > kAlignment) {
    return fail(DLPORT_UNSUPPORTED, "alignment = %llu is more than 64 bytes", (unsigned long long)alignment);
  }
  if (size == 0) {
    *data = NULL;
    return DLPORT_OK;
  }
  pthread_mutex_lock(&lock);
  char* memory = NULL;
  if (size <= kMemory && used <= kMemory - size && block_count < kMostBlocks) {
    memory = aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment); /* HARDWARE */
  }
  if (memory) {
    blocks[block_count++] = (block){memory, size};
    used += size;
    *data = memory;
  }
  const uint64_t left = kMemory - used;
  pthread_mutex_unlock(&lock);
  if (memory) return DLPORT_OK;
  return fail(DLPORT_OUT_OF_MEMORY, "%llu bytes were asked for and %llu are left", (unsigned long long)size,
              (unsigned long long)left);
}

static dlport_status release(DLDevice device, void* data, dlport_stream stream) {
  (void)stream; /* HARDWARE: with a stream, behind the work that it has */
  dlport_status status = check_device(device);
  if (status != DLPORT_OK || !data) return status;
  pthread_mutex_lock(&lock);
  size_t at = 0;
  while (at < block_count && blocks[at].start != data) ++at;
  const int found = at < block_count;
  if (found) {
    used -= blocks[at].size;
    blocks[at] = blocks[--block_count];
    free(data); /* HARDWARE */
  }
  pthread_mutex_unlock(&lock);
  if (found) return DLPORT_OK;
  return fail(DLPORT_INVALID_ARGUMENT, "%p is not an allocation of this driver, or was freed before", data);
}

/* The place of a region, or NULL with an error. Memory that we did not allocate is let pass. */
static char* place(dlport_region region, uint64_t size, const char* what) {
  if (check_device(region.device) != DLPORT_OK) return NULL;
  if (!region.data || region.offset > UINT64_MAX - size) {
    fail(DLPORT_INVALID_ARGUMENT, "%s is a null pointer, or ends past the address space", what);
    return NULL;
  }
  int inside = 1;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < block_count; ++i) {
    const uint64_t at = (uint64_t)((char*)region.data - blocks[i].start);
    if ((char*)region.data >= blocks[i].start && at < blocks[i].size) {
      inside = region.offset + size <= blocks[i].size - at;
    }
  }
  pthread_mutex_unlock(&lock);
  if (inside) return (char*)region.data + region.offset;
  fail(DLPORT_INVALID_ARGUMENT, "%s: %llu bytes from %llu on are out of range", what, (unsigned long long)size,
       (unsigned long long)region.offset);
  return NULL;
}

static dlport_status status_of_place(DLDevice device) {
  return check_device(device) != DLPORT_OK ? DLPORT_NOT_FOUND : DLPORT_INVALID_ARGUMENT;
}

/* Transfers. */

static dlport_status read_memory(void* host, dlport_region src, uint64_t size, dlport_stream stream) {
  (void)stream;
  if (size == 0) return check_device(src.device);
  const char* from = place(src, size, "src");
  if (!from) return status_of_place(src.device);
  if (!host) return fail(DLPORT_INVALID_ARGUMENT, "host is a null pointer");
  memmove(host, from, size); /* HARDWARE */
  return DLPORT_OK;
}

static dlport_status write_memory(dlport_region dst, const void* host, uint64_t size, dlport_stream stream) {
  (void)stream;
  if (size == 0) return check_device(dst.device);
  char* to = place(dst, size, "dst");
  if (!to) return status_of_place(dst.device);
  if (!host) return fail(DLPORT_INVALID_ARGUMENT, "host is a null pointer");
  memmove(to, host, size); /* HARDWARE */
  return DLPORT_OK;
}

static dlport_status copy_memory(dlport_region dst, dlport_region src, uint64_t size, dlport_stream stream) {
  (void)stream;
  if (size == 0) return DLPORT_OK;
  char* to = place(dst, size, "dst");
  if (!to) return status_of_place(dst.device);
  const char* from = place(src, size, "src");
  if (!from) return status_of_place(src.device);
  if ((to > from ? (uint64_t)(to - from) : (uint64_t)(from - to)) < size) {
    return fail(DLPORT_INVALID_ARGUMENT, "the %llu bytes of source and destination overlap", (unsigned long long)size);
  }
  memcpy(to, from, size); /* HARDWARE */
  return DLPORT_OK;
}

static dlport_status fill_memory(dlport_region dst, const void* pattern, size_t pattern_size, uint64_t size,
                                 dlport_stream stream) {
  (void)stream;
  if (pattern_size == 0 || pattern_size > 16 || (pattern_size & (pattern_size - 1))) {
    return fail(DLPORT_INVALID_ARGUMENT, "a pattern has 1, 2, 4, 8 or 16 bytes, not %zu", pattern_size);
  }
  if (!pattern) return fail(DLPORT_INVALID_ARGUMENT, "pattern is a null pointer");
  if (size % pattern_size) {
    return fail(DLPORT_INVALID_ARGUMENT, "%llu bytes are not a multiple of %zu", (unsigned long long)size,
                pattern_size);
  }
  if (size == 0) return check_device(dst.device);
  char* to = place(dst, size, "dst");
  if (!to) return status_of_place(dst.device);
  for (uint64_t done = 0; done < size; done += pattern_size) memcpy(to + done, pattern, pattern_size); /* HARDWARE */
  return DLPORT_OK;
}

/* Streams and events: this device works at once, so they have little to do. HARDWARE: its queues. */

static dlport_status stream_create(DLDevice device, dlport_stream* stream) {
  const dlport_status status = check_device(device);
  if (status != DLPORT_OK) return status;
  if (!stream) return fail(DLPORT_INVALID_ARGUMENT, "stream is a null pointer");
  dlport_stream made = calloc(1, sizeof(*made));
  if (!made) return fail(DLPORT_OUT_OF_MEMORY, "no host memory for a stream");
  *stream = made;
  return DLPORT_OK;
}

static dlport_status stream_destroy(DLDevice device, dlport_stream stream) {
  const dlport_status status = check_device(device);
  if (status == DLPORT_OK) free(stream);
  return status;
}

static dlport_status stream_synchronise(DLDevice device, dlport_stream stream) {
  (void)stream;
  return check_device(device);
}

static dlport_status check_event(DLDevice device, dlport_event event) {
  const dlport_status status = check_device(device);
  if (status != DLPORT_OK) return status;
  return event ? DLPORT_OK : fail(DLPORT_INVALID_ARGUMENT, "event is a null pointer");
}

static dlport_status stream_wait(DLDevice device, dlport_stream stream, dlport_event event) {
  (void)stream;
  return check_event(device, event);
}

static dlport_status event_create(DLDevice device, dlport_event* event) {
  const dlport_status status = check_device(device);
  if (status != DLPORT_OK) return status;
  if (!event) return fail(DLPORT_INVALID_ARGUMENT, "event is a null pointer");
  dlport_event made = calloc(1, sizeof(*made));
  if (!made) return fail(DLPORT_OUT_OF_MEMORY, "no host memory for an event");
  *event = made;
  return DLPORT_OK;
}

static dlport_status event_destroy(DLDevice device, dlport_event event) {
  const dlport_status status = check_device(device);
  if (status == DLPORT_OK) free(event);
  return status;
}

static dlport_status event_record(DLDevice device, dlport_event event, dlport_stream stream) {
  (void)stream;
  const dlport_status status = check_event(device, event);
  if (status != DLPORT_OK) return status;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  pthread_mutex_lock(&lock);
  event->seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  event->recorded = 1;
  pthread_mutex_unlock(&lock);
  return DLPORT_OK;
}

static dlport_status event_synchronise(DLDevice device, dlport_event event) {
  return check_event(device, event);
}

static dlport_status event_elapsed(DLDevice device, dlport_event start, dlport_event end, double* seconds) {
  dlport_status status = check_event(device, start);
  if (status == DLPORT_OK) status = check_event(device, end);
  if (status != DLPORT_OK) return status;
  if (!seconds) return fail(DLPORT_INVALID_ARGUMENT, "seconds is a null pointer");
  pthread_mutex_lock(&lock);
  const int recorded = start->recorded && end->recorded;
  const double between = end->seconds - start->seconds;
  pthread_mutex_unlock(&lock);
  if (!recorded) return fail(DLPORT_INVALID_ARGUMENT, "one of the two events was never recorded");
  *seconds = between;
  return DLPORT_OK;
}

/* Operators: the ones that this driver has, by name. HARDWARE: a compiler, or a table of firmware functions. */

static float* floats(const dlport_argument* argument) {
  return (float*)((char*)argument->tensor->data + argument->tensor->byte_offset);
}

static void add(const dlport_argument* arguments, uint64_t items) {
  const float *a = floats(&arguments[0]), *b = floats(&arguments[1]);
  float* sum = floats(&arguments[2]);
  for (uint64_t i = 0; i < items; ++i) sum[i] = a[i] + b[i];
}

static dlport_status operator_create(DLDevice device, const dlport_operator_source* source, dlport_operator* op) {
  const dlport_status status = check_device(device);
  if (status != DLPORT_OK) return status;
  if (!source || source->size < sizeof(*source) || !source->name || !op) {
    return fail(DLPORT_INVALID_ARGUMENT, "source, its name or op is a null pointer, or source.size is too small");
  }
  if (source->code) return fail(DLPORT_INVALID_ARGUMENT, "this device compiles nothing; it has the operator 'add'");
  if (strcmp(source->name, "add")) return fail(DLPORT_NOT_FOUND, "there is no operator '%s', only 'add'", source->name);
  dlport_operator made = calloc(1, sizeof(*made));
  if (!made) return fail(DLPORT_OUT_OF_MEMORY, "no host memory for an operator");
  made->function = add;
  *op = made;
  return DLPORT_OK;
}

static dlport_status operator_destroy(DLDevice device, dlport_operator op) {
  const dlport_status status = check_device(device);
  if (status == DLPORT_OK) free(op);
  return status;
}

static dlport_status operator_launch(DLDevice device, dlport_operator op, const dlport_launch* launch,
                                     dlport_stream stream) {
  (void)stream;
  const dlport_status status = check_device(device);
  if (status != DLPORT_OK) return status;
  if (!op || !launch || launch->size < sizeof(*launch)) {
    return fail(DLPORT_INVALID_ARGUMENT, "op or launch is a null pointer, or launch.size is too small");
  }
  if (launch->argument_count != 3 || !launch->arguments) {
    return fail(DLPORT_INVALID_ARGUMENT, "'add' takes 3 tensors, and was given %u arguments", launch->argument_count);
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (launch->global[axis] == 0 || (launch->local[axis] && launch->global[axis] % launch->local[axis])) {
      return fail(DLPORT_INVALID_ARGUMENT, "global[%d] is 0 or not a multiple of local[%d]", axis, axis);
    }
  }
  for (uint32_t i = 0; i < 3; ++i) {
    const DLTensor* tensor = launch->arguments[i].tensor;
    if (!tensor || check_device(tensor->device) != DLPORT_OK) {
      return fail(DLPORT_INVALID_ARGUMENT, "argument %u is not a tensor of this device", i);
    }
  }
  op->function(launch->arguments, launch->global[0]);
  return DLPORT_OK;
}

/* Devices. */

static dlport_status device_count(int32_t* count) {
  if (!count) return fail(DLPORT_INVALID_ARGUMENT, "count is a null pointer");
  *count = 1;
  return DLPORT_OK;
}

static dlport_status device_properties(int32_t index, dlport_device_properties* out) {
  if (!out) return fail(DLPORT_INVALID_ARGUMENT, "properties is a null pointer");
  if (index != 0) return fail(DLPORT_NOT_FOUND, "there is one device, and no device %d", (int)index);
  dlport_device_properties properties = {.device = kDevice,
                                         .name = "a pool of the host's heap",
                                         .memory = kMemory,
                                         .max_allocation = kMemory,
                                         .alignment = kAlignment,
                                         .capabilities = DLPORT_DEVICE_HOST_ACCESS | DLPORT_DEVICE_OPERATORS};
  /* A caller of another version knows more or less of the structure: fill in what both know. */
  properties.size = out->size < sizeof(properties) ? out->size : sizeof(properties);
  memcpy(out, &properties, properties.size);
  return DLPORT_OK;
}

static const dlport_driver table = {
    .size = sizeof(dlport_driver),
    .abi_version = DLPORT_DRIVER_ABI,
    .name = "heap",
    .version = "1.0",
    .last_error = last_error,
    .device_count = device_count,
    .device_properties = device_properties,
    .allocate = allocate,
    .free = release,
    .read = read_memory,
    .write = write_memory,
    .copy = copy_memory,
    .fill = fill_memory,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_synchronise = stream_synchronise,
    .stream_wait = stream_wait,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_synchronise = event_synchronise,
    .event_elapsed = event_elapsed,
    .operator_create = operator_create,
    .operator_destroy = operator_destroy,
    .operator_launch = operator_launch,
};

__attribute__((visibility("default"))) const dlport_driver* dlport_driver_entry(void) {
  return &table;
}
