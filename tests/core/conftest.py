"""Fixtures of the core's tests."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "lab"))

from api_server import ScriptedApi
from careful_forger import as_of_today, as_suites_were_then
from gateway_client import TOKEN, GatewayUnderTest, make_certificates
from local_shell import LocalShell
from sealed_run import new_key, unpacked
from stamping_authority import stamping

from gatepass.endpoint import datagrams, iperf
from gatepass.gateway import fortigate
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.journal import NAME, Journal
from gatepass.gateway.saved import keep
from gatepass.proof import verify as proof_verify
from gatepass.proof.findings import Findings
from inhabitants import inhabitants
from lab.base.process import kill_and_wait

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
    """A client of that server; a busy machine may be late with an answer."""
    one = FortiGate(api.url, "the-secret-token", certificates / "ca.pem", timeout_s=2)
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
    keep(tmp_path, gateway.backup())
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
        here = os.readlink(f"/proc/{holder.pid}/ns/net")
        # the watch of a rig would be at work for days
        assert kill_and_wait(inhabitants({here})) == []


@pytest.fixture
def one_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device on the way and the receiver are one host, which would count as what drops.

    Who drops is told apart in `test_wire_count`.
    """
    monkeypatch.setattr(datagrams, "must_be_taken", lambda *_: None)
    monkeypatch.setattr(iperf, "counting", lambda *_, **__: nullcontext(lambda: None))


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """A run that was sealed, in a folder of runs."""
    return unpacked(tmp_path / "results")


@pytest.fixture
def same_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """That another copy of Gatepass made the sealed run keeps nobody from vouching for it.

    What only the same copy can make again is left aside as ever.
    """
    monkeypatch.setattr(Findings, "program", property(lambda _: "", lambda *_: None))


@pytest.fixture
def made_here(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sealed run is as this copy of Gatepass would make it, out of suites as they were then."""
    as_suites_were_then(sealed, monkeypatch)
    monkeypatch.setattr(proof_verify, "other_program", lambda folder: "")
    as_of_today(sealed)


@pytest.fixture(scope="session")
def provider_key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of who vouches for the sealed run."""
    return new_key(tmp_path_factory.mktemp("provider") / "key")


@pytest.fixture
def signers(provider_key: Path, tmp_path: Path) -> Path:
    """Who may sign: the provider."""
    kind, public, who = provider_key.with_suffix(".pub").read_text().split()
    path = tmp_path / "signers"
    path.write_text(f'{who} namespaces="gatepass" {kind} {public}\n')
    return path


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A time stamping authority: its address, and its certificate."""
    with stamping(tmp_path_factory.mktemp("authority")) as one:
        yield one
