"""A testbed for `doctor`: the lab's gateway, whose data plane only remembers, and played hosts."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from gateway_client import GatewayUnderTest

import ssh_files
from gatepass.base.errors import NotProven
from gatepass.base.finding import Finding
from gatepass.doctor import examination
from gatepass.doctor.examination import Examination, examine
from gatepass.endpoint.completed import Completed
from gatepass.endpoint.needs import programs
from gatepass.endpoint.script import Script, must_be_script
from gatepass.endpoint.shell import EndpointLost
from gatepass.gateway.fortigate import FortiGate
from gatepass.inputs import load_catalogue, load_order, load_profile, load_testbed
from gatepass.inputs.order import Order
from gatepass.inputs.scope import Scope

ROOT = Path(__file__).parents[2]
VARIABLES = ROOT / "variables"
PORTS = {"client": "198.18.1.1", "server": "198.18.2.1", "peer": "198.18.4.1"}
"""The gateway's address on each endpoint's side, as delivered."""
FOLDER = "/srv/gatepass"


@dataclass
class PlayedHost:
    """An endpoint that has all it needs, unless a test takes something from it.

    Attributes:
        name: of the endpoint.
        has: programs, and the TUN device.
        says: what programs answer when they are asked for their version.
        user, number: its SSH user; `sudo` whether that may use it.
        sudo: see `user`.
        free_mib: of folders.
        writable: folders.
        listening: TCP ports.
        ahead_s: of its clock.
        says_routes: whether it tells its ways at all.
        mtu, speed: of its interfaces.
        watched: whether it tells what it does.
        whole: whether packets as large as that get to the other end.
        router: the next hop on the way to the gateway; empty for the gateway itself.
        strongswan: lines that tell of it.
        charon: what it says as it fails to start; empty where it starts.
        failing: what of the self-test fails there, and why.
        capabilities: of its SSH user, as the kernel shows them; empty where it shows none.
        written: files that were put there and are there still.
        refuses: why it takes no file.
        lost: why it cannot be reached.
    """

    name: str
    has: set[str] = field(default_factory=lambda: {*programs(), "tun"})
    says: dict[str, str] = field(
        default_factory=lambda: {
            "iperf3": "iperf 3.16 (cJSON 1.7.15)",
            "python3": "Python 3.11.2",
            "curl": "curl 7.88.1 (x86_64-pc-linux-gnu)",
            "openconnect": "OpenConnect version v9.01-3",
        }
    )
    user: str = "root"
    number: int = 0
    sudo: bool = False
    installer: str = "apt-get"
    free_mib: dict[str, int] = field(default_factory=lambda: {"/tmp": 9000, FOLDER: 9000})
    writable: set[str] = field(default_factory=lambda: {"/tmp", FOLDER})
    listening: set[int] = field(default_factory=lambda: {22, 21, 80, 443})
    ahead_s: float = 0
    says_routes: bool = True
    mtu: int = 1500
    watched: bool = True
    speed: int = 10_000
    whole: bool = True
    router: str = ""
    strongswan: str = "charon /usr/lib/ipsec\nkernel\nuser\ntun\n"
    charon: str = ""
    failing: dict[str, str] = field(default_factory=dict)
    capabilities: str = "000001ffffffffff"
    refuses: str = ""
    written: set[str] = field(default_factory=set)
    lost: str = ""
    where: str = "192.0.2.1:22"

    def connect(self) -> None:
        if self.lost:
            raise EndpointLost(self.lost)

    def close(self) -> None:
        pass

    def folder(self) -> str:
        return "/tmp/gatepass.played"

    def put(self, text: str, path: str) -> None:
        if self.refuses:
            raise NotProven(f"{path} cannot be written on the {self.name}: {self.refuses}.")
        self.written.add(path)

    def clean_up(self) -> list[str]:
        self.written.clear()
        return []

    def run(self, command: Script, timeout_s: float = 15, again: bool = False) -> Completed:
        must_be_script(command)
        if "echo user " in command:
            return Completed(0, self._survey())
        if command.startswith("date"):
            return Completed(0, f"{time.time() + self.ahead_s:.6f}\n")
        if command.startswith("id -u"):
            return Completed(0, f"{self.number}\n{self.strongswan}")
        if not command.startswith("python3 -c "):
            assert self.folder() in command, command
            return self._charon(command)
        _, _, program, *words = shlex.split(command)
        if "TUNSETIFF" in program:
            asked = {*words, "file", "scripts"}
            failed = {name: why for name, why in self.failing.items() if name in asked}
            return Completed(0, json.dumps(failed))
        if words[:1] == ["once"]:
            return self._once()
        if not self.says_routes:
            return Completed(0, "{}")
        told = self._link if "hop_mac" in program else self._mtu
        return Completed(0, json.dumps({address: told(address) for address in words}))

    def _once(self) -> Completed:
        if not self.watched:
            return Completed(1, "", "PermissionError: [Errno 13] Permission denied: '/proc/stat'\n")
        totals = dict.fromkeys(
            ("late", "longest", "stepped", "idle", "all", "nic_lost", "socket_lost"), 0
        )
        return Completed(0, "\n".join(json.dumps({"at": at, **totals}) for at in (1.0, 1.1)))

    def _survey(self) -> str:
        return "\n".join(
            [
                f"user {self.number} {self.user}",
                *(["sudo"] if self.sudo else []),
                *([f"capabilities {self.capabilities}"] if self.capabilities else []),
                "kernel Linux 6.1.0",
                "cpus 4",
                *(f"has {name}" for name in self.has),
                f"installer {self.installer}",
                *(f"says {name} {line}" for name, line in self.says.items()),
                *(f"port {port}" for port in self.listening),
                *(f"free {path} /dev/vda1 9 9 {mib * 1024} 1% /" for path, mib in
                  self.free_mib.items()),
                *(f"writable {path}" for path in self.writable),
            ]
        )

    def _charon(self, command: str) -> Completed:
        """One that starts, answers and ends, or fails to start."""
        if command.startswith("GATEPASS_PROGRAM=") and self.charon:
            return Completed(3, "")
        if command.startswith("tail"):
            return Completed(0, self.charon)
        if command.startswith("python3 "):
            return Completed(0, "[[]]")
        return Completed(0, "-1\n0\n" if "$w" in command else "")

    def _mtu(self, address: str) -> dict[str, Any]:
        whole = self.whole or self.mtu <= 1400
        told = 0 if whole else 1400
        return {
            "interface": "eth1", "mtu": self.mtu, "speed": self.speed, "small": True,
            "whole": whole, "path_mtu": told,
        }  # fmt: skip

    def _link(self, address: str) -> dict[str, Any]:
        six = ":" in address
        hop = self.router or ("fe80::1" if six else PORTS[self.name])
        return {
            "interface": "eth1", "mac": "02:00:00:00:00:01", "hop": hop,
            "hop_mac": "02:00:00:00:00:02", "networks": [],
        }  # fmt: skip


class Told(FortiGate):
    """A client of the lab's gateway that is told otherwise in some answers."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tables: dict[str, list[dict]] = {}
        self.changed: dict[str, Callable[[Any], Any]] = {"system/interface": _connected}

    def rows(self, path: str, **query: object) -> list[dict]:
        return self.tables[path] if path in self.tables else super().rows(path, **query)

    def monitor(self, path: str, **query: Any) -> dict:
        answer = super().monitor(path, **query)
        if path in self.changed:
            answer["results"] = self.changed[path](answer["results"])
        return answer


def _connected(ports: Mapping[str, dict]) -> dict[str, dict]:
    return {name: port | {"link": True, "speed": 10_000.0} for name, port in ports.items()}


class World:
    """A testbed on which everything can be proven, unless a test takes something from it.

    Args:
        device: its gateway.
        folder: for its files.

    Attributes:
        content: of the testbed file.
        hosts: its endpoints.
        tables: of the gateway, rows in the place of its own.
        changed: by monitor, what makes its results others.
        order: that is going to be tested; None for whatever may be ordered.
    """

    def __init__(self, device: GatewayUnderTest, folder: Path) -> None:
        self.device = device
        self._folder = folder
        for name in ("id_ed25519", "known_hosts", "api-token"):
            (folder / name).write_text(ssh_files.private_key())
            (folder / name).chmod(0o600)
        (folder / "api-token").write_text((device.folder / "api-token").read_text())
        self.hosts = {name: PlayedHost(name) for name in PORTS}
        self.tables: dict[str, list[dict]] = {}
        self.changed: dict[str, Callable[[Any], Any]] = {}
        self.catalogue = load_catalogue(VARIABLES / "service_catalogue.yaml")
        self.order: Order | None = load_order(VARIABLES / "orders" / "lab.yaml", self.catalogue)
        direct = {"client": "198.18.3.10", "server": "198.18.3.20"}
        ends = {
            name: {
                "ssh": {
                    "host": f"192.0.2.{number}",
                    "user": "root",
                    "key_file": "id_ed25519",
                    "known_hosts_file": "known_hosts",
                },
                "address": f"{PORTS[name]}0",
                **({"direct_address": direct[name]} if name in direct else {}),
            }
            for number, name in enumerate(PORTS, 11)
        }
        ends["server"]["files"] = {"folder": FOLDER}
        ends["peer"]["gateway_port"] = "port3"
        self.content: dict[str, Any] = {
            "testbed": "played",
            "gateway": {
                "url": device.url,
                "ca_file": str(device.folder / "tls" / "ca.pem"),
                "token": {"file": "api-token"},
                "client_port": "port2",
                "server_port": "port1",
                "timeout_s": 5,
                "may_restart": True,
                "may_fill_sessions": True,
                "troubles": {"memory": {"begin": "true", "end": "true"}},
            },
            "endpoints": ends,
        }

    @property
    def gateway(self) -> dict[str, Any]:
        """Of the testbed file."""
        return self.content["gateway"]

    def file(self) -> Path:
        """The testbed file, as it is now."""
        path = self._folder / "testbed.yaml"
        path.write_text(yaml.safe_dump(self.content))
        return path

    def scope(self) -> Scope:
        """What is tested on what."""
        return Scope(load_testbed(self.file()), self.order)

    def examine(self) -> Examination:
        """As `doctor` does."""
        return examine(self.scope(), load_profile(VARIABLES / "profiles.yaml"))

    def play(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have the hosts and answers in the place of real ones."""
        connect = examination.connect

        def told(testbed: object) -> Told:
            one = connect(testbed)
            made = Told(one.url, one.token, one.ca_file, one.vdom, one.timeout_s)
            made.tables, made.changed = self.tables, made.changed | self.changed
            return made

        monkeypatch.setattr(examination, "connect", told)
        monkeypatch.setattr(examination, "SshShell", lambda name, *_: self.hosts[name])


def keeping(made: Examination) -> list[Finding]:
    """What keeps checks from being proven."""
    return [finding for finding in made.findings if finding.keeps]
