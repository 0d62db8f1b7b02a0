"""What passes the interfaces of an endpoint, whatever its own filters make of it.

A firewall of an endpoint can be of one interface, and so can its reverse-path filter: then all is
well on the path without the gateway, and what comes from the gateway is dropped. A packet socket
sees it all the same (packet(7)).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from gatepass.base.errors import NotProven
from gatepass.base.formats import Address, Name, Nothing
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell

WHO_HAS, IS_AT = "who-has", "is-at"
_END_S = 10
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


class WireLook:
    """A look at what passes an endpoint's interfaces.

    Args:
        shell: the endpoint.
        ports: of TCP and UDP; packets of others are left out.
        limit_s: after which it ends by itself.

    Raises:
        NotProven: the endpoint cannot look, with the program's own words.
    """

    def __init__(self, shell: Shell, ports: Sequence[int], limit_s: float) -> None:
        self._shell, stem = shell, f"{shell.folder()}/wire-look"
        shell.run(script("rm -f {stop}", stop=f"{stem}.stop"))
        command = script(
            "python3 {program} {stop} {limit_s:.0f} {ports}",
            program=install(shell, "wire_look.py"),
            stop=f"{stem}.stop",
            limit_s=limit_s,
            ports=sorted(set(ports)),
        )
        ready = script("grep -q ready {out}", out=f"{stem}.out")
        try:
            self._program = Detached.start(shell, stem, command, limit_s + 5, ready=ready)
        except ProgramEnded as ended:
            raise self._failed(str(ended)) from ended

    def end(self) -> list[Packet]:
        """End it; what has passed.

        Raises:
            NotProven: the program failed, with its own words.
        """
        self._shell.run(script("touch {stop}", stop=f"{self._program.stem}.stop"))
        try:
            self._program.wait(_END_S)
            return _PACKETS.validate_json(self._program.output.splitlines()[-1])
        except (ProgramEnded, ValidationError, IndexError):
            words = self._program.last_words() or "it wrote nothing"
            raise self._failed(words) from None

    def stop(self) -> None:
        """End it, whatever it does."""
        self._program.stop()

    def _failed(self, words: str) -> NotProven:
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
        shells, ports, limit_s: see `WireLook`.

    Raises:
        NotProven: an endpoint cannot look.
    """
    looks: list[WireLook] = []
    try:
        looks.extend(WireLook(shell, ports, limit_s) for shell in shells)
        yield looks
    finally:
        for look in looks:
            look.stop()
