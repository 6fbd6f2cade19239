// Operators and a model on ONNX Runtime: tensors in, tensors out, all in memory of this program's own or shared with
// it.
#include <iostream>
#include <numeric>
#include <vector>

#include "dlport/access.hpp"
#include "dlport/error.hpp"
#include "dlport/ort_launch.hpp"
#include "dlport/ort_session.hpp"

namespace ort = dlport::ort;

int main() {
  const std::vector<int64_t> shape = {2, 3}, any_rows = {-1, 3}, result = {-1, 2};
  const dlport::Tensor x = dlport::Tensor::empty(shape, dlport::float32);
  std::iota(static_cast<float*>(x.data()), static_cast<float*>(x.data()) + x.numel(), 0.0f);

  // One operator, compiled on its first call and kept.
  const dlport::Tensor sum = ort::launch("Add", {x, x})[0];
  std::cout << "launched  " << to_string(sum) << ", last value " << dlport::access<const float, 2>(sum)(1, 2) << '\n';

  // A model, here built in place; Session::from_file loads one.
  ort::Graph graph;
  const ort::Value input = graph.input(dlport::float32, any_rows, "x");
  const ort::Value kept = graph.constant(x.permute(std::vector<int>{1, 0}));
  graph.output(graph.node("MatMul", std::vector{input, kept})[0], dlport::float32, result, "y");
  const ort::Session session = ort::Session::from_graph(graph);
  const dlport::Tensor y = dlport::Tensor::empty(std::vector<int64_t>{2, 2}, dlport::float32);
  session.run(std::vector<dlport::TensorView>{x}, std::vector<dlport::TensorView>{y});
  std::cout << "ran       " << to_string(y) << ", last value " << dlport::access<const float, 2>(y)(1, 1) << '\n';

  // What does not fit says why, and the session stays usable.
  try {
    session.run(std::vector<dlport::TensorView>{y}, std::vector<dlport::TensorView>{y});
  } catch (const dlport::Error& error) {
    std::cout << "refused   " << error.what() << '\n';
  }
}
