#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "dlport/error.hpp"
#include "dlport/ort_launch.hpp"
#include "ort/devices.hpp"
#include "ort/environment.hpp"
#include "ort/lru_cache.hpp"
#include "ort/memory.hpp"
#include "ort/session_checks.hpp"

namespace dlport::ort {
namespace {

struct Call {
  std::string_view op;
  std::span<const Operand> inputs;
  std::span<const Attribute> attributes;
  const LaunchOptions& options;
};

template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_text(std::string& key, std::string_view text) {
  append(key, text.size());
  key += text;
}

struct AttributeKey {
  std::string& key;

  void operator()(int64_t value) const { append(key, value); }
  void operator()(float value) const { append(key, value); }
  void operator()(const std::string& value) const { append_text(key, value); }
  template <class T>
  void operator()(const std::vector<T>& values) const {
    append(key, values.size());
    for (const T& value : values) (*this)(value);
  }
  void operator()(const Tensor& value) const {
    const Tensor packed = value.is_contiguous() ? value : row_major_copy(value);
    append(key, value.dtype());
    append(key, value.ndim());
    for (int64_t dim : value.shape()) append(key, dim);
    append_text(key, {static_cast<const char*>(packed.data()), static_cast<size_t>(packed.nbytes())});
  }
  void operator()(const std::shared_ptr<const Graph>& value) const { append_text(key, value->to_onnx()); }
};

/// Writes to `key` all that a compiled operator depends on, and nothing else.
void write_key(const Call& call, std::string& key) {
  key.clear();
  const Target target = ort::target(call.options.device);
  append(key, target.configuration);
  append(key, call.options.opset);
  append(key, generation());
  append_text(key, call.op);
  append_text(key, call.options.domain);
  for (const Operand& input : call.inputs) {
    key += input ? '+' : '-';
    if (!input) continue;
    append(key, input->dtype());
    append(key, input->ndim());
    if (!target.static_shapes) continue;
    for (int64_t dim : input->shape()) append(key, dim);
  }
  append(key, call.inputs.size());
  for (bool wanted : call.options.wanted) key += wanted ? '1' : '0';
  for (const Attribute& attribute : call.attributes) {
    append_text(key, attribute.name);
    append(key, attribute.value.index());
    std::visit(AttributeKey{key}, attribute.value);
  }
}

std::shared_ptr<const Executable> compile(const Call& call) {
  Graph graph(call.options.opset);
  const bool by_shape = target(call.options.device).static_shapes;
  std::vector<Value> operands;
  for (const Operand& input : call.inputs) {
    if (!input) {
      operands.push_back(absent);
      continue;
    }
    const std::vector<int64_t> any(static_cast<size_t>(input->ndim()), -1);
    operands.push_back(graph.input(input->dtype(), by_shape ? input->shape() : Shape(any)));
  }
  const std::span<const bool> wanted = call.options.wanted;
  const auto outputs = graph.node(call.op, operands, wanted.empty() ? 1 : static_cast<int>(wanted.size()),
                                  {call.attributes.begin(), call.attributes.end()}, call.options.domain);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (wanted.empty() || wanted[i]) graph.output(outputs[i]);
  }
  try {
    return graph.compile(call.options.device);
  } catch (const Error& error) {
    throw Error(error.code(), "cannot launch " + std::string(call.op) + ": " + error.what(), error.cause());
  }
}

class Cache {
 public:
  std::shared_ptr<const Executable> find(const Call& call) {
    thread_local std::string key;  // its memory is used again
    write_key(call, key);
    if (auto found = cache_.find(key)) {
      ++hits_;
      return found;
    }
    ++misses_;
    return cache_.insert(key, compile(call));
  }

  LaunchCounters counters() const { return {hits_, misses_, cache_.size(), cache_.capacity()}; }

  void set_capacity(size_t capacity) { cache_.set_capacity(capacity); }

 private:
  LruCache<std::string, std::shared_ptr<const Executable>> cache_{1024};
  std::atomic<uint64_t> hits_{0}, misses_{0};
};

Cache& cache() {
  static Cache& made = *new Cache;  // never released: threads may launch while the process ends
  return made;
}

/// The inputs that were given, row-major. Short lists, which nearly all are, need no allocation.
class Prepared {
 public:
  explicit Prepared(std::span<const Operand> inputs) {
    if (inputs.size() > inline_.size()) {
      long_.resize(inputs.size());
      views_ = long_.data();
    }
    for (const Operand& input : inputs) {
      if (!input) continue;
      views_[count_++] = is_row_major(*input) ? *input : copies_.emplace_back(row_major_copy(*input)).view();
    }
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  std::span<const TensorView> views() const { return {views_, count_}; }

 private:
  std::array<TensorView, 8> inline_;
  std::vector<TensorView> long_;
  TensorView* views_ = inline_.data();
  size_t count_ = 0;
  std::vector<Tensor> copies_;
};

}  // namespace

std::vector<Tensor> launch(std::string_view op, std::span<const Operand> inputs, std::span<const Attribute> attributes,
                           const LaunchOptions& options) {
  const auto compiled = cache().find({op, inputs, attributes, options});
  return compiled->run(Prepared(inputs).views());
}

void launch_into(std::string_view op, std::span<const Operand> inputs, std::span<const TensorView> outputs,
                 std::span<const Attribute> attributes, const LaunchOptions& options) {
  const auto compiled = cache().find({op, inputs, attributes, options});
  const Prepared prepared(inputs);
  for (const TensorView& output : outputs) check_writable(op, output, prepared.views());
  compiled->run(prepared.views(), outputs);
}

LaunchCounters launch_counters() {
  return cache().counters();
}

void set_launch_capacity(size_t capacity) {
  cache().set_capacity(capacity);
}

}  // namespace dlport::ort
