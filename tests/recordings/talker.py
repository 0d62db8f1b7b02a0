"""The lab's gateway with a data plane that only remembers, and calls of the command line with it.

What only talks to the REST API needs no more: no root, no network namespace, no endpoint.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

sys.path.append(str(Path(__file__).parents[1] / "lab"))

from gateway_client import GatewayUnderTest

import command_line
import ssh_files

ROOT = Path(__file__).resolve().parents[2]
DELIVERED = ROOT / "lab" / "delivered.conf"


def call(results: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`python -m gatepass …`, whose results go to a folder of their own."""
    own = {
        "PYTHONPATH": str(ROOT / "libraries"),
        "GATEPASS_RESULTS": str(results),
        "GATEPASS_PDF": "no",
    }
    return command_line.call(
        "gatepass", *words, folder=ROOT, environment={**os.environ, **own}, patience_s=120
    )


def testbed_of(gateway: GatewayUnderTest) -> Path:
    """A testbed with this gateway, whose endpoints are nowhere."""
    folder = gateway.folder
    for name, content in (("key", ssh_files.private_key()), ("known", "-\n")):
        (folder / name).write_text(content)
    for name in ("key", "api-token"):
        (folder / name).chmod(0o600)
    ends = {}
    for number, end in enumerate(("client", "server"), start=1):
        ssh = {"host": f"192.0.2.{number}", "user": "nobody"}
        ssh |= {"key_file": "key", "known_hosts_file": "known"}
        ends[end] = {"ssh": ssh, "address": f"198.18.{number}.10"}
    ports = {"client_port": "port2", "server_port": "port1"}
    reached = {"url": gateway.url, "ca_file": "tls/ca.pem", "token": {"file": "api-token"}}
    path = folder / "testbed.yaml"
    content = {"testbed": "lab-talks", "gateway": reached | ports, "endpoints": ends}
    path.write_text(yaml.safe_dump(content))
    return path


def record(
    gateway: GatewayUnderTest, path: Path, results: Path, *words: str
) -> subprocess.CompletedProcess[str]:
    """Record a run of the checks that only talk."""
    testbed = testbed_of(gateway)
    own = ("--testbed", str(testbed), "--profile", "smoke", "--record-api", str(path))
    return call(results, "run", *own, *words, "--", "--include", "api")


@contextmanager
def a_gateway(folder: Path, version: str) -> Iterator[GatewayUnderTest]:
    """One of this release, as a provider delivers it."""
    folder.mkdir()
    gateway = GatewayUnderTest(folder, version, DELIVERED)
    try:
        yield gateway
    finally:
        gateway.stop()
        gateway.session.close()
