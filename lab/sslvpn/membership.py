"""Tells the packet filter which addresses the users of each group have.

The filter is spoken to by its own library in this process: a user who logs in waits for it.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Address

from lab.sslvpn.plan import User

Run = Callable[[str], bool]


class PacketFilter:
    """nftables, by libnftables."""

    def __init__(self) -> None:
        library = ctypes.CDLL("libnftables.so.1")
        library.nft_ctx_new.restype = ctypes.c_void_p
        library.nft_ctx_get_error_buffer.restype = ctypes.c_char_p
        self._library = library
        self._context = ctypes.c_void_p(library.nft_ctx_new(0))
        library.nft_ctx_buffer_error(self._context)

    def run(self, commands: str) -> bool:
        """Run commands, all or none; what went wrong is written to standard error."""
        if not self._library.nft_run_cmd_from_buffer(self._context, commands.encode()):
            return True
        words = self._library.nft_ctx_get_error_buffer(self._context) or b"no reason given"
        print("nft:", words.decode(errors="replace").strip(), file=sys.stderr, flush=True)
        return False


class Membership:
    """Keeps the sets of addresses as they should be.

    Args:
        run: runs commands of nft; answers whether they worked.
        table: family and name of the table that holds the sets.
    """

    def __init__(self, run: Run, table: str) -> None:
        self._run, self._table = run, table
        # Set -> whose addresses it holds, as ("group", NAME) or ("user", NAME).
        self._sets: dict[str, tuple[str, str]] = {}
        self._inside: dict[int, frozenset[str]] = {}

    def follow(self, sets: Mapping[str, tuple[str, str]]) -> None:
        """Fill these sets from now on; those that are new are emptied first."""
        new = [name for name in sets if name not in self._sets]
        self._sets = dict(sets)
        self._inside = {
            address: frozenset(inside & sets.keys()) for address, inside in self._inside.items()
        }
        if new:
            self._run("".join(f"flush set {self._table} {name}\n" for name in new))

    def put(self, address: int, user: User) -> None:
        """Let an address count as a user's."""
        wanted = frozenset(
            name
            for name, (kind, who) in self._sets.items()
            if (who in user.groups if kind == "group" else who == user.name)
        )
        self._change(address, wanted)

    def take(self, address: int) -> None:
        """Let an address count as nobody's."""
        self._change(address, frozenset())
        self._inside.pop(address, None)

    def _change(self, address: int, wanted: frozenset[str]) -> None:
        there = self._inside.get(address, frozenset())
        self._inside[address] = wanted
        commands = [
            *self._commands("delete", there - wanted, address),
            *self._commands("add", wanted - there, address),
        ]
        if commands:
            self._run("".join(commands))

    def _commands(self, verb: str, names: Iterable[str], address: int) -> list[str]:
        text = IPv4Address(address)
        return [f"{verb} element {self._table} {name} {{ {text} }}\n" for name in names]
