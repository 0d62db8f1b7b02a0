"""Entering the network namespace from which a testbed is reached.

A rig's management network may live in a namespace of its own, as the embedded lab's does; then the
testbed file names it, and everything after happens inside.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gatepass.base.errors import InputError


def inode(path: str | None) -> int:
    """What tells a namespace from a later one of the same path; 0 where there is none."""
    try:
        return os.stat(path).st_ino if path else 0
    except OSError:
        return 0


@contextmanager
def inside(path: str | None, named_in: Path) -> Iterator[None]:
    """Work in a network namespace; None stays where it is.

    Args:
        path: such as ``/run/netns/rig`` or ``/proc/4711/ns/net``.
        named_in: the testbed file that names it, for the sentence.

    Raises:
        InputError: it is not there, or may not be entered.
    """
    if path is None:
        yield
        return
    from pyroute2.netns import setns  # loaded late: only a testbed with a namespace needs it

    where = f"{named_in}, key 'network_namespace'"
    own = os.open("/proc/self/ns/net", os.O_RDONLY)
    try:
        try:
            setns(path, 0)
        except FileNotFoundError:
            raise InputError(
                f"{where}: {path} is not there; the lab or rig behind it is gone. Build it anew."
            ) from None
        except PermissionError:
            raise InputError(f"{where}: entering {path} needs root. Run this with sudo.") from None
        except OSError as error:
            raise InputError(
                f"{where}: {path} cannot be entered ({error.strerror}). Is it a network namespace?"
            ) from None
        yield
        setns(own, 0)
    finally:
        os.close(own)
