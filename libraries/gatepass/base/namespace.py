"""Entering the network namespace from which a testbed is reached.

A rig's management network may live in a namespace of its own, as the embedded lab's does; then the
testbed file names it, and everything after happens inside.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gatepass.base.errors import InputError

_CLONE_NEWNET = 0x40000000


def inode(path: str | None) -> int:
    """What tells a namespace from a later one of the same path; 0 where there is none."""
    try:
        return os.stat(path).st_ino if path else 0
    except OSError:
        return 0


def _enter(descriptor: int) -> None:
    """Go into a network namespace (setns(2)); Python has it from 3.12 on.

    Raises:
        OSError: it may not be entered.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, _CLONE_NEWNET):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


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
    where = f"{named_in}, key 'network_namespace'"
    own = os.open("/proc/self/ns/net", os.O_RDONLY)
    try:
        try:
            with open(path, "rb") as wanted:
                _enter(wanted.fileno())
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
        _enter(own)
    finally:
        os.close(own)
