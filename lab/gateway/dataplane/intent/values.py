"""What several parts of an intent are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lab.gateway.dataplane.intent.ranges import Spans
from lab.gateway.dataplane.intent.services import Match

ANY: tuple[str, ...] = ()
"""A list of interfaces that holds every interface."""


@dataclass(frozen=True, slots=True)
class Selector:
    """Which sessions a row is about.

    Attributes:
        srcintf: interfaces where the session's first packet arrives; empty for any.
        dstintf: interfaces where it leaves; empty for any.
        sources: source addresses by IP version.
        dests: destination addresses by IP version.
        services: the row applies to a packet that one of them matches.
        except_services: `services` says what is left out instead.
    """

    srcintf: tuple[str, ...] = ANY
    dstintf: tuple[str, ...] = ANY
    sources: Mapping[int, Spans] = field(default_factory=dict)
    dests: Mapping[int, Spans] = field(default_factory=dict)
    services: tuple[Match, ...] = (Match(),)
    except_services: bool = False


@dataclass(frozen=True, slots=True)
class Port:
    """An interface's address and what the gateway itself answers there.

    Attributes:
        name: of the interface.
        addresses: its own, with the lengths of their prefixes.
        up: whether it is switched on.
        allowaccess: what the gateway itself answers there over IPv4.
        allowaccess6: likewise over IPv6.
        lonely: an interface that is no wire: a loopback, or a VLAN, on which nobody is here.
        physical: a wire.
    """

    name: str
    addresses: tuple[str, ...] = ()
    up: bool = True
    allowaccess: frozenset[str] = frozenset()
    allowaccess6: frozenset[str] = frozenset()
    lonely: bool = False
    physical: bool = True

    @property
    def address(self) -> str:
        """Its IPv4 address; empty for none."""
        return next((text.partition("/")[0] for text in self.addresses if ":" not in text), "")
