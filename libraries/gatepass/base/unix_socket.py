"""Unix sockets by paths of any length."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def short_name(path: Path) -> Iterator[str]:
    """Another name for a socket, as the kernel takes no more than 107 bytes (unix(7)).

    Args:
        path: of the socket; its folder exists.

    Raises:
        OSError: the folder cannot be opened.
    """
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
