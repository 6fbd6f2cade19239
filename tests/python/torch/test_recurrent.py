"""Recurrent layers on the ort device."""

from __future__ import annotations

import copy

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import dlport.torch

pytestmark = pytest.mark.usefixtures("provider")

LAYERS = {
    "LSTM": lambda **o: torch.nn.LSTM(8, 4, **o),
    "GRU": lambda **o: torch.nn.GRU(8, 4, **o),
    "RNN": lambda **o: torch.nn.RNN(8, 4, **o),
}
OPTIONS = {
    "two layers": {"num_layers": 2},
    "both directions": {"bidirectional": True},
    "batch first": {"batch_first": True},
    "no bias": {"bias": False},
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("layer", LAYERS)
def test_recurrent_layer_is_that_of_cpu(layer: str, options: str) -> None:
    module = LAYERS[layer](**OPTIONS[options])
    x = torch.linspace(-1, 1, 48).view(2, 3, 8)
    expected, state = module(x)
    actual, there = copy.deepcopy(module).to("ort")(x.to("ort"))
    torch.testing.assert_close(actual.cpu(), expected)
    for ours, theirs in zip(there if layer == "LSTM" else [there], state if layer == "LSTM" else [state], strict=True):
        torch.testing.assert_close(ours.cpu(), theirs)


@pytest.mark.parametrize("mode", ["auto", "always"])
def test_lstm_trains_either_way_that_it_takes(provider: str, mode: str) -> None:
    module = torch.nn.LSTM(8, 4, num_layers=2, bidirectional=True)
    there = copy.deepcopy(module).to("ort")
    x = torch.linspace(-1, 1, 48).view(2, 3, 8)
    module(x)[0].sum().backward()
    dlport.torch.set_lowering(mode)
    try:
        dlport.torch.reset_stats()
        there(x.to("ort"))[0].sum().backward()
        native = dlport.torch.stats()["native_operators"]
    finally:
        dlport.torch.set_lowering("auto")
    assert ("aten::mkldnn_rnn_layer" in native) == (mode == "auto" and provider == "cpu")
    for ours, theirs in zip(there.parameters(), module.parameters(), strict=True):
        assert ours.grad is not None
        torch.testing.assert_close(ours.grad.cpu(), theirs.grad)


def test_lstm_refuses_what_it_refuses_on_cpu() -> None:
    module = torch.nn.LSTM(8, 4).to("ort")
    with pytest.raises(RuntimeError, match="not at the same device"):
        torch.lstm(
            torch.ones(2, 3, 8, device="ort"),
            [torch.zeros(1, 3, 4)] * 2,
            list(module.parameters()),
            *(True, 1, 0.0, False, False, False),
        )


def test_recurrent_layer_starts_from_a_given_state() -> None:
    module = torch.nn.LSTM(8, 4)
    x, h, c = torch.randn(2, 3, 8), torch.randn(1, 3, 4), torch.randn(1, 3, 4)
    expected, _ = module(x, (h, c))
    actual, _ = module.to("ort")(x.to("ort"), (h.to("ort"), c.to("ort")))
    torch.testing.assert_close(actual.cpu(), expected)


@pytest.mark.parametrize("layer", LAYERS)
def test_sequences_of_several_lengths_are_packed(layer: str) -> None:
    module, x = LAYERS[layer](), torch.randn(5, 3, 8)
    results = []
    for device in ("cpu", "ort"):
        packed = pack_padded_sequence(x.to(device).requires_grad_(), [5, 3, 2])
        output, lengths = pad_packed_sequence(copy.deepcopy(module).to(device)(packed)[0])
        assert lengths.tolist() == [5, 3, 2]
        results.append(output.detach().cpu())
    torch.testing.assert_close(results[1], results[0])


def test_recurrent_layers_train_as_on_cpu() -> None:
    for layer in (torch.nn.LSTM(8, 4), torch.nn.GRU(8, 4, bidirectional=True), torch.nn.RNN(8, 4)):
        results = []
        for device in ("cpu", "ort"):
            module = copy.deepcopy(layer).to(device)
            inputs = torch.linspace(-1, 1, 48).view(2, 3, 8).to(device).requires_grad_()
            output = module(inputs)[0]
            output.sum().backward()
            results += [output.detach().cpu(), inputs.grad.cpu(), next(module.parameters()).grad.cpu()]
        for cpu, ort in zip(results[:3], results[3:], strict=True):
            torch.testing.assert_close(ort, cpu)
