"""Tunnels between sites, with a second strongSwan in the gateway's place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from local_shell import LocalShell
from strongswan_hosts import CLIENT, GATEWAY, PEER, other_side, two_hosts

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.pulse import Pulse
from gatepass.endpoint.script import Script
from gatepass.endpoint.strongswan import Charon
from gatepass.inputs.proposals import PROPOSALS, Proposal
from gatepass.scenarios.site_to_site.peer import SitePeer
from gatepass.scenarios.site_to_site.tunnels import Site, Tunnel
from gatepass.scenarios.site_to_site.vpn import SiteVpn

STRONG = PROPOSALS["aes256-sha256-dh14"]
SITE = Site("port3", GATEWAY, PEER)


class Mirror:
    """What `SiteTunnels` does on a gateway, done with strongSwan."""

    def __init__(self, charon: Charon, peer: SitePeer) -> None:
        self.charon, self.peer, self.names = charon, peer, 0
        self.other: dict[str, str] = {}  # what this gateway does instead of what it was told

    def new(self, number: int, proposal: Proposal, **more: object) -> Tunnel:
        self.names += 1
        return Tunnel(f"gp-t{self.names}", number, proposal, **more)

    def make(self, tunnels: Sequence[Tunnel]) -> None:
        sides = [other_side(self.peer._connection(tunnel)) for tunnel in tunnels]
        self.charon.load(replace(side, **self.other) for side in sides)

    def remove(self, tunnels: Sequence[Tunnel]) -> None:
        self.charon.forget([tunnel.name for tunnel in tunnels])


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalShell, LocalShell]]:
    with two_hosts((tmp_path_factory.mktemp("p"), tmp_path_factory.mktemp("g"))) as both:
        yield both


@pytest.fixture
def vpn(hosts: tuple[LocalShell, LocalShell]) -> Iterator[SiteVpn]:
    here, there = hosts
    charon = Charon(there)
    charon.start()
    peer = SitePeer(here, Charon(here), "gp0a1b2c", SITE, CLIENT, 5301)
    made = SiteVpn(Mirror(charon, peer), peer)
    peer.open(made.new(STRONG, 5))
    yield made
    peer.close()
    charon.stop()
    # nothing is left of it
    look = "ip -o addr show dev lo; ip rule; nft list tables; ip route show table 4747"
    left = here.run(Script(look))
    assert "198.19" not in left.output and "4746" not in left.output and "gp0a" not in left.output


def test_up_carries_and_only_encrypted(vpn: SiteVpn, hosts: tuple[LocalShell, LocalShell]) -> None:
    client = hosts[1]
    (tunnel,) = vpn.new(STRONG)
    vpn.configure([tunnel])
    assert vpn.raise_one(tunnel, client).child
    before = vpn.peer.wire.look()
    assert vpn.reaches(client, tunnel)
    seen = vpn.peer.wire.look() - before
    assert seen.clear == 0 and seen.tunnel >= 10
    # without a tunnel the same path stays open beside it
    told = vpn.pulses(client, {PEER: 5, tunnel.host: 5}, 0.02)
    assert [one.answered for one in told.values()] == [5, 5]


def test_what_passes_beside_the_tunnel_is_seen(
    vpn: SiteVpn, hosts: tuple[LocalShell, LocalShell]
) -> None:
    client = hosts[1]
    (tunnel,) = vpn.new(STRONG)
    vpn.configure([tunnel])
    vpn.raise_one(tunnel, client)
    before = vpn.peer.wire.look()
    # before what leads into the tunnel
    client.run(Script(f"ip rule add to {tunnel.network} lookup main priority 100"))
    vpn.reaches(client, tunnel)
    client.run(Script("ip rule del priority 100"))
    assert (vpn.peer.wire.look() - before).clear >= 5


def test_many_at_once_each_with_its_own(
    vpn: SiteVpn, hosts: tuple[LocalShell, LocalShell]
) -> None:
    tunnels = vpn.new(STRONG, 5)
    vpn.configure(tunnels)
    came = vpn.peer.charon.initiate([tunnel.name for tunnel in tunnels])
    assert len(came) == 5
    vpn.pulses(hosts[1], {tunnel.host: 3 + tunnel.number for tunnel in tunnels})
    packets = {sa.name: sa.child.packets_in for sa in vpn.peer.charon.sas()}
    assert packets == {tunnel.name: 3 + tunnel.number for tunnel in tunnels}


def test_another_cipher_than_configured_comes_up_and_is_told(
    vpn: SiteVpn, hosts: tuple[LocalShell, LocalShell]
) -> None:
    vpn.gateway.other = {"esp": "aes128-sha256-modp2048"}
    (tunnel,) = vpn.new(STRONG)
    vpn.configure([tunnel])
    vpn.raise_one(tunnel, hosts[1])
    assert vpn.child(tunnel).encryption == "AES_CBC-128" != STRONG.encryption


def test_keys_are_renewed_without_an_outage(
    vpn: SiteVpn, hosts: tuple[LocalShell, LocalShell]
) -> None:
    (tunnel,) = vpn.new(STRONG)
    vpn.configure([tunnel])
    vpn.raise_one(tunnel, hosts[1])
    before = vpn.child(tunnel).spi_in
    pulse = Pulse(hosts[1], "pulse", {tunnel.host: 150}, 5301, 0.02)
    vpn.peer.charon.rekey(tunnel.name)
    told = pulse.wait()[tunnel.host]
    assert vpn.child(tunnel).spi_in != before
    assert told.longest_gap_s < 0.06


def test_what_the_gateway_does_not_know_does_not_come_up(
    vpn: SiteVpn, hosts: tuple[LocalShell, LocalShell], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatepass.scenarios.site_to_site.vpn.UP_S", 0)
    monkeypatch.setattr("gatepass.scenarios.site_to_site.vpn._AT_ONCE_S", 1)
    (tunnel,) = vpn.new(STRONG)
    vpn.gateway.other = {"ike": "aes128-sha1-modp4096"}
    vpn.configure([tunnel])
    with pytest.raises(AssertionError, match="The tunnel with AES256, SHA256, DH 14 does not come"):
        vpn.raise_one(tunnel, hosts[1])
    hosts[1].run(Script("ip link set data down"))
    with pytest.raises(NotProven, match="nothing gets from the client to the peer"):
        vpn.raise_one(tunnel, hosts[1])
    route = "ip route add 198.19.0.0/16 via 198.18.4.10 src 198.18.1.10"
    hosts[1].run(Script(f"ip link set data up; {route}"))


def test_a_tunnel_that_was_dropped_is_gone(vpn: SiteVpn) -> None:
    (tunnel,) = vpn.new(STRONG)
    vpn.configure([tunnel])
    vpn.drop()
    with pytest.raises(NotProven, match="there is no tunnel at the moment"):
        _ = vpn.current
    assert until(lambda: vpn.peer.charon.sas() == [], 5)
