"""Takes labs down: those that are asked for, and those that nobody else will."""

from lab.base import share
from lab.base.errors import LabError
from lab.base.process import kill_and_wait
from lab.lifecycle.state import Lab, exclusive, labs_folder, names, remove_folder


def down(name: str) -> bool:
    """Take a lab down, whole or half-built; nothing happens where there is none.

    Returns:
        Whether there was one.

    Raises:
        LabError: a process of it does not end.
    """
    if name not in names():
        return False
    with exclusive():
        return remove(name)


def remove_left_behind() -> list[str]:
    """Take down the labs that nobody else will: their runs were killed, or the machine stopped.

    Returns:
        Their names.
    """
    if not names():
        return []
    removed = []
    with exclusive():
        for name in names():
            lab = Lab.load(name)
            if (lab is None or lab.left_behind()) and remove(name):
                removed.append(name)
    return removed


def remove(name: str) -> bool:
    """End a lab's processes and remove its files; only inside `exclusive`.

    Returns:
        Whether there was one.

    Raises:
        LabError: a process of it does not end.
    """
    if name not in names():
        return False
    lab = Lab.load(name)
    if lab is not None:
        left = kill_and_wait(lab.inits())
        if left:
            pids = ", ".join(str(process.pid) for process in left)
            raise LabError(f"Lab {name} does not end: process {pids} is stuck in the kernel.")
    share.give_back(labs_folder() / name)
    remove_folder(name)
    return True
