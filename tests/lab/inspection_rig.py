"""The data plane's rig with real servers behind it: nginx, vsftpd; the client is curl."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from dataplane_config import config, policy, refs
from dataplane_rig import SERVER, SERVER6, Rig

from lab.base.process import die_with_parent, wait_until
from lab.endpoints.server_services import HOST_NAMES, nginx_configuration, vsftpd_configuration

EICAR = b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-" + b"STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"


@dataclass(frozen=True)
class Fetched:
    """What curl got.

    Attributes:
        exit: its exit code.
        status: of HTTP, or the last reply of FTP.
        body: what arrived.
        mbps: what it says of its speed, in Mbit/s.
    """

    exit: int
    status: int
    body: bytes
    mbps: float


class InspectionRig(Rig):
    """Client - gateway - server, with servers."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder
        # vsftpd reads as the user ftp, who may not enter pytest's folders.
        self._public = Path(tempfile.mkdtemp(prefix="gatepass-rig-"))
        self._public.chmod(0o755)
        self.docroot = self._public / "www"
        self.docroot.mkdir(mode=0o755)
        own, empty = folder / "servers", folder / "empty"
        own.mkdir(), empty.mkdir(mode=0o555)
        _certificate(own)
        nginx = own / "nginx.conf"
        nginx.write_text(
            nginx_configuration(own, str(self.docroot), own / "cert.pem", own / "cert.key")
        )
        vsftpd = own / "vsftpd.conf"
        vsftpd.write_text(vsftpd_configuration(own, str(self.docroot), empty))
        self._servers = [
            self._serve("nginx", "-c", str(nginx)),
            self._serve("vsftpd", str(vsftpd)),
        ]
        assert wait_until(lambda: all(map(self._listens, (80, 443, 21))), 30), self._said()

    def _serve(self, *argv: str) -> subprocess.Popen:
        # vsftpd writes its complaints to standard input.
        with (self.folder / "said").open("a+") as said:
            return self.server(
                subprocess.Popen,
                argv,
                stdin=said,
                stdout=said,
                stderr=said,
                process_group=0,
                preexec_fn=die_with_parent(os.getpid()),
            )

    def _said(self) -> str:
        return (self.folder / "said").read_text()

    def _listens(self, port: int) -> bool:
        return f":{port:04X} " in self.server(_tcp_table)

    def put(self, name: str, content: bytes) -> bytes:
        """Have the server offer a file."""
        (self.docroot / name).write_bytes(content)
        (self.docroot / name).chmod(0o644)
        return content

    def curl(self, url: str, *options: str) -> Fetched:
        """Fetch a URL; names such as allowed.lab lead to the server."""
        got = self.folder / "got"
        got.unlink(missing_ok=True)
        names = [
            word
            for name in HOST_NAMES
            for port in (80, 443)
            for word in ("--resolve", f"{name}:{port}:{SERVER}")
        ]
        done = self.client(
            subprocess.run,
            ["curl", "-sS", "-m", "25", "-o", str(got), "-w", "%{json}", *names, *options, url],
            capture_output=True,
            text=True,
        )
        said = json.loads(done.stdout.splitlines()[-1])
        body = got.read_bytes() if got.exists() else b""
        return Fetched(
            done.returncode, said["response_code"], body, said["speed_download"] * 8 / 1e6
        )

    def get(self, name: str, *options: str, host: str = SERVER, scheme: str = "http") -> Fetched:
        """Fetch a file."""
        return self.curl(f"{scheme}://{host}/{name}", "--insecure", *options)

    def ftp(self, name: str, *options: str, host: str = SERVER) -> Fetched:
        """Fetch a file over FTP."""
        return self.curl(f"ftp://{host}/{name}", *options)

    def events(self) -> list[dict]:
        """The security log."""
        path = self.folder / "security.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def close(self) -> None:
        self.gateway(self.plane.close)
        for server in self._servers:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
        shutil.rmtree(self._public)
        super().close()


def inspected(policyid: int = 1, **attributes: object) -> dict:
    """A policy with security profiles."""
    return policy(
        policyid,
        **{
            "srcaddr6": refs("all"),
            "dstaddr6": refs("all"),
            "utm_status": "enable",
            "logtraffic": "utm",
            "ssl_ssh_profile": "certificate-inspection",
            **attributes,
        },
    )


def antivirus(action: str = "block") -> dict:
    """An antivirus profile for HTTP and FTP."""
    return {"name": "av", "http": {"av-scan": action}, "ftp": {"av-scan": action}}


def with_profiles(*policies: dict, tables: Mapping[str, list[dict]] | None = None, **more) -> dict:
    """A configuration with policies and tables of profiles by their CMDB path."""
    rows = config(*policies, **more)
    for path, content in (tables or {}).items():
        rows[path] = [*rows.get(path, []), *content]
    return rows


def av_config(action: str = "block", **attributes: object) -> dict:
    """A configuration with one policy that has antivirus."""
    return with_profiles(
        inspected(av_profile="av", **attributes), tables={"antivirus/profile": [antivirus(action)]}
    )


SERVER6_HOST = f"[{SERVER6}]"


def _tcp_table() -> str:
    return Path("/proc/thread-self/net/tcp6").read_text()


def _certificate(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "lab server")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "cert.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


__all__ = [
    "EICAR",
    "SERVER6_HOST",
    "Fetched",
    "InspectionRig",
    "antivirus",
    "av_config",
    "inspected",
    "with_profiles",
]
