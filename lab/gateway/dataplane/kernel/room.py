"""A network namespace of the gateway's own, entered by one thread: gone when the process ends."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from lab.gateway.dataplane.errors import DataPlaneError

Result = TypeVar("Result")
_CLONE_NEWNET = 0x40000000


class Room:
    """A network namespace without a name.

    Attributes:
        fd: stands for it where a network interface is to be moved there.

    Raises:
        DataPlaneError: the kernel allows none.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="room")
        self.fd: int = self(_enter)

    def __call__(self, function: Callable[..., Result], *args: Any) -> Result:
        """Run a function inside."""
        return self._thread.submit(function, *args).result()

    def close(self) -> None:
        """Let go of it; its interfaces go with it."""
        os.close(self.fd)
        self._thread.shutdown()


def _enter() -> int:
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNET):
        reason = os.strerror(ctypes.get_errno())
        raise DataPlaneError(f"The kernel allows no further network namespace: {reason}.")
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY)
