"""PyTorch's profilers show what runs on the ort device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch.autograd import profiler

import dlport.torch  # noqa: F401  registers "ort"


def names(profile: profiler.profile) -> set[str]:
    return {event.name for event in profile.function_events or []}


def test_operators_are_named() -> None:
    x = torch.ones(4, 4, device="ort")
    with profiler.profile(use_device="ort") as profile:
        (x @ x).relu().abs()
    assert {"aten::mm", "aten::relu", "aten::abs"} <= names(profile)


def test_operators_are_timed_as_the_device_s_own() -> None:
    x = torch.ones(64, 64, device="ort")
    with profiler.profile(use_device="ort") as profile:
        x @ x
    times = {event.name: event.device_time for event in profile.function_events or []}
    assert times["aten::mm"] > 0


def test_copies_between_devices_are_named() -> None:
    with profiler.profile(use_device="ort") as profile:
        torch.ones(4).to("ort").cpu()
    assert {"aten::to", "aten::copy_"} <= names(profile)


def test_ranges_nest() -> None:
    x = torch.ones(4, device="ort")
    with profiler.profile(use_device="ort") as profile, profiler.record_function("outer"):
        x.add(1)
        with profiler.record_function("inner"):
            x.mul(2)
    events = {event.name: event for event in profile.function_events or []}
    assert events["inner"].cpu_parent is events["outer"]
    assert events["aten::mul"].cpu_parent is events["inner"]


def test_shapes_are_recorded() -> None:
    with profiler.profile(use_device="ort", record_shapes=True) as profile:
        torch.ones(2, 3, device="ort") @ torch.ones(3, 5, device="ort")
    shapes = {str(event.input_shapes) for event in profile.function_events or [] if event.name == "aten::mm"}
    assert shapes == {"[[2, 3], [3, 5]]"}


def test_training_step_shows_forward_backward_and_optimizer() -> None:
    model = torch.nn.Linear(4, 2).to("ort")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with profiler.profile(use_device="ort") as profile:
        model(torch.ones(3, 4, device="ort")).sum().backward()
        optimizer.step()
    seen = names(profile)
    assert {"aten::linear", "AddmmBackward0", "Optimizer.step#SGD.step"} <= seen


def test_table_and_averages_are_made() -> None:
    x = torch.ones(8, device="ort")
    with profiler.profile(use_device="ort") as profile:
        for _ in range(5):
            x.exp()
    counts = {entry.key: entry.count for entry in profile.key_averages()}
    assert counts["aten::exp"] == 5
    assert "aten::exp" in profile.key_averages().table(sort_by="cpu_time_total")


def test_trace_is_written(tmp_path: Path) -> None:
    with torch.profiler.profile() as profile:
        torch.ones(8, device="ort").tanh()
    profile.export_chrome_trace(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert any(event.get("name") == "aten::tanh" for event in events)


def test_streams_and_events_do_not_disturb() -> None:
    x = torch.ones(8, device="ort")
    with profiler.profile(use_device="ort") as profile, torch.Stream(device="ort") as stream:
        event = stream.record_event()
        x.sqrt()
        event.synchronize()
    assert "aten::sqrt" in names(profile)


def test_exception_ends_the_profile() -> None:
    x = torch.ones(2, 3, device="ort")
    with pytest.raises(RuntimeError, match="shapes cannot"), profiler.profile(use_device="ort"):
        x @ x
    with profiler.profile(use_device="ort") as profile:
        x.neg()
    assert "aten::neg" in names(profile)


def test_empty_profile_is_empty() -> None:
    with profiler.profile(use_device="ort") as profile:
        pass
    assert not [name for name in names(profile) if name.startswith("aten::")]
