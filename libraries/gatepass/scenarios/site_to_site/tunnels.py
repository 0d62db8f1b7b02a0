"""Tunnels between two sites on the gateway: what makes one up in FortiOS, made and taken away.

All of them lead to one Linux peer. Each has an IKE address and a network of its own there, so that
the gateway has as many remote sites as the order promises.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.gateway.rules import ADDRESS, POLICY, RuleSet, dotted
from gatepass.gateway.tables import mkey_of
from gatepass.inputs.proposals import Proposal

PHASE1, PHASE2 = "vpn.ipsec/phase1-interface", "vpn.ipsec/phase2-interface"
ROUTE = "router/static"
REMOTE_SITES = "198.19.200.0/24"
"""IKE addresses of the remote sites; all of 198.19 is of the benchmarking range (RFC 2544)."""
MOST = 100
"""Tunnels that the addresses suffice for, beside one that is kept for its keys."""
KEYLIFE_S = 172_800
"""FortiOS's longest life of a phase 2 key, so that none is renewed while a rate is measured."""
_FIRST_POLICY = 1000
_LAST_DISTANCE = 254
_DPD_INTERVAL_S, _DPD_RETRIES = 5, 2


@dataclass(frozen=True)
class Tunnel:
    """A tunnel between the gateway and the peer.

    Attributes:
        name: of its objects on the gateway, and of the connection on the peer.
        number: 1 to MOST + 1; its addresses come from it.
        proposal: how it is encrypted.
        psk: the key that both sides share; made anew for each tunnel.
        keylife_s: after which the gateway has to have new keys for it; FortiOS takes 120 or more.
        initiates: whether the gateway brings it up and keeps it up by itself.
    """

    name: str
    number: int
    proposal: Proposal
    psk: str = field(repr=False, default_factory=lambda: secrets.token_urlsafe(24))
    keylife_s: int = KEYLIFE_S
    initiates: bool = False

    @property
    def remote(self) -> str:
        """The peer's IKE address."""
        return f"198.19.200.{self.number}"

    @property
    def network(self) -> str:
        """The network behind it."""
        # 198.19.200.0/24 holds the IKE addresses
        return f"198.19.{99 + self.number + (self.number > MOST)}.0/24"

    @property
    def host(self) -> str:
        """The host in that network."""
        return self.network.replace(".0/24", ".1")


@dataclass(frozen=True)
class Site:
    """Where the tunnels run, as the gateway sees it.

    Attributes:
        port: the gateway's interface towards the peer.
        address: the gateway's own address there.
        peer: the peer's address there.
    """

    port: str
    address: str
    peer: str


class SiteTunnels:
    """The tunnels of one run on one gateway.

    Args:
        gateway: the device.
        changes: of the run.
        rules: of the run, whose addresses are used and beside whose policies theirs stand.
        site: where they run.
    """

    def __init__(
        self, gateway: FortiGate, changes: Changes, rules: RuleSet, site: Site
    ) -> None:
        self.gateway = gateway
        self.changes = changes
        self.rules = rules
        self.site = site
        self._made: list[tuple[tuple[Tunnel, ...], list[tuple[str, list]]]] = []
        self._names = 0
        self._policies = 0
        self._prepared = False

    def new(self, number: int, proposal: Proposal, **more: object) -> Tunnel:
        """A tunnel with a name of its own; nothing is made yet."""
        self._names += 1
        return Tunnel(self.changes.name(f"t{self._names}"), number, proposal, **more)

    def make(self, tunnels: Sequence[Tunnel]) -> None:
        """Make the objects of these tunnels; none is left where that fails.

        Raises:
            Refused: the device does not take one of them.
            AssertionError: it took them, and shows something else.
        """
        self.prepare()
        made: list[tuple[str, list]] = []
        try:
            for path, rows in self._rows(tunnels):
                made.append((path, [row[mkey_of(path)] for row in rows]))
                if path == POLICY:
                    self._place(rows)
                else:
                    self.changes.create_many(path, rows)
        except BaseException:
            with suppress(Refused, GatewayLost, AssertionError):
                self._remove(made)
            raise
        self._made.append((tuple(tunnels), made))

    def remove(self, tunnels: Sequence[Tunnel]) -> None:
        """Take away tunnels that were made together."""
        for entry in self._made[:]:
            if entry[0] == tuple(tunnels):
                self._remove(entry[1])
                self._made.remove(entry)

    def status(self, tunnel: Tunnel) -> dict:
        """What the gateway tells of a tunnel (monitor vpn/ipsec); empty where it does not."""
        return next((row for row in self._told() if row.get("name") == tunnel.name), {})

    def all_up(self) -> list[dict]:
        """What it tells of all tunnels that it has up."""
        return [
            row
            for row in self._told()
            if any(one.get("status") == "up" for one in row.get("proxyid", []))
        ]

    def _told(self) -> list[dict]:
        return self.gateway.monitor("vpn/ipsec")["results"]

    def _rows(self, tunnels: Sequence[Tunnel]) -> list[tuple[str, list[dict]]]:
        """Tables and rows, each after what it refers to."""
        client = self.rules.flow.client
        taken = [row["seq-num"] for row in self.gateway.rows(ROUTE, format="seq-num")]
        free = max([0, *taken]) + 1
        routes = []
        for tunnel in tunnels:
            to = {"dst": dotted(tunnel.network), "comment": self.changes.name("tunnel")}
            routes.append({"seq-num": free, "device": tunnel.name, **to})
            # without it a tunnel that is down would leave its traffic to the next best route
            closed = {"blackhole": "enable", "distance": _LAST_DISTANCE}
            routes.append({"seq-num": free + 1, **closed, **to})
            free += 2
        return [
            (ADDRESS, [self._address(tunnel) for tunnel in tunnels]),
            (PHASE1, [self._phase1(tunnel) for tunnel in tunnels]),
            (PHASE2, [_phase2(tunnel, f"{client}/32") for tunnel in tunnels]),
            (ROUTE, routes),
            (POLICY, self._both_ways(tunnels)),
        ]

    def _address(self, tunnel: Tunnel) -> dict:
        return {"name": tunnel.name, "type": "ipmask", "subnet": dotted(tunnel.network)}

    def _phase1(self, tunnel: Tunnel) -> dict:
        return {
            "name": tunnel.name,
            "type": "static",
            "interface": self.site.port,
            "ike-version": "2",
            "peertype": "any",
            "net-device": "disable",
            "proposal": tunnel.proposal.phase1,
            "dhgrp": str(tunnel.proposal.dh_group),
            "remote-gw": tunnel.remote,
            "psksecret": tunnel.psk,
            "dpd": "on-idle",
            "dpd-retryinterval": str(_DPD_INTERVAL_S),  # FortiOS has it as text
            "dpd-retrycount": _DPD_RETRIES,
        }

    def _both_ways(self, tunnels: Sequence[Tunnel]) -> list[dict]:
        """Two policies for all of them: from the client into the tunnels, and back."""
        inner = [{"name": self.rules.flow.client_port}]
        outer = [{"name": tunnel.name} for tunnel in tunnels]
        client = [{"name": self.rules.named("client")}]
        return [
            self._policy(srcintf=inner, dstintf=outer, srcaddr=client, dstaddr=outer),
            self._policy(srcintf=outer, dstintf=inner, srcaddr=outer, dstaddr=client),
        ]

    def _policy(self, **values: object) -> dict:
        self._policies += 1
        policyid = self.rules.free_id(_FIRST_POLICY + self._policies)
        return self.rules.test_row(policyid, nat=False, **values)

    def prepare(self) -> None:
        """What is there once: the way to the remote sites, and to the peer without a tunnel."""
        if self._prepared:
            return
        self.rules.prepare()
        name = self.rules.named("peer")
        self.changes.create(
            ADDRESS, {"name": name, "type": "ipmask", "subnet": dotted(f"{self.site.peer}/32")}
        )
        taken = [row["seq-num"] for row in self.gateway.rows(ROUTE, format="seq-num")]
        route = {
            "seq-num": max([0, *taken]) + 1,
            "dst": dotted(REMOTE_SITES),
            "gateway": self.site.peer,
            "device": self.site.port,
            "comment": self.changes.name("sites"),
        }
        self.changes.create(ROUTE, route)
        plain = {"dstintf": [{"name": self.site.port}], "dstaddr": [{"name": name}]}
        self._place([self._policy(**plain)])
        self._prepared = True

    def _place(self, rows: Sequence[dict]) -> None:
        """Policies above the customer's own."""
        above = self.rules.first_own()
        for row in rows:
            self.changes.create(POLICY, row)
            if above is not None:
                self.gateway.move(POLICY, row["policyid"], above)

    def _remove(self, made: Sequence[tuple[str, list]]) -> None:
        for path, mkeys in reversed(made):
            self.changes.remove(path, mkeys)


def _phase2(tunnel: Tunnel, client: str) -> dict:
    return {
        "name": tunnel.name,
        "phase1name": tunnel.name,
        "proposal": tunnel.proposal.phase2,
        "pfs": "enable",
        "dhgrp": str(tunnel.proposal.dh_group),
        "src-subnet": dotted(client),
        "dst-subnet": dotted(tunnel.network),
        "keylifeseconds": tunnel.keylife_s,
        "auto-negotiate": "enable" if tunnel.initiates else "disable",
    }
