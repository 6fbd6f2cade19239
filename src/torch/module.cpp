// The Python module behind `dlport.torch`.
#include <ATen/core/LegacyTypeDispatch.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/autograd/python_variable.h>

#include <exception>
#include <limits>
#include <optional>

#include "dlport/ort.hpp"
#include "torch/buffer.hpp"
#include "torch/device.hpp"
#include "torch/dispatch.hpp"
#include "torch/fork.hpp"
#include "torch/generator.hpp"
#include "torch/interchange.hpp"
#include "torch/lowered.hpp"
#include "torch/pool.hpp"
#include "torch/profiler.hpp"

namespace nb = nanobind;

// at::Tensor <-> torch.Tensor
template <>
struct nanobind::detail::type_caster<at::Tensor> {
  NB_TYPE_CASTER(at::Tensor, const_name("torch.Tensor"))

  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    if (!THPVariable_Check(source.ptr())) return false;
    value = THPVariable_Unpack(source.ptr());
    return true;
  }
  static handle from_cpp(const at::Tensor& tensor, rv_policy, cleanup_list*) noexcept {
    return THPVariable_Wrap(tensor);
  }
};

namespace dlport::pytorch {
namespace {

at::Tensor share_with_ort(const at::Tensor& tensor, int index) {
  device_name(index);  // refuses one that is not configured
  const at::AutoDispatchBelowADInplaceOrView below;
  return share_on_ort(tensor, c10::Device(kORTDevice, static_cast<c10::DeviceIndex>(index)));
}

at::Tensor share_physical(const at::Tensor& tensor) {
  return physical_tensor(tensor);
}

PyObject* raise_if_null(PyObject* object) {
  if (!object) throw nb::python_error();
  return object;
}

nb::dict calls_by_operator() {
  nb::dict result;
  for (const auto& [name, count] : calls()) result[name.c_str()] = nb::make_tuple(count.lowered, count.native);
  return result;
}

}  // namespace

NB_MODULE(_torch, m) {
  // PyTorch's errors carry the C++ stack, which is nothing to a user of Python.
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const c10::Error& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what_without_backtrace());
    }
  });
  m.attr("built_for") = DLPORT_TORCH_VERSION;
  nb::enum_<Fallback>(m, "Fallback")
      .value("native", Fallback::native)
      .value("warn", Fallback::warn)
      .value("error", Fallback::error);
  nb::enum_<LoweringMode>(m, "LoweringMode")
      .value("auto", LoweringMode::automatic)
      .value("always", LoweringMode::always)
      .value("never", LoweringMode::never);
  m.def("register_device", [] {
    ort::register_ort_device();
    register_device();
    register_profiler();
    register_operators();
  });
  m.def("share_with_ort", &share_with_ort, nb::arg("tensor"), nb::arg("index"));
  m.def("share_physical", &share_physical, nb::arg("tensor"));
  m.def(
      "exchange_api", [](nb::handle capsule) { return nb::steal(raise_if_null(wrap_exchange_api(capsule.ptr()))); },
      nb::arg("original"));
  m.def(
      "virtual_capsule",
      [](const at::Tensor& tensor, int index, bool versioned) {
        return nb::steal(raise_if_null(virtual_capsule(tensor, index, versioned)));
      },
      nb::arg("tensor"), nb::arg("index"), nb::arg("versioned"));
  m.def("device_count", &device_count);
  m.def("current_device", &current_device);
  m.def("set_device", &set_device, nb::arg("index"));
  m.def("device_name", &device_name, nb::arg("index"));
  m.def("is_forked", &is_forked);
  m.def(
      "set_memory_limit",
      [](int index, std::optional<size_t> bytes) {
        pool(static_cast<c10::DeviceIndex>(index)).set_limit(bytes.value_or(std::numeric_limits<size_t>::max()));
      },
      nb::arg("index"), nb::arg("bytes").none());
  m.def(
      "default_generator",
      [](int index) {
        const c10::Device device(kORTDevice, static_cast<c10::DeviceIndex>(index));
        return nb::steal(raise_if_null(THPGenerator_Wrap(default_generator(device))));
      },
      nb::arg("index"));
  m.def("calls", &calls_by_operator);
  m.def("reset_calls", &reset_calls);
  m.def("set_fallback", &set_fallback, nb::arg("mode"));
  m.def("set_lowering", &set_lowering, nb::arg("mode"));
  m.def("lowered_operators", &lowered_operators);
  m.def("declined_calls", &declined_calls);
  m.def("plan_stats", [] {
    const PlanStats stats = plan_stats();
    nb::dict result;
    result["planned"] = stats.planned;
    result["compiled"] = stats.compiled;
    result["copied"] = stats.copied;
    result["failed"] = stats.failed;
    return result;
  });
}

}  // namespace dlport::pytorch
