"""A node: one machine of the lab, made of namespaces that its first process holds."""

import json
import os
import pwd
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lab.base import share
from lab.base.errors import LabError
from lab.base.process import Process
from lab.nodes.topology import CONTROL, ENDPOINTS

PROJECT = Path(__file__).resolve().parents[2]
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_PRIVATE_FOLDERS = ("/run", "/srv", "/tmp", "/var/tmp", "/var/log", "/dev/shm")
_PRIVATE_TO_CONTROL = ("/run",)
"""Whoever tests finds their own files there."""
_SYSCTL = {
    # First, as it resets others. A host that forwards hands that on to new namespaces; here only
    # the gateway forwards, from when its rules are in force.
    "net.ipv4.ip_forward": "0",
    "net.ipv6.conf.all.forwarding": "0",
    "net.ipv4.conf.all.rp_filter": "0",
    "net.ipv4.conf.default.rp_filter": "0",
    # No redirects: a path is what the lab's wiring says and nothing else.
    "net.ipv4.conf.all.accept_redirects": "0",
    "net.ipv4.conf.default.accept_redirects": "0",
    "net.ipv4.conf.all.send_redirects": "0",
    "net.ipv4.conf.default.send_redirects": "0",
    # Many connections at once, and room below for the ports of servers.
    "net.ipv4.ip_local_port_range": "10240 65535",
    "net.ipv6.conf.all.disable_ipv6": "0",
    "net.ipv6.conf.default.disable_ipv6": "0",
    "net.ipv6.conf.default.accept_dad": "0",
    "net.ipv6.conf.default.accept_ra": "0",
}
_SYSCTL_ENDPOINT = {
    # An interface answers ARP for its own address alone.
    "net.ipv4.conf.all.arp_ignore": "1",
    "net.ipv4.conf.all.arp_announce": "2",
}


@dataclass(frozen=True)
class Node:
    """A running node.

    Args:
        name: `control`, `gateway` or an endpoint.
        init: its first process, as the host sees it.
    """

    name: str
    init: Process

    @property
    def proc(self) -> Path:
        """The node's own `/proc`, where pids are those that the node sees."""
        return Path(f"/proc/{self.init.pid}/root/proc")

    def process(self, pid: int) -> Process | None:
        """The process with this pid in the node, or None."""
        return Process.of(pid, self.proc) if self.init.alive() else None

    def entering(self, command: Sequence[str], folder: str = "/") -> list[str]:
        """The command that runs `command` inside the node.

        Args:
            command: program and arguments, found in the node.
            folder: where it starts.
        """
        return [
            *_joining(share.members(self.init.pid)),
            *("nsenter", "--target", str(self.init.pid)),
            *("--mount", "--uts", "--ipc", "--net", "--pid", "--"),
            *("/bin/sh", "-c", 'cd "$0" && exec "$@"', folder, *command),
        ]

    def run(
        self, command: Sequence[str], seconds: float = 10, folder: str = "/"
    ) -> subprocess.CompletedProcess[str]:
        """Run a short command in the node to its end.

        Args:
            command: program and arguments.
            seconds: how long it may take.
            folder: where it starts.

        Raises:
            LabError: the node is gone, or the command did not end in time.
        """
        self._must_live()
        try:
            return subprocess.run(
                self.entering(command, folder),
                env=environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise LabError(
                f"In the lab's {self.name}, {shlex.join(command)} did not end within "
                f"{seconds:g} s; take the lab down and build it anew."
            ) from None

    def must(self, command: Sequence[str], seconds: float = 10, folder: str = "/") -> str:
        """Run a short command that has to succeed, and return what it printed.

        Raises:
            LabError: it ended with an error.
        """
        done = self.run(command, seconds, folder)
        if done.returncode != 0:
            raise LabError(
                f"In the lab's {self.name}, {shlex.join(command)} ended with "
                f"{done.returncode}: {done.stderr.strip() or done.stdout.strip()}"
            )
        return done.stdout

    def spawn(self, command: Sequence[str], log: Path, folder: str = "/") -> Process:
        """Start a program that stays; the node's first process becomes its parent.

        Args:
            command: program and arguments.
            log: where its output goes; a path that the node sees.
            folder: where it starts.

        Returns:
            The process, with its pid as the node sees it.

        Raises:
            LabError: it could not be started, or ended at once.
        """
        script = 'log=$1; shift; setsid "$@" </dev/null >>"$log" 2>&1 & echo $!'
        shell = ["/bin/sh", "-c", script, "sh", str(log), *command]
        pid = int(self.must(shell, folder=folder))
        process = self.process(pid)
        if process is None:
            raise LabError(
                f"In the lab's {self.name}, {command[0]} ended at once: {tail(log) or 'no output'}"
            )
        return process

    def signal(self, process: Process, name: str) -> None:
        """Send a signal to a process of the node, if it is still that process.

        Args:
            process: as `spawn` gave it.
            name: without SIG, such as `TERM`.
        """
        if process.alive(self.proc):
            self.run(["/bin/sh", "-c", 'kill -s "$1" "$2"', "sh", name, str(process.pid)])

    def _must_live(self) -> None:
        if not self.init.alive():
            raise LabError(f"The lab's {self.name} is gone; take the lab down and build it anew.")


def _joining(group: Path | None) -> tuple[str, ...]:
    """The words before a command that has to join the lab's group first."""
    return ("/bin/sh", "-c", 'echo $$ >"$0" && exec "$@"', str(group)) if group else ()


def environment() -> dict[str, str]:
    """What programs of the lab find in their environment; nothing of the caller's."""
    return {
        "PATH": PATH,
        "HOME": pwd.getpwuid(0).pw_dir,
        "USER": "root",
        "LOGNAME": "root",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": os.environ.get("TERM", "dumb"),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def program(name: str) -> str | None:
    """The full path of a program as the nodes find it."""
    return shutil.which(name, path=PATH)


def tail(log: Path, lines: int = 5) -> str:
    """The end of a log, on one line."""
    try:
        return " / ".join(log.read_text(errors="replace").split("\n")[-lines - 1 :]).strip(" /")
    except OSError:
        return ""


class StartingNode:
    """A node that comes up: `announced`, then `go_on`, then `ready`.

    Its first process waits for `go_on`, and ends should its maker end before that.

    Args:
        name: of the node.
        lab_folder: the lab's folder; it stays visible in the node.
        binds: files and folders that the node sees at another place, as (outside, inside).
        folders: empty folders to make in the node, before the binds.
    """

    def __init__(
        self,
        name: str,
        lab_folder: Path,
        binds: Sequence[tuple[Path, str]] = (),
        folders: Sequence[str] = (),
    ) -> None:
        keep = _outermost([PROJECT, lab_folder, Path(sys.prefix), Path(sys.base_prefix)])
        private = [
            folder
            for folder in _private_folders(name)
            if os.path.isdir(folder) and folder not in ("/", *keep)
        ]
        groups = share.groups()
        if groups is not None:
            binds, folders = [*binds, (groups, share.INSIDE)], [*folders, share.INSIDE]
        sysctl = {**_SYSCTL, **(_SYSCTL_ENDPOINT if name in ENDPOINTS else {})}
        specification = {
            "name": name,
            "private": private,
            "keep": keep,
            "folders": ["/run/lock", *folders],
            "binds": [(str(outside), inside) for outside, inside in binds],
            "sysctl": sysctl,
        }
        self._launcher = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("init.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
            start_new_session=True,  # Ctrl-C at the terminal is none of the node's business
        )
        self._name = name
        share.take(lab_folder, self._launcher.pid)
        self._say(json.dumps(specification))

    def announced(self) -> Node:
        """The node, whose first process exists and waits.

        Raises:
            LabError: the kernel allows no namespaces.
        """
        answer = self._hear()
        init = Process.of(int(answer)) if answer.isdigit() else None
        if init is None:
            raise LabError(f"{self._failed(answer)}; a container needs --privileged for this.")
        self.node = Node(self._name, init)
        return self.node

    def go_on(self) -> None:
        """Let the node furnish itself; its first process is on record now."""
        self._say("go")

    def ready(self) -> Node:
        """Wait until the node is furnished.

        Raises:
            LabError: a mount or a kernel setting was refused.
        """
        answer = self._hear()
        if answer != "ready":
            raise LabError(f"{self._failed(answer)}.")
        return self.node

    def close(self) -> None:
        """Let go of it: a first process that was not told to go on then ends by itself."""
        for pipe in (self._launcher.stdin, self._launcher.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        self._launcher.wait()

    def _failed(self, answer: str) -> str:
        return f"The lab's {self._name} could not be made: {answer or 'its first process ended'}"

    def _say(self, line: str) -> None:
        assert self._launcher.stdin is not None
        try:
            self._launcher.stdin.write(line + "\n")
            self._launcher.stdin.flush()
        except BrokenPipeError:
            pass  # it ended, and the answer that is waited for next says so

    def _hear(self) -> str:
        assert self._launcher.stdout is not None
        return self._launcher.stdout.readline().strip()


def _private_folders(name: str) -> tuple[str, ...]:
    """The folders that a node has for itself alone."""
    if name == CONTROL:
        return _PRIVATE_TO_CONTROL
    return *_PRIVATE_FOLDERS, pwd.getpwuid(0).pw_dir


def _outermost(paths: Sequence[Path]) -> list[str]:
    """The paths, also as links in them resolve, without those that lie in another of them."""
    every = sorted({*(path.absolute() for path in paths), *(path.resolve() for path in paths)})
    return [str(path) for path in every if not any(other in path.parents for other in every)]
