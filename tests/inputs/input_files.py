"""What the tests of the input files share: examples, and how a file is refused."""

import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from gatepass.base.errors import InputError
from gatepass.inputs import load_catalogue, load_order, load_profile, load_testbed, testbed

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = ROOT / "variables"
CATALOGUE = load_catalogue(VARIABLES / "service_catalogue.yaml")
SECRET = "Q3gmHrsQcH4rdkfGhh7xx4b0"

ORDER = """\
order: A-1
customer: Example Oy
tier: SGW-200
service_level: Gold
language: en
options:
  security_services: true
shaper:
  name: sgw-200
  burst_allowance_percent: 5
vpn:
  ipsec: [aes256-sha256-dh14, 3des-sha1-dh2]
  ipsec_mbps: 100
gateway:
  version: "7.4"
  min_vcpus: 2
flows:
  - {from: 10.20.1.10, to: 203.0.113.80, service: tcp/443, expect: pass, seen_from: 198.18.2.1}
  - {from: 10.20.1.10, to: 203.0.113.80, service: tcp/23, expect: block}
objectives:
  - {name: voice, label: H, dscp: EF, cir_mbps: 2, frames: 128, loss_percent: 0.05}
  - {name: rest, dscp: 0, cir_mbps: 50, eir_mbps: 20, frames: [64, 1518]}
"""

TESTBED = """\
testbed: lab-default
network_namespace: /proc/4711/ns/net
shares: [switch 1]
gateway:
  url: https://198.18.0.2
  ca_file: gateway-ca.pem
  token: {file: api-token}
  vdom: root
  client_port: port2
  server_port: port1
endpoints:
  client:
    ssh: {host: 198.18.0.11, port: 22, user: root, key_file: ssh/id, known_hosts_file: ssh/hosts}
    address: 198.18.1.10
    address6: "2001:2:0:1::10"
    direct_address: 198.18.3.10
    direct_address6: "2001:2:0:3::10"
    iperf3_port: 5201
  server:
    ssh: {host: 198.18.0.12, port: 22, user: root, key_file: ssh/id, known_hosts_file: ssh/hosts}
    address: 198.18.2.10
    address6: "2001:2:0:2::10"
    direct_address: 198.18.3.20
    direct_address6: "2001:2:0:3::20"
    iperf3_port: 5201
  peer:
    ssh: {host: 198.18.0.13, user: root, key_file: ssh/id, known_hosts_file: ssh/hosts}
    address: 198.18.4.10
    gateway_port: port3
"""

PROFILES = """\
default: quick
profiles:
  quick:
    description: for tests
    source: Gatepass's own
    trial_s: 4
    omit_s: 1
    streams: 4
    interval_s: 1
    min_trials: 3
    budget_s: 25
    confidence: 0.95
"""


def load(kind: str, path: Path) -> object:
    if kind == "order":
        return load_order(path, CATALOGUE)
    loaders: dict[str, Callable[[Path], object]] = {
        "testbed": load_testbed,
        "profiles": load_profile,
        "catalogue": load_catalogue,
    }
    return loaders[kind](path)


def refusal(kind: str, path: Path) -> str:
    """The one sentence with which a file is refused."""
    with pytest.raises(InputError) as caught:
        load(kind, path)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    assert sentence.endswith((".", "?"))
    assert len(sentence) < 600
    shown = "".join(traceback.format_exception(caught.value))
    assert "pydantic" not in sentence
    assert SECRET not in sentence
    assert "ValidationError" not in shown, "the values that pydantic saw hang on the exception"
    return sentence


def bed(folder: Path, token: str = "{file: api-token}") -> testbed.Testbed:
    path = folder / "testbed.yaml"
    path.write_text(TESTBED.replace("{file: api-token}", token))
    return load_testbed(path)
