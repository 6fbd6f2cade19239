/// Sessions: ONNX models from files or bytes, run on tensors that are lent or handed out without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dlport/export.h"
#include "dlport/ort.hpp"
#include "dlport/tensor.hpp"

struct OrtRunOptions;

namespace dlport::ort {

/// The kinds of value that ONNX has.
enum class Kind : int32_t { unknown, tensor, sequence, map, opaque, sparse_tensor, optional };

/// The type of an input or output. Which fields count depends on the kind.
struct ValueType {
  Kind kind = Kind::unknown;
  std::optional<DType> dtype;          ///< tensor: of its elements; map: of its keys. None: strings
  bool ranked = true;                  ///< tensor: false where the model leaves even the rank open
  std::vector<int64_t> shape;          ///< tensor: -1 is dynamic
  std::vector<std::string> dim_names;  ///< tensor: one a dimension, "" where it is fixed or has no name
  std::vector<ValueType> element;      ///< sequence, optional: one, what they hold; map: one, its values
};

/// "float32 (n, 3)", "sequence of int64 ()", "map from string to float32 ()".
DLPORT_API std::string to_string(const ValueType& type);

/// A named input or output.
struct ValueInfo {
  std::string name;
  ValueType type;
};

/// A tensor of UTF-8 strings, row-major.
struct Strings {
  std::vector<int64_t> shape;
  std::vector<std::string> values;
  friend bool operator==(const Strings&, const Strings&) = default;
};

/// A map: as many keys (int64 or strings) as values, in one dimension.
struct Map {
  std::variant<Tensor, Strings> keys, values;
};

struct Datum;

/// A sequence: tensors of one dtype, tensors of strings, or maps.
struct Sequence {
  std::vector<Datum> items;
};

/// A value of any kind; monostate is an optional without one, or an input left out.
struct Datum : std::variant<std::monostate, Tensor, Strings, Map, Sequence> {
  using variant::variant;
};

/// How a session is made.
struct SessionOptions {
  int device = 0;                         ///< N of ort:N
  int threads = 0;                        ///< of its own, within an operator; 0: those that all sessions share
  int optimization = 99;                  ///< 0 none, 1 basic, 2 extended, 99 all
  int log_level = 4;                      ///< what goes to stderr: 0 verbose .. 3 errors, 4 nothing but what is fatal
  std::string optimized_model_path = {};  ///< where to write the optimised model
  std::string profile_prefix = {};        ///< turns profiling on: see Session::end_profiling
  std::vector<std::string> custom_op_libraries = {};  ///< shared libraries with operators of their own
  std::map<std::string, Tensor> initializers = {};    ///< take the place of the model's; memory shared, not copied
  std::map<std::string, int64_t> dimensions = {};     ///< fixes dynamic dimensions by their names
  Options config = {};                                ///< ONNX Runtime's session configuration entries
};

/// What one run, or several at the same time, are told. Thread-safe.
class DLPORT_API RunOptions {
 public:
  /// `config` are ONNX Runtime's run configuration entries; `tag` appears in its log.
  explicit RunOptions(const Options& config = {}, const std::string& tag = {});
  ~RunOptions();
  RunOptions(const RunOptions&) = delete;
  RunOptions& operator=(const RunOptions&) = delete;

  /// Makes the runs with these options, now and later, stop with an Error{device} at their next operator.
  void cancel();
  /// Allows runs again.
  void reset();

 private:
  friend const OrtRunOptions* raw_options(const RunOptions* options);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// An output that is wanted: which one, and the row-major tensor to write it into (none: memory is allocated).
struct Output {
  size_t index;
  Tensor into;
};

/// A model ready to run: a shared handle, so that copies are the same session, which lives as long as the last of
/// them, the last run and the last output. Thread-safe, but for assigning to one handle while another thread uses it.
class DLPORT_API Session {
 public:
  /// Loads a model. Throws Error{not_found} where there is no file, Error{invalid_argument} for what is not a whole
  /// ONNX model, Error{unsupported} for what the library or the provider cannot run; with ONNX Runtime's words.
  static Session from_file(const std::string& path, const SessionOptions& options = {});
  static Session from_bytes(std::span<const std::byte> model, const SessionOptions& options = {});
  /// Compiles `graph`, whose constants the session reads in place.
  static Session from_graph(const Graph& graph, const SessionOptions& options = {});

  /// The inputs, in the model's order, and behind them the initializers that a caller may override.
  std::span<const ValueInfo> inputs() const noexcept;
  size_t required_inputs() const noexcept;  ///< how many of them have to be given
  std::span<const ValueInfo> outputs() const noexcept;
  const DeviceInfo& device() const noexcept;

  /// The place of `name` among inputs() or outputs(). Throws Error{invalid_argument} naming those that there are.
  size_t input_index(std::string_view name) const;
  size_t output_index(std::string_view name) const;

  /// Runs a model of tensors on all its required inputs, writing all its outputs into `outputs`.
  /// Throws Error{invalid_argument} naming the input or output, what it takes and what it was given; nothing is then
  /// written outside `outputs`, and the session stays usable. Error{device} with ONNX Runtime's words where a run
  /// fails. Strided inputs are copied, which strided_copies() counts.
  void run(std::span<const TensorView> inputs, std::span<const TensorView> outputs,
           const RunOptions* options = nullptr) const;

  /// Runs any model. `inputs` are by position; monostate, or a short list, leaves inputs out.
  /// Returns the wanted outputs: the tensor that was given, or a new one over the memory that ONNX Runtime allocated.
  /// Throws as above, and Error{unsupported} for sparse tensors.
  std::vector<Datum> run(std::span<const Datum> inputs, std::span<const Output> outputs,
                         const RunOptions* options = nullptr) const;

  /// Ends profiling and returns the path of the file. Throws Error{invalid_argument} where it was not on.
  std::string end_profiling() const;

  struct Impl;

 private:
  explicit Session(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// How many inputs of sessions and launches were copied, in this process, because they were not row-major.
DLPORT_API uint64_t strided_copies() noexcept;

}  // namespace dlport::ort
