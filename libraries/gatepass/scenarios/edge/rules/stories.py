"""What each check at the edge puts on the gateway, and what hosts try because of it.

Of address translation: FortiOS 7.4 Administration Guide, *Static virtual IPs* and *Dynamic SNAT*.
A published address without ports is also the one by which its host's own connections leave, where
their policy translates and names no pool (Fortinet, *Mapping VIP outbound connections*). Hosts
inside reach a published port by its outside address with a virtual address for any interface and a
policy from their port to the same one (Fortinet, *Hairpin NAT when the server is located behind the
same LAN interface*).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.rules import POLICY
from gatepass.scenarios.edge.rules.addresses import POOL, VIP
from gatepass.scenarios.edge.rules.attempts import AFTER, BEFORE, MOMENTS, WITH, Attempt

LOCAL_IN, SERVICE = "firewall/local-in-policy", "firewall.service/custom"
PORT, EXTERNAL = 39401, 39501
"""Where hosts listen, and the port of an outside address that leads there."""
IDLE_PORT, KEPT_PORT = 39411, 39412
"""UDP ports of a service that says when its idle sessions end, and of one that does not."""
_IDLE_S, _LATE_S = 1, 2
"""When they end, and when an answer comes."""

Named = Callable[[str], str]
"""Makes the name of an object of the run."""


@dataclass(frozen=True)
class Cast:
    """Who takes part.

    Attributes:
        inner, outer: the gateway's ports.
        inner_own, outer_own: its addresses on them.
        web: the host behind the published port.
        mail: the host that has a published address.
        caller: the host that calls a published port from inside.
        worker: the host that leaves by a pool of one address.
        closed: the host to which the gateway's own address is closed.
        plain: the host that nothing is published of.
        outside: the host outside.
        address: that is published.
        hairpin: whose port is published to hosts inside.
        pool: the one address of a pool.
        pair: the two addresses of another, one after the other.
    """

    inner: str
    outer: str
    inner_own: str
    outer_own: str
    web: str
    mail: str
    caller: str
    worker: str
    closed: str
    plain: str
    outside: str
    address: str
    hairpin: str
    pool: str
    pair: tuple[str, str]

    @property
    def hosts(self) -> dict[str, str]:
        """The hosts by what they are called in the names of objects."""
        names = ("web", "mail", "caller", "worker", "closed", "plain", "outside")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Story:
    """One check.

    Attributes:
        rows: what is put on the gateway, table and row, in this order; taken away in the other.
            Of a policy all but its number and what all test policies have.
        attempts: what is tried.
        taken_in: addresses that the gateway has to answer for (ARP) meanwhile.
    """

    rows: tuple[tuple[str, Mapping], ...]
    attempts: tuple[Attempt, ...]
    taken_in: tuple[str, ...] = ()


CONTROL, OWN_ADDRESS, HAIRPIN, POOLS = "control", "own address", "hairpin", "pools"
IDLE = "idle session"
PUBLISHED_PORT, PUBLISHED_ADDRESS = "published port", "published address"
CONTROL_IN, CONTROL_OUT = "control in", "control out"
_ALWAYS, _ONLY_WITH = frozenset(MOMENTS), frozenset({WITH})


def several_interfaces(gateway: FortiGate) -> bool:
    """Whether a local-in policy has a list of interfaces, as from FortiOS 7.4.2 on, or one."""
    return gateway.declared(LOCAL_IN).is_table("intf") is not False


def stories(cast: Cast, named: Named, several: bool) -> dict[str, Story]:
    """All of them, by their names.

    Args:
        cast: who takes part.
        named: makes names of objects.
        several: see `several_interfaces`.
    """
    return {
        IDLE: _idle(cast, named),  # its policy comes before another one for the same host
        PUBLISHED_PORT: _published_port(cast, named),
        PUBLISHED_ADDRESS: _published_address(cast, named),
        POOLS: _pools(cast, named),
        HAIRPIN: _hairpin(cast, named),
        OWN_ADDRESS: _own_address(cast, named, several),
    }


def control(cast: Cast, named: Named) -> Story:
    """What passes all the while, so that silence beside it says something."""
    return Story(
        (
            (POLICY, _between(cast.outer, cast.inner, [named("outside")], [named("plain")])),
            (
                POLICY,
                _between(
                    cast.inner, cast.outer, [named("caller"), named("closed")], [named("outside")]
                ),
            ),
        ),
        (
            _passing(CONTROL_IN, cast.outside, cast.plain),
            _passing(CONTROL_OUT, cast.caller, cast.outside),
        ),
    )


def _passing(name: str, source: str, target: str) -> Attempt:
    return Attempt(name, "tcp", source, target, PORT, _ALWAYS, (target, PORT))


def _between(
    srcintf: str, dstintf: str, sources: list[str], targets: list[str], **more: object
) -> dict:
    """A policy between hosts behind two ports."""
    return {
        "srcintf": _refs(srcintf),
        "dstintf": _refs(dstintf),
        "srcaddr": _refs(*sources),
        "dstaddr": _refs(*targets),
        **more,
    }


def _refs(*names: str) -> list[dict]:
    return [{"name": name} for name in names]


def _virtual(name: str, external: str, interface: str, mapped: str, protocol: str = "") -> dict:
    """A virtual address; with a protocol of one port alone."""
    row = {
        "name": name,
        "type": "static-nat",
        "extip": external,
        "extintf": interface,
        "mappedip": [{"range": mapped}],
    }
    if not protocol:
        return row
    return row | {
        "portforward": "enable",
        "protocol": protocol,
        "extport": str(EXTERNAL),
        "mappedport": str(PORT),
    }


def _published_port(cast: Cast, named: Named) -> Story:
    vips = [named("vip-tcp"), named("vip-udp")]
    to, at, own = (cast.outside, cast.outer_own), (cast.web, PORT), frozenset({cast.outside})
    return Story(
        (
            *(
                (VIP, _virtual(name, cast.outer_own, cast.outer, cast.web, protocol))
                for name, protocol in zip(vips, ("tcp", "udp"), strict=True)
            ),
            (POLICY, _between(cast.outer, cast.inner, [named("outside")], vips)),
        ),
        (
            Attempt("tcp", "tcp", *to, EXTERNAL, _ONLY_WITH, at, own),
            Attempt("udp", "udp", *to, EXTERNAL, _ONLY_WITH, at, own),
            Attempt("next tcp", "tcp", *to, EXTERNAL + 1),
            Attempt("next udp", "udp", *to, EXTERNAL + 1),
        ),
    )


def _published_address(cast: Cast, named: Named) -> Story:
    vip, service = named("vip-address"), named("edge")
    to, out = (cast.outside, cast.address), (cast.mail, cast.outside)
    return Story(
        (
            (
                SERVICE,
                {
                    "name": service,
                    "tcp-portrange": str(PORT),
                    "comment": named("service"),
                },
            ),
            (VIP, _virtual(vip, cast.address, cast.outer, cast.mail)),
            (
                POLICY,
                _between(
                    cast.outer, cast.inner, [named("outside")], [vip], service=_refs(service)
                ),
            ),
            (
                POLICY,
                _between(
                    cast.inner, cast.outer, [named("mail")], [named("outside")], nat="enable"
                ),
            ),
        ),
        (
            Attempt(
                "named", "tcp", *to, PORT, _ONLY_WITH, (cast.mail, PORT),
                frozenset({cast.outside}),
            ),
            Attempt("next tcp", "tcp", *to, PORT + 1),
            Attempt("udp", "udp", *to, PORT),
            Attempt(
                "own", "tcp", *out, PORT, _ONLY_WITH, (cast.outside, PORT),
                frozenset({cast.address}), (WITH,),
            ),
        ),
        (cast.address,),
    )


def _pools(cast: Cast, named: Named) -> Story:
    one, two = named("pool-one"), named("pool-two")
    seen_from = {
        "worker": frozenset({cast.pool}),
        "web": frozenset(cast.pair),
        "plain": frozenset(cast.pair),
    }

    def pool(name: str, first: str, last: str) -> tuple[str, dict]:
        row = {"name": name, "type": "overload", "startip": first, "endip": last}
        return POOL, row

    def policy(name: str, *hosts: str) -> tuple[str, dict]:
        by = {"nat": "enable", "ippool": "enable", "poolname": _refs(name)}
        return POLICY, _between(
            cast.inner, cast.outer, [named(host) for host in hosts], [named("outside")], **by
        )

    return Story(
        (
            pool(one, cast.pool, cast.pool),
            pool(two, *cast.pair),
            policy(one, "worker"),
            policy(two, "web", "plain"),
        ),
        tuple(
            Attempt(
                f"{host} {protocol}", protocol, cast.hosts[host], cast.outside, PORT, _ONLY_WITH,
                (cast.outside, PORT), seen, (WITH,),
            )
            for host, seen in seen_from.items()
            for protocol in ("tcp", "udp")
        ),
        (cast.pool, *cast.pair),
    )


def _hairpin(cast: Cast, named: Named) -> Story:
    vip = named("vip-hairpin")
    return Story(
        (
            (VIP, _virtual(vip, cast.hairpin, "any", cast.web, "tcp")),
            (POLICY, _between(cast.inner, cast.inner, [named("caller")], [vip], nat="enable")),
        ),
        (
            Attempt(
                "hairpin", "tcp", cast.caller, cast.hairpin, EXTERNAL, _ONLY_WITH,
                (cast.web, PORT), frozenset({cast.inner_own}),
            ),
        ),
    )


def _own_address(cast: Cast, named: Named, several: bool) -> Story:
    row = {
        "intf": _refs(cast.inner) if several else cast.inner,
        "srcaddr": _refs(named("closed")),
        "dstaddr": _refs("all"),
        "service": _refs("PING"),
        "schedule": "always",
        "action": "deny",
        "status": "enable",
        "comments": named("edge"),
    }
    return Story(
        ((LOCAL_IN, row),),
        (
            Attempt(
                "closed", "icmp", cast.closed, cast.inner_own, passes=frozenset({BEFORE, AFTER})
            ),
            Attempt("other", "icmp", cast.caller, cast.inner_own, passes=_ALWAYS),
            _passing("through", cast.closed, cast.outside),  # by the control's policy
        ),
    )


def _idle(cast: Cast, named: Named) -> Story:
    def service(what: str, port: int, **more: object) -> tuple[str, dict]:
        row = {"name": named(what), "udp-portrange": str(port)}
        return SERVICE, row | {"comment": named("service"), **more}

    def attempt(name: str, port: int, outlives: bool) -> Attempt:
        return Attempt(
            name, "udp", cast.worker, cast.outside, port, _ONLY_WITH, (cast.outside, port),
            moments=(WITH,), late_s=_LATE_S, outlives=outlives,
        )

    return Story(
        (
            service("idle", IDLE_PORT, **{"udp-idle-timer": _IDLE_S}),
            service("kept", KEPT_PORT),
            (
                POLICY,
                _between(
                    cast.inner, cast.outer, [named("worker")], [named("outside")],
                    service=_refs(named("idle"), named("kept")),
                ),
            ),
        ),
        (attempt("idle", IDLE_PORT, False), attempt("kept", KEPT_PORT, True)),
    )
