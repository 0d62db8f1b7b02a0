"""Orders whose gateways do not answer: runs of a whole fleet that need neither root nor a lab.

A gateway that speaks no TLS has its run end at once as not proven; one that is silent keeps it at
work for a while.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from lock_servers import until

import ssh_files
from gatepass.fleet.outcome import FleetOutcome, read_fleet

PROJECT = Path(__file__).resolve().parents[2]
SHORT = ("--", "--test", "*.The Licence Is Valid")


class Port:
    """A port on loopback that is no gateway.

    Args:
        says: what it answers before it hangs up; None: connections stay, and it never says a word.
    """

    def __init__(self, says: bytes | None) -> None:
        self._says = says
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._taken: list[socket.socket] = []
        threading.Thread(target=self._take, daemon=True).start()

    @property
    def port(self) -> int:
        """The port."""
        return self._socket.getsockname()[1]

    def _take(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            if self._says is None:
                self._taken.append(connection)
            else:
                connection.sendall(self._says)
                connection.close()


def _refusing() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


@dataclass
class World:
    """Files of orders and testbeds, and the fleets that are called with them."""

    folder: Path
    silent: Port = field(default_factory=lambda: Port(None))
    rude: Port = field(default_factory=lambda: Port(b"220 no TLS is spoken here\r\n"))
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in ("orders", "beds"):
            (self.folder / name).mkdir()
        for name in ("ca.pem", "token", "id", "hosts"):
            (self.folder / "beds" / name).touch(mode=0o600)
        certificate = next(Path("/etc/ssl/certs").glob("*.pem")).read_text()
        (self.folder / "beds" / "ca.pem").write_text(certificate)
        (self.folder / "beds" / "token").write_text("not-a-real-token\n")
        (self.folder / "beds" / "id").write_text(ssh_files.private_key())
        (self.folder / "beds" / "hosts").write_text(f"192.0.2.1 {ssh_files.public_key()}\n")

    @property
    def results(self) -> Path:
        """Where the fleets leave theirs."""
        return self.folder / "results"

    def order(self, name: str, tier: str = "SGW-10") -> Path:
        """An order's file."""
        path = self.folder / "orders" / f"{name}.yaml"
        order = {"order": name, "customer": "A", "tier": tier, "service_level": "Gold"}
        path.write_text(yaml.safe_dump(order))
        return path

    def bed(self, name: str, silent: bool = False, **keys: object) -> Path:
        """A testbed's file."""
        path = self.folder / "beds" / f"{name}.yaml"
        # each gateway has an address of its own on loopback, all of them the same listener
        number = len(list(path.parent.glob("*.yaml"))) + 1
        port = self.silent.port if silent else self.rude.port
        ssh = {"user": "root", "key_file": "id", "known_hosts_file": "hosts", "port": _refusing()}
        bed = {
            "testbed": name,
            "gateway": {
                "url": f"https://127.0.0.1:{port}",
                "vdom": f"v{number}",
                "ca_file": "ca.pem",
                "token": {"file": "token"},
                "client_port": "port2",
                "server_port": "port1",
                "timeout_s": 600 if silent else 5,
            },
            "endpoints": {
                end: {"ssh": ssh | {"host": f"127.0.{number}.{host}"}, "address": address}
                for end, host, address in (
                    ("client", 2, "198.18.1.10"),
                    ("server", 3, "198.18.2.10"),
                )
            },
        }
        path.write_text(yaml.safe_dump(bed | keys))
        return path

    def pairs(self, silent: str = "", quick: str = "") -> list[str]:
        """The words for orders of these one-letter names, each with a testbed of its own."""
        words = []
        for name in sorted(silent + quick):
            words += ["--order", str(self.order(name))]
            words += ["--testbed", str(self.bed(name, name in silent))]
        return words

    def start(self, *words: str, robot: Sequence[str] = SHORT) -> subprocess.Popen[str]:
        """Call a fleet and let it run."""
        process = subprocess.Popen(
            [sys.executable, "-m", "gatepass", "run", *words, *robot],
            cwd=PROJECT,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join((str(PROJECT / "libraries"), str(PROJECT))),
                "GATEPASS_RESULTS": str(self.results),
                "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
                "GATEPASS_PDF": "no",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
        )
        self.processes.append(process)
        return process

    def call(self, *words: str, robot: Sequence[str] = SHORT) -> tuple[int, str]:
        """Exit code and words of a fleet."""
        return ended(self.start(*words, robot=robot))

    def fleets(self) -> list[Path]:
        """The folders of all fleets so far."""
        return sorted(self.results.glob("fleet-*"))

    @property
    def fleet(self) -> Path:
        """The folder of the only one."""
        until(self.fleets, "the fleet has a folder")
        (folder,) = self.fleets()
        return folder

    def outcome(self) -> FleetOutcome:
        """What became of the only fleet."""
        return read_fleet(self.fleet)

    def at_work(self, name: str) -> bool:
        """Whether Robot runs the checks of an order, so that it hears signals."""
        return (self.fleet / "orders" / name / "output.xml").exists()

    def takes(self) -> dict[str, list[str]]:
        """The orders that each testbed of a pool was taken by."""
        taken: dict[str, list[str]] = {}
        for path in sorted(self.results.glob("fleet-*/orders/*/progress.jsonl")):
            for line in path.read_text().splitlines():
                if bed := json.loads(line).get("testbed"):
                    taken.setdefault(bed, []).append(path.parent.name)
        return taken

    def processes_of(self, name: str) -> dict[str, int]:
        """The pids of an order's worker and run, as "worker" and "run"."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_text().split("\0")
                environment = (folder / "environ").read_text()
            except OSError:
                continue
            program = words[1:4]
            ours = f"GATEPASS_RESULTS={self.results}\0" in environment
            own = f"GATEPASS_RUN_FOLDER={self.fleet}/orders/{name}\0" in environment
            if program == ["-m", "gatepass", "worker"] and ours and self._is_for(words, name):
                found["worker"] = int(folder.name)
            elif program == ["-m", "gatepass", "run"] and own:
                found["run"] = int(folder.name)
        return found

    def _is_for(self, words: list[str], name: str) -> bool:
        arguments = Path(words[words.index("-A") + 1])
        told = arguments.read_text() if arguments.exists() else ""
        files = [line.split()[1] for line in told.splitlines() if "--argumentfile" in line]
        return any(f"ORDER:{name}\n" in Path(file).read_text() for file in files)

    def left(self) -> list[str]:
        """The programs of this world's fleets that are still at work."""
        lines = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if f"GATEPASS_RESULTS={self.results}\0" in (folder / "environ").read_text():
                    lines.append((folder / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        return lines

    def end(self) -> None:
        """End what is still at work."""
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate(timeout=60)


def ended(process: subprocess.Popen[str], patience_s: float = 120) -> tuple[int, str]:
    """Exit code and words of a fleet once it has ended."""
    output, _ = process.communicate(timeout=patience_s)
    assert "Traceback" not in output, output
    return process.returncode, output
