/// Typed access to the elements of a host tensor: a multidimensional span with the tensor's own strides.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "dlport/dtype.hpp"
#include "dlport/error.hpp"
#include "dlport/layout.hpp"
#include "dlport/tensor.hpp"

/// Whether element access checks its indices: in debug builds, unless a program decides for itself.
#ifndef DLPORT_CHECK_BOUNDS
#ifdef NDEBUG
#define DLPORT_CHECK_BOUNDS 0
#else
#define DLPORT_CHECK_BOUNDS 1
#endif
#endif

namespace dlport {

/// The dtype of a C++ type: bool, the integers, float, double and their complex numbers.
template <class T>
constexpr DType dtype_of() noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return boolean;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return complex64;
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return complex128;
  } else {
    static_assert(std::is_arithmetic_v<T>, "no dtype stands for this type");
    constexpr auto code = std::is_floating_point_v<T> ? kDLFloat : std::is_signed_v<T> ? kDLInt : kDLUInt;
    return {code, 8 * static_cast<int>(sizeof(T))};
  }
}

/// The elements of a tensor of `kNdim` dimensions: `x(i, j)` is a reference. Borrows the memory, copies the layout.
/// Indices are not negative. With `kChecked` an index outside throws Error{invalid_argument}; without, it is undefined.
template <class T, int kNdim, bool kChecked = DLPORT_CHECK_BOUNDS>
class Access {
 public:
  explicit Access(const TensorView& view) noexcept : data_(static_cast<T*>(view.data())) {
    row_major_strides(view.shape(), strides_.data());
    for (int axis = 0; axis < kNdim; ++axis) {
      shape_[axis] = view.shape()[axis];
      if (!view.strides().empty()) strides_[axis] = view.strides()[axis];
    }
  }

  template <class... Index>
    requires(sizeof...(Index) == kNdim && (std::is_integral_v<Index> && ...))
  T& operator()(Index... indices) const noexcept(!kChecked) {
    const std::array<int64_t, kNdim> index{static_cast<int64_t>(indices)...};
    int64_t offset = 0;
    for (int axis = 0; axis < kNdim; ++axis) {
      if constexpr (kChecked) check(axis, index[axis]);
      offset += index[axis] * strides_[axis];
    }
    return data_[offset];
  }

  int64_t extent(int axis) const noexcept { return shape_[axis]; }
  int64_t stride(int axis) const noexcept { return strides_[axis]; }

 private:
  void check(int axis, int64_t index) const {
    if (index >= 0 && index < shape_[axis]) return;
    throw Error(ErrorCode::invalid_argument, "index " + std::to_string(index) + " is out of range for axis " +
                                                 std::to_string(axis) + " of length " + std::to_string(shape_[axis]));
  }

  T* data_;
  std::array<int64_t, kNdim> shape_, strides_;
};

/// Access to `view`'s elements; `T` may be const, and has to be for a read-only tensor.
/// Throws Error{invalid_argument} where T is not the tensor's dtype, kNdim not its number of dimensions, its memory not
/// the host's, not aligned for T, or read-only.
template <class T, int kNdim>
Access<T, kNdim> access(const TensorView& view) {
  auto require = [&](bool fits, const std::string& wish) {
    if (!fits) throw Error(ErrorCode::invalid_argument, "access to a tensor " + to_string(view) + " needs " + wish);
  };
  constexpr DType dtype = dtype_of<std::remove_const_t<T>>();
  require(view.dtype() == dtype, "dtype " + to_string(dtype));
  require(view.ndim() == kNdim, std::to_string(kNdim) + " dimensions");
  require(view.device().is_host(), "host memory");
  require(view.is_aligned(), "aligned data");
  require(std::is_const_v<T> || !view.read_only(), "writable memory, or a const element type");
  return Access<T, kNdim>(view);
}

}  // namespace dlport
