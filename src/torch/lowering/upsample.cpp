// Upsampling.
#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

using Scale = std::optional<double>;

struct Resizing {
  std::string mode;       // ONNX's: nearest, linear, cubic
  std::string transform;  // how an output's coordinate becomes one of the input
};

/// PyTorch works from the ratio of the sizes unless the caller gave a factor, which need not be the same.
Value resize(Emit& e, const Value& x, const Dims& size, const std::vector<Scale>& scales, const Resizing& how) {
  if (is_integral(x.dtype)) decline("an interpolation of integers");
  if (x.shape.size() != size.size() + 2) decline("an interpolation of a tensor of another rank");
  Dims shape = {x.shape[0], x.shape[1]};
  for (size_t i = 0; i < size.size(); ++i) {
    const double ratio = static_cast<double>(size[i]) / static_cast<double>(x.shape[i + 2]);
    if (scales[i] && *scales[i] != ratio) decline("a factor that is not the ratio of the sizes");
    shape.push_back(size[i]);
  }
  Attributes attributes = {{"mode", how.mode}, {"coordinate_transformation_mode", how.transform}};
  if (how.mode == "nearest") attributes.push_back({"nearest_mode", std::string("floor")});
  if (how.mode == "cubic") attributes.push_back({"cubic_coeff_a", -0.75f});
  const Value operand = e.arithmetic(x);
  Value result = e.node("Resize", {operand, std::nullopt, std::nullopt, e.indices(shape)}, operand.stored, shape,
                        std::move(attributes));
  result.dtype = x.dtype;
  return result;
}

Resizing smooth(const char* mode, bool align_corners) {
  return {mode, align_corners ? "align_corners" : "half_pixel"};
}

const Resizing kNearest{"nearest", "asymmetric"};

/// Where the size is a multiple, the gradient of an element is the sum over those made of it.
Value nearest_backward(Emit& e, const Value& grad, const Dims& input, const std::vector<Scale>& scales) {
  Dims split = {input[0], input[1]}, axes;
  for (size_t i = 2; i < input.size(); ++i) {
    if (grad.shape[i] % input[i] != 0) decline("a factor that is not whole");
    const int64_t factor = grad.shape[i] / input[i];
    if (scales[i - 2] && *scales[i - 2] != static_cast<double>(factor)) decline("a factor that is not the ratio");
    split.insert(split.end(), {input[i], factor});
    axes.push_back(static_cast<int64_t>(split.size()) - 1);
  }
  return e.sum(e.reshape(grad, split), axes);
}

}  // namespace

void lower_upsample() {
  lower("aten::upsample_nearest1d",
        [](Emit& e, Value x, Dims size, Scale w) { return resize(e, x, size, {w}, kNearest); });
  lower("aten::upsample_nearest2d",
        [](Emit& e, Value x, Dims size, Scale h, Scale w) { return resize(e, x, size, {h, w}, kNearest); });
  lower("aten::upsample_nearest3d",
        [](Emit& e, Value x, Dims size, Scale d, Scale h, Scale w) { return resize(e, x, size, {d, h, w}, kNearest); });
  lower("aten::upsample_nearest1d_backward",
        [](Emit& e, Value grad, Ignored, Dims input, Scale w) { return nearest_backward(e, grad, input, {w}); });
  lower("aten::upsample_nearest2d_backward", [](Emit& e, Value grad, Ignored, Dims input, Scale h, Scale w) {
    return nearest_backward(e, grad, input, {h, w});
  });
  lower("aten::upsample_nearest3d_backward", [](Emit& e, Value grad, Ignored, Dims input, Scale d, Scale h, Scale w) {
    return nearest_backward(e, grad, input, {d, h, w});
  });
  lower("aten::upsample_linear1d", [](Emit& e, Value x, Dims size, bool align, Scale w) {
    return resize(e, x, size, {w}, smooth("linear", align));
  });
  lower("aten::upsample_bilinear2d", [](Emit& e, Value x, Dims size, bool align, Scale h, Scale w) {
    return resize(e, x, size, {h, w}, smooth("linear", align));
  });
  lower("aten::upsample_trilinear3d", [](Emit& e, Value x, Dims size, bool align, Scale d, Scale h, Scale w) {
    return resize(e, x, size, {d, h, w}, smooth("linear", align));
  });
  lower("aten::upsample_bicubic2d", [](Emit& e, Value x, Dims size, bool align, Scale h, Scale w) {
    return resize(e, x, size, {h, w}, smooth("cubic", align));
  });
}

}  // namespace dlport::pytorch
