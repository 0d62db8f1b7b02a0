"""After any accepted calls the data plane can do what the configuration says, and says the same.

The whole of the data plane that is pure: what is made of a configuration before any command is run.
`test_dataplane_agreement` does the rest, with packets.
"""

from __future__ import annotations

import ipaddress
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from rest_calls import (
    ROWS,
    SINGLETONS,
    VARIANTS,
    Config,
    LocalGateway,
    Values,
    candidates,
    key_name,
    key_of,
)

from fuzz.limits import LONG
from gatepass.gateway import policy_table
from gatepass.gateway.packet import Packet as Asked
from lab.gateway.cmdb.state import State
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.ipsec import connections
from lab.gateway.dataplane.lookup import Packet, look_up
from lab.gateway.dataplane.nft.firewall import transaction
from lab.gateway.dataplane.nft.queues import changes as queue_changes
from lab.gateway.dataplane.nft.rules import Ruleset, render
from lab.gateway.dataplane.nft.shaping import ShaperClasses
from lab.gateway.dataplane.programs.dnsmasq import dnsmasq_configuration
from lab.gateway.dataplane.programs.squid import squid_configuration
from lab.gateway.schema.model import Attribute
from lab.inspector.marks import slots
from lab.inspector.plan import plan
from lab.sslvpn.plan import as_message, heard

TIMES = int(os.environ.get(LONG, "0")) or 1
_ARRIVES, _LEAVES = "port2", "port1"
_PACKETS = [
    (source, target, protocol, port)
    for source, target in (
        ("198.18.1.10", "198.18.2.10"),
        ("198.18.1.200", "10.20.0.1"),
        ("10.0.0.1", "198.18.2.100"),
        ("2001:2:0:1::10", "2001:2:0:2::10"),
    )
    for protocol, port in ((6, 80), (6, 443), (17, 53), (17, 9000), (132, 80))
]
_INJECTED = ("flush ruleset", "\r", "port*")
"""What no text for a program may hold: it stands in values that calls send."""


def texts(intent: Intent) -> Iterator[str]:
    """All that programs of the data plane would be told."""
    yield transaction(Ruleset(), render(intent, ShaperClasses.of(intent)))
    yield "\n".join(queue_changes({}, ShaperClasses.of(intent).queues))
    yield squid_configuration(intent.proxy)
    for server in intent.dhcp:
        yield dnsmasq_configuration(server, Path("/folder"))


def told(intent: Intent) -> None:
    """Have made what the other programs are told."""
    for tunnel in intent.ipsec.tunnels.values():
        connections.connection(tunnel, "198.18.2.1", 1)
        connections.pool(tunnel)
        connections.secrets(tunnel)
    assert heard(as_message(intent.remote_access)) == intent.remote_access
    found = {
        slot: intent.inspecting[number].as_policy(number, False)
        for number, slot in slots(list(intent.inspecting)).items()
    }
    how = {"log": True, "altered": False, "mbps": 0.0, "object_ms": 0.0, "block_all": False}
    plan({"policies": found, **how})


def hold(config: Config, before: Intent | None = None) -> Intent:
    """Check that a configuration can be carried out, and means what it says.

    Args:
        config: the configuration.
        before: what was looked at already.

    Returns:
        What is to be carried out; `before` where it is the same.
    """
    intent = compile_config(config)
    assert intent.problems == ()
    if before is not None and replace(before, config={}) == replace(intent, config={}):
        return before
    for text in texts(intent):
        assert not [one for one in _INJECTED if one in text]
    told(intent)
    table = policy_table.PolicyTable(config)
    virtual = {address for vip in intent.vips for address in range(*vip.external)}
    for source, target, protocol, port in _PACKETS:
        if int(ipaddress.ip_address(target)) in virtual:
            continue
        packet = Asked(_ARRIVES, _LEAVES, source, target, protocol, port, 40000)
        said = table.decide(packet)
        if not said.unclear:
            found = look_up(
                intent, Packet(_ARRIVES, source, protocol, target, port), lambda _: _LEAVES
            )
            assert found == (said.policyid, "accept" if said.accept else "deny"), packet
    return intent


class Calls(RuleBasedStateMachine):
    """Calls one after another; after each that is accepted all has to be in order."""

    tables = tuple(ROWS)
    singletons = tuple(SINGLETONS)

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.gateway = LocalGateway(Path(self.folder.name))
        self.gateway.furnish(*self.tables)
        self.accepted = True
        self.calls = 0

    def teardown(self) -> None:
        self.gateway.close()
        self.folder.cleanup()

    def attributes(self, path: str) -> Any:
        return self.gateway.device.database.tables[path].attributes

    def send(self, method: str, path: str, body: Any = None, **query: str) -> None:
        self.accepted = self.gateway.call(method, path, body, **query) == 200

    @rule(seed=st.integers(0, 2**32))
    def call(self, seed: int) -> None:
        # Hypothesis likes to say the same again, and here that would be the same call
        self.calls += 1
        values = Values(f"{seed} {self.calls}", self.gateway)
        often = values.happens(0.3)
        path = "firewall/policy" if often else values.one_of((*self.tables, *self.singletons))
        keys = self.gateway.keys(path)
        if path in SINGLETONS:
            more = values.changes(self.attributes(path))
            self.send("PUT", path, {**SINGLETONS[path], **more})
        elif not keys or values.happens(0.2):
            key = key_of(path, values.one_of((0, 1, 1, 2, 2)))
            more = values.changes(self.attributes(path))
            self.send("POST", path, {**ROWS[path], **more, key_name(path): key})
        elif values.happens(0.1):
            self.send("DELETE", f"{path}/{values.one_of(keys)}")
        elif often and values.happens(0.1):
            key, other = values.one_of(keys), values.one_of(keys)
            self.send("PUT", f"{path}/{key}", action="move", before=str(other))
        else:
            key = key_of(path, 0) if key_of(path, 0) in keys else values.one_of(keys)
            self.send("PUT", f"{path}/{key}", values.changes(self.attributes(path)))

    @invariant()
    def agrees(self) -> None:
        if self.accepted:
            self.hold()

    def hold(self) -> None:
        hold(self.gateway.config)


Calls.TestCase.settings = settings(
    max_examples=30 * TIMES,
    stateful_step_count=50,
    deadline=None,
    derandomize=TIMES == 1,
    suppress_health_check=list(HealthCheck),
)
TestCalls = Calls.TestCase


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalGateway]:
    """A gateway with a row in each table."""
    made = LocalGateway(tmp_path_factory.mktemp("gateway"))
    made.furnish(*ROWS)
    yield made
    made.close()


@pytest.fixture
def furnished(gateway: LocalGateway) -> Iterator[State]:
    """Its configuration; what a test makes of it is forgotten."""
    state = gateway.device.database.state
    yield state
    gateway.device.database.state = state


def settings_of(
    attributes: Mapping[str, Attribute], gateway: LocalGateway
) -> Iterator[list[dict[str, Any]]]:
    """Of each attribute each value of interest, alone."""
    for name, attribute in attributes.items():
        child = attribute.child
        if child is None:
            yield [{name: value} for value in candidates(attribute, gateway)]
            continue
        for inside in settings_of(child.attributes, gateway):
            if child.mkey is None:
                yield [{name: inner} for inner in inside]
            else:
                key = 1 if child.has_integer_key else "r"
                yield [{name: [{child.mkey: key, **inner}]} for inner in inside]
        yield [{name: value} for value in ([], [{}], {}, "nonsense")]


_ENOUGH = 5
"""So many values that are taken and change nothing of what is carried out say it of the others."""


@pytest.mark.parametrize("path", [*ROWS, *SINGLETONS])
def test_each_value_of_each_attribute(
    gateway: LocalGateway, furnished: State, path: str
) -> None:
    """Alone, on a row as it is usually made and on others in which it counts."""
    database = gateway.device.database
    table = database.tables[path]
    key = "" if path in SINGLETONS else f"/{key_of(path, 0)}"
    taken = 0
    for variant in ({}, *VARIANTS.get(path, ())):
        database.state = furnished.copy()
        usual = {**SINGLETONS.get(path, {}), **variant}
        assert gateway.call("PUT", path + key, usual) == 200, variant
        base, before = database.state, hold(gateway.config)
        for bodies in settings_of(table.attributes, gateway):
            in_vain = 0
            for body in bodies:
                if table.mkey in body or in_vain == _ENOUGH:
                    break
                database.state = base.copy()
                if gateway.call("PUT", path + key, body) != 200:
                    continue
                taken += 1
                try:
                    in_vain += hold(gateway.config, before) is before
                except Exception as error:
                    raise AssertionError(f"{path} {variant} {body}: {error}") from error
    assert taken
