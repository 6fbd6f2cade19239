// Products of matrices and vectors.
#include <array>

#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

/// beta * self + alpha * product, where a beta of 0 ignores even a nan of self.
Value blend(Emit& e, const Value& self, const Value& product, const Value& beta, const Value& alpha) {
  if (is_integral(product.dtype)) decline("scaled products of integers");
  const Value scaled = alpha.is_known(1) ? product : e.mul(product, alpha);
  if (beta.is_known(0)) return scaled;
  return e.add(beta.is_known(1) ? self : e.mul(self, beta), scaled);
}

/// `write` on operands of a half type in float32, so that what is in between is not rounded.
template <class Write>
Value in_float(Emit& e, std::array<Value, 3> operands, const Write& write) {
  const DType dtype = operands[0].dtype;
  if (dtype != float16 && dtype != bfloat16) return write(operands[0], operands[1], operands[2]);
  for (Value& operand : operands) operand = e.cast(operand, float32);
  return e.cast(write(operands[0], operands[1], operands[2]), dtype);
}

void check_rank(const Value& x, int rank) {
  if (x.rank() != rank) decline("a tensor of " + std::to_string(x.rank()) + " dimensions");
}

Value mv(Emit& e, const Value& matrix, const Value& vector) {
  check_rank(matrix, 2);
  check_rank(vector, 1);
  return e.squeeze(e.matmul(matrix, e.unsqueeze(vector, {1})), {1});
}

Value dot(Emit& e, Value a, Value b) {
  check_rank(a, 1);
  check_rank(b, 1);
  return e.squeeze(e.matmul(e.unsqueeze(a, {0}), e.unsqueeze(b, {1})), {0, 1});
}

Value addmm(Emit& e, Value self, Value a, Value b, double beta, double alpha) {
  const bool exact = static_cast<float>(beta) == beta && static_cast<float>(alpha) == alpha;
  if (beta == 0 || (a.dtype == float64 && !exact)) return blend(e, self, e.matmul(a, b), beta, alpha);
  return e.gemm(a, b, self, alpha, beta);
}

Value baddbmm(Emit& e, Value self, Value a, Value b, Value beta, Value alpha) {
  check_rank(a, 3);
  check_rank(b, 3);
  const Value product = e.matmul(a, b);
  if (broadcast(self.shape, product.shape) != product.shape || self.dtype != product.dtype)
    decline("a self that does not fit");
  return blend(e, self, product, beta, alpha);
}

}  // namespace

void lower_matmul() {
  lower("aten::mm", [](Emit& e, Value a, Value b) {
    check_rank(a, 2);
    check_rank(b, 2);
    return e.matmul(a, b);
  }).takes_any_layout();
  lower("aten::bmm", [](Emit& e, Value a, Value b) {
    check_rank(a, 3);
    check_rank(b, 3);
    if (a.shape[0] != b.shape[0]) decline("batches of different sizes");
    return e.matmul(a, b);
  }).takes_any_layout();
  lower("aten::addmm", addmm).takes_any_layout();
  lower("aten::baddbmm", baddbmm).takes_any_layout();
  lower("aten::mv", [](Emit& e, Value a, Value b) { return mv(e, a, b); }).takes_any_layout();
  lower("aten::dot", dot).takes_any_layout();
  lower("aten::vdot", dot).takes_any_layout();
  lower("aten::addmv", [](Emit& e, Value self, Value a, Value b, Value beta, Value alpha) {
    const Value product = mv(e, a, b);
    if (self.dtype != product.dtype || self.rank() > 1) decline("a self that does not fit");
    return blend(e, self, product, beta, alpha);
  }).takes_any_layout();
  lower("aten::addbmm", [](Emit& e, Value self, Value a, Value b, Value beta, Value alpha) {
    check_rank(a, 3);
    check_rank(b, 3);
    return in_float(e, {self, a, b}, [&](const Value& s, const Value& x, const Value& y) {
      return blend(e, s, e.sum(e.matmul(x, y), {0}), beta, alpha);
    });
  }).takes_any_layout();
  lower("aten::addr", [](Emit& e, Value self, Value a, Value b, Value beta, Value alpha) {
    check_rank(a, 1);
    check_rank(b, 1);
    if (a.dtype == float16 || a.dtype == bfloat16) decline("half types, which PyTorch rounds at each step");
    return blend(e, self, e.mul(e.unsqueeze(a, {1}), e.unsqueeze(b, {0})), beta, alpha);
  }).takes_any_layout();
}

}  // namespace dlport::pytorch
