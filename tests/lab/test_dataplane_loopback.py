"""Loopbacks and VLANs of the data plane: there with their addresses, gone with their row."""

from __future__ import annotations

import os

import pytest
from dataplane_config import config, policy

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

INNER = {
    "name": "inner",
    "type": "loopback",
    "ip": "198.18.128.1 255.255.255.192",
    "allowaccess": "ping",
}


VLAN = {"type": "vlan", "interface": "port1", "vlanid": 20}


@pytest.mark.parametrize("kind", [{}, VLAN])
def test_it_answers_and_goes(rig, kind):
    plain = config(policy(1))
    ports = plain.get("system/interface", [])
    rig.apply({**plain, "system/interface": [*ports, INNER | kind]})
    assert rig.ping("198.18.128.1")
    rig.apply(plain)
    assert not rig.ping("198.18.128.1")
    assert "inner" not in rig.output("ip", "link")
