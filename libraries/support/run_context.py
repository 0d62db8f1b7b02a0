"""What lives for a run: its inputs, the gateway, the endpoints, and what was made of them.

Gateway and endpoints are opened at first use, so that a lost one leaves the checks that do not
need it their say; what could not be opened gives the same reason to every check that asks.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from robot.errors import RobotError

from gatepass.base.errors import NotProven
from gatepass.endpoint.file_server import TestFiles
from gatepass.endpoint.rig_watch import RigWatch
from gatepass.endpoint.shell import Detached
from gatepass.endpoint.specimens import Specimen, specimens
from gatepass.endpoint.ssh import SshShell, clean_endpoints
from gatepass.endpoint.strongswan import Charon
from gatepass.endpoint.visits import NAME as VISITS
from gatepass.endpoint.visits import Visits
from gatepass.endpoint.wire_watch import WireWatch
from gatepass.gateway import transport
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.identity import Identity, identify
from gatepass.gateway.policy_audit import Audit, audit
from gatepass.gateway.policy_table import PolicyTable
from gatepass.gateway.rules import RuleSet, TrafficFlow
from gatepass.gateway.troubles import Troubles
from gatepass.gateway.workspace import Workspace, connect, new_mark
from gatepass.inputs import load_catalogue, load_order, load_profile, load_testbed
from gatepass.inputs.profile import NamedProfile
from gatepass.inputs.scope import NO_FILE_SERVER, NO_PEER, Scope, release_of
from gatepass.inputs.testbed import FileServer, Host
from gatepass.results import record
from gatepass.results.kept_answers import AnswerFiles
from gatepass.results.promises import PROMISES
from gatepass.scenarios.edge.client_side import ClientSide
from gatepass.scenarios.edge.dhcp import try_dhcp
from gatepass.scenarios.edge.dhcp_findings import DhcpFindings
from gatepass.scenarios.edge.hosts import PretendingHosts
from gatepass.scenarios.provisioning import TenantProvisioning
from gatepass.scenarios.remote_access.configuration import POOLS_WITHIN, AccessConfiguration
from gatepass.scenarios.remote_access.dialup import DialUp
from gatepass.scenarios.remote_access.dialup_client import DialUpClient
from gatepass.scenarios.remote_access.ssl_vpn import SslVpn, offered
from gatepass.scenarios.remote_access.ssl_vpn_client import SslVpnClient
from gatepass.scenarios.remote_access.vpn_client import VpnClient
from gatepass.scenarios.security.explicit_proxy import ExplicitProxy
from gatepass.scenarios.security.geography import OwnCountry
from gatepass.scenarios.security.profiles import FLOW, PROXY, Inspection, SecurityProfiles
from gatepass.scenarios.site_to_site.peer import SitePeer
from gatepass.scenarios.site_to_site.tunnels import Site, SiteTunnels
from gatepass.scenarios.site_to_site.vpn import SiteVpn
from gatepass.verdict.judgement import Rule
from gatepass.verdict.throughput import Trials

if TYPE_CHECKING:  # what crafts packets is loaded where it is needed: it takes scapy with it
    from gatepass.scenarios.edge.rules.findings import EdgeFindings
    from gatepass.scenarios.floods.findings import FloodFindings
    from gatepass.scenarios.flows.findings import FlowFindings
    from gatepass.scenarios.leaks.findings import Findings
    from gatepass.scenarios.trouble.restart import Restarted

_BEYOND_TRIALS_S = 300
"""How long VPN users may stay connected beside that traffic."""


def once(make: Callable) -> property:
    """A property made at first use; a failure is kept as well, and told again each time."""

    @functools.wraps(make)
    def get(self: RunContext) -> object:
        opened = self._opened
        if make.__name__ not in opened:
            try:
                opened[make.__name__] = make(self)
            except RobotError:
                raise  # the run is being stopped, which says nothing about what was to be made
            except Exception as error:
                opened[make.__name__] = error
        if isinstance(opened[make.__name__], Exception):
            raise opened[make.__name__]
        return opened[make.__name__]

    return property(get)


class RunContext:
    """One run.

    Attributes:
        baselines: trials without the gateway, by "before" and "after" its checks.
        trials: how many ran so far.
        responders: at work on an endpoint, by its name.
        plan: chapter and name of every check there is.
        figures: how many of the order's may fail by chance, at most (see `Rule`).
        recorded: the facts of the run that its record has so far.
        restoration: how the gateway was left, as soon as that is known.
        endpoint_facts: what was found out about each endpoint, by its name.
        folder: of the run's files.
        answers: where it keeps what was answered.
        rig: what watches the endpoints and this machine.
        mark: that every object of this run bears.
        screen: takes a picture, by its name, of what a browser of the run shows; None as long as
            there is none.
    """

    def __init__(self) -> None:
        self._opened: dict[str, object] = {}
        self.baselines: dict[str, Trials] = {}
        self.trials = 0
        self.responders: dict[str, Detached] = {}
        self.plan: list[tuple[str, str]] = []
        self.figures = 1
        self.recorded: dict[str, object] = {}
        self.restoration: record.Restoration | None = None
        self.endpoint_facts: dict[str, dict] = {}
        self.folder = Path()
        self.answers = AnswerFiles(self.folder)
        self.rig = RigWatch(self.folder)
        self.mark = new_mark()
        self.screen: Callable[[str], Path] | None = None

    def begin(self, order: str, testbed: str, profile: str, variables: Path, folder: Path) -> None:
        """Read the inputs; nothing is contacted yet.

        Args:
            order, testbed: paths of the files.
            profile: a name in ``profiles.yaml``; empty for the default.
            variables: the folder of the catalogue and the profiles.
            folder: of the run; exists.

        Raises:
            InputError: a file is wrong.
        """
        self.folder = folder
        self.answers = AnswerFiles(folder)
        self.rig = RigWatch(folder)
        catalogue = load_catalogue(variables / "service_catalogue.yaml")
        self.order = load_order(order, catalogue)
        self.testbed = load_testbed(testbed, used=not transport.current.replayed)
        self.measure_by(load_profile(variables / "profiles.yaml", profile or None))

    def measure_by(self, profile: NamedProfile) -> None:
        """Go by this profile from here on."""
        self.profile = profile
        self.rule = Rule.of(profile, self.figures)
        if self.has("vpn_client") and isinstance(self.vpn_client, SslVpnClient):
            self.vpn_client.limit_s = self._users_stay_s

    @once
    def gateway(self) -> FortiGate:
        """The device under test."""
        return connect(self.testbed)

    @once
    def identity(self) -> Identity:
        """Who it is."""
        return identify(self.gateway, self.testbed.gateway.host)

    @property
    def scope(self) -> Scope:
        """What was ordered, on this testbed; without a release while the gateway is lost."""
        met = self.has("identity")
        return Scope(self.testbed, self.order, release_of(self.identity.version) if met else ())

    @once
    def workspace(self) -> Workspace:
        """The right to change it: the configuration is saved and the journal begun."""
        return Workspace.open(
            self.testbed, self.gateway, self.identity, self.folder, self.mark, clean_endpoints
        )

    @once
    def rules(self) -> RuleSet:
        """The test policies."""
        ends, ports = self.testbed.endpoints, self.testbed.gateway
        flow = TrafficFlow(
            ends.client.address, ends.server.address, ports.client_port, ports.server_port
        )
        return RuleSet(self.gateway, self.workspace.changes, flow)

    @once
    def visits(self) -> Visits:
        """Where the run may have left something on an endpoint."""
        bed = self.testbed
        return Visits.start(self.folder / VISITS, self.mark, bed.path, bed.network_namespace)

    @once
    def client(self) -> SshShell:
        """The endpoint on the customer's side."""
        return self._endpoint("client")

    @once
    def server(self) -> SshShell:
        """The endpoint on the far side."""
        return self._endpoint("server")

    @once
    def file_server(self) -> FileServer:
        """What serves files on the server."""
        files = self.testbed.endpoints.server.files
        if files is None:
            raise NotProven(". ".join(NO_FILE_SERVER))
        return files

    @once
    def files(self) -> TestFiles:
        """The run's files on it."""
        self.visits.begin("server", self.server.where)
        return TestFiles(self.server, self.file_server.folder, self.mark)

    @once
    def specimens(self) -> Mapping[str, Specimen]:
        """What security services have to stop, and what not."""
        return specimens(self.mark, tuple(self.order.filtered_file_types))

    @once
    def inspection(self) -> Inspection:
        """The policy that inspects."""
        profiles = {
            mode: SecurityProfiles(
                self.gateway,
                self.workspace.changes,
                self.order.filtered_file_types,
                mode,
                self.profile.download_mib,
            )
            for mode in (FLOW, PROXY)
        }
        return Inspection(self.rules, profiles, self.order.inspection_mode)

    @once
    def country(self) -> OwnCountry:
        """A country of the run's own, to be blocked."""
        return OwnCountry(self.gateway, self.workspace.changes, self.rules)

    @once
    def proxy(self) -> ExplicitProxy:
        """The gateway's explicit web proxy."""
        return ExplicitProxy(self.gateway, self.workspace.changes, self.rules)

    @once
    def remote_access(self) -> AccessConfiguration:
        """Remote access on the gateway, in the way that its version has."""
        common = (self.gateway, self.workspace.changes, self.rules, int(self.promised("vpn_users")))
        if offered(self.gateway, self.identity.version):
            return SslVpn(*common, port=self.testbed.gateway.ssl_vpn_port)
        return DialUp(*common)

    @once
    def wire_watch(self) -> WireWatch:
        """What counts packets between client and gateway; remote access has to be open."""
        address = self.gateway.port_address(self.testbed.gateway.client_port)
        pools, hosts = [str(POOLS_WITHIN)], [self.testbed.endpoints.server.address]
        tunnel = self.remote_access.on_the_wire
        return WireWatch(self.client, f"{self.mark}_vpn", address, tunnel, pools, hosts)

    @once
    def vpn_client(self) -> VpnClient:
        """What connects users on the client; remote access has to be open."""
        address = self.gateway.port_address(self.testbed.gateway.client_port)
        access = self.remote_access
        if isinstance(access, SslVpn):
            where = (address, access.port, access.pin())
            return SslVpnClient(self.client, self.mark, *where, self._users_stay_s)
        own = self.testbed.endpoints.client.address
        return DialUpClient(self.client, self.mark, own, address, access)

    @property
    def _users_stay_s(self) -> float:
        """How long a VPN user may stay connected: for a set of trials, and one for comparison."""
        return self.profile.traffic_s(1)[1] + self.profile.run_s + _BEYOND_TRIALS_S

    @once
    def peer(self) -> SshShell:
        """The far end of the tunnels between sites."""
        return self._endpoint("peer")

    @once
    def site(self) -> Site:
        """Where the tunnels between sites run."""
        host = self._host("peer")
        return Site(
            host.gateway_port, self.gateway.port_address(host.gateway_port), host.address
        )

    @once
    def site_tunnels(self) -> SiteTunnels:
        """The gateway's side of them."""
        return SiteTunnels(self.gateway, self.workspace.changes, self.rules, self.site)

    @once
    def site_peer(self) -> SitePeer:
        """Their far side."""
        ends = self.testbed.endpoints
        charon, port = Charon(self.peer), ends.peer.probe_port
        return SitePeer(self.peer, charon, self.mark, self.site, ends.client.address, port)

    @once
    def site_vpn(self) -> SiteVpn:
        """Both sides of them, with what the checks keep of them."""
        return SiteVpn(self.site_tunnels, self.site_peer)

    @once
    def policy_audit(self) -> Audit:
        """What is wrong with the customer's policies as they are written."""
        table = PolicyTable.read(self.gateway).without(self.mark)
        groups = self.gateway.rows_if_any("firewall/profile-group")
        return audit(table, self.order.options.security_services, groups)

    @once
    def flows(self) -> FlowFindings:
        """What became of the ordered flows; asked before anything is put on the gateway."""
        from gatepass.scenarios.flows.conduct import try_flows
        from gatepass.scenarios.flows.findings import FlowFindings

        shells = {name: getattr(self, name) for name in self.testbed.endpoints.named}
        table = PolicyTable.read(self.gateway).without(self.mark)
        tried = try_flows(self.gateway, self.testbed, shells, self.order.flows)
        findings = FlowFindings(tried, table)
        (self.folder / "flows.csv").write_text(findings.as_csv(), encoding="utf-8")
        return findings

    @once
    def leaks(self) -> Findings:
        """What gets through although no policy permits it: one scan a run."""
        from gatepass.scenarios.leaks.conduct import prepare

        shells = {name: getattr(self, name) for name in self.testbed.endpoints.named}
        prepared = prepare(self.gateway, self.rules, self.testbed, shells)
        return prepared.scan(self.profile.scan_pps)

    @once
    def floods(self) -> FloodFindings:
        """What became of floods, with a DoS policy and without: once a run."""
        from gatepass.scenarios.floods.conduct import try_floods

        return try_floods(self.gateway, self.rules, self.testbed, self._both_sides)

    @once
    def dhcp(self) -> DhcpFindings:
        """What hosts see that ask the gateway for addresses; its server is gone after."""
        changes = self.workspace.changes
        return try_dhcp(self.gateway, changes, self.testbed, self.client, self.mark)

    @once
    def restarted(self) -> Restarted:
        """The gateway's one restart of a run, and what passed meanwhile."""
        from gatepass.scenarios.trouble.restart import restart

        another = connect(self.testbed)
        try:
            return restart(self.rules, another, self.testbed, self._both_sides, self.mark)
        finally:
            another.close()

    @once
    def troubles(self) -> Troubles:
        """What brings the gateway into states in which it has to fail closed."""
        return Troubles(self.testbed, self.workspace.changes.journal)

    @once
    def hosts(self) -> PretendingHosts:
        """Hosts on the client's side that pretend to be others."""
        return PretendingHosts(self.client_side, self.rules)

    @once
    def client_side(self) -> ClientSide:
        """Where the client stands, and the server for it."""
        return ClientSide(self.gateway, self.testbed, self.client, self.server)

    @once
    def edge_rules(self) -> EdgeFindings:
        """What is translated, and what the gateway itself answers: tried once a run."""
        from gatepass.scenarios.edge.rules.conduct import try_edge

        return try_edge(self.gateway, self.rules, self.testbed, self._both_sides)

    @once
    def provisioning(self) -> TenantProvisioning:
        """Tenants on the gateway."""
        outer = self.testbed.gateway.server_port
        return TenantProvisioning(lambda: connect(self.testbed), self.workspace.changes, outer)

    def stop_responders(self) -> None:
        """End the test responders, so that their ports (`probe_port`) are free."""
        for program in self.responders.values():
            program.stop()
        self.responders.clear()

    @property
    def _both_sides(self) -> dict[str, SshShell]:
        """Client and server; the peer's way leads through its tunnels while there are any."""
        return {"client": self.client, "server": self.server}

    def _host(self, name: str) -> Host:
        host = self.testbed.endpoints.named.get(name)
        if host is None:
            raise NotProven(". ".join(NO_PEER))
        return host

    def _endpoint(self, name: str) -> SshShell:
        if transport.current.replayed:
            raise NotProven(f"a replay has no endpoints, and this check needs the {name}.")
        shell = SshShell(name, self._host(name), self.mark, self._tell_of_host, self.visits)
        shell.connect()
        return shell

    def _tell_of_host(self, endpoint: str, script: str, sha256: str) -> None:
        self.workspace.changes.journal.changes_host(endpoint, script, sha256)

    def has(self, name: str) -> bool:
        """Whether one of the above was opened and is there."""
        return name in self._opened and not isinstance(self._opened[name], Exception)

    def shells(self) -> list[SshShell]:
        """The endpoints that were opened."""
        return [self._opened[name] for name in ("client", "server", "peer") if self.has(name)]

    def promised(self, promise: str) -> float:
        """What the ordered tier promises.

        Args:
            promise: one of `PROMISES` that the tier has a figure for.

        Raises:
            NotProven: there is no such figure, which is a mistake in a suite.
        """
        figure = PROMISES[promise].tier
        value = getattr(self.order.promise, figure, None)
        if value is None:
            raise NotProven(f"the catalogue has no figure {figure} for {self.order.tier}.")
        return float(value)
