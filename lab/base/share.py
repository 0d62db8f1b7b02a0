"""A lab's share of the processors: ten times that of another program, while both want them.

What a lab shows is a matter of milliseconds, which the machine's other programs would take from it.
Being less nice would not do: the kernel weighs niceness within a group of programs alone, and each
session (so each login by SSH) is a group by itself, or each service. So all processes of a lab are
in a control group of their own. Where there is no `cpu` controller for that, or it may not be used,
a lab takes its share with all others.

A fault that takes the processors away is not to take them from the whole machine: its programs
leave the group. For that the nodes see the groups, too.
"""

import zlib
from contextlib import suppress
from pathlib import Path

from lab.base.process import wait_until

_PREFIX = "gatepass-lab-"
_VERSION_1 = ("cpu.shares", "10240")
_VERSION_2 = ("cpu.weight", "1000")
_MOUNTS = Path("/proc/self/mountinfo")
_EMPTY_SECONDS = 2

INSIDE = "/run/groups"
"""Where a node sees the groups, if there are any."""


def take(folder: Path, pid: int) -> None:
    """Put a process, and with it all that it will start, into a lab's group.

    Args:
        folder: the lab's folder, which tells it from all others.
        pid: the process.
    """
    found = _controller()
    if found is None:
        return
    root, (weight, value) = found
    group = root / _name(folder)
    with suppress(OSError):
        group.mkdir(exist_ok=True)
        (group / weight).write_text(value)
        (group / "cgroup.procs").write_text(str(pid))


def leave(pid: int) -> None:
    """Take a process out of its lab's group: it has the usual share then.

    Args:
        pid: a process of a lab.
    """
    root = groups()
    if root is not None:
        (root / "cgroup.procs").write_text(str(pid))


def groups() -> Path | None:
    """The folder of all groups, or None."""
    found = _controller()
    return found and found[0]


def members(pid: int) -> Path | None:
    """The file that takes in whoever is to join the group of this process of a lab.

    Args:
        pid: a process of a lab.

    Returns:
        The file; None where the process is in no such group.
    """
    found = _controller()
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            name = line.rpartition("/")[2]
            if found is not None and name.startswith(_PREFIX):
                return found[0] / name / "cgroup.procs"
    return None


def give_back(folder: Path) -> None:
    """Remove a lab's group; its processes have been ended before.

    Args:
        folder: the lab's folder.
    """
    found = _controller()
    if found is not None:
        group = found[0] / _name(folder)
        # Who entered a node from outside ends a moment after it.
        wait_until(lambda: not group.exists() or _removed(group), _EMPTY_SECONDS)


def _removed(group: Path) -> bool:
    with suppress(OSError):
        group.rmdir()
        return True
    return False


def _name(folder: Path) -> str:
    return f"{_PREFIX}{folder.name}-{zlib.crc32(str(folder).encode()):08x}"


def _controller() -> tuple[Path, tuple[str, str]] | None:
    """Where the `cpu` controller is, and the file and value of a group's weight there."""
    for line in _MOUNTS.read_text().splitlines():
        place, _, filesystem = line.partition(" - ")
        root, (kind, _, options) = Path(place.split()[4]), filesystem.split(maxsplit=2)
        if not (root / "cgroup.procs").exists():  # the host's place, which a node does not see
            continue
        if kind == "cgroup" and "cpu" in options.split(","):
            return root, _VERSION_1
        if kind == "cgroup2" and "cpu" in _offered(root):
            return root, _VERSION_2
    return None


def _offered(root: Path) -> list[str]:
    with suppress(OSError):
        return (root / "cgroup.subtree_control").read_text().split()
    return []
