// What the tests of the ort layer share: tensors of numbers, and the devices that each test runs on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "dlport/error.hpp"
#include "dlport/ort.hpp"

namespace dlport::ort {

template <class T>
Tensor tensor_of(std::vector<int64_t> shape, const std::vector<T>& values, DType dtype) {
  Tensor tensor = Tensor::empty(shape, dtype);
  std::copy(values.begin(), values.end(), static_cast<T*>(tensor.data()));
  return tensor;
}

inline Tensor vector_of(const std::vector<float>& values) {
  return tensor_of<float>({static_cast<int64_t>(values.size())}, values, float32);
}

inline Tensor integers(const std::vector<int64_t>& values) {
  return tensor_of<int64_t>({static_cast<int64_t>(values.size())}, values, int64);
}

template <class T = float>
std::vector<T> values_of(const Tensor& tensor) {
  auto* first = static_cast<const T*>(tensor.data());
  return {first, first + tensor.numel()};
}

inline const int64_t kAnyLength[] = {-1};

/// y = x + x, of any length.
inline Graph doubling() {
  Graph graph;
  const Value x = graph.input(float32, kAnyLength, "x");
  graph.output(graph.node("Add", std::vector{x, x})[0], float32, kAnyLength, "y");
  return graph;
}

/// Expects `action` to throw an Error of `code` whose sentence has all of `words`.
template <class Action>
void expect_error(ErrorCode code, const std::vector<std::string>& words, const Action& action) {
  try {
    action();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(to_string(error.code()), std::string(to_string(code))) << error.what();
    for (const std::string& word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what() << " lacks " << word;
    }
  }
}

/// Runs once on each provider: ort:0, and ort:1, which is OpenVINO's where DLPORT_TEST_PROVIDER names
/// tests/providers/openvino.c, computing in float32 as it is asked to (its default is bfloat16).
class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (GetParam() == std::string("cpu")) return;
    static const std::string why_not = configure_second();
    if (!why_not.empty()) GTEST_SKIP() << why_not;
    device_ = 1;
  }

  int device_ = 0;

 private:
  static std::string configure_second() {
    const char* path = std::getenv("DLPORT_TEST_PROVIDER");
    if (!path) return "DLPORT_TEST_PROVIDER names no library of OpenVINO's provider (left out under sanitizers)";
    register_provider("second", path);
    set_device(1, "openvino", {{"load_config", R"({"CPU":{"INFERENCE_PRECISION_HINT":"f32"}})"}});
    return "";
  }
};

inline const auto kDevices = testing::Values("cpu", "openvino");

}  // namespace dlport::ort
