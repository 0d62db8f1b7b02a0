"""What an open TCP port speaks: TLS, SSH, or something that everybody on the way can read."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass

TLS, SSH, REDIRECT, CLEAR, UNKNOWN = "TLS", "SSH", "redirect", "clear text", "unknown"
_PATIENCE_S = 1.5
_TLS_RECORDS = (b"\x16\x03", b"\x15\x03")
"""Handshake and alert of SSL 3 to TLS 1.3 (RFC 8446, 5.1): whoever sends one speaks TLS."""
_TELNET = b"\xff"
_CALLS = (("GET", "/api/v2/monitor/system/status"), ("POST", "/logincheck"))
"""Where a token and where a password would be sent (FortiOS)."""
_HTTP = re.compile(rb"HTTP/\S+ (\d{3})")
_LOCATION = re.compile(rb"\r\nLocation: *([^\r\n]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Spoken:
    """What one port speaks.

    Attributes:
        port: which.
        language: TLS, SSH, redirect (HTTP that does no more than send the caller to HTTPS), clear
            text, or unknown (it takes connections and says nothing).
        words: what it answered, for a reader; empty for TLS and SSH.
    """

    port: int
    language: str
    words: str = ""

    def __str__(self) -> str:
        match self.language:
            case "redirect":
                return f"port {self.port} only sends the caller to {self.words}"
            case "clear text":
                return f"port {self.port} answers {self.words} to a call in clear text"
            case "unknown":
                return f"port {self.port} accepts connections but sends nothing"
        return f"port {self.port} speaks {self.language}"


def language_of(host: str, port: int) -> Spoken:
    """Ask a port first for TLS, then for HTTP.

    A redirect is no clear text: it gives nothing away and takes nothing in, whatever is called.
    So the calls that would carry a token and a password both have to be sent on.

    Args:
        host: name or address.
        port: that takes connections.
    """
    first = _answer(host, port, _client_hello(), lambda got: True)
    if first.startswith(_TLS_RECORDS):
        return Spoken(port, TLS)
    if first.startswith(b"SSH-"):
        return Spoken(port, SSH)
    targets = []
    for method, path in _CALLS:
        request = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n"
        got = _answer(host, port, request.encode(), lambda got: b"\r\n\r\n" in got)
        status = _HTTP.match(got)
        if not status:
            return _in_other_words(port, got or first)
        target = _LOCATION.search(got)
        if not (status[1].startswith(b"3") and target and target[1].startswith(b"https://")):
            return Spoken(port, CLEAR, f"HTTP {status[1].decode()}")
        targets.append(target[1].decode("latin-1"))
    return Spoken(port, REDIRECT, targets[0])


def _in_other_words(port: int, got: bytes) -> Spoken:
    if not got:
        return Spoken(port, UNKNOWN)
    if got.startswith(_TELNET):
        return Spoken(port, CLEAR, "Telnet")
    text = re.sub(r"[^ -~]+", " ", got.decode("latin-1")).strip()[:40]
    return Spoken(port, CLEAR, f"“{text}”" if text else f"{len(got)} bytes")


def _client_hello() -> bytes:
    """What a client of any TLS version sends first."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # another check is about the certificate
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
    sent = ssl.MemoryBIO()
    try:
        context.wrap_bio(ssl.MemoryBIO(), sent).do_handshake()
    except ssl.SSLWantReadError:
        return sent.read()
    raise AssertionError("a handshake cannot end without an answer")


def _answer(host: str, port: int, request: bytes, whole: Callable[[bytes], bool]) -> bytes:
    """What comes back, until it is whole, the port is silent or the connection ends."""
    got = b""
    try:
        with socket.create_connection((host, port), timeout=_PATIENCE_S) as connection:
            connection.sendall(request)
            while piece := connection.recv(4096):
                got += piece
                if whole(got):
                    break
    except OSError:
        pass  # what came before that is the answer
    return got
