"""What the chapters take on the endpoints: programs, versions, rights (`needs.yaml`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gatepass.base.chapters import CHAPTERS
from gatepass.base.own_yaml import own_yaml
from gatepass.inputs.scope import Scope

ROOT, TUN, STRONGSWAN, FILES = "root", "tun", "strongswan", "files"
"""What is no program by itself."""
STRONGSWAN_PACKAGES = {
    "apt-get": (
        *("strongswan-charon", "libcharon-extra-plugins", "libcharon-extauth-plugins"),
        "libstrongswan-standard-plugins",
    ),
    "dnf": ("strongswan",),
}
CAPABILITIES = {"NET_BIND_SERVICE": 10, "NET_ADMIN": 12, "NET_RAW": 13, "SYS_ADMIN": 21}
"""Those that something takes, with their numbers (linux/capability.h)."""

_OWN_KEYS = ("asked", "least", "since")
"""Of a program's row; the others are programs that install it."""


@dataclass(frozen=True)
class Program:
    """A program that an endpoint has to have.

    Attributes:
        name: as it is called.
        packages: that have it, by the program that installs them.
        asked: the command that tells its version; empty where any does.
        least: the oldest version that does, as numbers.
        since: the first distributions that have it; empty where an older one can install it.
    """

    name: str
    packages: Mapping[str, str]
    asked: str = ""
    least: str = ""
    since: str = ""

    def suffices(self, version: str) -> bool:
        """Whether a version, such as "3.16", is not older."""
        return bool(version) and _numbers(version) >= _numbers(self.least)


@cache
def programs() -> Mapping[str, Program]:
    """All that are known, by name."""
    return {
        name: Program(
            name,
            {key: text for key, text in row.items() if key not in _OWN_KEYS},
            *(row.get(key, "") for key in _OWN_KEYS),
        )
        for name, row in _table()["programs"].items()
    }


def every() -> tuple[str, ...]:
    """What each endpoint needs."""
    return tuple(_table()["every"])


def capabilities_of(need: str) -> tuple[str, ...]:
    """The capabilities of root that something takes, without "CAP_"."""
    return tuple(_table()["capabilities"].get(need, ()))


def needs_of(scope: Scope, endpoint: str) -> dict[str, tuple[str, ...]]:
    """What one endpoint needs, each with the chapters that do.

    Args:
        scope: what is to be tested.
        endpoint: client, server or peer.
    """
    found = {need: set(scope.chapters) for need in every()}
    for chapter in scope.chapters:
        for use in _table()["chapters"].get(chapter, ()):
            if endpoint in use["on"] and scope.has(use.get("when", ""), unknown=False):
                for need in use["needs"]:
                    found.setdefault(need, set()).add(chapter)
    return {need: _sorted(names) for need, names in found.items()}


def _sorted(chapters: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in CHAPTERS if name in set(chapters))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@cache
def _table() -> Mapping:
    return own_yaml(Path(__file__).with_name("needs.yaml"))
