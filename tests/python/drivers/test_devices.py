"""Devices and moves between them."""

import numpy as np
import pytest

import dlport
from dlport import drivers

DEVICES = [entry["device"] for entry in dlport.devices()]
HAS_OPENCL = "opencl:0" in DEVICES
needs_opencl = pytest.mark.skipif(not HAS_OPENCL, reason=f"no OpenCL device here: {drivers.left_out()}")
ARRAY = np.arange(24, dtype=np.float32).reshape(4, 6)


def test_the_host_is_always_there():
    assert DEVICES[0] == "cpu:0"


def test_a_driver_without_its_runtime_says_so():
    listed = {entry["driver"] for entry in dlport.devices()}
    explained = {source for source, _ in drivers.left_out()}
    assert {"opencl", "cuda"} <= listed | explained


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "view", [ARRAY, ARRAY.T, ARRAY[:, ::2], ARRAY[::-1]], ids=["rows", "columns", "steps", "backwards"]
)
def test_an_array_comes_back_as_it_went(device, view):
    there = dlport.to(view, device)
    assert there.physical_device == device
    assert np.array_equal(np.asarray(there.to("cpu:0")), view)


@needs_opencl
class TestOnOpenCl:
    def test_to_where_it_is_shares_the_memory(self):
        there = dlport.to(ARRAY, "opencl:0")
        assert there.to("opencl:0").data_ptr == there.data_ptr

    def test_copy_takes_strided_tensors_of_both_sides(self):
        there = dlport.to(np.zeros((6, 4), np.float32), "opencl:0")
        dlport.copy(there.T, ARRAY)
        back = np.zeros((6, 4), np.float32)
        dlport.copy(back, there)
        assert np.array_equal(back, ARRAY.T)

    def test_an_export_names_the_device(self):
        there = dlport.to(ARRAY, "opencl:0")
        assert there.__dlpack_device__() == (4, 0)
        assert np.array_equal(np.asarray(dlport.from_dlpack(there, device="cpu:0")), ARRAY)

    def test_numpy_takes_it_when_it_asks_for_the_host(self):
        there = dlport.to(ARRAY, "opencl:0")
        assert np.array_equal(np.from_dlpack(there, device="cpu"), ARRAY)

    def test_numpy_is_refused_when_it_forbids_the_copy(self):
        there = dlport.to(ARRAY, "opencl:0")
        with pytest.raises(BufferError, match="copy=False"):
            np.from_dlpack(there, device="cpu", copy=False)

    def test_a_stream_number_means_nothing_there(self):
        with pytest.raises(ValueError, match="has no streams"):
            dlport.to(ARRAY, "opencl:0").__dlpack__(stream=5)

    def test_copy_is_memory_of_its_own_on_the_device(self):
        there = dlport.to(ARRAY, "opencl:0")
        other = there.copy()
        assert other.physical_device == "opencl:0"
        assert other.data_ptr != there.data_ptr


def test_a_device_that_nobody_serves_is_named_with_what_there_is():
    with pytest.raises(RuntimeError, match=r"no driver serves vulkan:0; there are cpu:0"):
        dlport.to(ARRAY, "vulkan:0")


def test_tensors_that_do_not_fit_are_not_copied():
    with pytest.raises(ValueError, match="cannot be copied to one of shape"):
        dlport.copy(np.zeros(3, np.float32), ARRAY)


def test_a_library_that_is_not_there_is_named():
    with pytest.raises(RuntimeError, match=r"no readable library at '/nowhere\.so'"):
        drivers.load("/nowhere.so")


def test_an_entry_point_that_fails_is_left_out(monkeypatch):
    class Point:
        name = "broken"

        def load(self):
            raise ImportError("half installed")

    monkeypatch.setattr(drivers, "entry_points", lambda group: [Point()] if group == "dlport.drivers" else [])
    drivers._load_packages.cache_clear()
    assert ("entry point broken", "half installed") in drivers.left_out()
    drivers._load_packages.cache_clear()


def test_an_entry_point_names_a_library(monkeypatch):
    class Point:
        name = "absent"

        def load(self):
            return lambda: "/nowhere/driver.so"

    monkeypatch.setattr(drivers, "entry_points", lambda group: [Point()])
    drivers._load_packages.cache_clear()
    assert any(source == "entry point absent" and "/nowhere/driver.so" in why for source, why in drivers.left_out())
    drivers._load_packages.cache_clear()
