"""A device that answers something else: a verdict, or one sentence; never a tool that fails."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from gateway_client import GatewayUnderTest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.limits import examples, within
from fuzz.replay import Altering, Keeper, Replay, altered
from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.printable import MOST, printable
from gatepass.gateway import fortigate, transport
from gatepass.gateway.answers import validated
from gatepass.gateway.changes import Changes
from gatepass.gateway.clock import TimeAnswer
from gatepass.gateway.configuration import comparable
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.gateway.identity import identify
from gatepass.gateway.journal import Journal
from gatepass.gateway.licences import must_be_licensed
from gatepass.gateway.load import licence_of, load_between
from gatepass.gateway.rules import RuleSet, TrafficFlow
from gatepass.gateway.security_log import described, stopped
from gatepass.gateway.shapers import held, in_use
from gatepass.gateway.undo import undo
from gatepass.scenarios.remote_access.ssl_vpn import SslVpn, offered
from gatepass.scenarios.security.explicit_proxy import ExplicitProxy
from gatepass.scenarios.security.geography import OwnCountry
from gatepass.scenarios.site_to_site.tunnels import Site, SiteTunnels
from support.policies import counter_of, decided_by

LONGEST_S = 10
MARK = "gp0a1b2c"
FLOW = TrafficFlow("198.18.1.10", "198.18.2.10", "port2", "port1")
NETWORKS = [
    {"name": f"{MARK}-{number}", "type": "ipmask", "subnet": f"198.19.{number}.0 255.255.255.0"}
    for number in range(25)
]


class Run:
    """What a run has of the gateway."""

    def __init__(self, gateway: FortiGate, folder: Path) -> None:
        self.gateway = gateway
        (folder / "journal.jsonl").unlink(missing_ok=True)
        self.changes = Changes(gateway, Journal.start(folder / "journal.jsonl", {}), MARK)
        self.rules = RuleSet(gateway, self.changes, FLOW)
        ends = SimpleNamespace(client=SimpleNamespace(address=FLOW.client),
                               server=SimpleNamespace(address=FLOW.server))
        ports = SimpleNamespace(client_port="port2", server_port="port1")
        self.testbed = SimpleNamespace(endpoints=ends, gateway=ports)

    @property
    def parts(self) -> tuple[FortiGate, Changes, RuleSet]:
        return self.gateway, self.changes, self.rules


def log(run: Run) -> None:
    for entry in stopped(run.gateway, "virus", FLOW.client, 1):
        described(entry)


def many(run: Run) -> None:
    run.changes.create_many("firewall/address", NETWORKS)
    run.changes.remove("firewall/address", [row["name"] for row in NETWORKS])


def policies(run: Run) -> None:
    run.rules.set(3, nat=True)
    run.rules.add(run.rules.test_row(run.rules.free_id(1), nat=False))
    counter_of(run, 1)
    decided_by(run, 443)
    run.rules.clear()


def country(run: Run) -> None:
    run.rules.set(1, nat=False)
    OwnCountry(*run.parts).deny(above=run.rules.test_id)


def vpn(run: Run) -> None:
    access = SslVpn(*run.parts, 5, port=10443)
    access.certificate = "Fortinet_Factory"
    access.listed()
    access.sessions_last(60)
    access.sessions_last_as_before()
    access.pin()


def tunnels(run: Run) -> None:
    made = SiteTunnels(*run.parts, Site("port1", "198.18.2.1", "198.18.2.20"))
    made.all_up()
    made.status(SimpleNamespace(name="branch"))


def one_by_one(run: Run) -> None:
    run.changes.create("firewall/address", NETWORKS[0])
    run.changes.change("firewall/policy", 1, {"comments": "ours"})
    run.changes.remove("firewall/address", [NETWORKS[0]["name"]])


def transaction(run: Run) -> None:
    with run.gateway.transaction():
        run.gateway.create("firewall/address", NETWORKS[0])


READS: dict[str, Callable[[Run], object]] = {
    "identity": lambda run: identify(run.gateway, "198.18.0.2"),
    "clock": lambda run: validated(TimeAnswer, run.gateway.monitor("system/time"), "GET time"),
    "shapers": lambda run: (in_use(run.gateway), held(run.gateway, "port2", "port1")),
    "load": lambda run: load_between(run.gateway, time.time() - 30, time.time()),
    "licence": lambda run: (licence_of(run.gateway), must_be_licensed(run.gateway)),
    "log": log,
    "address": lambda run: run.gateway.port_address("port1"),
    "backup": lambda run: comparable(run.gateway.backup()),
    "vdoms": lambda run: (run.gateway.has_vdoms, offered(run.gateway, "v7.4.8")),
    "tunnels": tunnels,
}
WRITES: dict[str, Callable[[Run], object]] = {
    "many": many,
    "policies": policies,
    "country": country,
    "proxy": lambda run: ExplicitProxy(*run.parts).switch_on(),
    "vpn": vpn,
    "one by one": one_by_one,
    "transaction": transaction,
}


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses take no time, and nothing has to survive a power cut here."""
    monkeypatch.setattr(fortigate, "_BACK_OFF_S", ())
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.mark.parametrize("name", [*READS, *WRITES])
def test_one_answer_is_altered(
    name: str, gateway: FortiGate, tmp_path: Path, no_waiting: None
) -> None:
    job = (READS | WRITES)[name]
    kept = Keeper()
    with transport.by(kept):
        job(Run(gateway, tmp_path))
    answers = kept.answers
    assert answers

    @examples(100 if name in READS else 125)
    @given(st.data())
    def told(data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(answers) - 1))
        instead = data.draw(altered(answers[at]))
        client = FortiGate(gateway.url, "x", gateway.ca_file, timeout_s=0.05, patience_s=0)
        try:
            with within(LONGEST_S), transport.by(Replay(kept.exchanges, at, instead)):
                job(Run(client, tmp_path))
        except (GatewayLost, Refused, NotApplicable, NotProven, AssertionError) as verdict:
            sentence = str(verdict)
            assert sentence and len(sentence) <= MOST, sentence
            assert printable(sentence) == sentence
        finally:
            client.close()

    told()


def test_an_answer_to_the_undoing_is_altered(
    gateway: FortiGate, device: GatewayUnderTest, tmp_path: Path, no_waiting: None
) -> None:
    """Whatever comes: *back as it was* is said only where it is so, and the next try does it."""
    before = comparable(gateway.backup())
    saved = tmp_path / "before.conf"
    saved.write_text(before)
    path = tmp_path / "journal.jsonl"

    def changed() -> Changes:
        path.unlink(missing_ok=True)
        changes = Changes(gateway, Journal.start(path, {"mark": MARK}), MARK)
        changes.create("firewall/address", NETWORKS[0])
        changes.change("firewall/policy", 1, {"comments": "ours"})
        return changes

    changes, kept = changed(), Keeper()
    with transport.by(kept):
        assert undo(gateway, changes.journal, saved).identical
    answers = kept.answers

    @examples(150)
    @given(st.data())
    def told(data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(answers) - 1))
        instead = data.draw(altered(answers[at]))
        changes = changed()
        try:
            with within(LONGEST_S), transport.by(Altering(at, instead)):
                first = undo(gateway, changes.journal, saved)
        finally:
            gateway.other = ""
            after, closed = comparable(gateway.backup()), changes.journal.closed
            again = closed or undo(gateway, changes.journal, saved)
            gateway.delete("firewall/address", NETWORKS[0]["name"])  # for the next example
            gateway.change("firewall/policy", 1, {"comments": ""})
        if closed or first.identical:
            assert after == before, first
        else:
            assert first.problem and printable(first.problem) == first.problem
            assert again.identical, again

    told()
