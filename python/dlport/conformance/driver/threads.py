"""Calls from several threads at once. (ctypes lets go of the interpreter's lock during each.)"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from dlport.conformance.checks import equal, require
from dlport.conformance.driver import SUITE
from dlport.conformance.driver.table import Driver
from dlport.conformance.driver.transfer import pattern

GROUP = "threads"
THREADS, ROUNDS = 4, 100


def everywhere(work: Callable[[int], None]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))


@SUITE.check(GROUP, "threads allocate, write, read and free at once")
def memory(driver: Driver) -> None:
    def work(thread: int) -> None:
        for round_ in range(ROUNDS):
            content = pattern(3000, thread * ROUNDS + round_)
            with driver.memory(3000) as data:
                driver.write(data, content)
                equal(driver.read(data, 3000), content, f"thread {thread}'s memory")

    everywhere(work)


@SUITE.check(GROUP, "threads use one stream at once")
def one_stream(driver: Driver) -> None:
    with driver.stream() as stream, driver.memory(THREADS * 4096) as data:

        def work(thread: int) -> None:
            for _ in range(ROUNDS):
                place = driver.region(data, thread * 4096)
                driver.ok(driver.table.fill(place, bytes([thread]), 1, 4096, stream))
            driver.synchronise(stream)

        everywhere(work)
        equal(driver.read(data, THREADS * 4096), b"".join(bytes([t]) * 4096 for t in range(THREADS)), "the memory")


@SUITE.check(GROUP, "threads have streams of their own")
def own_streams(driver: Driver) -> None:
    def work(thread: int) -> None:
        with driver.stream() as stream, driver.memory(4096) as data:
            for value in range(ROUNDS):
                driver.ok(driver.table.fill(driver.region(data), bytes([value]), 1, 4096, stream))
            driver.synchronise(stream)
            equal(set(driver.read(data, 4096)), {ROUNDS - 1}, f"thread {thread}'s set of bytes")

    everywhere(work)


@SUITE.check(GROUP, "threads record one event at once")
def one_event(driver: Driver) -> None:
    with driver.stream() as stream, driver.event() as event:

        def work(_: int) -> None:
            for _ in range(ROUNDS):
                driver.ok(driver.table.event_record(driver.device, event, stream))
                driver.ok(driver.table.event_synchronise(driver.device, event))

        everywhere(work)


@SUITE.check(GROUP, "a thread's last error is its own")
def errors_are_apart(driver: Driver) -> None:
    def work(thread: int) -> None:
        for _ in range(ROUNDS):
            if thread % 2:
                with driver.memory(16):
                    pass
            else:
                size = (1 << 62) + thread
                data = ctypes.c_void_p()
                require(driver.table.allocate(driver.device, size, 0, None, data) != 0, "too much was given")
                require(driver.error, "last_error is empty")

    everywhere(work)


@SUITE.check(GROUP, "memory of one thread is freed by another")
def freed_elsewhere(driver: Driver) -> None:
    all_data = [driver.allocate(64) for _ in range(THREADS)]
    everywhere(lambda thread: driver.free(all_data[thread]))
