"""The ways out of an endpoint: which interface, how fast, how large a packet gets there whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.base.finding import Finding
from gatepass.endpoint.answers import Count, Interface, Nothing, of_json
from gatepass.endpoint.probe import run_script
from gatepass.endpoint.shell import Shell
from gatepass.inputs.order import Order
from gatepass.inputs.scope import Scope
from gatepass.results.trial import POLICING, Load

_LEAST_MTU = Load.datagram_bytes + 28
"""Of datagrams with the headers of IPv4 and UDP."""
_WITH_DATAGRAMS = (
    *("stateful_firewall", "tier_ceiling", "latency", "service_objectives", "studies"),
)
MEASURED = ("baseline_before", *_WITH_DATAGRAMS, "baseline_after")
"""The chapters that a tier's whole rate is sent in."""
ON_THE_WIRE = 1538 / 1448
"""Bytes on an Ethernet for a byte of TCP's content: 1,448 of 1,538 with preamble and gap (IEEE
802.3) and TCP's time stamps (RFC 7323)."""
_TIMEOUT_S = 30


@dataclass(frozen=True)
class Path:
    """One way.

    Attributes:
        interface: by which it leaves; empty where no route leads there.
        mtu: of the interface, bytes.
        speed: of the interface, Mbit/s; 0 where it tells none, as a virtual one.
        small: whether a small ICMP echo came back; None where none could be sent.
        whole: whether one as large as the MTU did, which nobody may cut; None where none was sent.
        path_mtu: that somebody on the way told; 0 for nobody.
    """

    interface: Interface | Nothing
    mtu: Count
    speed: Count
    small: bool | None
    whole: bool | None
    path_mtu: Count


def paths_of(
    shell: Shell, addresses: Sequence[str], silent: Sequence[str] = ()
) -> dict[str, Path]:
    """The ways to IPv4 addresses; those that the endpoint does not tell are left out.

    Args:
        shell: the endpoint.
        addresses: to which echoes are sent.
        silent: others, to which none are, as nobody there could answer.

    Raises:
        EndpointLost: it cannot be reached.
    """
    done = run_script(shell, "mtu.py", [*addresses, "--", *silent], _TIMEOUT_S)
    try:
        told = of_json(dict[str, Path], done.output)
    except ValueError:
        return {}
    return {address: told[address] for address in (*addresses, *silent) if address in told}


def mtu_to(shell: Shell, address: str) -> int:
    """The largest IP packet that gets to an IPv4 address whole, bytes.

    Raises:
        NotProven: the endpoint cannot tell.
        EndpointLost: it cannot be reached.
    """
    path = paths_of(shell, [address]).get(address)
    if path is None or path.whole is None:
        raise NotProven(
            f"the {shell.name} cannot determine the MTU of the path, as it sends no echo requests."
        )
    return path.mtu if path.whole else path.path_mtu or path.mtu


@dataclass(frozen=True)
class Ways:
    """The ways of an endpoint.

    Attributes:
        findings: what was found of them.
        speed: of the slowest link that tells one, Mbit/s; 0 where none does.
        known: whether the endpoint tells them at all.
    """

    findings: list[Finding]
    speed: int
    known: bool


def look(
    shell: Shell, scope: Scope, gateway: str = "", port_mtu: int | None = None
) -> Ways:
    """The ways of an endpoint towards the gateway and past it.

    Args:
        shell: the endpoint.
        scope: what is to be tested.
        gateway: the address of the gateway's port on its side; empty where it is not known, and
            then only the interface towards it is looked at.
        port_mtu: of that port, bytes.

    Raises:
        EndpointLost: it cannot be reached.
    """
    name, ends = shell.name, scope.testbed.endpoints
    far = ends.server if name == "client" else ends.client
    towards = gateway or far.address
    direct = far.direct_address if name in ("client", "server") else None
    asked = [address for address in (gateway, direct) if address]
    found = paths_of(shell, asked, [] if gateway else [towards])
    keeps = ("site_to_site_vpn",) if name == "peer" else scope.chapters
    result: list[Finding] = []
    if path := found.get(towards):
        result += _way(name, "towards the gateway", towards, path, keeps)
        result += _beside(name, path, port_mtu, keeps)
    if path := found.get(direct or ""):
        result += _way(name, "without the gateway", direct, path, keeps)
    speed = min((path.speed for path in found.values() if path.speed), default=0)
    if scope.order and name != "peer":
        result += too_slow(f"{name}'s link", speed, rate_of(scope.order))
    if not any(finding.keeps for finding in result) and (path := found.get(towards)):
        at = f" at {path.speed:,} Mbit/s" if path.speed else ""
        what = f"{path.interface} carries packets of {path.mtu:,} bytes{at}"
        result.append(Finding(name, what))
    return Ways(result, speed, bool(found))


def _way(
    name: str, which: str, address: str, path: Path, keeps: tuple[str, ...]
) -> Iterator[Finding]:
    if not path.interface:
        what = f"the {name} has no route to {address} ({which})"
        yield Finding(name, what, "Add one there.", keeps)
        return
    if path.whole is False:
        told = f"; a host on the path reports {path.path_mtu:,}" if path.path_mtu else ""
        what = (
            f"a packet of {path.mtu:,} bytes, the MTU of {path.interface}, does not get from the "
            f"{name} to {address} ({which}), a small one does{told}"
        )
        remedy = f"Set the MTU of {path.interface} to what that path carries, or repair the path."
        yield Finding(name, what, remedy, keeps)
    elif path.mtu < _LEAST_MTU:
        what = (
            f"the MTU of {path.interface} on the {name} ({which}) is {path.mtu:,}, so datagrams of "
            f"{Load.datagram_bytes:,} bytes have to be cut"
        )
        kept = tuple(chapter for chapter in keeps if chapter in _WITH_DATAGRAMS)
        yield Finding(name, what, f"Raise it to {_LEAST_MTU:,}.", kept)


def _beside(
    name: str, path: Path, port_mtu: int | None, keeps: tuple[str, ...]
) -> Iterator[Finding]:
    if port_mtu and path.mtu > port_mtu:
        what = (
            f"the MTU of {path.interface} on the {name} is {path.mtu:,}, and that of the gateway's "
            f"port on its side {port_mtu:,}: what is larger gets lost between them"
        )
        yield Finding(name, what, f"Set that of {path.interface} to {port_mtu}.", keeps)


def rate_of(order: Order) -> float:
    """What a link has to carry for an order, Mbit/s on the wire.

    That is the tier's rate, and where its ceiling is tried as much more as is offered then.
    """
    return (order.promise.stateful_mbps or 0) * (POLICING if order.shaper else 1) * ON_THE_WIRE


def too_slow(whose: str, speed: int, rate: float) -> list[Finding]:
    """Whether a link is too slow for a rate.

    Args:
        whose: the link, as sentences name it: "client's link".
        speed: of it, Mbit/s; 0 where it is not told.
        rate: that it has to carry, Mbit/s.
    """
    if not speed or speed >= rate:
        return []
    what = f"the {whose} has {speed:,} Mbit/s; the tier takes {rate:,.0f} there"
    return [Finding(whose.partition("'")[0], what, "Connect it by a faster one.", MEASURED)]
