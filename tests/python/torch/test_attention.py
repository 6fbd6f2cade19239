"""Scaled dot-product attention on the ort device."""

from __future__ import annotations

import copy

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

import dlport.torch

pytestmark = pytest.mark.usefixtures("provider")

SHAPES = {"self": (4, 6, 6), "cross": (4, 6, 9), "one query": (4, 1, 6)}
MASKS = {
    "none": lambda q, k: {},
    "causal": lambda q, k: {"is_causal": True},
    "bool": lambda q, k: {"attn_mask": torch.ones(q, k, dtype=torch.bool).tril(2)},
    "float": lambda q, k: {"attn_mask": torch.linspace(-1, 1, q * k).view(q, k)},
    "scale": lambda q, k: {"scale": 0.3},
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("shape", SHAPES)
def test_attention_is_that_of_cpu(shape: str, mask: str, dtype: torch.dtype) -> None:
    heads, queries, keys = SHAPES[shape]
    torch.manual_seed(0)
    inputs = [torch.randn(2, heads, length, 8, dtype=dtype) for length in (queries, keys, keys)]
    options = MASKS[mask](queries, keys)
    for name, value in options.items():
        options[name] = value.to(dtype) if isinstance(value, torch.Tensor) and value.is_floating_point() else value
    there = {name: value.to("ort") if isinstance(value, torch.Tensor) else value for name, value in options.items()}
    actual = scaled_dot_product_attention(*(t.to("ort") for t in inputs), **there)
    expected = scaled_dot_product_attention(*inputs, **options)
    assert actual.dtype == dtype
    # In half precision the cpu kernel and the composed one round at different places.
    tolerance = {} if dtype in (torch.float32, torch.float64) else {"rtol": 1e-2, "atol": 1e-2}
    torch.testing.assert_close(actual.cpu(), expected, **tolerance)


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_gradients_flow_into_query_key_and_value(dropout: float) -> None:
    torch.manual_seed(0)
    inputs = [torch.randn(2, 4, 6, 8, device="ort", requires_grad=True) for _ in range(3)]
    scaled_dot_product_attention(*inputs, dropout_p=dropout).sum().backward()
    for tensor in inputs:
        assert tensor.grad is not None
        assert tensor.grad.isfinite().all()
        assert tensor.grad.shape == tensor.shape


def test_attention_takes_the_way_that_it_takes_on_cpu(provider: str) -> None:
    """Where the provider computes with the same cores; any other is given the operators one by one."""
    tensors = [torch.randn(2, 4, 6, 8) for _ in range(3)]
    there = [t.to("ort") for t in tensors]
    way = {"cpu": SDPBackend.FLASH_ATTENTION, "openvino": SDPBackend.MATH}[provider]
    assert torch._fused_sdp_choice(*tensors) == SDPBackend.FLASH_ATTENTION.value
    assert torch._fused_sdp_choice(*there) == way.value
    dlport.torch.reset_stats()
    whole = scaled_dot_product_attention(*there)
    in_one_piece = {"aten::_scaled_dot_product_flash_attention_for_cpu": 1}
    assert dlport.torch.stats()["native_operators"] == (in_one_piece if provider == "cpu" else {})
    with sdpa_kernel(SDPBackend.MATH):
        torch.testing.assert_close(scaled_dot_product_attention(*there).cpu(), whole.cpu())


def test_attention_is_composed_of_lowered_operators_where_native_kernels_are_forbidden() -> None:
    tensors = [torch.randn(2, 4, 6, 8) for _ in range(3)]
    dlport.torch.set_fallback("error")
    try:
        actual = scaled_dot_product_attention(*(t.to("ort") for t in tensors), is_causal=True)
    finally:
        dlport.torch.set_fallback("native")
    torch.testing.assert_close(actual.cpu(), scaled_dot_product_attention(*tensors, is_causal=True))


def test_multihead_attention_trains_as_on_cpu() -> None:
    layer = torch.nn.MultiheadAttention(16, 4, batch_first=True)
    gradients = []
    for device in ("cpu", "ort"):
        module = copy.deepcopy(layer).to(device)
        x = torch.linspace(-1, 1, 2 * 5 * 16).view(2, 5, 16).to(device)
        output, weights = module(x, x, x)
        (output.square().sum() + weights.square().sum()).backward()
        gradients.append([parameter.grad.cpu() for parameter in module.parameters() if parameter.grad is not None])
    torch.testing.assert_close(gradients[1], gradients[0], rtol=1e-4, atol=1e-4)
