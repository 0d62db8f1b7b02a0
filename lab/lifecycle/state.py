"""Where labs are kept on disk, and what is known of each: `.lab/<NAME>/state.json`.

A lab is on record before anything of it exists, so whatever became of its maker, it can be found
and taken down.
"""

import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.base.errors import LabError, LabMistake
from lab.base.process import Process, boot
from lab.nodes.node import PROJECT, Node
from lab.nodes.topology import NODES

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")
_FOLDER_VARIABLE = "LAB_FOLDER"


def labs_folder() -> Path:
    """The folder that holds all labs: `.lab` of the project, or what LAB_FOLDER says."""
    return Path(os.environ.get(_FOLDER_VARIABLE) or PROJECT / ".lab").absolute()


def check_name(name: str) -> str:
    """A lab's name, if it can be one.

    Raises:
        LabMistake: it cannot.
    """
    if not _NAME.fullmatch(name):
        raise LabMistake(
            f"A lab cannot be named {name!r}; use up to 31 of a-z, 0-9 and -, no - at the start."
        )
    return name


@dataclass
class Lab:
    """One lab on record.

    Args:
        name: its name, unique among the labs of a folder.
        owner: the process whose end is the lab's end; None for a lab that stays until taken down.
        complete: whether it was built to the end.
        boot: the run of the kernel that it was built in.
        created: when, in seconds since the epoch.
        nodes: its nodes by name, as far as they were made.
        gateway: the gateway's process in its node, with `serial`, `version` and, if
            it was delivered as one, `tier`.
    """

    name: str
    owner: Process | None
    complete: bool = False
    boot: str = field(default_factory=boot)
    created: float = field(default_factory=time.time)
    nodes: dict[str, Node] = field(default_factory=dict)
    gateway: dict[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Where all files of this lab are."""
        return labs_folder() / self.name

    @property
    def testbed(self) -> Path:
        """The file that says how to reach the lab."""
        return self.folder / "testbed.yaml"

    def node(self, name: str) -> Node:
        """A node by its name.

        Raises:
            LabError: the lab never got that far.
        """
        if name not in self.nodes:
            raise LabError(f"Lab {self.name} has no {name} yet; wait until it is up.")
        return self.nodes[name]

    def inits(self) -> list[Process]:
        """The first processes of its nodes, none after the machine started anew."""
        return [node.init for node in self.nodes.values()] if self.boot == boot() else []

    def running(self) -> bool:
        """Whether all nodes are there."""
        return len(self.nodes) == len(NODES) and all(init.alive() for init in self.inits())

    def left_behind(self) -> bool:
        """Whether nobody will take this lab down: its owner is gone, or all of its nodes are."""
        if self.boot != boot():
            return True
        if self.owner is not None:
            return not self.owner.alive()
        return not any(init.alive() for init in self.inits())

    def save(self) -> None:
        """Put on disk what is known of the lab now, all of it or none."""
        content = {
            "lab": self.name,
            "complete": self.complete,
            "boot": self.boot,
            "created": self.created,
            "owner": self.owner.as_dict() if self.owner else None,
            "nodes": {name: node.init.as_dict() for name, node in self.nodes.items()},
            "gateway": self.gateway,
        }
        new = self.folder / "state.json.new"
        new.write_text(json.dumps(content, indent=2) + "\n")
        new.rename(self.folder / "state.json")

    @classmethod
    def load(cls, name: str) -> "Lab | None":
        """The lab of that name, or None where its folder or its record is missing."""
        try:
            content = json.loads((labs_folder() / name / "state.json").read_text())
        except FileNotFoundError:
            return None
        except PermissionError:
            raise LabError(f"Lab {name} belongs to root; run this as root, with sudo.") from None
        return cls(
            name=name,
            owner=Process(**content["owner"]) if content["owner"] else None,
            complete=content["complete"],
            boot=content["boot"],
            created=content["created"],
            nodes={key: Node(key, Process(**init)) for key, init in content["nodes"].items()},
            gateway=content["gateway"],
        )


def lab(name: str) -> Lab:
    """The lab of that name, which has to run.

    Raises:
        LabMistake: there is none, or it is not up.
    """
    found = Lab.load(check_name(name))
    if found is None or not found.running():
        others = ", ".join(other for other in names() if other != name)
        raise LabMistake(
            f"There is no lab {name!r} that is up; build it with: python -m lab up {name}"
            + (f" (there is: {others})." if others else ".")
        )
    return found


def names() -> list[str]:
    """The names of all labs on disk, half-built ones too."""
    with suppress(FileNotFoundError):
        return sorted(entry.name for entry in labs_folder().iterdir() if entry.is_dir())
    return []


@contextmanager
def exclusive() -> Iterator[None]:
    """Keep other lab commands from making or removing a lab meanwhile; makes the folder."""
    folder = labs_folder()
    while True:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        # The one before may have removed the folder, which was then locked for nobody.
        if folder.exists() and os.path.samestat(os.fstat(handle), folder.stat()):
            break
        os.close(handle)
    try:
        yield
    finally:
        with suppress(OSError):  # it goes when the last lab is gone
            folder.rmdir()
        os.close(handle)


def create(name: str, owner: Process) -> Lab:
    """Put a new lab on record; only inside `exclusive`.

    Args:
        name: a name that no lab has.
        owner: the process that builds it.
    """
    new = Lab(name, owner)
    new.folder.mkdir(mode=0o700)
    new.save()
    return new


def remove_folder(name: str) -> None:
    """Remove all files of a lab; only inside `exclusive`, after its processes are gone."""
    shutil.rmtree(labs_folder() / name, ignore_errors=True)
