"""The gateway's own word for which policy decides, as different releases give it."""

from __future__ import annotations

from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from api_server import ScriptedApi, refused, told

from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.packet import TCP, UDP, Packet
from gatepass.gateway.policy_lookup import LookedUp, look_up_packet
from support.policies import decided_about

PACKET = Packet("port2", "port1", "198.18.1.10", "198.18.2.10", TCP, target_port=443)
SAYS = "The gateway's policy look-up says that"
IMPLICIT = f"{SAYS} no policy matches it: the implicit deny."
UNNAMED = "The gateway's policy look-up names no policy for this traffic."


@pytest.mark.parametrize(
    ("results", "found", "sentence"),
    [
        (
            {"match": True, "policy_id": 7, "policy_action": "accept"},
            LookedUp(7, "accept"),
            f'{SAYS} policy 7 "shop" decides: accept.',
        ),
        ({"match": False, "policy_id": 0, "policy_action": "deny"}, LookedUp(0, "deny"), IMPLICIT),
        ({"match": False}, LookedUp(0), IMPLICIT),
        # 6.0.2 to 6.4
        (
            {"success": True, "policy_id": 7, "destip": "198.18.2.10"},
            LookedUp(7),
            f'{SAYS} policy 7 "shop" decides: deny.',
        ),
        ({"success": True, "policy_id": 0, "destip": "198.18.2.10"}, LookedUp(0), IMPLICIT),
        ({"success": False}, LookedUp(0), IMPLICIT),
        ({"success": True}, LookedUp(), UNNAMED),
        ({}, LookedUp(), UNNAMED),
    ],
)
def test_what_decides(
    api: ScriptedApi, client: FortiGate, results: dict, found: LookedUp, sentence: str
) -> None:
    api.script = [told(results=results)]
    assert look_up_packet(client, PACKET) == found
    row = {"policyid": 7, "name": "shop", "action": "deny"}
    api.script = [told(results=results), told(results=[row])]
    assert decided_about(SimpleNamespace(gateway=client), PACKET) == sentence


def test_one_that_does_not_say(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [refused(-651, "no")]
    assert look_up_packet(client, PACKET) == LookedUp()


@pytest.mark.parametrize(("protocol", "word"), [(TCP, "tcp"), (UDP, "udp")])
def test_protocols_are_written_as_callers_were_seen_to_write_them(
    api: ScriptedApi, client: FortiGate, protocol: int, word: str
) -> None:
    api.script = [told(results={"match": False})]
    look_up_packet(client, Packet("port2", "port1", "198.18.1.10", "198.18.2.10", protocol, 53))
    asked = parse_qs(urlsplit(api.calls[-1].path).query)
    assert (asked["protocol"], asked["destport"]) == ([word], ["53"])
