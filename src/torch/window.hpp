// How convolutions and poolings lie over the spatial axes of a tensor: its last ones.
#pragma once

#include <cstdint>
#include <vector>

namespace dlport::pytorch {

/// One entry a spatial axis; `padding` is on both sides.
struct Window {
  std::vector<int64_t> kernel, stride, padding, dilation;
};

/// PyTorch takes one number for all spatial axes as well.
inline std::vector<int64_t> spread(std::vector<int64_t> values, size_t axes) {
  if (values.size() == 1) values.resize(axes, values.front());
  return values;
}

/// ONNX's `pads`: what comes before each axis, then what comes after.
inline std::vector<int64_t> both_sides(std::vector<int64_t> padding) {
  const size_t axes = padding.size();
  padding.resize(2 * axes);
  for (size_t i = 0; i < axes; ++i) padding[axes + i] = padding[i];
  return padding;
}

}  // namespace dlport::pytorch
