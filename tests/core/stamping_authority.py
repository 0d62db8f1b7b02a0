"""A time stamping authority on the loopback, whose stamps OpenSSL itself makes."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_SETTINGS = """
[authority]
serial = {folder}/serial
signer_cert = {folder}/authority.pem
certs = {folder}/authority.pem
signer_key = {folder}/authority.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
"""


class Authority(BaseHTTPRequestHandler):
    """Answers requests after RFC 3161, or with `answer`."""

    folder: Path
    answer: bytes | None = None

    def do_POST(self) -> None:
        asked = self.folder / "asked.tsq"
        asked.write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
        body = self.answer
        if body is None:
            command = ["openssl", "ts", "-reply", "-queryfile", str(asked)]
            command += ["-config", str(self.folder / "tsa.conf"), "-section", "authority"]
            body = subprocess.run(command, capture_output=True, check=True).stdout
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def stamping(folder: Path) -> Iterator[tuple[str, Path]]:
    """Its address, and its certificate.

    Args:
        folder: where it keeps its files.
    """
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    made += ["-subj", "/CN=stamps.example.net", "-addext", "extendedKeyUsage=critical,timeStamping"]
    made += ["-keyout", str(folder / "authority.key"), "-out", str(folder / "authority.pem")]
    subprocess.run(made, check=True, capture_output=True)
    (folder / "serial").write_text("01\n")
    (folder / "tsa.conf").write_text(_SETTINGS.format(folder=folder))
    handler = type("_OfFolder", (Authority,), {"folder": folder})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", folder / "authority.pem"
    server.shutdown()
    server.server_close()
