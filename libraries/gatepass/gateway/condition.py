"""The state that a gateway is in before a test: its ports, its cluster, its log, its resources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gatepass.base.chapters import OF_THE_GATEWAY
from gatepass.base.finding import Finding
from gatepass.gateway.identity import Identity
from gatepass.gateway.own_state import OwnState
from gatepass.inputs.order import OrderedGateway
from gatepass.inputs.scope import Scope

KEPT_MEMORY = 0.03
"""Of its memory a VM keeps up to so much before FortiOS counts: one of 2,048 MiB reports 1,993."""
_GATEWAY = "gateway"
_DIVIDED = ("multi-vdom", "split-vdom")
_LOGGED_TO = ("disk", "memory")
"""What the suite reads logs from."""


def of_the_gateway(scope: Scope) -> tuple[str, ...]:
    """The chapters that need it."""
    return tuple(name for name in scope.chapters if name in OF_THE_GATEWAY)


def ports_of(scope: Scope) -> dict[str, str]:
    """The gateway's ports that a testbed names, each with the key that names it."""
    gateway, peer = scope.testbed.gateway, scope.testbed.endpoints.peer
    named = {gateway.client_port: "client_port", gateway.server_port: "server_port"}
    if peer:
        named.setdefault(peer.gateway_port, "gateway_port")
    return named


def ports(
    scope: Scope, rows: Mapping[str, Mapping], shown: Mapping[str, Mapping], vdom: str
) -> list[Finding]:
    """Whether the ports are there, up, with an address, in the right VDOM.

    Args:
        scope: what is to be tested.
        rows: of ``system/interface``, by name.
        shown: by ``monitor/system/interface``, by name.
        vdom: that is tested.
    """
    return [
        finding
        for port, key in ports_of(scope).items()
        for finding in _port(port, key, rows, shown, vdom, _behind(key, scope))
    ]


def _behind(key: str, scope: Scope) -> tuple[str, ...]:
    return ("site_to_site_vpn",) if key == "gateway_port" else of_the_gateway(scope)


def _port(
    port: str,
    key: str,
    rows: Mapping[str, Mapping],
    shown: Mapping[str, Mapping],
    vdom: str,
    keeps: tuple[str, ...],
) -> Iterator[Finding]:
    row, now = rows.get(port), shown.get(port, {})
    check = f"Check {key} in the testbed file"
    if row is None:
        names = ", ".join(sorted(rows)[:12])
        what = f"the gateway has no port {port}"
        yield Finding(_GATEWAY, what, f"{check}; it has {names}.", keeps)
        return
    if (own := str(row.get("vdom") or vdom)) != vdom:
        what = f"its port {port} belongs to the VDOM {own}, and {vdom} is tested"
        yield Finding(_GATEWAY, what, f"{check}, or vdom.", keeps)
    if row.get("status") == "down":
        what = f"its port {port} is switched off (status down in system/interface)"
        yield Finding(_GATEWAY, what, "Switch it on.", keeps)
    elif now.get("link") is False:
        what = f"its port {port} has no link"
        yield Finding(_GATEWAY, what, "Connect it, or check the virtual switch.", keeps)
    if str(now.get("ip") or row.get("ip") or "0.0.0.0").split(" ")[0] == "0.0.0.0":
        what = f"its port {port} has no IPv4 address"
        yield Finding(_GATEWAY, what, f"Give it one. {check}.", keeps)


def cluster(state: OwnState, keeps: tuple[str, ...]) -> list[Finding]:
    """Its place in a cluster (HA)."""
    if not state.ha_mode:
        return []
    if not state.is_ha_master:
        what = "it is a secondary unit of a cluster (HA), which is configured by another"
        remedy = "Name the primary unit's address in gateway.url."
        return [Finding(_GATEWAY, what, remedy, keeps)]
    what = "it is the primary unit of a cluster (HA), whose other units take over its configuration"
    remedy = (
        "Make sure that no unit fails over meanwhile; a restart (may_restart) would cause a "
        "failover."
    )
    return [Finding(_GATEWAY, what, remedy)]


def domains(state: OwnState, vdom: str, keeps: tuple[str, ...]) -> list[Finding]:
    """The virtual domain that is tested."""
    there = [name for name in state.admin.vdoms if name]
    if there and vdom not in there:
        what = f"the API user may not into the VDOM {vdom}; it may into {', '.join(there)}"
        remedy = "Check gateway.vdom in the testbed file, and vdom of the API user."
        return [Finding(_GATEWAY, what, remedy, keeps)]
    if state.vdom_mode in _DIVIDED:
        what = f"it has several VDOMs; {vdom} is tested, and rule sets are made without scripts"
        return [Finding(_GATEWAY, what)]
    return []


def log(state: OwnState, vdom: str, keeps: tuple[str, ...]) -> list[Finding]:
    """Where what security services stop is logged.

    Args:
        state: of the gateway.
        vdom: that is tested.
        keeps: the chapters that read the log; none where services were not ordered.
    """
    told = state.admin.vdom_info.get(vdom)
    if told is None or not keeps:
        return []
    devices = told.log_device_state
    used = [name for name in _LOGGED_TO if name in devices and devices[name].is_enabled]
    if used:
        return [Finding(_GATEWAY, f"it logs to {' and '.join(used)}")]
    lost = "" if state.has_log_disk else "; it has no disk for logs"
    what = f"it logs neither to disk nor to memory{lost}, so what it stops is recorded nowhere"
    where = "disk" if state.has_log_disk else "memory"
    remedy = f"Switch it on: config log {where} setting, set status enable."
    return [Finding(_GATEWAY, what, remedy, keeps)]


def memory(state: OwnState, keeps: tuple[str, ...]) -> list[Finding]:
    """Whether it is short of memory now."""
    if not state.conserve_mode:
        return []
    what = "it is short of memory (conserve mode) already"
    remedy = "Give it more, or switch off what fills it."
    return [Finding(_GATEWAY, what, remedy, keeps)]


def resources(
    ordered: OrderedGateway, identity: Identity
) -> Iterator[tuple[str, str, bool | None]]:
    """vCPUs and memory against what was ordered.

    Yields:
        What it is about (`vcpus`, `memory`), what was found, in a sentence without its full stop,
        and whether it suffices; None where the gateway does not tell.
    """
    for name, wanted, found, kept in (
        ("vcpus", ordered.min_vcpus, identity.vcpus, 0.0),
        ("memory", ordered.min_memory_mb, identity.memory_mb, KEPT_MEMORY),
    ):
        if wanted is None:
            continue
        told = f"ordered are at least {wanted}; the gateway reports {found}"
        if kept:
            told += f", of which a VM keeps up to {kept * 100:.0f} % for itself"
        yield name, told, None if found is None else found >= wanted * (1 - kept)


def firmware(ordered: OrderedGateway, identity: Identity) -> tuple[str, bool]:
    """The version of FortiOS: what was found, and whether the order accepts it."""
    told = f"ordered is {ordered.version}; the gateway runs {identity.version}"
    return told, ordered.accepts_version(identity.version)


def as_ordered(ordered: OrderedGateway, identity: Identity) -> Iterable[tuple[str, str, bool]]:
    """Serial number and model against what was ordered; what the order leaves out is not held.

    Yields:
        What it is about (`serial`, `model`), what was found, and whether it is the one.
    """
    for name, wanted, found in (
        ("serial", ordered.serial, identity.serial),
        ("model", ordered.model, identity.model),
    ):
        if wanted:
            told = f"ordered is {wanted}; the gateway at {identity.host} says {found}"
            yield name, told, wanted == found
