"""What a run could leave on the machine it runs on, outside the namespaces of its lab."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

_ASKED = {
    "addresses": "ip -brief address show up scope global",
    "routes": "ip route show table all; ip -6 route show table all",
    "rules": "ip rule; ip -6 rule",
    "nftables": "nft list ruleset 2>/dev/null",
    "queues": "tc qdisc show",
}
_SYSTEM = ("/usr/sbin", "/usr/bin", "/etc/systemd/system", "/etc/apparmor.d")
_ACCOUNTS = ("/etc/passwd", "/etc/group", "/etc/hosts", "/etc/resolv.conf")
_SYSCTL = ("net/core", "net/ipv4", "net/ipv4/conf/all", "net/ipv4/conf/default")
_SYSCTL6 = ("net/ipv6", "net/ipv6/conf/all", "net/ipv6/conf/default")
_PASSES = re.compile(r" (expires|age|lft) \S+|\bcounter packets \d+ bytes \d+")
"""What goes on by itself."""


def host_state() -> dict[str, str]:
    """The state by its kinds; two of them compare equal where nothing has changed."""
    found = {what: _PASSES.sub("", _output(command)) for what, command in _ASKED.items()}
    found |= {path: _names(Path(path)) for path in _SYSTEM}
    found |= {path: _text(Path(path)) for path in _ACCOUNTS}
    for folder in (*_SYSCTL, *_SYSCTL6):
        files = sorted(path for path in Path("/proc/sys", folder).glob("*") if path.is_file())
        found[folder] = "\n".join(f"{path.name} = {_text(path)}" for path in files)
    return found


def changed(before: dict[str, str]) -> list[str]:
    """What is otherwise than it was, a line for each difference."""
    now = host_state()
    return [
        f"{what}: {sign} {line}"
        for what in before
        for sign, there, not_there in (("-", before, now), ("+", now, before))
        for line in sorted({*there[what].splitlines()} - {*not_there[what].splitlines()})
    ]


def _output(command: str) -> str:
    return subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False
    ).stdout


def _names(folder: Path) -> str:
    return "\n".join(sorted(path.name for path in folder.glob("*")))


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:  # some are for writing alone
        return ""
