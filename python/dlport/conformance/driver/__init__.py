"""Checks on a device driver, against the specification in ``dlport/driver.h``."""

from __future__ import annotations

import ctypes
from importlib import import_module
from pathlib import Path

from dlport.conformance.checks import Suite
from dlport.conformance.driver.table import Driver, Table

SUITE = Suite()


def open_target(target: str) -> Driver:
    """The driver in the library at the path `target`, or the one that dlport has under that name."""
    if Path(target).is_file():
        entry = ctypes.CDLL(str(Path(target).resolve())).dlport_driver_entry
        entry.restype = ctypes.POINTER(Table)
        return Driver(entry().contents)
    from dlport import _core

    return Driver(Table.from_address(_core.driver_table(target)))


for _name in ("listing", "memory", "transfer", "rows", "streams", "operators", "threads"):
    import_module(f"dlport.conformance.driver.{_name}")
