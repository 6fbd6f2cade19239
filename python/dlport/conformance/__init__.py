"""The conformance kit: does a device driver, or a framework's DLPack support, keep its promises?

Each check is a sentence and a function (:mod:`dlport.conformance.checks`); they are grouped by what they are run on:

- :mod:`dlport.conformance.driver`: a driver's C table, against the specification in ``dlport/driver.h``;
- :mod:`dlport.conformance.producer`: a framework's ``__dlpack__``, against the DLPack standard;
- :mod:`dlport.conformance.consumer`: a framework's ``from_dlpack``, against the same.

Checks run in a child process (:mod:`dlport.conformance.runner`), so one that crashes or hangs is a failed check and not
the end of the run. ``dlport check`` is the command.
"""

from dlport.conformance.checks import Check, Result
from dlport.conformance.runner import run

__all__ = ["Check", "Result", "run"]
