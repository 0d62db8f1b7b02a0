"""The configuration from before a run's first change, as it lies in the run's folder.

What is masked in it is to be compared with what the gateway has later, maybe by another process:
after a kill. So the key of its digests lies beside it until the run's changes are undone, and is
removed then: what stands for a secret tells nothing from then on.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from gatepass.gateway.configuration import comparable

SAVED = "gateway-before.conf"
KEY = ".gateway-before.key"
_BYTES = 32


def keep(folder: Path, backup: str) -> str:
    """Save a configuration, comparable and without secrets.

    Args:
        folder: of the run.
        backup: as the gateway gave it.

    Returns:
        What was saved.
    """
    key = os.urandom(_BYTES).hex().encode()
    before = comparable(backup, key)
    for name, content in ((KEY, key), (SAVED, before.encode())):
        write_private(folder / name, content)
    return before


def write_private(path: Path, content: bytes) -> None:
    """A file for its owner alone: a customer's configuration is nobody else's business."""
    path.touch(mode=0o600)
    path.write_bytes(content)


def key_beside(saved: Path) -> bytes:
    """The key of a saved configuration; empty where there is none, as of an earlier release."""
    try:
        return saved.with_name(KEY).read_bytes()
    except OSError:
        return b""


def forget_key(folder: Path) -> None:
    """There is nothing more to compare with what was saved."""
    with suppress(FileNotFoundError):
        (folder / KEY).unlink()
