"""Data connections of FTP that are to come: told to the packet filter, found again when they do."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from typing import Generic, TypeVar

from lab.inspector.marks import CLIENT_LEG

_TABLE = "inet gatepass"
_SECONDS = 60
Address = tuple[str, int]
Control = TypeVar("Control")
"""A control connection."""


@dataclass(slots=True)
class Expectation(Generic[Control]):
    """A data connection that a control connection announced.

    Attributes:
        control: the control connection.
        client: where it shall lead to, where the server opens it; None if the client does.
    """

    control: Control
    client: Address | None = None


class Expected(Generic[Control]):
    """All data connections that are to come, by source address and destination."""

    def __init__(self) -> None:
        self._all: dict[tuple[str, str, int], Expectation[Control]] = {}
        self._filter = _PacketFilter()

    def add(self, source: str, dest: Address, slot: int, expectation: Expectation[Control]) -> None:
        """Expect one; the packet filter hands it to the inspector from now on."""
        self._all[(source, *dest)] = expectation
        name = "ftp_data6" if ":" in source else "ftp_data4"
        key = f"{source} . {dest[0]} . {dest[1]}"
        self._filter.run(
            f"add element {_TABLE} {name} {{ {key} timeout {_SECONDS}s : {CLIENT_LEG | slot} }}"
        )

    def take(self, source: str, dest: Address) -> Expectation[Control] | None:
        """The expectation that a new session fulfils."""
        return self._all.pop((source, *dest), None)

    def forget(self, control: Control) -> None:
        """Expect no more of a control connection."""
        for key in [key for key, found in self._all.items() if found.control is control]:
            del self._all[key]


class _PacketFilter:
    """libnftables, which the nft command is made of; no process for each data connection."""

    def __init__(self) -> None:
        self._library: ctypes.CDLL | None = None
        self._context: int | None = None

    def run(self, text: str) -> None:
        """Run a command; what fails is written to the inspector's log."""
        if self._library is None:
            library = ctypes.CDLL("libnftables.so.1")
            library.nft_ctx_new.restype = ctypes.c_void_p
            library.nft_ctx_buffer_error.argtypes = [ctypes.c_void_p]
            library.nft_run_cmd_from_buffer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
            library.nft_ctx_get_error_buffer.argtypes = [ctypes.c_void_p]
            library.nft_ctx_get_error_buffer.restype = ctypes.c_char_p
            self._library, self._context = library, library.nft_ctx_new(0)
            library.nft_ctx_buffer_error(self._context)
        if self._library.nft_run_cmd_from_buffer(self._context, text.encode()):
            error = self._library.nft_ctx_get_error_buffer(self._context)
            print(f"{text}: {error.decode(errors='replace')}", file=sys.stderr)
