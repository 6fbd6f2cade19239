"""The interop matrix: every producer with every consumer, tried and timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from dlport.report.frameworks import Framework

#: Calls a timing is the best of, and calls in each.
ROUNDS, CALLS = 7, 300


@dataclass(frozen=True)
class Exchange:
    """What happened when `consumer` took a tensor of `producer`."""

    producer: str
    consumer: str
    outcome: str  # "zero-copy", "copy" or "refused"
    microseconds: float | None = None
    reason: str = ""


def _microseconds(call: Callable[[], object]) -> float:
    def once() -> float:
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        return (time.perf_counter() - start) / CALLS * 1e6

    return min(once() for _ in range(ROUNDS))


def exchange(producer: Framework, consumer: Framework) -> Exchange:
    """Hands one tensor over and finds out whether the memory was shared."""
    tensor = producer.make()
    try:
        taken = consumer.take(tensor)
        shared = consumer.pointer(taken) == producer.pointer(tensor)
    except Exception as error:  # whatever a framework raises is its answer
        reason = " ".join(str(error).split()) or type(error).__name__
        return Exchange(producer.name, consumer.name, "refused", reason=f"{type(error).__name__}: {reason[:160]}")
    time_taken = _microseconds(lambda: consumer.take(tensor))
    return Exchange(producer.name, consumer.name, "zero-copy" if shared else "copy", time_taken)


def measure(frameworks: list[Framework], progress: Callable[[str], None] = lambda _: None) -> list[Exchange]:
    """All pairs, in the order of `frameworks`."""
    results = []
    for producer in frameworks:
        for consumer in frameworks:
            progress(f"{producer.name} -> {consumer.name}")
            results.append(exchange(producer, consumer))
    return results


def reasons(results: list[Exchange]) -> list[str]:
    """Why exchanges were refused, each reason once; a report names it by its place in this list, counted from 1."""
    return list(dict.fromkeys(result.reason for result in results if result.outcome == "refused"))


def markdown(frameworks: list[Framework], missing: list[str], results: list[Exchange]) -> str:
    """The results as a page: the matrix, then the reasons of what was refused."""
    cells = {(r.producer, r.consumer): r for r in results}
    refusals = reasons(results)

    def cell(result: Exchange) -> str:
        if result.outcome == "refused":
            return f"refused [{refusals.index(result.reason) + 1}]"
        return f"{result.outcome}, {result.microseconds:.2f}"

    header = "| producer \\ consumer | " + " | ".join(f.name for f in frameworks) + " |"
    rows = [header, "|---" * (len(frameworks) + 1) + "|"]
    for producer in frameworks:
        row = [cell(cells[producer.name, consumer.name]) for consumer in frameworks]
        rows.append(f"| **{producer.name}** | " + " | ".join(row) + " |")
    versions = ", ".join(f"{f.name} {f.version}" for f in frameworks)
    lines = [
        "# Who hands tensors to whom",
        "",
        "Measured by `dlport interop --markdown docs/interop.md`; nothing here is typed by hand. Each cell: what",
        "happened when the consumer (column) took 4,096 float32 of the producer (row), and microseconds a call, best "
        f"of {ROUNDS} rounds. The memory is aligned to 64 bytes, where the producer leaves that to its caller.",
        "",
        *rows,
        "",
        *(f"[{number}] {reason}  " for number, reason in enumerate(refusals, 1)),
        "",
        f"Versions: {versions}." + (f" Not installed: {', '.join(missing)}." if missing else ""),
        "",
    ]
    return "\n".join(lines)
