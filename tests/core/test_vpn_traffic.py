"""What VPN users send, and what is seen of it: real packets in network namespaces."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from vpn_world import CLIENT, GATEWAY, MARK, PORT, SERVER, VpnWorld, vpn_world

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.probe import ANSWERED, Probe, try_all
from gatepass.endpoint.script import Script
from gatepass.endpoint.wire_watch import Carrier, PacketCounts, WireWatch
from gatepass.scenarios.remote_access.vpn_client import together

USERS = 5


@pytest.fixture
def world(tmp_path: Path) -> Iterator[VpnWorld]:
    if os.geteuid():
        pytest.skip("network namespaces need root")
    with vpn_world(tmp_path, USERS) as built:
        yield built


def is_over(world: VpnWorld, host: str) -> bool:
    """Whether the last segments of all connections with a host went, some time later."""
    return until(lambda: not world.here.run(Script(f"ss -Htn dst {host}")).output, 5)


class TestTogether:
    """All users at once."""

    def test_each_is_seen_as_themselves_and_reaches_nobody(self, world: VpnWorld) -> None:
        told = together(world.here, world.users, SERVER, PORT, 0.5)
        assert told.served == USERS and not told.mixed and not told.failed
        assert all(one.answers[one.user.address] > 3 for one in told.asked)
        assert set(told.answered) == {one.user for one in world.users}
        assert told.reached == ()
        assert told.content_bytes == sum(
            len(one.user.address) * one.answers[one.user.address] for one in told.asked
        )

    def test_a_gateway_that_hands_on_between_users(self, world: VpnWorld) -> None:
        world.forward()
        told = together(world.here, world.users, SERVER, PORT, 0.2)
        users = [one.user for one in world.users]
        assert set(told.reached) == set(zip(users, [*users[1:], users[0]], strict=True))

    def test_a_user_who_is_seen_as_another(self, world: VpnWorld) -> None:
        first = world.users[0]
        nat = (
            "nft 'table ip t { chain c { type nat hook postrouting priority 100; "
            f'oifname "{first.interface}" snat to 198.19.210.77; }}; }};\''
        )
        assert world.here.run(Script(nat)).status == 0
        world.there.run(
            Script(
                "ip route add 198.19.210.77 dev tunnel1; ip neigh add 198.19.210.77 "
                "dev tunnel1 lladdr 02:00:00:00:01:01"
            )
        )
        told = together(world.here, world.users, SERVER, PORT, 0.3)
        assert told.served == USERS - 1 and told.mixed > 0
        assert told.asked[0].summary == "seen as 198.19.210.77"

    def test_a_tunnel_that_carries_nothing(self, world: VpnWorld) -> None:
        world.there.run(Script("ip link set tunnel2 down"))
        told = together(world.here, world.users, SERVER, PORT, 0.3)
        assert told.served == USERS - 1
        assert not told.asked[1].served and told.asked[1].summary == told.reason
        assert world.users[1].user not in told.answered

    def test_a_tunnel_that_is_gone_is_its_users_alone(self, world: VpnWorld) -> None:
        gone = world.users[2]
        world.here.run(Script(f"ip link del {gone.interface}"))
        told = together(world.here, world.users, SERVER, PORT, 0.3)
        assert told.served == USERS - 1 and not told.asked[2].served
        assert set(told.answered) == {one.user for one in world.users if one is not gone}

    def test_a_script_that_fails_is_not_proven(self, world: VpnWorld) -> None:
        lost = replace(world.users[0], address="nowhere")
        with pytest.raises(NotProven, match=r"traffic failed on the client: .*illegal IP address"):
            together(world.here, [lost, lost], SERVER, PORT, 0.1)


class TestWays:
    """Which way a single connection takes."""

    def seen(self, world: VpnWorld, *probes: Probe) -> list[str]:
        return [answer.seen for answer in try_all(world.here, probes, timeout_s=0.5)]

    def test_the_mark_decides(self, world: VpnWorld) -> None:
        one, other = world.users[:2]
        plain = Probe("tcp", SERVER, PORT)
        told = self.seen(world, one.probe(SERVER, PORT), other.probe(SERVER, PORT), plain)
        assert told == [one.address, other.address, CLIENT]

    def test_what_the_users_routes_do_not_name_goes_past_the_tunnel(self, world: VpnWorld) -> None:
        world.there.run(Script("ip address add 198.19.250.1/32 dev lo"))
        assert self.seen(world, world.users[0].probe("198.19.250.1", PORT)) == [CLIENT]

    def test_by_force_into_the_tunnel(self, world: VpnWorld) -> None:
        one = world.users[0]
        (inside,) = try_all(world.here, [one.forced(SERVER, PORT)], timeout_s=0.5)
        assert (inside.outcome, inside.seen) == (ANSWERED, one.address)
        (outside,) = try_all(world.here, [one.forced("198.19.250.1", PORT)], timeout_s=0.3)
        assert outside.outcome != ANSWERED


class TestWireWatch:
    """What is counted between client and gateway."""

    @pytest.fixture
    def watch(self, world: VpnWorld) -> WireWatch:
        tunnel = (Carrier("tcp", (PORT,)),)
        pools, hosts = ("198.19.210.0/23",), (SERVER,)
        return WireWatch(world.here, f"{MARK}_vpn", GATEWAY, tunnel, pools, hosts)

    def test_tunnel_and_clear_text_are_told_apart(self, world: VpnWorld, watch: WireWatch) -> None:
        watch.begin()
        assert watch.look() == PacketCounts(0, 0)
        try_all(world.here, [Probe("tcp", GATEWAY, PORT)])
        assert is_over(world, GATEWAY)
        tunnel = watch.look()
        assert tunnel.tunnel > 4 and tunnel.clear == 0
        try_all(world.here, [world.users[0].probe(SERVER, PORT)])
        assert watch.look() == tunnel
        try_all(world.here, [Probe("tcp", SERVER, PORT)])
        clear = watch.look() - tunnel
        assert clear.tunnel == 0 and clear.clear > 4
        watch.end()
        assert MARK not in world.here.run(Script("nft list tables")).output

    def test_what_has_begun_before_is_no_test_traffic(
        self, world: VpnWorld, watch: WireWatch
    ) -> None:
        """A connection that is over for us may send its last segments again much later."""
        lingering = (
            "import socket, time; "
            f"s = socket.create_connection(('{SERVER}', {PORT})); time.sleep(1.5); s.close()"
        )
        world.here.run(Script(f'python3 -c "{lingering}" >/dev/null 2>&1 &'))
        watch.begin()
        until(lambda: bool(world.here.run(Script(f"ss -Htn dst {SERVER}")).output), 5)
        before = watch.look(anew=True)
        assert is_over(world, SERVER)
        assert watch.look() == before
        try_all(world.here, [Probe("tcp", SERVER, PORT)])
        assert (watch.look() - before).clear > 4

    @pytest.mark.parametrize("transport", ["tcp", "udp"])
    def test_what_begins_now_is_seen(
        self, world: VpnWorld, watch: WireWatch, transport: str
    ) -> None:
        watch.begin()
        before = watch.look(anew=True)
        try_all(world.here, [Probe(transport, SERVER, PORT)])
        assert (watch.look() - before).clear > 0

    def test_a_pools_address_in_clear_is_seen(self, world: VpnWorld, watch: WireWatch) -> None:
        watch.begin()
        one = world.users[0]
        world.here.run(Script(f"ip rule del from {one.address} lookup {one.table}"))
        prober = (
            "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
            f"s.bind(('{one.address}', 0)); s.sendto(b'?', ('198.18.9.9', 9))"
        )
        assert world.here.run(Script(f'python3 -c "{prober}"')).status == 0
        assert watch.look().clear > 0

    def test_the_tunnels_of_ipsec(self, world: VpnWorld) -> None:
        tunnel = (Carrier("udp", (500, 4500)), Carrier("esp"))
        watch = WireWatch(world.here, f"{MARK}_vpn", GATEWAY, tunnel, (SERVER,))
        watch.begin()
        try_all(world.here, [Probe("udp", GATEWAY, 4500)], timeout_s=0.1)
        assert watch.look().tunnel > 0

    def test_without_counters_nothing_is_proven(self, watch: WireWatch) -> None:
        with pytest.raises(NotProven, match="counters of nftables cannot be read on the client"):
            watch.look()
