"""Remote users of the SSL VPN: real clients in the rig's client namespace, many at once."""

from __future__ import annotations

import base64
import hashlib
import re
import socket
import ssl
import struct
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import DNSName, load_pem_x509_certificate
from dataplane_config import address, config, policy, refs
from dataplane_rig import Rig, Transfer

from lab.base.certificates import Authority
from lab.base.process import wait_until

GATE, PORT = "198.18.1.1", 10443
PASSWORD = "a password of the tests"
POOL_BEGIN = "198.19.210.1"
_ANSWER_S = 4.0
"""On a busy machine a packet through a user-space tunnel may have to be sent again, after 1 s."""
_GREETING = b"x" * 200
CERTIFICATE, KEY = (
    pem.decode() for pem in Authority("rig").server("rig", DNSName("rig"))
)

# Each user has routes of the own; which are taken is told by the address that traffic comes from.
_SCRIPT = """#!/bin/sh
table=$((1000 + ${TUNDEV#vpn}))
case "$reason" in
connect|reconnect)
    ip link set "$TUNDEV" up mtu "$INTERNAL_IP4_MTU"
    ip addr replace "$INTERNAL_IP4_ADDRESS/32" dev "$TUNDEV"
    if [ -n "$CISCO_SPLIT_INC" ]; then
        n=0
        while [ $n -lt "$CISCO_SPLIT_INC" ]; do
            eval "net=\\$CISCO_SPLIT_INC_${n}_ADDR/\\$CISCO_SPLIT_INC_${n}_MASKLEN"
            ip route replace "$net" dev "$TUNDEV" table $table
            n=$((n + 1))
        done
    else
        ip route replace default dev "$TUNDEV" table $table
    fi
    ip rule add from "$INTERNAL_IP4_ADDRESS" lookup $table
    env > "FOLDER/$TUNDEV.env" ;;
disconnect)
    ip rule del from "$INTERNAL_IP4_ADDRESS" lookup $table ;;
esac
"""


def user_row(name: str, **attributes: object) -> dict:
    """A local user."""
    row = {"name": name, "type": "password", "status": "enable", "passwd": PASSWORD}
    return row | {key.replace("_", "-"): value for key, value in attributes.items()}


def remote_policy(policyid: int, **attributes: object) -> dict:
    """A policy that lets the members of the group `vpn` reach the server's side."""
    return policy(policyid, **{"srcintf": refs("ssl.root"), "groups": refs("vpn")} | attributes)


def pool(count: int, first: str = POOL_BEGIN) -> dict:
    """An address object of this many addresses."""
    begin = int.from_bytes(socket.inet_aton(first))
    last = socket.inet_ntoa((begin + count - 1).to_bytes(4))
    return {"name": "pool", "type": "iprange", "start-ip": first, "end-ip": last}


def remote_config(
    *policies: dict,
    users: Sequence[dict] = (),
    groups: dict[str, Sequence[str]] | None = None,
    addresses: int = 20,
    portal: dict | None = None,
    more: Sequence[dict] = (),
    **settings: object,
) -> dict:
    """A configuration with the SSL VPN on at the client's side.

    Args:
        policies: rows of firewall/policy.
        users: rows of user/local; alice and bob if left out.
        groups: group -> members; the group vpn with all users if left out.
        addresses: how many the pool holds.
        portal: attributes of the portal; it splits to the server's network if left out.
        more: rows of firewall/address.
        settings: of vpn.ssl/settings, with `_` for `-`.
    """
    users = list(users) or [user_row("alice"), user_row("bob")]
    groups = {"vpn": [user["name"] for user in users]} if groups is None else groups
    net = address("servers", "198.18.2.0 255.255.255.0")
    rows = config(*policies, address=[pool(addresses), net, *more])
    rows["system/interface"] += [{"name": "ssl.root", "type": "tunnel"}]
    rows["user/local"] = users
    rows["user/group"] = [
        {"name": name, "member": refs(*members)} for name, members in groups.items()
    ]
    rows["vpn.certificate/local"] = [
        {"name": "Fortinet_Factory", "certificate": CERTIFICATE, "private-key": KEY}
    ]
    rows["vpn.ssl.web/portal"] = [
        {
            "name": "portal",
            "tunnel-mode": "enable",
            "ip-pools": refs("pool"),
            "split-tunneling": "enable",
            "split-tunneling-routing-address": refs("servers"),
        }
        | (portal or {})
    ]
    rows["vpn.ssl/settings"] = [
        {
            "status": "enable",
            "port": PORT,
            "source-interface": refs("port2"),
            "source-address": refs("all"),
            "servercert": "Fortinet_Factory",
            "login-attempt-limit": 0,
            "authentication-rule": [
                {"id": 1, "groups": refs(*groups)[:1], "users": [], "portal": "portal"}
            ],
        }
        | {key.replace("_", "-"): value for key, value in settings.items()}
    ]
    return rows


def pin() -> str:
    """The pin of the server's key, as openconnect takes it."""
    key = load_pem_x509_certificate(CERTIFICATE.encode()).public_key()
    public = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return "pin-sha256:" + base64.b64encode(hashlib.sha256(public).digest()).decode()


def fingerprint() -> str:
    """The sum of the server's certificate, as openfortivpn takes it."""
    return load_pem_x509_certificate(CERTIFICATE.encode()).fingerprint(hashes.SHA256()).hex()


class Openconnect:
    """One user with the real client.

    Args:
        rig: whose client namespace it runs in.
        folder: for script and log.
        number: of the user; names the interface.
        name: of the user.
        password: what the user types.
        options: more of the client's.
    """

    def __init__(
        self,
        rig: Rig,
        folder: Path,
        number: int = 0,
        name: str = "alice",
        password: str = PASSWORD,
        *options: str,
    ) -> None:
        self.interface = f"vpn{number}"
        self.log = folder / f"{self.interface}.log"
        self._rig, self._env = rig, folder / f"{self.interface}.env"
        self._env.unlink(missing_ok=True)
        script = folder / "script"
        if not script.exists():
            script.write_text(_SCRIPT.replace("FOLDER", str(folder)))
            script.chmod(0o755)
        command = ["openconnect", "--protocol=fortinet", "--no-dtls", "--passwd-on-stdin"]
        command += ["--non-inter", "-u", name, "--servercert", pin(), "-s", str(script)]
        command += ["-i", self.interface, *options, f"{GATE}:{PORT}"]
        with self.log.open("wb") as log:
            self.process = rig.client(
                subprocess.Popen, command, stdin=subprocess.PIPE, stdout=log, stderr=log
            )
        assert self.process.stdin is not None
        self.process.stdin.write(password.encode() + b"\n")
        self.process.stdin.close()

    def comes_up(self, seconds: float = 10) -> bool:
        """Whether the tunnel is there in time."""
        wait_until(lambda: self._env.exists() or self.process.poll() is not None, seconds)
        return self._env.exists() and self.process.poll() is None

    @property
    def address(self) -> str:
        """The address that the user was given."""
        return self.told("INTERNAL_IP4_ADDRESS")

    def told(self, name: str) -> str:
        """What the client told its script."""
        wait_until(lambda: "CISCO_CSTP" in self._env.read_text() or time.sleep(0.05), 0.2)
        found = re.search(rf"^{name}=(.*)$", self._env.read_text(), re.MULTILINE)
        return found[1] if found else ""

    def ended(self, seconds: float = 10) -> int | None:
        """The client's exit code, once it has ended; None if it does not in time."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def log_out(self) -> None:
        """Leave as a user does."""
        self.process.send_signal(2)
        self.ended()

    def break_off(self) -> None:
        """End without a word."""
        self.process.kill()
        self.process.wait()

    def tcp(self, dest: str = "198.18.2.10", port: int = 8080) -> str | None:
        """Connect from the user's address; the address that the server saw, None if none."""
        with self._rig.listening(port) as listener:
            sock = self._rig.client.socket(socket.AF_INET, socket.SOCK_STREAM)
            with sock:
                sock.settimeout(_ANSWER_S)
                try:
                    sock.bind((self.address, 0))
                    sock.connect((dest, port))
                    listener.settimeout(_ANSWER_S)
                    accepted, peer = listener.accept()
                    accepted.settimeout(_ANSWER_S)
                    sock.sendall(_GREETING)
                    accepted.sendall(accepted.recv(len(_GREETING)))
                    sock.recv(len(_GREETING))
                except OSError:
                    return None
                _reset(accepted)
                _reset(sock)
        return peer[0].removeprefix("::ffff:")


def _reset(sock: socket.socket) -> None:
    """Close without a farewell.

    One that is lost as the tunnel goes is sent again and again, from the address of this user,
    and counts as sent by the user who is given that address next.
    """
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def users(rig: Rig) -> list[dict]:
    """Who is logged in, by the gateway."""
    return rig.gateway(rig.plane.remote_users)["sessions"]


def bytes_from(rig: Rig, name: str) -> int:
    """What a user has sent."""
    return next(row["in_bytes"] for row in users(rig) if row["user"] == name)


def connection(rig: Rig, deadline: float = 2) -> ssl.SSLSocket:
    """A TLS connection to the server, by a client of our own."""
    sock = rig.client.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.settimeout(deadline)
    sock.connect((GATE, PORT))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(sock)


def ask(sock: ssl.SSLSocket, method: str, path: str, cookie: str = "", body: str = "") -> str:
    """The answer to a request, head and body."""
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nCookie: SVPNCOOKIE={cookie}\r\n"
    sock.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    text = ""
    while "\r\n\r\n" not in text:
        text += sock.recv(65536).decode()
    head, _, rest = text.partition("\r\n\r\n")
    length = int(head.partition("Content-Length: ")[2].split("\r\n")[0])
    while len(rest) < length:
        rest += sock.recv(65536).decode()
    return f"{head}\n{rest}"


def cookie_of(rig: Rig, name: str = "alice") -> str:
    """The cookie of a user who logs in."""
    with connection(rig) as sock:
        form = f"username={name}&credential={PASSWORD.replace(' ', '+')}&realm=&ajax=1"
        answer = ask(sock, "POST", "/remote/logincheck", body=form)
    return answer.partition("SVPNCOOKIE=")[2].partition(";")[0]


def status(rig: Rig, path: str, cookie: str) -> int:
    with connection(rig) as sock:
        return int(ask(sock, "GET", path, cookie).split()[1])


class TunnelTransfer(Transfer):
    """A connection through a user's tunnel over which bytes go."""

    def __init__(self, rig: Rig, source: str) -> None:
        self._bind = source
        super().__init__(_Bound(rig, source), 8098)


class _Bound:
    """The rig, with sockets of the client bound to an address."""

    def __init__(self, rig: Rig, source: str) -> None:
        self.client, self.listening = self, rig.listening
        self._rig, self._source = rig, source

    def socket(self, family: int, kind: int) -> socket.socket:
        sock = self._rig.client.socket(family, kind)
        sock.bind((self._source, 0))
        return sock


def openfortivpn(rig: Rig, settings: Path, password: str) -> subprocess.Popen:
    """Start the client of that name for alice.

    Args:
        settings: file that it reads them from, made here.
        password: that she types.
    """
    settings.write_text(
        f"username = alice\npassword = {password}\nset-routes = 0\nset-dns = 0\n"
        f"trusted-cert = {fingerprint()}\n"
    )
    settings.chmod(0o600)
    return rig.client.spawn("openfortivpn", "-c", str(settings), "-v", f"{GATE}:{PORT}")
