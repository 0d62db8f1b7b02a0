"""Tenants on the lab's own gateway process: set up at the same time, read back, taken away."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from gateway_client import TOKEN, GatewayUnderTest
from played import Played

import Provisioning
from gatepass.base.errors import NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.journal import Journal
from gatepass.gateway.rules import POLICY
from gatepass.gateway.saved import SAVED
from gatepass.gateway.undo import undo
from gatepass.inputs.profile import MOST_TENANTS
from gatepass.scenarios import provisioning as module
from gatepass.scenarios.provisioning import SetUp, TenantProvisioning
from gatepass.scenarios.tenant import DHCP, HOSTS, POLICIES, USER, VIP, FreeKeys, Tenant

MARK = "gp0a1b2c"
STEPS = [
    "network",
    "DHCP pool",
    "50 SNAT rules",
    "50 DNAT rules",
    "100 policies",
    "VPN tunnel",
    "guest",
]


@pytest.fixture
def connect(device: GatewayUnderTest) -> Callable[[], FortiGate]:
    return lambda: FortiGate(device.url, TOKEN, device.folder / "tls" / "ca.pem", timeout_s=10)


@pytest.fixture
def tenants(connect: Callable[[], FortiGate], changes: Changes) -> TenantProvisioning:
    return TenantProvisioning(connect, changes, "port1")


def as_before(changes: Changes) -> bool:
    return undo(changes.gateway, changes.journal, changes.journal.path.with_name(SAVED)).identical


def ours(gateway: FortiGate, path: str) -> list[dict]:
    return [row for row in gateway.rows(path) if str(row.get("name", "")).startswith(MARK)]


def test_tenants_stand_and_go(
    tenants: TenantProvisioning, changes: Changes, gateway: FortiGate
) -> None:
    done = tenants.set_up(3, 2)
    assert [one.error for one in done] == [None] * 3
    assert all(list(map(str, one.seconds)) == STEPS for one in done)
    assert len(ours(gateway, POLICY)) == 3 * POLICIES
    assert len(ours(gateway, VIP)) == 3 * HOSTS
    assert len(ours(gateway, USER)) == 3
    assert len(gateway.rows(DHCP)) == 3
    announced = sum(len(entry["mkeys"]) for entry in changes.journal.entries)
    assert announced == 3 * done[0].tenant.objects
    assert tenants.take_away() == announced
    left = undo(gateway, changes.journal, changes.journal.path.with_name(SAVED))
    assert left.identical, left


class WithoutScripts(FortiGate):
    """A device that takes no scripts, such as one with several VDOMs."""

    def run_script(self, name: str, text: str) -> None:
        raise Refused("no scripts", status=405)


def test_tenants_stand_without_scripts(changes: Changes, device: GatewayUnderTest) -> None:
    """Their transactions run side by side."""
    ca_file = device.folder / "tls" / "ca.pem"
    tenants = TenantProvisioning(
        lambda: WithoutScripts(device.url, TOKEN, ca_file, timeout_s=10), changes, "port1"
    )
    assert [one.error for one in tenants.set_up(2, 2)] == [None] * 2
    tenants.take_away()
    assert as_before(changes)


def test_a_run_that_broke_off_is_taken_back_by_its_journal(
    tenants: TenantProvisioning, changes: Changes
) -> None:
    tenants.set_up(2, 2)
    changes.journal.release()
    killed = Journal.read(changes.journal.path)
    assert killed.adopt()
    assert undo(changes.gateway, killed, changes.journal.path.with_name(SAVED)).identical


def test_an_object_that_was_lost_is_named(
    tenants: TenantProvisioning, changes: Changes, device: GatewayUnderTest
) -> None:
    device.control("PUT", "/faults/objects-lost", {"path": "firewall/vip", "every": 60})
    whole, broken = sorted(tenants.set_up(2, 1), key=lambda one: one.error is not None)
    assert whole.error is None
    assert str(broken.step) == "50 DNAT rules"
    assert isinstance(broken.error, AssertionError)
    assert "accepted 50 rows for firewall/vip and shows 49 of them" in str(broken.error)
    tenants.take_away()
    assert as_before(changes)


def test_a_refusal_breaks_off_that_tenant_alone(
    tenants: TenantProvisioning, changes: Changes, gateway: FortiGate
) -> None:
    name = f"{MARK}-n2"
    gateway.create(
        "system/interface", {"name": name, "vdom": "root", "type": "loopback", "alias": "theirs"}
    )
    first, second = tenants.set_up(2, 2)
    assert first.error is None
    assert (str(second.step), second.seconds) == ("network", {})
    assert isinstance(second.error, Refused)
    tenants.take_away()


@pytest.mark.parametrize(
    ("step", "doubtful"), [(say("tenant_dhcp"), True), (say("tenant_network"), False)]
)
def test_a_dhcp_server_that_is_refused_on_a_loopback_interface_is_the_releases(
    step: Phrase, doubtful: bool
) -> None:
    tenant = Tenant(1, MARK, "port1", "root", FreeKeys(1, 1, 1))
    library = Provisioning.Provisioning(Played())
    library._tenants.set_up = [SetUp(tenant, {}, step, Refused("The gateway refuses it."))]
    with pytest.raises(NotProven, match=r"Tenant 1, .*: The gateway refuses it\.") as told:
        library.every_tenant_should_be_whole()
    assert ("this release may not." in str(told.value)) is doubtful


def test_once_the_run_is_stopped_nothing_more_comes(
    tenants: TenantProvisioning,
    changes: Changes,
    gateway: FortiGate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first tenant breaks the run off while the second one is at its first step."""
    put, both_began = module._put, threading.Barrier(2)

    def stopping(changes: Changes, path: str, rows: list[dict]) -> None:
        both_began.wait(10)
        if rows[0].get("name") == f"{MARK}-n1":
            raise KeyboardInterrupt
        put(changes, path, rows)
        assert tenants._stopped.wait(10)

    monkeypatch.setattr(module, "_put", stopping)
    with pytest.raises(KeyboardInterrupt):
        tenants.set_up(2, 2)
    assert gateway.row("system/interface", f"{MARK}-n2") is not None
    assert gateway.rows(DHCP) == []
    assert as_before(changes)


def test_tenants_share_no_address_number_or_name() -> None:
    free = FreeKeys(1, 1, 1)
    every = [Tenant(number, MARK, "port1", "root", free) for number in (1, 2, MOST_TENANTS)]
    keys = [
        (path, str(row.get(key)))
        for tenant in every
        for tables in tenant.steps.values()
        for path, rows in tables
        for row in rows
        for key in ("name", "policyid", "seq-num", "id", "startip", "extip", "remote-gw", "ip")
        if key in row and path != "vpn.ipsec/phase2-interface"
    ]
    by_table = [(path, value) for path, value in keys if value != "None"]
    assert len(set(by_table)) == len(by_table)
    assert all(len(tenant.named("guest")) <= 35 for tenant in every)
    assert all(len(tenant.named("v")) <= 15 for tenant in every)


def test_no_secret_is_shown() -> None:
    tenant = Tenant(1, MARK, "port1", "root", FreeKeys(1, 1, 1))
    assert tenant.psk not in repr(tenant)
    assert tenant.password not in repr(tenant)
