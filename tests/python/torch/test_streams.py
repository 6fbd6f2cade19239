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


def test_streams_of_pytorch_are_made_for_the_device(second_device: int) -> None:
    for stream, index in (
        (torch.Stream("ort"), 0),
        (torch.Stream(device="ort:1"), second_device),
        (torch.Stream(second_device), second_device),
    ):
        assert stream.device == torch.device("ort", index)
        assert f"device_type=ort, device_index={index}" in repr(stream)
        same = torch.Stream(
            stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type
        )
        assert same == stream
        assert hash(same) == hash(stream)


def test_stream_of_another_device_makes_that_device_current(second_device: int) -> None:
    stream = torch.Stream(second_device)
    with stream:
        assert torch.accelerator.current_device_index() == second_device
        assert torch.accelerator.current_stream() == stream
    assert torch.accelerator.current_device_index() == 0
    torch.accelerator.set_stream(stream)
    assert torch.accelerator.current_stream(second_device) == stream
    torch.accelerator.set_stream(torch.ort.default_stream(second_device))
    torch.accelerator.set_device_index(0)


def test_event_gets_its_device_and_number_when_it_is_recorded() -> None:
    first, second = torch.Event("ort"), torch.Event("ort")
    assert first.event_id == second.event_id == 0
    stream = torch.Stream("ort")
    stream.record_event(first)
    second.record()
    assert first.device == torch.device("ort:0")
    assert 0 != first.event_id != second.event_id != 0


def test_streams_wait_for_streams_and_events() -> None:
    event, streams = torch.Event("ort"), [torch.Stream("ort") for _ in range(3)]
    event.record()
    for stream in streams:
        stream.wait_event(event)
        event.wait(stream)
        stream.wait_stream(streams[0])
        stream.synchronize()
        assert stream.query()
    event.synchronize()


def test_events_without_times_have_none_between_them() -> None:
    first, second = torch.Event("ort"), torch.Event("ort")
    first.record()
    second.record()
    with pytest.raises(ValueError, match="enable_timing=True"):
        first.elapsed_time(second)
