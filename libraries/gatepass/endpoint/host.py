"""What an endpoint is and has, by one command that changes nothing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gatepass.endpoint.needs import programs
from gatepass.endpoint.shell import Shell

_INSTALLERS = ("apt-get", "dnf")
TEMPORARY = "/tmp"
"""Where a run has its folder."""


@dataclass(frozen=True)
class HostFacts:
    """A Linux host.

    Attributes:
        name: of the endpoint.
        where: host and port, as sentences name it.
        user: its SSH user; `is_root` and `may_sudo` tell what that may.
        is_root, may_sudo: see `user`.
        kernel, cpus: of it.
        has: programs that it has, and `tun`.
        versions: of programs, as numbers with points; empty where one tells none.
        says: the first line that each of these answered.
        installer: the program that installs others; empty where it is not known.
        free_mib: of folders, those that are there.
        writable: folders in which the user may write.
        listening: TCP ports that a program listens on.
    """

    name: str
    where: str
    user: str = ""
    is_root: bool = False
    may_sudo: bool = False
    kernel: str = ""
    cpus: int = 0
    has: frozenset[str] = frozenset()
    versions: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)
    installer: str = ""
    free_mib: Mapping[str, int] = field(default_factory=dict)
    writable: frozenset[str] = frozenset()
    listening: frozenset[int] = frozenset()


def survey(shell: Shell, folders: Iterable[str] = (), names: Iterable[str] = ()) -> HostFacts:
    """Ask an endpoint for all of it.

    Args:
        shell: the endpoint.
        folders: to be looked at, besides the temporary one.
        names: of programs that are looked for; all that are known where none is named.

    Raises:
        EndpointLost: it cannot be reached.
    """
    wanted = [programs()[name] for name in (names or programs())]
    lines = [
        "echo user $(id -u) $(id -un)",
        "sudo -n true >/dev/null 2>&1 && echo sudo",
        "echo kernel $(uname -sr)",
        "echo cpus $(nproc)",
        "[ -c /dev/net/tun ] && echo has tun",
        *(f"command -v {one.name} >/dev/null 2>&1 && echo has {one.name}" for one in wanted),
        *(f"command -v {one} >/dev/null 2>&1 && echo installer {one}" for one in _INSTALLERS),
        *(f"echo says {one.name} $({one.asked} 2>&1 | head -n 1)" for one in wanted if one.asked),
        "ss -Hltn 2>/dev/null | while read -r a b c d e; do echo port ${d##*:}; done",
    ]
    for folder in dict.fromkeys((TEMPORARY, *folders)):
        path = shlex.quote(folder)
        lines.append(f"echo free {path} $(df -Pk {path} 2>/dev/null | tail -n 1)")
        lines.append(f"[ -d {path} ] && [ -w {path} ] && echo writable {path}")
    output = shell.run("; ".join([*lines, "true"]), again=True).output
    return _facts(shell, [line.split() for line in output.splitlines() if line.strip()])


def _facts(shell: Shell, lines: list[list[str]]) -> HostFacts:
    told: dict[str, list[list[str]]] = {}
    for key, *words in lines:
        told.setdefault(key, []).append(words)

    def all_of(key: str) -> Iterable[str]:
        return (words[0] for words in told.get(key, ()) if words)

    number, name = [*next(iter(told.get("user", ())), []), "", ""][:2]
    says = {words[0]: " ".join(words[1:]) for words in told.get("says", ()) if words}
    found = {one: re.search(r"(\d+(?:\.\d+)+)", text) for one, text in says.items()}
    free = {words[0]: words[4] for words in told.get("free", ()) if len(words) > 5}
    return HostFacts(
        name=shell.name,
        where=getattr(shell, "where", "this machine"),
        user=name,
        is_root=number == "0",
        may_sudo="sudo" in told,
        kernel=" ".join(next(iter(told.get("kernel", ())), [])),
        cpus=int(next((text for text in all_of("cpus") if text.isdigit()), 0)),
        has=frozenset(all_of("has")),
        versions={one: match[1] if match else "" for one, match in found.items()},
        says=says,
        installer=next(iter(all_of("installer")), ""),
        free_mib={path: int(kib) // 1024 for path, kib in free.items() if kib.isdigit()},
        writable=frozenset(all_of("writable")),
        listening=frozenset(int(port) for port in all_of("port") if port.isdigit()),
    )
