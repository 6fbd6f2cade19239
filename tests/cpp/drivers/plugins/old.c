/* A driver as the first release's header had it: the table ends before the first optional function, and it knows less
 * of the structures that a host hands it. It serves one device and does nothing but count. */
#include <stddef.h>
#include <string.h>

#include "dlport/driver.h"

static const char* last_error(void) {
  return "";
}

static dlport_status device_count(int32_t* count) {
  *count = 1;
  return DLPORT_OK;
}

static dlport_status device_properties(int32_t index, dlport_device_properties* out) {
  (void)index;
  out->device.device_type = kDLTrn;
  out->device.device_id = 3;
  strcpy(out->name, "old");
  out->alignment = 1;
  return DLPORT_OK;
}

static dlport_status allocate(DLDevice d, uint64_t n, uint64_t a, dlport_stream s, void** data) {
  (void)d, (void)n, (void)a, (void)s;
  static char memory[4096];
  *data = memory;
  return n <= sizeof(memory) ? DLPORT_OK : DLPORT_OUT_OF_MEMORY;
}
static dlport_status release(DLDevice d, void* p, dlport_stream s) {
  return (void)d, (void)p, (void)s, DLPORT_OK;
}
static dlport_status read_memory(void* host, dlport_region src, uint64_t n, dlport_stream s) {
  (void)s;
  memcpy(host, (char*)src.data + src.offset, n);
  return DLPORT_OK;
}
static dlport_status write_memory(dlport_region dst, const void* host, uint64_t n, dlport_stream s) {
  (void)s;
  memcpy((char*)dst.data + dst.offset, host, n);
  return DLPORT_OK;
}
static dlport_status copy(dlport_region a, dlport_region b, uint64_t n, dlport_stream s) {
  return (void)a, (void)b, (void)n, (void)s, DLPORT_UNSUPPORTED;
}
static dlport_status fill(dlport_region a, const void* p, size_t k, uint64_t n, dlport_stream s) {
  return (void)a, (void)p, (void)k, (void)n, (void)s, DLPORT_UNSUPPORTED;
}
static dlport_status stream_create(DLDevice d, dlport_stream* s) {
  return (void)d, (void)s, DLPORT_UNSUPPORTED;
}
static dlport_status on_stream(DLDevice d, dlport_stream s) {
  return (void)d, (void)s, DLPORT_OK;
}
static dlport_status stream_wait(DLDevice d, dlport_stream s, dlport_event e) {
  return (void)d, (void)s, (void)e, DLPORT_OK;
}
static dlport_status event_create(DLDevice d, dlport_event* e) {
  return (void)d, (void)e, DLPORT_UNSUPPORTED;
}
static dlport_status on_event(DLDevice d, dlport_event e) {
  return (void)d, (void)e, DLPORT_OK;
}
static dlport_status event_record(DLDevice d, dlport_event e, dlport_stream s) {
  return (void)d, (void)e, (void)s, DLPORT_OK;
}
static dlport_status elapsed(DLDevice d, dlport_event a, dlport_event b, double* s) {
  return (void)d, (void)a, (void)b, (void)s, DLPORT_UNSUPPORTED;
}
static dlport_status create(DLDevice d, const dlport_operator_source* s, dlport_operator* o) {
  return (void)d, (void)s, (void)o, DLPORT_UNSUPPORTED;
}
static dlport_status destroy(DLDevice d, dlport_operator o) {
  return (void)d, (void)o, DLPORT_OK;
}
static dlport_status launch(DLDevice d, dlport_operator o, const dlport_launch* l, dlport_stream s) {
  return (void)d, (void)o, (void)l, (void)s, DLPORT_UNSUPPORTED;
}

/* What lies behind the end of the table must never be taken for a function. */
static struct {
  dlport_driver table;
  char behind[64];
} old = {{DLPORT_DRIVER_REQUIRED_SIZE,
          DLPORT_DRIVER_ABI,
          0,
          "old",
          "0.1",
          last_error,
          device_count,
          device_properties,
          allocate,
          release,
          read_memory,
          write_memory,
          copy,
          fill,
          stream_create,
          on_stream,
          on_stream,
          stream_wait,
          event_create,
          on_event,
          event_record,
          on_event,
          elapsed,
          create,
          destroy,
          launch,
          (dlport_status(*)(dlport_region, uint64_t, dlport_region, uint64_t, uint64_t, uint64_t, dlport_stream))1},
         "garbage"};

__attribute__((visibility("default"))) const dlport_driver* dlport_driver_entry(void) {
  return &old.table;
}
