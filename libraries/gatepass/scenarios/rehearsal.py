"""What an order's chapters will put on the gateway, made by their own builders and kept aside.

It is held against what the device itself declares (`action=schema`), before anything is changed: a
value that it does not know is told then, and not by a refusal in the middle of a chapter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.gateway.config_objects import hardware_address
from gatepass.gateway.declared import Unknown
from gatepass.gateway.dhcp import DhcpPool, DhcpService, DhcpSettings
from gatepass.gateway.dos_policy import DosPolicy
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.host_filters import INTERFACE, AddressBinding, FixedAddress, SourceCheck
from gatepass.gateway.rehearsed import RehearsedChanges, RehearsedGateway, RehearsedRules
from gatepass.gateway.rules import ADDRESS, POLICY, RuleSet, TrafficFlow, dotted
from gatepass.gateway.session_limit import SessionLimit
from gatepass.gateway.shapers import Held, held_alike
from gatepass.gateway.tables import mkey_of
from gatepass.gateway.toggle import Switch
from gatepass.inputs.order import Order
from gatepass.inputs.profile import Profile
from gatepass.inputs.proposals import PROPOSALS
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.edge.rules.stories import Cast, control, several_interfaces, stories
from gatepass.scenarios.floods.findings import MOST_CONNECTIONS, THRESHOLD
from gatepass.scenarios.floods.kinds import FLOODS, SESSIONS
from gatepass.scenarios.leaks.rules import ScanRules
from gatepass.scenarios.leaks.ways import Side, ways_between
from gatepass.scenarios.provisioning import TenantProvisioning
from gatepass.scenarios.remote_access.dialup import DialUp
from gatepass.scenarios.remote_access.ssl_vpn import SslVpn, offered
from gatepass.scenarios.security.explicit_proxy import ExplicitProxy
from gatepass.scenarios.security.geography import OVERRIDE, OwnCountry
from gatepass.scenarios.security.profiles import FLOW, PROXY, Inspection, SecurityProfiles
from gatepass.scenarios.site_to_site.tunnels import MOST, Site, SiteTunnels
from gatepass.scenarios.trouble.permitted import permit_only

_GIVEN = {OVERRIDE: {"country-id": "ZZ"}}
"""What a device gives a new row by itself, as far as another row names it."""
_USERS = 2
_PORT = "39000"
_HOST = "198.18.127.{}"
"""Of the benchmarking range; nothing is sent there."""


@dataclass(frozen=True)
class Stage:
    """What builders are handed.

    Attributes:
        gateway, changes, rules: that keep aside what is written.
        order, testbed, profile: of the run.
        version: of FortiOS, as the device tells it.
    """

    gateway: RehearsedGateway
    changes: RehearsedChanges
    rules: RuleSet
    order: Order
    testbed: Testbed
    profile: Profile
    version: str


@dataclass(frozen=True)
class Rehearsal:
    """What an order's chapters will put on the gateway.

    Attributes:
        rows: table and row, or some of a row's values, in the order in which they are written.
        left_out: why some of it could not be made beforehand, each once.
    """

    rows: list[tuple[str, dict]]
    left_out: tuple[str, ...]


def rehearse(
    gateway: FortiGate, order: Order, testbed: Testbed, profile: Profile, version: str, mark: str
) -> Rehearsal:
    """What would be written for an order.

    What the device lacks altogether is not among it: its own check is not applicable then.

    Args:
        gateway: the device; it is asked, and nothing is changed.
        order, testbed, profile: of the run.
        version: of FortiOS, as the device tells it.
        mark: of the run.

    Raises:
        NotProven: the device cannot take the test's policies at all.
    """
    aside = RehearsedGateway(gateway, _GIVEN)
    changes = RehearsedChanges(aside, mark)
    ends, ports = testbed.endpoints, testbed.gateway
    flow = TrafficFlow(
        ends.client.address, ends.server.address, ports.client_port, ports.server_port
    )
    rules = RehearsedRules(aside, changes, flow)
    rules.prepare()
    stage = Stage(aside, changes, rules, order, testbed, profile, version)
    left_out: list[str] = []
    for scene in _scenes(stage):
        try:
            with suppress(NotApplicable), _where_there_is_such():
                scene(stage)
        except (NotProven, Refused) as why:
            left_out.append(str(why))
    return Rehearsal(aside.told, tuple(dict.fromkeys(left_out)))


@contextmanager
def _where_there_is_such() -> Iterator[None]:
    """Leave out what concerns a table or an attribute that the device lacks altogether."""
    try:
        yield
    except Refused as refused:
        if not refused.lacking:
            raise


def not_taken(gateway: FortiGate, rows: list[tuple[str, dict]]) -> list[Unknown]:
    """What of these rows the device would not take, each once; none of what it does not declare."""
    found = (one for path, row in rows for one in gateway.declared(path).unknown(row))
    return list(dict.fromkeys(found))


def _scenes(stage: Stage) -> Iterator[Callable[[Stage], None]]:
    order, promise = stage.order, stage.order.promise
    yield from (_policies, _scan, _floods, _edge, _packets, _dhcp, _shaper)
    yield from (_binding, _source_check, _fixed_address)
    if stage.testbed.gateway.may_fill_sessions:
        yield _session_limit
    if order.options.security_services:
        yield from (_services, _country)
    if promise.proxy_users:
        yield _proxy
    if promise.ipsec_tunnels and stage.testbed.endpoints.peer:
        yield _tunnels
    if promise.vpn_users:
        yield _remote_access
    if order.provisioning:
        yield _tenants


def _policies(stage: Stage) -> None:
    rules, ends = stage.rules, stage.testbed.endpoints
    rules.set(3, nat=True)
    rules.service("narrow", ends.server.probe_port)
    service = [{"name": rules.named("narrow")}]
    rules.only(rules.test_row(rules.free_id(0), nat=False, service=service))
    rules.add(rules.test_row(rules.free_id(1), nat=False, action="deny"))
    rules.switch(rules.free_id(1), False)
    if ends.client.address6 and ends.server.address6:
        rules.add(rules.ipv6_row(rules.free_id(3), ends.client.address6, ends.server.address6))


def _scan(stage: Stage) -> None:
    ends, ports = stage.testbed.endpoints, stage.testbed.gateway
    sides = [
        Side(name, port, _addresses(host.address, host.address6), {}, {})
        for name, port, host in (
            ("client", ports.client_port, ends.client),
            ("server", ports.server_port, ends.server),
        )
    ]
    ScanRules(stage.rules, ends.server.probe_port).put(ways_between(sides))


def _addresses(*texts: str | None) -> dict[int, str]:
    return {ip_address(text).version: text for text in texts if text}


def _floods(stage: Stage) -> None:
    named, port = stage.rules.named, stage.testbed.gateway.client_port
    policy = DosPolicy(stage.gateway, stage.changes, port, [named("client")], [named("server")])
    policy.hold({SESSIONS: MOST_CONNECTIONS})
    policy.hold({flood.anomaly: THRESHOLD for flood in FLOODS})


def _edge(stage: Stage) -> None:
    rules, ports = stage.rules, stage.testbed.gateway
    *hosts, first, second = (_HOST.format(number) for number in range(1, 15))
    cast = Cast(ports.client_port, ports.server_port, *hosts, pair=(first, second))

    def named(what: str) -> str:
        return rules.named(f"edge-{what}")

    for name, address in cast.hosts.items():
        row = {"name": named(name), "type": "ipmask", "subnet": dotted(f"{address}/32")}
        stage.changes.create(ADDRESS, row)
    told = stories(cast, named, several_interfaces(stage.gateway))
    for story in (control(cast, named), *told.values()):
        for path, row in story.rows:
            stage.changes.create(path, _whole(rules, path, row))


def _whole(rules: RuleSet, path: str, row: Mapping) -> dict:
    """A story's row with what it leaves to whoever puts it on a gateway."""
    if path == POLICY:
        return rules.test_row(rules.free_id(60), nat=False) | row
    return {mkey_of(path): 1} | row


def _packets(stage: Stage) -> None:
    rules, flow = stage.rules, stage.rules.flow
    for number, ports in enumerate(({"tcp_portrange": _PORT}, {"udp_portrange": _PORT})):
        permit_only(rules, 80 + number, f"only{number}", **ports)
    rules.add(rules.test_row(rules.free_id(82), nat=False, **{"anti-replay": "disable"}))
    rules.attach(rules.free_id(82), {"anti-replay": "enable"})
    for port in (flow.client_port, flow.server_port):
        with _where_there_is_such():
            Switch(stage.changes, INTERFACE, port, "broadcast-forward").set(True)


def _dhcp(stage: Stage) -> None:
    service = DhcpService(stage.gateway, stage.changes, stage.rules.flow.client_port)
    service.must_be_free()
    mac = hardware_address(stage.changes.mark)
    router, *servers = (_HOST.format(number) for number in (1, 2, 3))
    settings = DhcpSettings(
        "255.255.255.0", router, tuple(servers), f"{stage.changes.mark}-edge.test", 600
    )
    ranges = [(_HOST.format(10), _HOST.format(20))]
    service.create(settings, DhcpPool(ranges, [(mac, _HOST.format(11))], [mac]))


def _binding(stage: Stage) -> None:
    mac = hardware_address(stage.changes.mark)
    AddressBinding(stage.changes, stage.rules.flow.client_port, stage.rules.flow.client, mac).on()


def _source_check(stage: Stage) -> None:
    check = SourceCheck(stage.changes, stage.rules.flow.client_port)
    for on in (not check.delivered, check.delivered):
        check.switch(on)


def _fixed_address(stage: Stage) -> None:
    FixedAddress(stage.changes, stage.rules.flow.client_port, _HOST.format(1)).on()


def _session_limit(stage: Stage) -> None:
    SessionLimit(stage.changes, 1).hold()


def _shaper(stage: Stage) -> None:
    wanted, port = Held(stage.rules.named("other")), stage.rules.flow.server_port
    with held_alike(stage.gateway, stage.changes, stage.rules, port, wanted):
        pass


def _services(stage: Stage) -> None:
    types, largest = stage.order.filtered_file_types, stage.profile.download_mib
    profiles = {
        mode: SecurityProfiles(stage.gateway, stage.changes, types, mode, largest)
        for mode in (FLOW, PROXY)
    }
    inspection = Inspection(stage.rules, profiles, stage.order.inspection_mode)
    inspection.begin()
    for on, mode in ((True, FLOW), (True, PROXY), (False, "")):
        inspection.switch(on, mode)


def _country(stage: Stage) -> None:
    country = OwnCountry(stage.gateway, stage.changes, stage.rules)
    country.deny(above=stage.rules.free_id(0))
    country.move_away()


def _proxy(stage: Stage) -> None:
    proxy = ExplicitProxy(stage.gateway, stage.changes, stage.rules)
    proxy.switch_on()
    proxy.permit()


def _tunnels(stage: Stage) -> None:
    peer = stage.testbed.endpoints.peer
    site = Site(peer.gateway_port, stage.gateway.port_address(peer.gateway_port), peer.address)
    tunnels = SiteTunnels(stage.gateway, stage.changes, stage.rules, site)
    for number, name in enumerate(stage.order.vpn.ipsec, 1):
        tunnels.make([tunnels.new(number, PROPOSALS[name])])
    first = PROPOSALS[stage.order.vpn.ipsec[0]]
    tunnels.make([tunnels.new(MOST + 1, first, keylife_s=120, initiates=True)])


def _remote_access(stage: Stage) -> None:
    common = (stage.gateway, stage.changes, stage.rules, _USERS)
    if offered(stage.gateway, stage.version):
        access = SslVpn(*common, port=stage.testbed.gateway.ssl_vpn_port)
        access.sessions_last(60)
    else:
        access = DialUp(*common)
    for nat in (False, True):
        access.prepare(nat)


def _tenants(stage: Stage) -> None:
    outer = stage.testbed.gateway.server_port
    (tenant,) = TenantProvisioning(lambda: stage.gateway, stage.changes, outer).new(1)
    for tables in tenant.steps.values():
        for path, rows in tables:
            stage.changes.create_many(path, rows)
