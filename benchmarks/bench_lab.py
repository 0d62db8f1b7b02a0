"""A lab that a benchmark builds, uses and takes down."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks import PROJECT
from gatepass.base import namespace
from gatepass.endpoint.ssh import SshShell
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.journal import Journal
from gatepass.gateway.rules import RuleSet, TrafficFlow
from gatepass.inputs import load_testbed
from gatepass.inputs.testbed import Testbed

MARK = "gpbench"
SHAPER = "firewall.shaper/traffic-shaper"


class BenchLab:
    """One lab; its gateway and endpoints as the suite sees them.

    Args:
        folder: empty; for this lab and what is kept of it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "LAB_FOLDER": str(folder / "labs"),
            "GATEPASS_RESULTS": str(folder / "results"),
            "PYTHONPATH": os.pathsep.join((str(PROJECT / "libraries"), str(PROJECT))),
        }
        (folder / "results").mkdir(parents=True)
        self.testbed_file = folder / "labs" / "bench" / "testbed.yaml"

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Call a module of the project against this lab's folders."""
        return subprocess.run(
            [sys.executable, *words],
            cwd=PROJECT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def last_run(self) -> Path:
        """The folder of the last run; the record of all runs lies beside them."""
        return max(path for path in (self.folder / "results").iterdir() if path.is_dir())

    def up(self) -> None:
        """Build it."""
        self.must("lab", "up", "bench")

    def down(self) -> None:
        """Take it down."""
        self.must("lab", "down", "bench")

    def in_gateway(self, *command: str) -> str:
        """What a command prints in the gateway's node."""
        return self.must("lab", "exec", "gateway", "--lab", "bench", "--", *command)

    def must(self, module: str, *words: str) -> str:
        """What a module of the project prints; ends the benchmark where it fails."""
        done = self.python("-m", module, *words)
        if done.returncode:
            raise SystemExit(f"{module} {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    @property
    def testbed(self) -> Testbed:
        """The lab's testbed file."""
        return load_testbed(self.testbed_file)

    def gateway(self, kind: type[FortiGate] = FortiGate) -> FortiGate:
        """A client of the gateway; its calls have to be made `inside`."""
        device = self.testbed.gateway
        return kind(device.url, device.token.read(), device.ca_file, device.vdom, timeout_s=120)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Work where the lab's management network is."""
        with namespace.inside(self.testbed.network_namespace, self.testbed_file):
            yield

    def without_shaper(self, gateway: FortiGate) -> None:
        """Take away the limit that the provider configured."""
        for table, key in (("firewall/shaping-policy", "id"), (SHAPER, "name")):
            for row in gateway.rows(table):
                if table != SHAPER or row[key].startswith("sgw-"):
                    gateway.delete(table, row[key])

    def rules(self, gateway: FortiGate) -> RuleSet:
        """Test policies by the suite's own code."""
        ends, ports = self.testbed.endpoints, self.testbed.gateway
        addresses = (ends.client.address, ends.server.address)
        flow = TrafficFlow(*addresses, ports.client_port, ports.server_port)
        return RuleSet(gateway, self.changes(gateway), flow)

    def changes(self, gateway: FortiGate) -> Changes:
        """Changes to the gateway with a journal of their own."""
        journal = Journal.start(self.folder / f"journal-{len(os.listdir(self.folder))}", {})
        return Changes(gateway, journal, MARK)

    @contextmanager
    def endpoints(self) -> Iterator[tuple[SshShell, SshShell]]:
        """Client and server over SSH; what was started there is ended."""
        with self.endpoint("client") as client, self.endpoint("server") as server:
            yield client, server

    @contextmanager
    def endpoint(self, name: str) -> Iterator[SshShell]:
        """One endpoint over SSH; what was started there is ended."""
        with self.inside():
            shell = SshShell(name, self.testbed.endpoints.named[name], MARK)
            shell.connect()
        try:
            yield shell
        finally:
            shell.clean_up()
            shell.close()


@contextmanager
def labs(count: int = 1) -> Iterator[list[BenchLab]]:
    """Labs side by side, taken down whatever happens."""
    root = Path(tempfile.mkdtemp(prefix="gatepass-bench-"))
    try:
        with ExitStack() as stack:
            made = []
            for number in range(count):
                one = BenchLab(root / str(number))
                one.up()
                stack.callback(one.down)
                made.append(one)
            yield made
    finally:
        shutil.rmtree(root, ignore_errors=True)
