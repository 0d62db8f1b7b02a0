"""The studies: published methods that are carried out whole, each in a suite of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gatepass.base.errors import InputError
from gatepass.inputs.schema import did_you_mean, one_of


@dataclass(frozen=True)
class Study:
    """A published method.

    Attributes:
        name: of its suite below ``suites/80__studies``, and the tag of its checks.
        title: as its page is called.
        source: where the method is published.
    """

    name: str
    title: str
    source: str


STUDIES = {
    one.name: one
    for one in (
        Study(
            "bazzi2011",
            "Bazzi 2011: streams and transactions with the gateway and without it",
            "Bazzi and Onozato: Feasibility Study of Security Virtual Appliances for Personal "
            "Computing (2011)",
        ),
        Study(
            "berg2005",
            "Berg 2005: few fast connections and file transfers, over longer and longer paths",
            "Berg, Guist, Hammer (IRT): Secured Network Performance: Firewalls put to test (2005)",
        ),
        Study(
            "decusatis2014",
            "DeCusatis 2014: UDP by packet size, NAT, IMIX, latency, IPsec, tunnels a second",
            "C. DeCusatis, P. Mueller: Virtual Firewall Performance as a Waypoint on a Software "
            "Defined Overlay Network (2014)",
        ),
        Study(
            "hokkanen2016",
            "Hokkanen 2016: throughput by policies and NAT, of services, IPsec and SSL VPN",
            "T. Hokkanen, Evaluation of Virtual Firewall in Private Cloud, Metropolia 2016",
        ),
        Study(
            "rfc2544",
            "RFC 2544: throughput, latency, loss, bursts and recovery by frame size",
            "RFC 2544 (1999), RFC 5180 (2008) for IPv6; searches by MLRsearch",
        ),
        Study(
            "rfc6349",
            "RFC 6349: TCP by window and by number of connections",
            "RFC 6349 (2011)",
        ),
    )
}
"""By their names, in the order of the suites."""


def must_be_study(name: str) -> Study:
    """The study of this name.

    Raises:
        InputError: there is none.
    """
    if name not in STUDIES:
        hint = did_you_mean(name, STUDIES) or "Choose one of these."
        raise InputError(f"there is no study '{name[:60]}'; allowed is {one_of(STUDIES)}. {hint}")
    return STUDIES[name]


def left_out(ordered: Iterable[str]) -> tuple[str, ...]:
    """Tags of the checks that are no part of a run, as its order names other studies or none."""
    return tuple(name for name in STUDIES if name not in set(ordered))
