// A tensor crosses from one library to another by DLPack: no element is copied, and the memory lives as long as either
// of them needs it.
#include <cstdio>
#include <iostream>
#include <utility>
#include <vector>

#include "dlport/access.hpp"
#include "dlport/exchange.hpp"
#include "dlport/tensor.hpp"

/// The producer: some library whose images are its own.
DLManagedTensorVersioned* load_image() {
  const std::vector<int64_t> shape = {4, 6, 3};  // height, width, channels
  const dlport::Tensor image = dlport::Tensor::empty(shape, dlport::uint8);
  auto pixels = dlport::access<uint8_t, 3>(image);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 6; ++x) {
      for (int c = 0; c < 3; ++c) pixels(y, x, c) = static_cast<uint8_t>(10 * (6 * y + x) + c);
    }
  }
  return image.to_managed();
}

int main() {
  // The consumer takes it over; what breaks DLPack's rules would be refused here, with the field at fault named.
  const dlport::Tensor image = dlport::Tensor::from_managed(load_image());
  std::cout << "imported  " << to_string(image) << '\n';

  // Views are arithmetic on shape and strides: the middle of the image, upside down, channels first.
  const dlport::Tensor view = image.slice(0, 3, 0, -1).slice(1, 1, 5).permute(std::vector<int>{2, 0, 1});
  std::cout << "viewed    " << to_string(view) << '\n';

  // A model wants packed floats: one pass copies, reorders and converts.
  const dlport::Tensor input = dlport::Tensor::empty(view.shape(), dlport::float32);
  dlport::copy_cast(input, view);
  const auto values = dlport::access<const float, 3>(input);
  std::cout << "converted " << to_string(input) << ", first value " << values(0, 0, 0) << '\n';

  // What cannot be done says why.
  try {
    view.reshape(std::vector<int64_t>{36});
  } catch (const dlport::Error& error) {
    std::cout << "refused   " << error.what() << '\n';
  }
}
