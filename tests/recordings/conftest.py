"""The lab's gateway with faults, a run of what only talks to it, and its recording."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from gatepass.results.outcome import read
from recordings.talker import ROOT, a_gateway, record, testbed_of

FAULTS: dict[str, dict[str, Any]] = {
    "licence-expired": {},
    "clock-off": {"minutes": 10},
    "token-ignored": {},
    "policy-mistake": {"of": "open+unlogged"},
    "delete-ignored": {"path": "user/local"},
    "api-drop": {"path": "monitor/license", "method": "GET", "after": 0, "times": 1},
}
"""What makes checks fail; the connection that breaks off once is tried again."""


@dataclass(frozen=True)
class Recorded:
    """A run that was recorded.

    Attributes:
        file: its recording.
        verdicts: of its checks, by name.
        output: what it printed.
        testbed: path of its testbed, whose gateway is gone.
    """

    file: Path
    verdicts: dict[str, str]
    output: str
    testbed: Path

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text().splitlines()]


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """Of a gateway on which checks pass, fail, and are not proven or not applicable."""
    folder = tmp_path_factory.mktemp("faulty")
    order = yaml.safe_load((ROOT / "variables" / "orders" / "lab.yaml").read_text())
    del order["gateway"]["model"]
    (folder / "order.yaml").write_text(yaml.safe_dump(order))
    file = folder / "faulty.jsonl"
    with a_gateway(folder / "gateway", "7.4.8") as gateway:
        anywhere = {"name": "anywhere", "type": "fqdn", "fqdn": "gateway.test"}
        gateway.post("cmdb/firewall/address", anywhere)
        gateway.post("cmdb/firewall/policy", _unread())
        for name, values in FAULTS.items():
            status, told = gateway.control("PUT", f"/faults/{name}", values)
            assert status < 300, told
        done = record(gateway, file, folder / "results", "--order", str(folder / "order.yaml"))
        testbed = testbed_of(gateway)
    (output,) = folder.glob("results/*/output.xml")
    ran = [one for one in read(output).checks if one.elapsed_s]
    verdicts = {one.name: one.verdict for one in ran}
    yield Recorded(file, verdicts, done.stdout + done.stderr, testbed)


def _unread() -> dict[str, Any]:
    """A policy of which nobody can say by reading what it matches."""
    names = {"srcintf": "port2", "dstintf": "port1", "srcaddr": "all", "dstaddr": "anywhere"}
    return {
        **{attribute: [{"name": name}] for attribute, name in names.items()},
        "policyid": 8, "name": "unread", "service": [{"name": "SSH"}], "schedule": "always",
        "action": "accept", "status": "enable", "logtraffic": "all",
    }
