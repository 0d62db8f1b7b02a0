"""What follows from what hosts saw that asked for addresses, and which addresses they may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network

import pytest

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.endpoint.dhcp import Asked, Seen
from gatepass.gateway.changes import Changes
from gatepass.gateway.dhcp import DhcpPool, DhcpService, DhcpSettings
from gatepass.gateway.fortigate import FortiGate
from gatepass.scenarios.edge.dhcp import not_heard
from gatepass.scenarios.edge.dhcp_findings import DhcpFindings, Late, Without
from gatepass.scenarios.edge.dhcp_hosts import HOSTS, Hosts
from gatepass.scenarios.edge.pool import candidates, chosen, ranges_of

MARK = "gp0a1b2c"
PEOPLE = Hosts(MARK)
POOL = [f"198.18.1.{number}" for number in range(100, 151)]
RESERVED = POOL.pop(25)
SETTINGS = DhcpSettings(
    "255.255.255.0", "198.18.1.1", ("192.0.2.53", "192.0.2.54"), f"{MARK}-edge.test", 1860
)
OPTIONS = {
    1: bytes([255, 255, 255, 0]),
    3: bytes([198, 18, 1, 1]),
    6: bytes([192, 0, 2, 53, 192, 0, 2, 54]),
    15: f"{MARK}-edge.test\0".encode(),
    51: (1860).to_bytes(4, "big"),
}
SILENT = Asked("silent", questions=4, reached=True)


def bound(address: str, ms: float = 20.0, **options: bytes) -> Asked:
    more = {int(name.removeprefix("option")): value for name, value in options.items()}
    return Asked("bound", address, ms, 2, 0, True, OPTIONS | more)


def everybody(state: Asked = SILENT) -> dict[str, Asked]:
    return dict.fromkeys(PEOPLE.everybody, state)


def found(
    fifty: Mapping[str, Asked] | None = None,
    crowded: Mapping[str, Asked] | None = None,
    attack: Mapping[str, Asked] | None = None,
    first: Asked | None = None,
    **more: object,
) -> DhcpFindings:
    """Findings of a sound gateway, but for what is said."""
    served = {mac: bound(address) for mac, address in zip(PEOPLE.fifty, POOL, strict=True)}
    served |= fifty or {}
    full = {**served, PEOPLE.too_many: SILENT, PEOPLE.reserved: bound(RESERVED)} | (crowded or {})
    asking = dict.fromkeys(PEOPLE.unlisted, SILENT)
    asking |= {mac: served[mac] for mac in PEOPLE.again} | (attack or {})
    nobody: frozenset[str] = frozenset()
    late = Late(first or bound(RESERVED), served, Seen(full, nobody), {}, Seen(asking, nobody))
    late.listed = late.leases
    whole = DhcpFindings(
        Without("port2", PEOPLE, Seen(everybody(), nobody), nobody),
        SETTINGS, POOL, RESERVED, late, "", nobody, nobody,
    )
    return replace(whole, **more)


def silent_gateway() -> DhcpFindings:
    whole = found()
    late = Late(SILENT, dict.fromkeys(PEOPLE.fifty, SILENT))
    return replace(whole, late=late)


# -- the hosts and their addresses ----------------------------------------------------------------


def test_each_host_has_a_hardware_address_of_its_own_that_bears_the_mark() -> None:
    macs = PEOPLE.everybody
    assert len(set(macs)) == len(macs) == 252
    assert all(mac[3:11] == "0a:1b:2c" for mac in macs)
    assert all(int(mac[:2], 16) & 3 == 2 for mac in macs), "given out locally, for one host"
    assert set(PEOPLE.again) <= set(PEOPLE.fifty)


def test_addresses_that_may_be_free() -> None:
    small = candidates(IPv4Network("198.18.1.0/29"), {"198.18.1.1"})
    assert list(map(str, small)) == [f"198.18.1.{number}" for number in range(2, 7)]
    large = candidates(IPv4Network("10.0.0.0/8"), frozenset())
    assert (len(large), str(large[-1])) == (1024, "10.255.255.254")


def test_free_addresses_are_taken_from_the_longest_runs() -> None:
    free = [IPv4Address(f"198.18.1.{number}") for number in (2, 3, 5, 6, 7, 8, 10)]
    assert [str(one) for one in chosen(free, 3)] == [f"198.18.1.{number}" for number in (6, 7, 8)]
    assert ranges_of(chosen(free, 6)) == [
        (free[0], free[1]), (free[2], free[5])
    ]
    with pytest.raises(NotProven, match="8 free addresses are needed"):
        chosen(free, 8)
    scattered = [IPv4Address(f"198.18.1.{number}") for number in range(2, 60, 2)]
    with pytest.raises(NotProven, match="close together"):
        chosen(scattered, 10)


# -- without a server -----------------------------------------------------------------------------


def test_silence_counts_only_where_the_gateway_was_reached() -> None:
    whole = found().without
    whole.must_be_silent()
    assert "252 hosts asked 1008 times" in whole.told
    cut_off = everybody() | {PEOPLE.too_many: replace(SILENT, reached=False)}
    with pytest.raises(NotProven, match=f"1 of 252 hosts .*{PEOPLE.too_many}"):
        replace(whole, seen=Seen(cut_off, frozenset())).must_be_silent()


def test_another_server_leaves_it_open() -> None:
    with pytest.raises(NotProven, match=r"another DHCP server \(198\.18\.1\.9\) answers"):
        replace(found().without, foreign=frozenset({"198.18.1.9"})).must_be_silent()
    with pytest.raises(NotProven, match="another DHCP server"):
        found(foreign=frozenset({"198.18.1.9"})).must_be_alone()


def test_a_gateway_that_offers_without_a_server() -> None:
    offering = everybody() | {PEOPLE.too_many: Asked("offered", "198.18.1.9", reached=True)}
    with pytest.raises(AssertionError, match=r"offers addresses on its port port2 \(198\.18\.1\.9"):
        replace(found().without, seen=Seen(offering, frozenset())).must_be_silent()


# -- with one -------------------------------------------------------------------------------------


def test_a_sound_gateway() -> None:
    whole = found()
    for told, holds in (
        whole.all_served(),
        whole.own_addresses(),
        whole.told_right(),
        whole.reserved_alone(),
        whole.one_too_many(),
        whole.all_renewed(),
        whole.all_listed(),
        whole.unlisted_unanswered(),
        whole.listed_served_meanwhile(),
    ):
        assert holds, told
    assert "20 ms (median), the slowest after 20 ms." in whole.all_served()[0]
    assert f"all of {POOL[0]} to {POOL[-1]}" in whole.own_addresses()[0]
    assert "kept from 51 other hosts" in whole.reserved_alone()[0]


def test_a_host_that_gets_none() -> None:
    told, holds = found({PEOPLE.fifty[7]: SILENT}).all_served()
    assert not holds
    assert told.startswith(f"1 of 50 hosts got no address; {PEOPLE.fifty[7]} asked 4 times.")


def test_a_gateway_that_answers_nobody() -> None:
    whole = silent_gateway()
    assert whole.all_served()[0].startswith(f"{HOSTS} of {HOSTS} hosts got no address")
    assert not whole.reserved_alone()[1]
    for of_nobody in (
        whole.one_too_many, whole.unlisted_unanswered, whole.listed_served_meanwhile
    ):
        with pytest.raises(NotProven):
            of_nobody()


def test_nothing_is_the_gateways_fault_that_did_not_come_to_it() -> None:
    lost = replace(silent_gateway(), lost="its port counted 3 packets in")
    for told in (lost.all_served, lost.reserved_alone):
        with pytest.raises(NotProven, match="counted 3 packets in"):
            told()


def test_answers_that_were_sent_and_not_heard() -> None:
    assert not_heard("port2", 340, 310) == "", "a few pass while nobody listens"
    assert "port2 sent 1,340 packets meanwhile, and the client received 310" in (
        not_heard("port2", 1340, 310)
    )


def test_two_hosts_with_one_address_and_one_beyond_the_range() -> None:
    first, second = PEOPLE.fifty[:2]
    told, holds = found({second: bound(POOL[0])}).own_addresses()
    assert (told, holds) == (f"{POOL[0]} was given to {first} and to {second}.", False)
    told, holds = found({second: bound("198.18.1.9")}).own_addresses()
    assert (told, holds) == (
        f"198.18.1.9 was given out; the range is {POOL[0]} to {POOL[-1]}.", False
    )


def test_what_they_are_told_wrong_is_named_once() -> None:
    wrong = {"option3": bytes([198, 18, 1, 254]), "option51": (186).to_bytes(4, "big")}
    hosts = {mac: bound(address, **wrong) for mac, address in zip(PEOPLE.fifty, POOL, strict=True)}
    told, holds = found(hosts).told_right()
    assert not holds
    assert told == (
        "They received other options than configured: router, 198.18.1.254 instead of 198.18.1.1 "
        "(hosts: 50); lease time, 186 s instead of 1860 s (hosts: 50)."
    )
    missing = bound(POOL[0], option6=b"", option15=b"")
    told, _ = found({PEOPLE.fifty[0]: missing}).told_right()
    assert "name servers, none instead of 192.0.2.53, 192.0.2.54 (hosts: 1)" in told


def test_a_reservation_that_is_not_kept() -> None:
    mac, other = PEOPLE.reserved, PEOPLE.fifty[3]
    told, _ = found({other: bound(RESERVED)}, first=bound(POOL[3])).reserved_alone()
    assert told == (
        f"{mac} got {POOL[3]} instead of {RESERVED}, reserved for it. It was given to {other}."
    )
    told, _ = found({other: bound(RESERVED)}).reserved_alone()
    assert told == f"{RESERVED} is reserved for {mac}. It was given to {other}."
    told, _ = found(crowded={mac: SILENT}).reserved_alone()
    assert told == f"{mac} had given {RESERVED} back and got no address when it asked again."


def test_a_host_too_many() -> None:
    for address, where in (
        ("198.18.1.99", "not of the range"),
        (POOL[0], "which another host had"),
        (RESERVED, f"reserved for {PEOPLE.reserved}"),
    ):
        told, holds = found(crowded={PEOPLE.too_many: bound(address)}).one_too_many()
        assert not holds
        assert f"was given {address}, " in told and where in told
    with pytest.raises(NotProven, match="not used up: 49 of its 50 addresses"):
        found({PEOPLE.fifty[0]: bound(RESERVED)}).one_too_many()


def test_an_address_that_cannot_be_renewed() -> None:
    mac = PEOPLE.fifty[4]
    told, holds = found(crowded={mac: Asked("refused", POOL[4])}).all_renewed()
    assert (told, holds) == (
        f"1 of 50 hosts could not renew their address: {mac} had {POOL[4]} and was refused.", False
    )
    told, _ = found(crowded={mac: bound("198.18.1.99")}).all_renewed()
    assert f"{mac} had {POOL[4]} and got 198.18.1.99" in told


def test_a_lease_that_is_not_listed() -> None:
    whole = found()
    whole.late.listed = {key: mac for key, mac in whole.late.leases.items() if key != POOL[2]}
    told, holds = whole.all_listed()
    assert not holds
    assert f"lists 50 of 51 leases: {POOL[2]} of {PEOPLE.fifty[2]} is missing" in told
    whole.late.listed = NotProven("the device does not list its leases.")
    with pytest.raises(NotProven, match="does not list"):
        whole.all_listed()


def test_hosts_that_are_not_listed_and_get_something() -> None:
    thief = PEOPLE.unlisted[5]
    told, holds = found(attack={thief: bound(POOL[0])}).unlisted_unanswered()
    assert not holds
    assert "1 of 200 hosts that are not on the list were answered, and 1 were given" in told
    told, holds = found(attack={thief: replace(SILENT, refusals=1)}).unlisted_unanswered()
    assert not holds and "0 were given addresses." in told
    told, holds = found(strangers=frozenset({"00:09:0f:00:00:01"})).unlisted_unanswered()
    assert not holds and "not of the test" in told
    starved = dict.fromkeys(PEOPLE.again, SILENT)
    told, holds = found(attack=starved).listed_served_meanwhile()
    assert not holds and told.startswith("10 of 10 hosts on the list")
    with pytest.raises(NotProven, match="without the others, either"):
        found(starved, attack=starved).listed_served_meanwhile()


# -- the gateway ----------------------------------------------------------------------------------

PORT = "port2"
LISTED = DhcpPool(
    [("198.18.1.100", "198.18.1.150")], [(PEOPLE.reserved, RESERVED)], PEOPLE.listed
)


@pytest.fixture
def port(gateway: FortiGate) -> str:
    """A port with an address."""
    gateway.change("system/interface", PORT, {"ip": "198.18.1.1 255.255.255.0"})
    return PORT


def test_a_server_comes_and_goes(gateway: FortiGate, changes: Changes, port: str) -> None:
    service = DhcpService(gateway, changes, port)
    service.must_be_free()
    service.create(SETTINGS, LISTED)
    (row,) = gateway.rows("system.dhcp/server")
    assert (row["interface"], row["mac-acl-default-action"]) == (port, "block")
    assert len(row["reserved-address"]) == HOSTS + 2
    with pytest.raises(NotApplicable, match="has a DHCP server of the customer's"):
        DhcpService(gateway, changes, port).must_be_free()
    assert service.leases() == {}
    service.remove()
    assert gateway.rows("system.dhcp/server") == []


def test_a_server_that_the_gateway_does_not_take(
    gateway: FortiGate, changes: Changes, port: str
) -> None:
    service = DhcpService(gateway, changes, port)
    service.must_be_free()
    with pytest.raises(NotProven, match="does not accept a DHCP server on its port port2"):
        service.create(replace(SETTINGS, netmask="255.0.0.0"), LISTED)
    assert gateway.rows("system.dhcp/server") == []
