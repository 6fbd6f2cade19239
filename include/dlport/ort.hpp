/// ONNX Runtime as a device: execution providers, graphs of ONNX operators, compiled and run on memory that we own.
/// Everything goes through ONNX Runtime's public C API in a shared library opened at run time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dlport/device.hpp"
#include "dlport/dtype.hpp"
#include "dlport/export.h"
#include "dlport/layout.hpp"
#include "dlport/tensor.hpp"

namespace dlport::ort {

/// Names the ONNX Runtime library to open. Searched in this order: the environment's DLPORT_ORT_LIBRARY, this path, the
/// loader's own "libonnxruntime.so". Has no effect once the library is open. Thread-safe.
DLPORT_API void use_library(std::string path);

/// The library's version, e.g. "1.30.0". Opens it: throws Error{not_found} where there is none or it is something else,
/// Error{unsupported} where it is older than 1.23.
DLPORT_API std::string version();

/// Registers the shared library at `path` as a plugin execution provider under `name` (any; used in messages).
/// Throws Error{device} where it is not one or `name` is taken. Registered once, it stays.
DLPORT_API void register_provider(const std::string& name, const std::string& path);

/// Makes `ort` a virtual device (see register_virtual_device): tensors on ort:N then resolve to what N computes on.
DLPORT_API void register_ort_device();

/// Options of an execution provider, as ONNX Runtime spells them.
using Options = std::map<std::string, std::string>;

/// One configured execution provider: what `ort:<index>` stands for.
struct DeviceInfo {
  int index;             ///< N of ort:N
  std::string provider;  ///< "CPUExecutionProvider", "OpenVINOExecutionProvider", ...
  std::string vendor;    ///< of the provider
  std::string hardware;  ///< "CPU", "GPU", "NPU"
  Device physical;       ///< whose memory it computes on
  bool sync_streams;     ///< takes work on streams of the caller's choice
  Options options;
};

/// Every device of every provider that the library has or that was registered; their `index` is -1.
DLPORT_API std::vector<DeviceInfo> available_devices();

/// Makes ort:`index` the named provider ("cpu", "openvino", or ONNX Runtime's own name). ort:0 is "cpu" unless set.
/// Throws Error{not_found} naming the providers that there are.
DLPORT_API void set_device(int index, std::string_view provider, const Options& options = {});

/// What graphs compiled for a device depend on.
struct Target {
  uint32_t configuration = 0;  ///< another one after each set_device: a graph compiled under one serves no other
  bool is_cpu = false;         ///< ONNX Runtime's own CPU provider, which works in host memory on the host's cores
  bool static_shapes = false;  ///< the provider wants a graph for each shape rather than one for all of a rank
  bool is_32_bit = false;      ///< it computes 64-bit numbers in 32 bits, integers in floats, and loses nan on the way
};

/// The target of ort:`device`. Throws Error{not_found} where it is not configured. Thread-safe; no lock below ort:64.
DLPORT_API Target target(int device);

/// The configured devices, ort:0 first.
DLPORT_API std::vector<DeviceInfo> devices();

/// Uninitialised row-major memory of what ort:`device` computes on, from the provider's own allocator where that is not
/// the host's. Throws Error{not_found} for an index that is not configured, Error{out_of_memory}.
DLPORT_API Tensor empty(Shape shape, DType dtype, int device = 0);

/// Copies every element of `src` to `dst` (same shape and dtype), across any two devices that a configured provider
/// reaches; both have to be row-major unless both are in host memory. Returns when the copy is done.
DLPORT_API void copy(const TensorView& dst, const TensorView& src);

class Graph;

/// An attribute of an ONNX node. A tensor's elements are copied into the model; a graph is the body of an If, a Loop
/// or a Scan (see Graph::subgraph).
struct Attribute {
  std::string name;
  std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>, std::vector<std::string>, Tensor,
               std::shared_ptr<const Graph>>
      value;
};

/// A value in a graph: an input, a constant or a node's output. `absent` stands for an optional input left out.
using Value = int32_t;
inline constexpr Value absent = -1;

class Executable;

/// A graph of ONNX operators under construction. Plain data: building one calls nothing of ONNX Runtime.
/// Not thread-safe; compile() may be called by several threads.
class DLPORT_API Graph {
 public:
  /// The version of ONNX's own operators that every supported library knows.
  static constexpr int kOpset = 21;

  explicit Graph(int opset = kOpset);
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  /// A graph to be the attribute of a node of this one, whose values its own nodes may use.
  Graph subgraph() const;

  /// Adds an input; a dimension of -1 is dynamic. Names are for sessions; the default is made up.
  Value input(DType dtype, Shape shape, std::string_view name = {});
  /// Adds a constant, whose memory is shared where it is row-major, and copied otherwise.
  Value constant(Tensor tensor);
  /// Adds a node and returns its outputs. `domain` "" is ONNX's own.
  std::vector<Value> node(std::string_view op, std::span<const Value> inputs, int outputs = 1,
                          std::vector<Attribute> attributes = {}, std::string_view domain = "");
  /// Makes `value` the next output, with the dtype and shape that it will have (-1: dynamic).
  void output(Value value, DType dtype, Shape shape, std::string_view name = {});
  /// Makes `value`, of any kind, the next output; ONNX Runtime works its type out.
  void output(Value value, std::string_view name = {});

  /// Compiles for ort:`device`. Throws Error{unsupported} with ONNX Runtime's own words where it has no kernel.
  std::shared_ptr<const Executable> compile(int device = 0) const;

  /// The graph as a serialised ONNX model, constants included.
  std::string to_onnx() const;

  struct Impl;
  const Impl& impl() const noexcept { return *impl_; }  ///< for the library itself

 private:
  explicit Graph(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A compiled graph. Thread-safe: several threads may run one at the same time.
class DLPORT_API Executable {
 public:
  virtual ~Executable();
  /// Runs on row-major tensors in the physical device's memory, writing results straight into `outputs`.
  /// Checked against the graph: count only (shapes and dtypes are ONNX Runtime's to check).
  /// Throws Error{device} with ONNX Runtime's own words.
  virtual void run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const = 0;
  /// The same, into memory that ONNX Runtime allocates. All outputs have to be tensors of numbers.
  virtual std::vector<Tensor> run(std::span<const TensorView> inputs) const = 0;
};

}  // namespace dlport::ort
