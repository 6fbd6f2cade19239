// Layouts of every kind for tests: permuted, sliced, reversed and broadcast tensors over memory of known content.
#pragma once

#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "dlport/tensor.hpp"

namespace dlport::testing {

/// Bytes of one element of a tensor with whole-byte elements.
inline char* element(const TensorView& view, const std::vector<int64_t>& index) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset += index[i] * view.strides()[i];
  return static_cast<char*>(view.data()) + offset * view.dtype().itemsize();
}

/// Calls `visit(index)` for every element, row-major.
template <class Visit>
void for_each_index(Shape shape, Visit visit) {
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t left = numel(shape); left > 0; --left) {
    visit(index);
    for (size_t i = shape.size(); i-- > 0 && ++index[i] == shape[i];) index[i] = 0;
  }
}

/// Fills the memory of a row-major tensor with bytes that differ from element to element.
inline void fill_with_bytes(const Tensor& tensor, unsigned seed) {
  auto* bytes = static_cast<unsigned char*>(tensor.data());
  for (int64_t i = 0; i < tensor.nbytes(); ++i) bytes[i] = static_cast<unsigned char>((i * 131 + i / 251 + seed) % 251);
}

/// A tensor of `shape` in fresh memory with a layout of its own: axes in any order, gaps, reversed axes.
inline Tensor random_layout(std::mt19937& random, Shape shape, DType dtype) {
  auto chance = [&](int one_in) { return random() % one_in == 0; };
  const auto ndim = static_cast<int>(shape.size());
  std::vector<int> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (!chance(3)) std::shuffle(order.begin(), order.end(), random);
  std::vector<int64_t> memory(shape.size());
  for (int i = 0; i < ndim; ++i) memory[i] = shape[order[i]];
  std::vector<int64_t> steps(shape.size(), 1);
  for (int i = 0; i < ndim; ++i) {
    if (chance(4)) steps[i] = 1 + random() % 3;
    memory[i] = memory[i] * steps[i] + (chance(4) ? random() % 3 : 0);
  }
  Tensor result = Tensor::empty(memory, dtype);
  fill_with_bytes(result, random());
  std::vector<int> inverse(shape.size());
  for (int i = 0; i < ndim; ++i) {
    inverse[order[i]] = i;
    result = result.slice(i, 0, shape[order[i]] * steps[i], steps[i]);
    if (chance(4)) result = result.slice(i, -1, INT64_MIN, -1);
  }
  return result.permute(inverse);
}

}  // namespace dlport::testing
