"""The first process of a node: makes the node's namespaces, furnishes them, and holds them.

Run as a program of its own, with the standard library alone, so that it is small and starts at
once. It speaks with its maker by lines:

1. reads one line of JSON: the node's name, what to mount and which kernel settings to write;
2. writes the pid of the process that holds the namespaces, and waits;
3. reads `go`, which its maker writes after it has noted the pid. Should the maker be killed
   before, the line never comes and the node ends with it: no node is ever unaccounted for;
4. writes `ready`, or a sentence that says what went wrong.

The end of that process is the end of everything in the node.
"""

import ctypes
import json
import os
import signal
import socket
import sys

_CLONE_NEWNS = 0x00020000
_CLONE_NEWUTS = 0x04000000
_CLONE_NEWIPC = 0x08000000
_CLONE_NEWPID = 0x20000000
_CLONE_NEWNET = 0x40000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_PR_SET_NAME = 15

_libc = ctypes.CDLL(None, use_errno=True)


class _Refused(Exception):
    """The kernel refused a call; the message says which and why."""


def _check(result: int, what: str) -> None:
    if result != 0:
        raise _Refused(f"{what}: {os.strerror(ctypes.get_errno())}")


def _mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    result = _libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()
    )
    _check(result, f"cannot mount {kind or source} on {target}")


def _private_folders(folders: list[str], keep: list[str]) -> None:
    """Give the node empty folders of its own, with the parts of the old ones that it needs."""
    kept = {path: os.open(path, os.O_PATH | os.O_DIRECTORY) for path in keep}
    for folder in folders:
        _mount("tmpfs", folder, "tmpfs", _MS_NOSUID | _MS_NODEV, f"mode={_mode(folder)}")
    for path, handle in kept.items():
        if any(path.startswith(folder + "/") for folder in folders):
            os.makedirs(path, exist_ok=True)
            _mount(f"/proc/self/fd/{handle}", path, "", _MS_BIND | _MS_REC)
        os.close(handle)


def _mode(folder: str) -> str:
    """The permissions of the folder that is covered."""
    return f"{os.stat(folder).st_mode & 0o7777:o}"


def _furnish(node: dict) -> None:
    """Mounts, host name and kernel settings, all seen inside the node alone."""
    _mount("none", "/", "", _MS_REC | _MS_PRIVATE)
    _private_folders(node["private"], node["keep"])
    for folder in node["folders"]:
        os.makedirs(folder, mode=0o755, exist_ok=True)
    for source, target in node["binds"]:
        _mount(source, target, "", _MS_BIND)
    hardened = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    _mount("proc", "/proc", "proc", hardened)
    # sysfs shows the interfaces of the namespace that mounted it; read only, as it is the host's.
    _mount("sysfs", "/sys", "sysfs", hardened | _MS_RDONLY)
    socket.sethostname(node["name"])
    for key, value in node["sysctl"].items():
        with open("/proc/sys/" + key.replace(".", "/"), "w") as file:
            file.write(value)


def _hold() -> None:
    """Keep the namespaces; the kernel reaps orphans by itself where SIGCHLD is ignored."""
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    while True:
        signal.pause()


def _first_process(node: dict) -> None:
    os.chdir("/")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _libc.prctl(_PR_SET_NAME, f"lab-{node['name']}".encode())
    if sys.stdin.readline() != "go\n":
        return
    try:
        _furnish(node)
    except (_Refused, OSError) as error:
        print(error, flush=True)
        return
    print("ready", flush=True)
    _hold()


def main() -> None:
    """Make the namespaces, leave a first process in them, and say its pid."""
    asked = sys.stdin.readline()
    if not asked:  # whoever wants a node was stopped meanwhile
        return
    node = json.loads(asked)
    try:
        _check(
            _libc.unshare(
                _CLONE_NEWNET | _CLONE_NEWNS | _CLONE_NEWUTS | _CLONE_NEWIPC | _CLONE_NEWPID
            ),
            "cannot make namespaces",
        )
    except _Refused as error:
        print(error, flush=True)
        return
    pid = os.fork()
    if pid == 0:
        _first_process(node)
    else:
        print(pid, flush=True)


if __name__ == "__main__":
    main()
