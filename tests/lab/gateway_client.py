"""Starts gateways for tests and talks to them."""

from __future__ import annotations

import datetime
import http.client
import ipaddress
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

ROOT = Path(__file__).parents[2]
TOKEN = "token-of-the-tests"
START_SECONDS = 120
TIMEOUT = 60


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def make_certificates(folder: Path) -> None:
    """A CA and a server certificate for 127.0.0.1, as the lab makes them."""
    folder.mkdir()
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, n)]) for n in ("ca", "server")]
    now = datetime.datetime.now(datetime.UTC)
    for index, file in enumerate(("ca.pem", "server.pem")):
        builder = (
            x509.CertificateBuilder().subject_name(names[index]).issuer_name(names[0])
            .public_key(keys[index].public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=index == 0, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(keys[index].public_key()),
                           critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(
                keys[0].public_key()), critical=False)
        )
        if index == 0:
            builder = builder.add_extension(x509.KeyUsage(
                True, False, False, False, False, True, True, False, False), critical=True)
        else:
            address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
            builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        certificate = builder.sign(keys[0], hashes.SHA256())
        (folder / file).write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "server.key").write_bytes(keys[1].private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()))


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, file: Path) -> None:
        super().__init__("localhost", timeout=TIMEOUT)
        self._file = file

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(TIMEOUT)
        self.sock.connect(str(self._file))


class GatewayUnderTest:
    """One gateway process and a client of it."""

    def __init__(self, folder: Path, version: str = "7.4.8", delivered: Path | None = None) -> None:
        self.folder = folder
        self.version = version
        self.delivered = delivered
        self.port = free_port()
        make_certificates(folder / "tls")
        (folder / "api-token").write_text(TOKEN + "\n")
        self.process: subprocess.Popen[str] | None = None
        self.session = self.new_session()
        self.start()

    def new_session(self, token: str | None = TOKEN) -> requests.Session:
        """A client that trusts the gateway's CA."""
        session = requests.Session()
        session.verify = str(self.folder / "tls" / "ca.pem")
        session.trust_env = False
        if token is not None:
            session.headers["Authorization"] = f"Bearer {token}"
        return session

    def start(self) -> None:
        """Start the process and wait until it is ready."""
        command = [sys.executable, str(Path(__file__).with_name("fake_gateway.py")),
                   str(self.folder), str(self.port), self.version]
        if self.delivered is not None:
            command.append(str(self.delivered))
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT,
                                        env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert self.process.stdout is not None
        readable, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        assert readable, "the gateway did not get ready in time"
        assert self.process.stdout.readline() == "ready\n"

    def kill(self) -> None:
        """End the process without warning."""
        assert self.process is not None
        self.process.kill()
        self._reap()

    def stop(self) -> int:
        """End the process in order; answers its exit code."""
        assert self.process is not None
        self.process.terminate()
        return self._reap()

    def _reap(self) -> int:
        assert self.process is not None and self.process.stdout is not None
        try:
            return self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGUSR1)  # has it tell where it is
            time.sleep(1)
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process.stdout.close()
            self.process = None

    @property
    def url(self) -> str:
        """Where the gateway answers."""
        return f"https://127.0.0.1:{self.port}"

    def call(self, method: str, path: str, body: Any = None, **rest: Any) -> requests.Response:
        """One call of the API; the path is the one behind `/api/v2/`."""
        return self.session.request(method, f"{self.url}/api/v2/{path}", json=body,
                                    timeout=TIMEOUT, **rest)

    def get(self, path: str, **rest: Any) -> Any:
        """The results of a GET that must succeed."""
        response = self.call("GET", path, **rest)
        assert response.status_code == 200, response.text
        return response.json()["results"]

    def names(self, path: str, key: str = "name") -> list[Any]:
        """The keys of a table's rows in their order."""
        return [row[key] for row in self.get(f"cmdb/{path}", params={"format": key})]

    def post(self, path: str, body: Any, **rest: Any) -> dict[str, Any]:
        """A POST that must succeed."""
        response = self.call("POST", path, body, **rest)
        assert response.status_code == 200, response.text
        return response.json() if response.content else {}

    def put(self, path: str, body: Any, **rest: Any) -> dict[str, Any]:
        """A PUT that must succeed."""
        response = self.call("PUT", path, body, **rest)
        assert response.status_code == 200, response.text
        return response.json()

    def delete(self, path: str, **rest: Any) -> dict[str, Any]:
        """A DELETE that must succeed."""
        response = self.call("DELETE", path, **rest)
        assert response.status_code == 200, response.text
        return response.json()

    def control(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """One call of the lab's own socket."""
        connection = _UnixConnection(self.folder / "control.sock")
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def applied(self) -> dict[str, Any]:
        """What the data plane was told last, once it has been told everything."""
        deadline = time.monotonic() + TIMEOUT
        while not self.control("GET", "/state")[1]["settled"]:
            assert time.monotonic() < deadline, "the configuration was not applied in time"
            time.sleep(0.01)
        return json.loads((self.folder / "applied.json").read_text())


def policy(name: str, **rest: Any) -> dict[str, Any]:
    """A policy that permits HTTPS from inside to outside."""
    return {
        "policyid": 0, "name": name, "srcintf": [{"name": "port2"}],
        "dstintf": [{"name": "port1"}], "srcaddr": [{"name": "all"}],
        "dstaddr": [{"name": "all"}], "service": [{"name": "HTTPS"}], "schedule": "always",
        "action": "accept", **rest,
    }
