"""Three network namespaces in a row (client, gateway, server) for the data plane's tests.

A namespace lives in a thread of the test process and has no name and no process of its own, so
nothing is left of it when the process ends, however it ends.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from pyroute2 import IPRoute

from lab.base.process import wait_until
from lab.gateway.dataplane import DataPlane

T = TypeVar("T")
_CLONE_NEWNET = 0x40000000

CLIENT, SERVER, GATEWAY = "198.18.1.10", "198.18.2.10", "198.18.2.1"
CLIENT6, SERVER6, GATEWAY6 = "2001:2:0:1::10", "2001:2:0:2::10", "2001:2:0:2::1"


class Node:
    """A network namespace, entered by one thread."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, initializer=self._enter)
        self.ns_fd: int = self(self._open)

    @staticmethod
    def _enter() -> None:
        if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "unshare")

    @staticmethod
    def _open() -> int:
        return os.open("/proc/thread-self/ns/net", os.O_RDONLY)

    def __call__(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Run a function in the namespace."""
        return self._thread.submit(function, *args, **kwargs).result(timeout=60)

    def socket(self, family: int, kind: int, protocol: int = 0) -> socket.socket:
        """A socket of the namespace; it stays there wherever it is used."""
        sock = self(socket.socket, family, kind, protocol)
        sock.settimeout(1)
        return sock

    def spawn(self, *argv: str) -> subprocess.Popen:
        """Start a command in the namespace."""
        return self(
            subprocess.Popen, argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def iperf3_server(self, port: int = 5201) -> subprocess.Popen:
        """Start an iperf3 server for one test; it listens once this returns."""
        server = self.spawn("iperf3", "-s", "-1", "-p", str(port))
        listens = ("ss", "-Hltn", f"sport = :{port}")
        assert wait_until(lambda: bool(self.spawn(*listens).communicate(timeout=60)[0]), 60)
        return server

    def close(self) -> None:
        os.close(self.ns_fd)
        self._thread.shutdown()


class Rig:
    """Client - gateway - server, with the gateway's data plane."""

    def __init__(self, folder: Path) -> None:
        self.client, self.gateway, self.server = Node(), Node(), Node()
        self.client(_cable, self.gateway.ns_fd, "port2", ("198.18.1.10/24", f"{CLIENT6}/64"))
        self.server(_cable, self.gateway.ns_fd, "port1", ("198.18.2.10/24", f"{SERVER6}/64"))
        self.gateway(_loopback)
        self.client(_route, "198.18.1.1", "2001:2:0:1::1")
        self.server(_route, "198.18.2.1", "2001:2:0:2::1")
        self.plane = DataPlane(folder)

    def apply(self, config: Mapping, faults: Mapping | None = None) -> None:
        """Put a configuration in force."""
        self.gateway(self.plane.apply, config, faults or {})

    def counters(self) -> dict:
        """The policies' counters."""
        return self.gateway(self.plane.policy_counters)

    def output(self, *argv: str) -> str:
        """What a program prints in the gateway's namespace."""
        return self.gateway.spawn(*argv).communicate(timeout=60)[0]

    def close(self) -> None:
        for node in (self.client, self.server, self.gateway):
            node.close()

    # Traffic

    def tcp(self, dest: str = SERVER, port: int = 8080, *, back: bool = False) -> str | None:
        """Connect; returns the address that the server saw, None if nothing came through.

        Args:
            dest: address to connect to.
            port: where the server listens, and where to connect to.
            back: connect from the server's node to the client's instead.
        """
        with self.listening(port, back=back) as listener:
            return self.connect(listener, dest, port, back=back)

    @contextmanager
    def listening(self, port: int, *, back: bool = False):
        node = self.client if back else self.server
        with node.socket(socket.AF_INET6, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("::", port))
            listener.listen(16)
            yield listener

    def connect(
        self, listener: socket.socket, dest: str, port: int, *, back: bool = False
    ) -> str | None:
        node = self.server if back else self.client
        family = socket.AF_INET6 if ":" in dest else socket.AF_INET
        with node.socket(family, socket.SOCK_STREAM) as sock:
            sock.settimeout(0.4)
            try:
                sock.connect((dest, port))
            except OSError:
                return None
            accepted, peer = listener.accept()
            with accepted:
                sock.sendall(b"x" * 1000)
                received = b""
                while len(received) < 1000:
                    received += accepted.recv(2000)
        return peer[0].removeprefix("::ffff:")

    def udp(self, dest: str = SERVER, port: int = 9000, size: int = 100) -> str | None:
        """Send one datagram; returns the source that the server saw, None if it did not come."""
        family = socket.AF_INET6 if ":" in dest else socket.AF_INET
        with self.server.socket(socket.AF_INET6, socket.SOCK_DGRAM) as receiver:
            receiver.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            receiver.settimeout(0.3)
            receiver.bind(("::", port))
            with self.client.socket(family, socket.SOCK_DGRAM) as sender:
                sender.sendto(b"y" * size, (dest, port))
                try:
                    return receiver.recvfrom(2000)[1][0].removeprefix("::ffff:")
                except TimeoutError:
                    return None

    def ping(self, dest: str, node: Node | None = None, patience_s: float = 0.4) -> bool:
        """Whether an echo is answered, within some time."""
        sixth = ":" in dest
        family, protocol = (socket.AF_INET6, 58) if sixth else (socket.AF_INET, 1)
        # Each echo is a session of its own, by its identifier. The kernel writes ICMPv6 check sums.
        number = random.randrange(1, 0xF000)
        request = struct.pack("!BBHHH", 128, 0, 0, number, 0)
        if not sixth:
            request = struct.pack("!BBHHH", 8, 0, 0xFFFF - 0x0800 - number, number, 0)
        reply_type, header = (129, 0) if sixth else (0, 20)
        with (node or self.client)(socket.socket, family, socket.SOCK_RAW, protocol) as sock:
            sock.settimeout(patience_s)
            try:
                sock.sendto(request, (dest, 0))
                while True:
                    answer, peer = sock.recvfrom(200)
                    if answer[header] == reply_type and peer[0] == dest:
                        return True
            except OSError:
                return False

    def iperf3(self, *args: str, seconds: float = 1.5, port: int = 5201) -> dict:
        """Run iperf3 from the client to the server; returns its report."""
        server = self.server.iperf3_server(port)
        try:
            client = self.client.spawn(
                "iperf3", "-c", SERVER, "-p", str(port), "-J", "-t", str(seconds), *args
            )
            text, _ = client.communicate(timeout=seconds + 10)
            return json.loads(text[text.index("{") :])  # a warning may come before
        finally:
            server.kill()
            server.communicate()


class Transfer(threading.Thread):
    """A connection over which bytes go until it is stopped or broken."""

    def __init__(self, rig: Rig, port: int = 8099) -> None:
        super().__init__(daemon=True)
        with rig.listening(port) as listener:
            self.sender = rig.client.socket(socket.AF_INET, socket.SOCK_STREAM)
            self.sender.connect((SERVER, port))
            self.receiver, _ = listener.accept()
        self.receiver.settimeout(0.2)
        self.sender.settimeout(0.2)
        self.received, self._on = 0, True
        self.start()

    def run(self) -> None:
        feeder = threading.Thread(target=self._feed, daemon=True)
        feeder.start()
        while self._on:
            with suppress(TimeoutError):
                self.received += len(self.receiver.recv(65536))
        feeder.join()

    def _feed(self) -> None:
        while self._on:
            with suppress(TimeoutError):
                self.sender.send(b"z" * 10_000)
            time.sleep(0.001)

    def goes_on(self, seconds: float = 0.6, patience_s: float = 3.0) -> bool:
        """Whether bytes still arrive after a while; on a busy machine some time later."""
        time.sleep(seconds)
        before = self.received
        return wait_until(lambda: self.received > before, patience_s)

    def stop(self) -> None:
        self._on = False
        self.join(timeout=60)
        self.sender.close()
        self.receiver.close()


def _loopback() -> None:
    with IPRoute() as ipr:
        ipr.link("set", index=1, state="up")


def _cable(gateway_fd: int, port: str, addresses: tuple[str, ...]) -> None:
    _loopback()
    # Without duplicate address detection the IPv6 addresses serve at once.
    Path("/proc/sys/net/ipv6/conf/default/accept_dad").write_text("0")
    with IPRoute() as ipr:
        peer = {"ifname": port, "net_ns_fd": gateway_fd}
        ipr.link("add", ifname="data", kind="veth", peer=peer)
        index = ipr.link_lookup(ifname="data")[0]
        ipr.link("set", index=index, state="up")
        for text in addresses:
            address, length = text.split("/")
            ipr.addr("add", index=index, address=address, prefixlen=int(length), flags=2)


def _route(gateway: str, gateway6: str) -> None:
    with IPRoute() as ipr:
        index = ipr.link_lookup(ifname="data")[0]
        ipr.route("add", dst="198.18.0.0/15", gateway=gateway, oif=index)
        ipr.route("add", dst="2001:2::/48", gateway=gateway6, oif=index, family=socket.AF_INET6)
