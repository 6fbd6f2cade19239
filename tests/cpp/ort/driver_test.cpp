#include "dlport/ort.h"
#include "fixtures.hpp"

namespace dlport::ort {
namespace {

const dlport_driver& driver() {
  return *dlport_ort_driver();
}

const DLDevice kFirst{kORT, 0};

void expect_ok(dlport_status status) {
  EXPECT_EQ(status, DLPORT_OK) << driver().last_error();
}

/// Creates an operator, launches it on tensors and destroys it.
dlport_status run(const dlport_operator_source& source, const std::vector<const Tensor*>& tensors) {
  dlport_operator op = nullptr;
  if (const dlport_status refused = driver().operator_create(kFirst, &source, &op)) return refused;
  std::vector<DLTensor> lent;
  for (const Tensor* tensor : tensors) lent.push_back(tensor ? tensor->dltensor() : DLTensor{});
  std::vector<dlport_argument> arguments;
  for (size_t i = 0; i < tensors.size(); ++i) arguments.push_back({tensors[i] ? &lent[i] : nullptr, nullptr, 0});
  dlport_launch launch{sizeof launch, arguments.data(), static_cast<uint32_t>(arguments.size()), 0, {1, 1, 1}, {}};
  const dlport_status launched = driver().operator_launch(kFirst, op, &launch, nullptr);
  expect_ok(driver().operator_destroy(kFirst, op));
  return launched;
}

dlport_operator_source named(const char* name, const char* options = nullptr) {
  return {sizeof(dlport_operator_source), name, nullptr, 0, options};
}

TEST(Driver, ListsTheConfiguredDevices) {
  int32_t count = 0;
  expect_ok(driver().device_count(&count));
  EXPECT_EQ(count, static_cast<int32_t>(devices().size()));
  dlport_device_properties properties{};
  properties.size = sizeof properties;
  expect_ok(driver().device_properties(0, &properties));
  EXPECT_EQ(Device(properties.device), Device(kORT, 0));
  EXPECT_EQ(std::string(properties.operator_format), "onnx");
  EXPECT_TRUE(properties.capabilities & DLPORT_DEVICE_HOST_ACCESS);
}

TEST(Driver, AllocatesMemoryOfThePhysicalDevice) {
  void* data = nullptr;
  expect_ok(driver().allocate(kFirst, 16, 0, nullptr, &data));
  const float ones[] = {1, 1, 1, 1};
  float back[4] = {};
  expect_ok(driver().write({kFirst, data, 0}, ones, sizeof ones, nullptr));
  expect_ok(driver().read(back, {kFirst, data, 0}, sizeof back, nullptr));
  EXPECT_EQ(back[3], 1);
  expect_ok(driver().free(kFirst, data, nullptr));
  EXPECT_EQ(driver().free(kFirst, data, nullptr), DLPORT_INVALID_ARGUMENT);
}

TEST(Driver, LaunchesOperatorsByNameWithAttributes) {
  const Tensor a = tensor_of<float>({1, 2}, {1, 2}, float32), b = tensor_of<float>({1, 2}, {3, 4}, float32);
  const Tensor c = tensor_of<float>({1, 1}, {0}, float32);
  expect_ok(run(named("Gemm", "transB=1;alpha=2.0"), {&a, &b, &c}));
  EXPECT_EQ(values_of(c), (std::vector<float>{22}));
  const Tensor d = tensor_of<float>({2, 1}, {0, 0}, float32);
  expect_ok(run(named("Transpose", "perm=[1,0]"), {&a, &d}));
  EXPECT_EQ(values_of(d), (std::vector<float>{1, 2}));
  expect_ok(run(named("com.microsoft::FusedMatMul"), {&a, &d, &c}));
  EXPECT_EQ(values_of(c), (std::vector<float>{5}));
}

TEST(Driver, LaunchesOperatorsWithOptionalInputsAndSeveralOutputs) {
  const Tensor x = vector_of({-5, 5, 1}), limit = tensor_of<float>({}, {2}, float32), y = vector_of({0, 0, 0});
  expect_ok(run(named("Clip"), {&x, nullptr, &limit, &y}));
  EXPECT_EQ(values_of(y), (std::vector<float>{-5, 2, 1}));
  const Tensor k = integers({1}), top = vector_of({0}), index = integers({0});
  expect_ok(run(named("TopK", "outputs=2"), {&x, &k, &top, &index}));
  EXPECT_EQ(values_of<int64_t>(index), (std::vector<int64_t>{1}));
}

TEST(Driver, LaunchesModels) {
  const std::string model = doubling().to_onnx();
  const Tensor x = vector_of({1, 2}), y = vector_of({0, 0});
  expect_ok(run({sizeof(dlport_operator_source), "model", model.data(), model.size(), nullptr}, {&x, &y}));
  EXPECT_EQ(values_of(y), (std::vector<float>{2, 4}));
}

TEST(Driver, SaysWhatIsWrong) {
  const Tensor x = vector_of({1}), y = vector_of({0});
  EXPECT_EQ(run(named("NoSuchOperator"), {&x, &y}), DLPORT_UNSUPPORTED);
  EXPECT_NE(std::string(driver().last_error()).find("NoSuchOperator"), std::string::npos);
  EXPECT_EQ(run(named("Relu", "nonsense"), {&x, &y}), DLPORT_INVALID_ARGUMENT);
  EXPECT_EQ(run(named("Relu"), {}), DLPORT_INVALID_ARGUMENT);
  void* data = nullptr;
  EXPECT_EQ(driver().allocate({kDLCUDA, 0}, 16, 0, nullptr, &data), DLPORT_INVALID_ARGUMENT);
  EXPECT_EQ(driver().allocate({kORT, 99}, 16, 0, nullptr, &data), DLPORT_NOT_FOUND);
}

}  // namespace
}  // namespace dlport::ort
