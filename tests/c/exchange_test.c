/* The C header, from C11: what a binding for another language does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dlport/dlport.h"

static int failures = 0;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

static const DLDataType kFloat32 = {kDLFloat, 32, 1};
static int deleted = 0;

static void count_deletion(DLManagedTensorVersioned* self) {
  (void)self;
  ++deleted;
}

static void count_legacy_deletion(DLManagedTensor* self) {
  (void)self;
  ++deleted;
}

static DLTensor matrix(float* data, int64_t* shape) {
  DLTensor tensor = {data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0};
  return tensor;
}

static DLManagedTensorVersioned managed_matrix(float* data, int64_t* shape) {
  DLManagedTensorVersioned managed = {{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, NULL, count_deletion, 0, {0}};
  managed.dl_tensor = matrix(data, shape);
  return managed;
}

static void an_imported_tensor_shares_memory_until_its_last_reference_goes(void) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {2, 3};
  DLManagedTensorVersioned managed = managed_matrix(data, shape);
  dlport_tensor* tensor = NULL;
  DLManagedTensorVersioned* exported = NULL;

  deleted = 0;
  EXPECT(dlport_import(&managed, &tensor) == DLPORT_OK);
  EXPECT(dlport_dltensor(tensor)->data == data);
  EXPECT(dlport_dltensor(tensor)->strides[0] == 3 && dlport_dltensor(tensor)->strides[1] == 1);
  EXPECT(dlport_export(tensor, &exported) == DLPORT_OK);
  dlport_release(tensor);
  EXPECT(deleted == 0);
  EXPECT(exported->dl_tensor.data == data);
  exported->deleter(exported);
  EXPECT(deleted == 1);
}

static void a_refused_tensor_is_released_once_and_the_reason_is_told(void) {
  float data[6] = {0};
  int64_t shape[2] = {2, -3};
  DLManagedTensorVersioned managed = managed_matrix(data, shape);
  dlport_tensor* tensor = NULL;

  deleted = 0;
  EXPECT(dlport_import(&managed, &tensor) == DLPORT_INVALID_TENSOR);
  EXPECT(tensor == NULL);
  EXPECT(deleted == 1);
  EXPECT(strcmp(dlport_last_error(), "shape[1] = -3 is negative") == 0);
}

static void a_legacy_tensor_comes_in_and_goes_out(void) {
  float data[6] = {0};
  int64_t shape[2] = {2, 3};
  DLManagedTensor managed = {{0}, NULL, count_legacy_deletion};
  DLManagedTensor* exported = NULL;
  dlport_tensor* tensor = NULL;

  managed.dl_tensor = matrix(data, shape);
  deleted = 0;
  EXPECT(dlport_import_legacy(&managed, &tensor) == DLPORT_OK);
  EXPECT(dlport_export_legacy(tensor, &exported) == DLPORT_OK);
  dlport_release(tensor);
  EXPECT(deleted == 0);
  exported->deleter(exported);
  EXPECT(deleted == 1);
}

static void a_read_only_tensor_has_no_legacy_form(void) {
  float data[6] = {0};
  int64_t shape[2] = {2, 3};
  DLManagedTensorVersioned managed = managed_matrix(data, shape);
  DLManagedTensor* exported = NULL;
  dlport_tensor* tensor = NULL;

  managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  EXPECT(dlport_import(&managed, &tensor) == DLPORT_OK);
  EXPECT(dlport_flags(tensor) == DLPACK_FLAG_BITMASK_READ_ONLY);
  EXPECT(dlport_export_legacy(tensor, &exported) == DLPORT_UNSUPPORTED);
  EXPECT(exported == NULL);
  dlport_release(tensor);
}

static void a_copy_converts_and_keeps_the_order_of_elements(void) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {3, 2}, column_major[2] = {1, 3};
  DLTensor src = matrix(data, shape);
  dlport_tensor* dst = NULL;
  const int32_t* copied;

  src.strides = column_major;
  EXPECT(dlport_empty(2, shape, (DLDataType){kDLInt, 32, 1}, &dst) == DLPORT_OK);
  EXPECT(dlport_copy(dlport_dltensor(dst), &src) == DLPORT_OK);
  copied = (const int32_t*)dlport_dltensor(dst)->data;
  EXPECT(copied[0] == 1 && copied[1] == 4 && copied[2] == 2 && copied[3] == 5 && copied[4] == 3 && copied[5] == 6);
  EXPECT(dlport_copy(&src, &src) == DLPORT_OK);
  dlport_release(dst);
}

static void a_description_is_cut_to_its_buffer(void) {
  float data[6] = {0};
  int64_t shape[2] = {3, 2}, column_major[2] = {1, 3};
  DLTensor tensor = matrix(data, shape);
  char line[64], little[8];

  tensor.strides = column_major;
  EXPECT(dlport_describe(&tensor, 0, line, sizeof line) == strlen(line));
  EXPECT(strcmp(line, "float32 (3, 2) on cpu:0, strides (1, 3)") == 0);
  EXPECT(dlport_describe(&tensor, 0, little, sizeof little) == strlen(line));
  EXPECT(strcmp(little, "float32") == 0);
  tensor.dtype.bits = 7;
  EXPECT(dlport_describe(&tensor, 0, line, sizeof line) == 0 && line[0] == '\0');
}

static void null_pointers_are_answered(void) {
  int64_t shape[1] = {4};
  dlport_tensor* tensor = NULL;

  EXPECT(dlport_validate(NULL, 0) == DLPORT_INVALID_ARGUMENT);
  EXPECT(dlport_import(NULL, &tensor) == DLPORT_INVALID_TENSOR);
  EXPECT(dlport_empty(1, NULL, kFloat32, &tensor) == DLPORT_INVALID_ARGUMENT);
  EXPECT(dlport_empty(1, shape, kFloat32, NULL) == DLPORT_INVALID_ARGUMENT);
  EXPECT(dlport_export(NULL, NULL) == DLPORT_INVALID_ARGUMENT);
  EXPECT(strcmp(dlport_last_error(), "tensor is a null pointer") == 0);
  dlport_release(NULL);
}

static void an_extension_device_that_nothing_registered_is_refused(void) {
  float data[6] = {0};
  int64_t shape[2] = {2, 3};
  DLManagedTensorVersioned managed = managed_matrix(data, shape);
  dlport_tensor* tensor = NULL;

  managed.dl_tensor.device.device_type = DLPORT_ORT;
  deleted = 0;
  EXPECT(dlport_import(&managed, &tensor) == DLPORT_INVALID_TENSOR);
  EXPECT(deleted == 1);
}

int main(void) {
  an_imported_tensor_shares_memory_until_its_last_reference_goes();
  a_refused_tensor_is_released_once_and_the_reason_is_told();
  a_legacy_tensor_comes_in_and_goes_out();
  a_read_only_tensor_has_no_legacy_form();
  a_copy_converts_and_keeps_the_order_of_elements();
  a_description_is_cut_to_its_buffer();
  null_pointers_are_answered();
  an_extension_device_that_nothing_registered_is_refused();
  if (failures == 0) printf("dlport %s: the C header does what it says\n", dlport_version());
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
