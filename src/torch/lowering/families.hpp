// The families of operators: each adds its entries to the table.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "torch/lowering/table.hpp"

namespace dlport::pytorch {

void lower_pointwise();
void lower_comparison();
void lower_activation();
void lower_reduction();
void lower_softmax();
void lower_matmul();
void lower_convolution();
void lower_pooling();
void lower_norm();
void lower_loss();
void lower_indexing();
void lower_shape();
void lower_sorting();
void lower_upsample();
void lower_foreach();

/// Behind all families: says of each entry from which size on PyTorch's own kernel is the faster one.
void set_crossovers(std::map<std::string, Entry, std::less<>>& entries);

inline constexpr void (*kFamilies[])() = {
    lower_pointwise, lower_comparison,  lower_activation, lower_reduction, lower_softmax,
    lower_matmul,    lower_convolution, lower_pooling,    lower_norm,      lower_loss,
    lower_indexing,  lower_shape,       lower_sorting,    lower_upsample,  lower_foreach,
};

}  // namespace dlport::pytorch
