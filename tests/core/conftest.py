"""Fixtures of the core's tests."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "lab"))

from api_server import ScriptedApi
from gateway_client import TOKEN, GatewayUnderTest, make_certificates
from local_shell import LocalShell

from gatepass.gateway import fortigate
from gatepass.gateway.changes import Changes
from gatepass.gateway.configuration import comparable
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.journal import NAME, Journal
from gatepass.gateway.undo import SAVED

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ca.pem, server.pem and server.key."""
    folder = tmp_path_factory.mktemp("certificates") / "tls"
    make_certificates(folder)
    return folder


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same number of tries, in no time."""
    monkeypatch.setattr(fortigate, "_BACK_OFF_S", (0.01, 0.02, 0.03, 0.04, 0.05))


@pytest.fixture
def api(certificates: Path) -> Iterator[ScriptedApi]:
    """An HTTPS server that answers what a test tells it to."""
    with ScriptedApi(certificates) as server:
        yield server


@pytest.fixture
def client(api: ScriptedApi, certificates: Path, quick_retries: None) -> Iterator[FortiGate]:
    """A client of that server."""
    one = FortiGate(api.url, "the-secret-token", certificates / "ca.pem", timeout_s=0.3)
    yield one
    one.close()


@pytest.fixture(scope="session")
def lab_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayUnderTest]:
    """The lab's gateway as a provider delivers it, with a data plane that only remembers."""
    folder = tmp_path_factory.mktemp("gateway")
    process = GatewayUnderTest(folder, delivered=ROOT / "lab" / "delivered.conf")
    yield process
    if process.process is not None:
        process.kill()
    process.session.close()


@pytest.fixture
def device(lab_process: GatewayUnderTest) -> Iterator[GatewayUnderTest]:
    """The same without faults, and as it was once the test has ended."""
    before = lab_process.call(
        "POST", "monitor/system/config/backup", {"destination": "file", "scope": "global"}
    ).text
    yield lab_process
    lab_process.control("DELETE", "/faults")
    # the connection may be one that a fault has spoilt
    lab_process.session.close()
    content = base64.b64encode(before.encode()).decode()
    lab_process.post(
        "monitor/system/config/restore",
        {"source": "upload", "scope": "global", "file_content": content},
    )


@pytest.fixture
def gateway(device: GatewayUnderTest, quick_retries: None) -> Iterator[FortiGate]:
    """A client of the lab's gateway."""
    one = FortiGate(device.url, TOKEN, device.folder / "tls" / "ca.pem", timeout_s=5)
    yield one
    one.close()


@pytest.fixture
def changes(gateway: FortiGate, tmp_path: Path) -> Iterator[Changes]:
    """What a run changes on that gateway, with its journal."""
    mark = "gp0a1b2c"
    (tmp_path / SAVED).write_text(comparable(gateway.backup()))
    journal = Journal.start(tmp_path / NAME, {"mark": mark})
    yield Changes(gateway, journal, mark)
    journal.release()


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[LocalShell]:
    """A shell on this machine."""
    yield LocalShell("client", tmp_path)


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[LocalShell]:
    """A shell in a network namespace of its own, where programs may listen."""
    if os.geteuid():
        pytest.skip("a network namespace needs root")
    words = ["unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec sleep 120"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "up\n"
        yield LocalShell("client", tmp_path, ("nsenter", "--net", "--target", str(holder.pid)))
        holder.kill()
