"""A testbed is looked at from all sides: its gateway, its endpoints, this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field

from gatepass.base.errors import NotProven
from gatepass.base.finding import Finding, found_by
from gatepass.base.paths import RESULTS
from gatepass.base.phrase import say
from gatepass.endpoint import clock as endpoint_clock
from gatepass.endpoint import paths
from gatepass.endpoint import readiness as endpoint_readiness
from gatepass.endpoint.ssh import SshShell
from gatepass.gateway import clock, condition, licences, lock, readiness
from gatepass.gateway.answers import GatewayLost, Refused
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.identity import Identity, identify
from gatepass.gateway.journal import pending
from gatepass.gateway.workspace import connect, new_mark
from gatepass.gui import readiness as gui_readiness
from gatepass.inputs.profile import Profile
from gatepass.inputs.scope import NO_DIRECT_PATH, NO_PEER, Scope, release_of
from gatepass.run import space
from gatepass.scenarios.leaks.ways import addresses_of, side_of

_PATIENCE_S = 3
"""How long a call of the gateway is tried again: somebody waits for the answer."""
_GATEWAY = "gateway"
_NO_OVERRIDE_MTU = 1500
_OF_NEIGHBOURS = ("customer_rules", "policy_enforcement", "edge")
"""Chapters that need an endpoint on the very network of its port."""


@dataclass
class Examination:
    """What was found.

    Attributes:
        scope: what was asked about.
        identity: of the gateway; None where it was not met.
        findings: in the order in which they were made.
        speeds: of links by whose they are ("client's link"), Mbit/s; 0 where one tells none.
    """

    scope: Scope
    identity: Identity | None = None
    findings: list[Finding] = field(default_factory=list)
    speeds: dict[str, int] = field(default_factory=dict)

    @property
    def is_fine(self) -> bool:
        """Whether nothing keeps a check from being proven."""
        return not any(finding.keeps for finding in self.findings)


def examine(scope: Scope, profile: Profile) -> Examination:
    """Look at all of it; nothing stays changed. What is lost leaves the others their say.

    On the endpoints what a run does is done in small, in a folder that is gone at the end.

    Args:
        scope: the testbed, and the order if there is one.
        profile: how thoroughly it is going to be tested.

    Raises:
        InputError: the gateway's token is missing.
    """
    made = Examination(scope)
    ports: Mapping[str, Mapping] = {}
    with closing(connect(scope.testbed)) as gateway:
        gateway.patience_s = _PATIENCE_S
        try:
            ports = _of_gateway(made, gateway)
        except (GatewayLost, Refused) as lost:
            kept = condition.of_the_gateway(made.scope)
            made.findings.append(Finding(_GATEWAY, str(lost).rstrip("."), keeps=kept))
    made.findings += _of_testbed(made.scope)
    for name in scope.testbed.endpoints.named:
        made.findings += _of_endpoint(made, name, ports, profile)
    made.findings.append(space.look(RESULTS, made.scope.chapters))
    return made


def _of_gateway(made: Examination, gateway: FortiGate) -> Mapping[str, Mapping]:
    """What is told of the gateway; its rows of ``system/interface`` by name."""
    scope = made.scope
    made.identity = identity = identify(gateway, scope.testbed.gateway.host)
    scope = made.scope = Scope(scope.testbed, scope.order, release_of(identity.version))
    found = made.findings
    evaluation = scope.order is not None and scope.order.gateway.evaluation
    found.append(licences.of_the_machine(identity, evaluation))
    found += _as_ordered(scope, identity)
    services = tuple(name for name in ("security_services",) if name in scope.chapters)
    found += found_by(lambda: found.extend(licences.look(gateway, services)), _GATEWAY, services)
    found += found_by(lambda: found.append(clock.look(gateway)), _GATEWAY, ("preflight",))
    found += readiness.look(gateway, scope)
    marks = [left.head.get("mark") for left in pending(RESULTS)]
    found += lock.finding(gateway, marks, condition.of_the_gateway(scope))
    found += gui_readiness.look(scope)
    try:
        rows = {str(row.get("name")): row for row in gateway.rows("system/interface")}
        shown = gateway.interfaces()
    except Refused:  # the right that is missing was told
        return {}
    for port in (scope.testbed.gateway.client_port, scope.testbed.gateway.server_port):
        whose, speed = f"gateway's port {port}", int(shown.get(port, {}).get("speed") or 0)
        made.speeds[whose] = speed
        if scope.order:
            found += paths.too_slow(whose, speed, paths.rate_of(scope.order))
    return rows


def _as_ordered(scope: Scope, identity: Identity) -> Iterator[Finding]:
    """What the order says that the gateway has to be."""
    if scope.order is None:
        return
    ordered = scope.order.gateway
    told = [
        (f"{say(name)}: {what}", good)
        for look in (condition.as_ordered, condition.resources)
        for name, what, good in look(ordered, identity)
    ]
    if ordered.version:
        told.append(condition.firmware(ordered, identity))
    for what, good in told:
        remedy = "" if good else "Test the gateway that was ordered, or correct the order."
        yield Finding(_GATEWAY, what, remedy, () if good else ("preflight",))


def _of_testbed(scope: Scope) -> Iterator[Finding]:
    """What a testbed file does not name."""
    ends = scope.testbed.endpoints
    if ends.peer is None and "site_to_site_vpn" in scope.chapters:
        yield Finding("peer", *NO_PEER, ("site_to_site_vpn",))
    if ends.client.direct_address is None:
        yield Finding("client", *NO_DIRECT_PATH, (*paths.MEASURED, "policy_enforcement"))


def _of_endpoint(
    made: Examination, name: str, ports: Mapping[str, Mapping], profile: Profile
) -> list[Finding]:
    scope = made.scope
    shell = SshShell(name, scope.testbed.endpoints.named[name], new_mark())
    row = ports.get(scope.port_of(name), {})
    found: list[Finding] = []
    try:
        shell.connect()
        found += endpoint_readiness.look(shell, scope, profile.download_mib)[1]
        found.append(endpoint_clock.look(shell, scope.chapters)[1])
        own = addresses_of(row)[4] if row else []
        ways = paths.look(shell, scope, next(iter(own), ""), _mtu_of(row))
        found += ways.findings
        if name != "peer":
            made.speeds[f"{name}'s link"] = ways.speed
        if row and ways.known:
            found += found_by(_neighbour(shell, scope, ports), name, _kept_by_router(scope))
    except NotProven as lost:
        found.append(Finding(name, str(lost.reason).rstrip("."), keeps=scope.chapters))
    finally:
        found += _left_on(shell)
    return found


def _left_on(shell: SshShell) -> list[Finding]:
    """Remove what was tried on an endpoint, and leave it; what would not go."""
    try:
        left = shell.clean_up()
    except NotProven as lost:
        left = [str(lost.reason).rstrip(".")]
    finally:
        shell.close()
    what = f"what was tried on the {shell.name} is still there: "
    return [Finding(shell.name, f"{what}{one}", "Remove it there.") for one in left]


def _neighbour(
    shell: SshShell, scope: Scope, ports: Mapping[str, Mapping]
) -> Callable[[], object]:
    named = scope.testbed.endpoints.named
    return lambda: side_of(scope.testbed, shell, ports, named)


def _kept_by_router(scope: Scope) -> tuple[str, ...]:
    concerned = set(_OF_NEIGHBOURS) - (set() if scope.has("flows") else {"customer_rules"})
    return tuple(name for name in scope.chapters if name in concerned)


def _mtu_of(row: Mapping) -> int | None:
    """Of a port of the gateway, bytes; None where it is not known."""
    if not row:
        return None
    return int(row.get("mtu") or 0) if row.get("mtu-override") == "enable" else _NO_OVERRIDE_MTU

