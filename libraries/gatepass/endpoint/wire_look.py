"""What passes the interfaces of an endpoint, whatever its own filters make of it.

A firewall of an endpoint can be of one interface, and so can its reverse-path filter: then all is
well on the path without the gateway, and what comes from the gateway is dropped. A packet socket
sees it all the same (packet(7)).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from gatepass.base.errors import NotProven
from gatepass.base.formats import Address, Name, Nothing
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.wire_program import WireProgram

WHO_HAS, IS_AT = "who-has", "is-at"
_Port = Annotated[int, Field(ge=0, le=65535)]


class Packet(NamedTuple):
    """A packet on an interface.

    Attributes:
        way: in or out.
        interface: its name.
        protocol: tcp or udp; `WHO_HAS` and `IS_AT` of ARP (RFC 826) and Neighbor Discovery (RFC
            4861), with the address in question as the target.
        source, source_port, target, target_port: its ends.
        flags: of TCP's header.
        length: bytes that TCP or UDP carry.
    """

    way: Literal["in", "out"]
    interface: Name
    protocol: Literal["tcp", "udp", "who-has", "is-at"]
    source: Address | Nothing
    source_port: _Port
    target: Address
    target_port: _Port
    flags: Annotated[int, Field(ge=0, le=255)]
    length: Annotated[int, Field(ge=0, le=65535)]


_PACKETS = TypeAdapter(list[Packet])


class WireLook(WireProgram[list[Packet]]):
    """A look under way; its words are ports of TCP and UDP, and packets of others are left out."""

    program = "wire_look.py"

    def parsed(self, line: str) -> list[Packet]:
        """See `WireProgram`."""
        return _PACKETS.validate_json(line)

    def failed(self, words: str) -> NotProven:
        """See `WireProgram`."""
        return NotProven(
            f"the {self._shell.name} cannot see what arrives at its own interfaces, so its own "
            f"firewall cannot be distinguished from the gateway: {words}. It needs root as its SSH "
            "user."
        )


@contextmanager
def looking(
    shells: Sequence[Shell], ports: Sequence[int], limit_s: float
) -> Iterator[list[WireLook]]:
    """A look on each of several endpoints, ended with the context.

    Args:
        shells: the endpoints.
        ports: of TCP and UDP; packets of others are left out.
        limit_s: after which each ends by itself.

    Raises:
        NotProven: an endpoint cannot look.
    """
    looks: list[WireLook] = []
    try:
        looks.extend(WireLook(shell, sorted(set(ports)), limit_s) for shell in shells)
        yield looks
    finally:
        for look in looks:
            look.stop()
