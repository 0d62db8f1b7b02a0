"""The scan for leaks by itself: on a lab, kind by kind, without the rest of a run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from faulty_lab import FaultyLab

from gatepass.base import namespace
from gatepass.endpoint.ssh import SshShell, clean_endpoints
from gatepass.gateway.identity import identify
from gatepass.gateway.rules import RuleSet, TrafficFlow
from gatepass.gateway.workspace import Workspace, connect, new_mark
from gatepass.inputs import load_testbed
from gatepass.scenarios.leaks.conduct import Prepared, prepare
from gatepass.scenarios.leaks.findings import Findings

PPS = 100_000


class LeakScanner:
    """A lab whose gateway has the policies of a scan.

    Args:
        prepared: gateway, endpoints and ways.
    """

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared

    def scan(self, kinds: Sequence[str], beside_first: bool = False) -> Findings:
        """Send packets of these kinds on all ways.

        Args:
            kinds: of packets.
            beside_first: whether they have to pass without the gateway before.
        """
        return self._prepared.scan(PPS, kinds, beside_first)


@contextmanager
def scanner_in(lab: FaultyLab) -> Iterator[LeakScanner]:
    """Have the policies of a scan on a lab's gateway for as long as the block lasts."""
    testbed = load_testbed(lab.testbed)
    mark, shells = new_mark(), {}
    with (
        tempfile.TemporaryDirectory() as folder,
        namespace.inside(testbed.network_namespace, testbed.path),
    ):
        gateway = connect(testbed)
        identity = identify(gateway, testbed.gateway.host)
        workspace = Workspace.open(
            testbed, gateway, identity, Path(folder), mark, clean_endpoints
        )
        ends, ports = testbed.endpoints, testbed.gateway
        flow = TrafficFlow(
            ends.client.address, ends.server.address, ports.client_port, ports.server_port
        )
        try:
            for name, host in ends.named.items():
                shells[name] = SshShell(name, host, mark)
                shells[name].connect()
            rules = RuleSet(gateway, workspace.changes, flow)
            yield LeakScanner(prepare(gateway, rules, testbed, shells))
        finally:
            workspace.restore()
            workspace.changes.journal.release()
            for shell in shells.values():
                shell.clean_up()
                shell.close()
            gateway.close()
