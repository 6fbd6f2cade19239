"""The compiled half. Importing it opens no library."""

from dlport._core.ort import (  # type: ignore[import-not-found]
    Graph,
    RunOptions,
    Session,
    available_devices,
    copy,
    devices,
    empty,
    launch,
    launch_counters,
    register_provider,
    set_device,
    set_launch_capacity,
    strided_copies,
    use_library,
    version,
)

__all__ = [
    "Graph",
    "RunOptions",
    "Session",
    "available_devices",
    "copy",
    "devices",
    "empty",
    "launch",
    "launch_counters",
    "register_provider",
    "set_device",
    "set_launch_capacity",
    "strided_copies",
    "use_library",
    "version",
]
