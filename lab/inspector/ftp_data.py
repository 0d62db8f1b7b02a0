"""Data connections of FTP that are to come: told to the packet filter, found again when they do.

The filter forgets each as soon as it has come, or cannot come any more: a server soon takes its
port for a session that may not be one to inspect.
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from typing import Generic, TypeVar

from lab.inspector.marks import CLIENT_LEG

_TABLE = "inet gatepass"
_SECONDS = 60
Address = tuple[str, int]
Key = tuple[str, str, int]
"""Source address, and address and port of the destination."""
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
        self._all: dict[Key, Expectation[Control]] = {}
        self._filter = _PacketFilter()

    def add(self, source: str, dest: Address, slot: int, expectation: Expectation[Control]) -> None:
        """Expect one; the packet filter hands it to the inspector from now on."""
        key = (source, *dest)
        self._all[key] = expectation
        where, element = _element(key)
        self._filter.run(
            f"add element {where} {{ {element} timeout {_SECONDS}s : {CLIENT_LEG | slot} }}"
        )

    def take(self, source: str, dest: Address) -> Expectation[Control] | None:
        """The expectation that a new session fulfils."""
        return self._end((source, *dest))

    def forget(self, control: Control) -> None:
        """Expect no more of a control connection."""
        for key in [key for key, found in self._all.items() if found.control is control]:
            self._end(key)

    def _end(self, key: Key) -> Expectation[Control] | None:
        found = self._all.pop(key, None)
        if found is not None:
            where, element = _element(key)
            # where it came too late, its element has gone by itself
            self._filter.run(f"delete element {where} {{ {element} }}", may_fail=True)
        return found


def _element(key: Key) -> tuple[str, str]:
    """The filter's set of an expectation, and what stands for it there."""
    source, host, port = key
    return f"{_TABLE} ftp_data{6 if ':' in source else 4}", f"{source} . {host} . {port}"


class _PacketFilter:
    """libnftables, which the nft command is made of; no process for each data connection."""

    def __init__(self) -> None:
        self._library: ctypes.CDLL | None = None
        self._context: int | None = None

    def run(self, text: str, may_fail: bool = False) -> None:
        """Run a command; what fails, and may not, is written to the inspector's log."""
        if self._library is None:
            library = ctypes.CDLL("libnftables.so.1")
            library.nft_ctx_new.restype = ctypes.c_void_p
            library.nft_ctx_buffer_error.argtypes = [ctypes.c_void_p]
            library.nft_run_cmd_from_buffer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
            library.nft_ctx_get_error_buffer.argtypes = [ctypes.c_void_p]
            library.nft_ctx_get_error_buffer.restype = ctypes.c_char_p
            self._library, self._context = library, library.nft_ctx_new(0)
            library.nft_ctx_buffer_error(self._context)
        if self._library.nft_run_cmd_from_buffer(self._context, text.encode()) and not may_fail:
            error = self._library.nft_ctx_get_error_buffer(self._context)
            print(f"{text}: {error.decode(errors='replace')}", file=sys.stderr)
