/* OpenVINO's execution provider on a CPU of any maker, for tests.
 *
 * The provider computes on every x86-64 CPU, but offers a device only where ONNX Runtime calls the CPU Intel's. This
 * library is a plugin provider that passes everything on to the real one, whose path is in DLPORT_TEST_OPENVINO, and
 * answers one question itself: who made the hardware. On Intel's hardware it changes nothing.
 *
 * Function numbers and signatures: ONNX Runtime's C ABI (OrtApiBase 0 and 1; OrtApi 307 and 308). */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*Function)(void);
typedef struct {
  const Function* (*get_api)(uint32_t version);
  const char* (*get_version_string)(void);
} ApiBase;

enum { kHardwareDeviceType = 307, kHardwareDeviceVendorId = 308, kCpu = 0, kIntel = 0x8086 };
/* More than any version's table has; what is copied beyond a table's end is never called. */
enum { kFunctions = 450 };

static const ApiBase* real_base;
static Function functions[kFunctions];
static uint32_t (*real_vendor_id)(const void* device);

static uint32_t vendor_id(const void* device) {
  const int type = ((int (*)(const void*))functions[kHardwareDeviceType])(device);
  return type == kCpu ? kIntel : real_vendor_id(device);
}

static const Function* get_api(uint32_t version) {
  const Function* real = real_base->get_api(version);
  if (!real) return NULL;
  memcpy(functions, real, sizeof functions);
  real_vendor_id = (uint32_t (*)(const void*))real[kHardwareDeviceVendorId];
  functions[kHardwareDeviceVendorId] = (Function)vendor_id;
  return functions;
}

static const char* get_version_string(void) {
  return real_base->get_version_string();
}

static const ApiBase base = {get_api, get_version_string};

static Function find(const char* name) {
  const char* path = getenv("DLPORT_TEST_OPENVINO");
  void* library = path ? dlopen(path, RTLD_NOW) : NULL;
  if (!library) {
    fprintf(stderr, "DLPORT_TEST_OPENVINO has to name the library of OpenVINO's provider: %s\n", path ? dlerror() : "");
    abort();
  }
  return (Function)dlsym(library, name);
}

EXPORT void* CreateEpFactories(const char* name, const ApiBase* api, const void* logger, void** factories,
                               size_t capacity, size_t* count) {
  real_base = api;
  return ((void* (*)(const char*, const ApiBase*, const void*, void**, size_t, size_t*))find("CreateEpFactories"))(
      name, &base, logger, factories, capacity, count);
}

EXPORT void* ReleaseEpFactory(void* factory) {
  return ((void* (*)(void*))find("ReleaseEpFactory"))(factory);
}
