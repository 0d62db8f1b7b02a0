"""What an endpoint is and has, by one command that changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gatepass.endpoint.needs import CAPABILITIES, programs
from gatepass.endpoint.script import Script, joined, script
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
        capabilities: in effect for that user, as the kernel's bits; None where it tells none.
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
    capabilities: int | None = None
    kernel: str = ""
    cpus: int = 0
    has: frozenset[str] = frozenset()
    versions: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)
    installer: str = ""
    free_mib: Mapping[str, int] = field(default_factory=dict)
    writable: frozenset[str] = frozenset()
    listening: frozenset[int] = frozenset()

    def may(self, capability: str) -> bool:
        """Whether the user has a capability, as far as the host tells.

        Args:
            capability: a key of `needs.CAPABILITIES`.
        """
        return self.capabilities is None or bool(self.capabilities >> CAPABILITIES[capability] & 1)


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
        script("set -f; echo user $(id -u) $(id -un)"),
        script("sudo -n true >/dev/null 2>&1 && echo sudo"),
        script("sed -n 's/^CapEff:/capabilities /p' /proc/self/status"),
        script("echo kernel $(uname -sr)"),
        script("echo cpus $(nproc)"),
        script("[ -c /dev/net/tun ] && echo has tun"),
        *(_if_there("has", one.name) for one in wanted),
        *(_if_there("installer", name) for name in _INSTALLERS),
        *(_first_line(one.name, one.asked) for one in wanted if one.asked),
        script("ss -Hltn 2>/dev/null | while read -r a b c d e; do echo port ${{d##*:}}; done"),
        *map(_of_folder, dict.fromkeys((TEMPORARY, *folders))),
        script("true"),
    ]
    output = shell.run(joined("; ", lines), again=True).output
    return _facts(shell, [line.split() for line in output.splitlines() if line.strip()])


def _if_there(key: str, program: str) -> Script:
    return script(
        "command -v {program} >/dev/null 2>&1 && echo {key} {program}", key=key, program=program
    )


def _first_line(program: str, asked: str) -> Script:
    return script(
        "echo says {program} $({asked} 2>&1 | head -n 1)", program=program, asked=asked.split()
    )


def _of_folder(path: str) -> Script:
    return script(
        "echo free {path} $(df -Pk {path} 2>/dev/null | tail -n 1); "
        "[ -d {path} ] && [ -w {path} ] && echo writable {path}",
        path=path,
    )


def _facts(shell: Shell, lines: list[list[str]]) -> HostFacts:
    told: dict[str, list[list[str]]] = {}
    for key, *words in lines:
        told.setdefault(key, []).append(words)

    def all_of(key: str) -> Iterable[str]:
        return (words[0] for words in told.get(key, ()) if words)

    number, name = [*next(iter(told.get("user", ())), []), "", ""][:2]
    says = {words[0]: " ".join(words[1:]) for words in told.get("says", ()) if words}
    found = {one: re.search(r"(\d{1,9}(?:\.\d{1,9})+)", text) for one, text in says.items()}
    free = {words[0]: words[4] for words in told.get("free", ()) if len(words) > 5}
    return HostFacts(
        name=shell.name,
        where=getattr(shell, "where", "this machine"),
        user=name,
        is_root=number == "0",
        may_sudo="sudo" in told,
        capabilities=_bits(next(iter(all_of("capabilities")), "")),
        kernel=" ".join(next(iter(told.get("kernel", ())), [])),
        cpus=int(next((text for text in all_of("cpus") if text.isdecimal()), 0)),
        has=frozenset(all_of("has")),
        versions={one: match[1] if match else "" for one, match in found.items()},
        says=says,
        installer=next(iter(all_of("installer")), ""),
        free_mib={path: int(kib) // 1024 for path, kib in free.items() if kib.isdecimal()},
        writable=frozenset(all_of("writable")),
        listening=frozenset(int(port) for port in all_of("port") if port.isdecimal()),
    )


def _bits(text: str) -> int | None:
    return int(text, 16) if re.fullmatch("[0-9a-f]{1,16}", text) else None
