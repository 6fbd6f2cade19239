"""Streams and events of the ort device."""

from __future__ import annotations

import threading

import pytest
import torch

import dlport.torch  # noqa: F401  registers "ort"


def test_a_thread_starts_on_the_default_stream() -> None:
    assert torch.ort.current_stream() == torch.ort.default_stream()
    assert torch.ort.current_stream() == torch.accelerator.current_stream()


def test_new_streams_can_be_told_apart() -> None:
    assert torch.ort.Stream() != torch.ort.Stream()
    assert isinstance(torch.ort.Stream(), torch.Stream)


def test_stream_is_current_within_its_block_only() -> None:
    stream = torch.ort.Stream()
    with torch.ort.stream(stream):
        assert torch.ort.current_stream() == stream
    assert torch.ort.current_stream() == torch.ort.default_stream()


def test_current_stream_is_a_threads_own() -> None:
    seen: list[torch.Stream] = []
    with torch.ort.stream(torch.ort.Stream()):
        thread = threading.Thread(target=lambda: seen.append(torch.ort.current_stream()))
        thread.start()
        thread.join()
    assert seen == [torch.ort.default_stream()]


def test_work_on_a_stream_is_done_when_the_call_returns() -> None:
    stream, event = torch.ort.Stream(), torch.ort.Event()
    with torch.ort.stream(stream):
        result = torch.ones(1000, device="ort").sum()
        event.record(stream)
    torch.ort.current_stream().wait_event(event)
    torch.ort.synchronize()
    assert event.query()
    assert stream.query()
    assert result.item() == 1000


def test_event_that_was_not_recorded_cannot_be_timed() -> None:
    first, second = torch.ort.Event(enable_timing=True), torch.ort.Event(enable_timing=True)
    first.record()
    with pytest.raises(ValueError, match="recorded"):
        first.elapsed_time(second)


def test_time_between_events_does_not_run_backwards() -> None:
    first, second = torch.ort.Event(enable_timing=True), torch.ort.Event(enable_timing=True)
    first.record()
    torch.ones(64, 64, device="ort").mm(torch.ones(64, 64, device="ort"))
    second.record()
    assert first.elapsed_time(second) >= 0


def test_tensor_remembers_no_stream() -> None:
    tensor = torch.ones(4, device="ort")
    tensor.record_stream(torch.ort.Stream())
    assert tensor.tolist() == [1, 1, 1, 1]
