"""Whether an endpoint has room for what its programs write: one that has none says nothing else."""

from __future__ import annotations

import errno

from gatepass.endpoint.answers import of_json
from gatepass.endpoint.script import Script, script

_BYTES = 1 << 16
_TRY = f"""
import contextlib, json, os, sys
folder, number = sys.argv[1], 0
path = os.path.join(folder, ".room")
try:
    with open(path, "wb", 0) as file:
        file.write(bytes({_BYTES}))
        os.fsync(file.fileno())
except OSError as error:
    number = error.errno
with contextlib.suppress(OSError):
    os.remove(path)
disk = os.statvfs(folder)
print(json.dumps([number, disk.f_files > 0 and disk.f_favail == 0]))
"""


def trying(folder: str) -> Script:
    """A command that tries to write into a folder, and prints what came of it for `shortage`."""
    return script("python3 -c {program} {folder}", program=_TRY, folder=folder)


def shortage(name: str, folder: str, tried: str) -> str:
    """Why nothing can be written on an endpoint, and what to do; empty where something can.

    Args:
        name: of the endpoint.
        folder: that was tried.
        tried: what `trying` printed.
    """
    try:
        number, no_inodes = of_json(tuple[int, bool], tried)
    except ValueError:  # it has no such folder, or no Python
        return ""
    begin = f"nothing can be written to {folder} on the {name}"
    if number == errno.ENOSPC and no_inodes:
        return f"{begin}: its file system has no inodes left. Remove files there."
    if number == errno.ENOSPC:
        return f"{begin}: its file system is full. Make room there."
    if number == errno.EDQUOT:
        return (
            f"{begin}: the quota of its SSH user is used up. Make room there, or raise the quota."
        )
    if number == errno.EROFS:
        return (
            f"{begin}: its file system is mounted read-only. Mount it so that it can be written to."
        )
    return ""
