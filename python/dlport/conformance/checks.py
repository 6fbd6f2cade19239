"""What a check is, and how a module of checks is written."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any


class Skip(Exception):
    """The check does not apply to what is being checked; the reason is the message."""


@dataclass(frozen=True)
class Check:
    """A sentence about the thing checked, and the function that finds out: it raises where the sentence is not true."""

    group: str
    sentence: str
    run: Callable[[Any], None]


@dataclass(frozen=True)
class Result:
    """What became of a check: ``passed``, ``failed`` or ``skipped``, with the reason for the latter two."""

    group: str
    sentence: str
    outcome: str
    detail: str = ""
    seconds: float = 0.0


class Suite:
    """The checks on one kind of thing, in the order in which they were written."""

    def __init__(self) -> None:
        self.checks: list[Check] = []

    def check(
        self, group: str, sentence: str, cases: Iterable[Mapping[str, Any]] = ({},)
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Makes the function a check, or one check a case: its values go to the sentence and to the function."""

        def register(function: Callable[..., None]) -> Callable[..., None]:
            for case in cases:
                self.checks.append(Check(group, sentence.format(**case), functools.partial(function, **case)))
            return function

        return register


def require(condition: object, message: str) -> None:
    """Fails the check with `message` where `condition` does not hold."""
    if not condition:
        raise AssertionError(message)


def equal(actual: object, expected: object, what: str) -> None:
    """Fails the check where two values differ."""
    require(actual == expected, f"{what} is {actual!r}, not {expected!r}")
