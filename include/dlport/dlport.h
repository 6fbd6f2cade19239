/*
 * dlport's exchange core for C and for every language that can call C.
 *
 * Every function that returns a dlport_status returns DLPORT_OK or says what went wrong: dlport_last_error() then holds
 * a sentence that names the offending value. All functions may be called from any thread; none aborts, and none lets a
 * C++ exception out.
 */
#ifndef DLPORT_DLPORT_H_
#define DLPORT_DLPORT_H_

#include "dlport/dlpack.h"
#include "dlport/export.h"

/* The ORT device, for DLDevice.device_type: an extension device whose device_id is the index of a configured ONNX
 * Runtime execution provider. A tensor on it lies in the memory of a physical device, which is what exports name. */
#define DLPORT_ORT kDLExtDev

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  DLPORT_OK = 0,
  DLPORT_INVALID_TENSOR = 1,   /* a tensor breaks DLPack's rules */
  DLPORT_INVALID_ARGUMENT = 2, /* another argument is out of range or of the wrong kind */
  DLPORT_UNSUPPORTED = 3,      /* well formed, but this part cannot express it */
  DLPORT_WOULD_COPY = 4,       /* only a copy could do it, and the caller forbade one */
  DLPORT_DEVICE = 5,           /* a driver or a runtime reported a failure */
  DLPORT_OUT_OF_MEMORY = 6,
  DLPORT_NOT_FOUND = 7, /* a library, device, operator or file is not there */
  DLPORT_INTERNAL = 8   /* a broken invariant of dlport itself, worth a bug report */
} dlport_status;

/* A reference to an owned tensor. Whoever receives one ends it with dlport_release(). */
typedef struct dlport_tensor dlport_tensor;

/* "0.1.0" */
DLPORT_API const char* dlport_version(void);

/* The sentence about this thread's last failure, or "" before the first. Valid until this thread's next failure. */
DLPORT_API const char* dlport_last_error(void);

/* Checks a foreign tensor without reading its elements. `flags` are those of its managed tensor, 0 for a legacy one. */
DLPORT_API dlport_status dlport_validate(const DLTensor* tensor, uint64_t flags);

/* Makes a row-major tensor of uninitialised host memory, aligned to 256 bytes. */
DLPORT_API dlport_status dlport_empty(int32_t ndim, const int64_t* shape, DLDataType dtype, dlport_tensor** out);

/* Takes over a managed tensor after validating it. Where that fails, its deleter has been called all the same. */
DLPORT_API dlport_status dlport_import(DLManagedTensorVersioned* managed, dlport_tensor** out);
DLPORT_API dlport_status dlport_import_legacy(DLManagedTensor* managed, dlport_tensor** out);

/* Hands out a managed tensor that shares the memory; the caller calls its deleter once. `tensor` stays the caller's.
 * A legacy one has no flags: DLPORT_UNSUPPORTED for a tensor that is read-only or padded. */
DLPORT_API dlport_status dlport_export(const dlport_tensor* tensor, DLManagedTensorVersioned** out);
DLPORT_API dlport_status dlport_export_legacy(const dlport_tensor* tensor, DLManagedTensor** out);

/* What a tensor is; valid while the reference is held. Its device is the physical one. */
DLPORT_API const DLTensor* dlport_dltensor(const dlport_tensor* tensor);
/* DLPACK_FLAG_BITMASK_* bits. */
DLPORT_API uint64_t dlport_flags(const dlport_tensor* tensor);
/* The device that the tensor was made on, possibly a virtual one. */
DLPORT_API DLDevice dlport_device(const dlport_tensor* tensor);

/* Ends a reference; NULL is let pass. The last one releases the memory. */
DLPORT_API void dlport_release(dlport_tensor* tensor);

/* Copies all elements of `src` to `dst`: the same shape, any strides, host memory; converts where the dtypes differ.
 * Both are validated; elements narrower than a byte are packed. DLPORT_INVALID_ARGUMENT where the two overlap. */
DLPORT_API dlport_status dlport_copy(const DLTensor* dst, const DLTensor* src);

/* Writes a line such as "float32 (3, 4) on cpu:0, strides (1, 3)" to `buffer`, cut to `size` with its final zero, and
 * returns the length of all of it (as snprintf does); 0 where the tensor is not valid. */
DLPORT_API size_t dlport_describe(const DLTensor* tensor, uint64_t flags, char* buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif /* DLPORT_DLPORT_H_ */
