"""Runs that do not end by themselves, and what the gateway itself says about its configuration."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests
import yaml

import command_line
from faults.faulty_lab import NAME, PROJECT, gateway_of
from gatepass.base import namespace
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.journal import NAME as JOURNAL
from lab.lifecycle.state import lab
from lab.nodes.node import environment

TABLES = (
    "firewall/policy",
    "firewall/address",
    "firewall.service/custom",
    "firewall.shaper/traffic-shaper",
    "firewall/shaping-policy",
    "router/static",
    "vpn.ipsec/phase1-interface",
    "vpn.ipsec/phase2-interface",
)
_PATIENCE_S = 300
"""With what surely comes, also on a machine that is slow and busy; nothing waits for all of it."""
_OF_UPDATES = r"^config firewall internet-service-name$.*?^end$"


@dataclass(frozen=True)
class Configuration:
    """What a gateway is configured to, asked for by plain REST calls.

    Attributes:
        backup: its text, without what differs between two backups of the same configuration.
        tables: the rows of the tables that runs write to, in the order of evaluation.
    """

    backup: str
    tables: dict[str, list[dict]]

    @classmethod
    def of(cls, testbed: Path) -> Configuration:
        """Ask the gateway of a testbed; nothing of the suite's own client is used."""
        content = yaml.safe_load(testbed.read_text())
        folder, gateway = testbed.parent, content["gateway"]
        token = (folder / gateway["token"]["file"]).read_text().strip()
        with namespace.inside(content["network_namespace"], testbed), requests.Session() as session:
            session.trust_env = False
            session.headers["Authorization"] = f"Bearer {token}"
            session.verify = str(folder / gateway["ca_file"])
            api = f"{gateway['url']}/api/v2"
            scope = {"destination": "file", "scope": "global"}
            backup = session.post(f"{api}/monitor/system/config/backup", json=scope, timeout=60)
            assert backup.text.startswith("#config-version"), backup.text[:200]
            tables = {}
            for table in TABLES:
                answer = session.get(f"{api}/cmdb/{table}", timeout=60)
                assert answer.status_code == 200, answer.text
                tables[table] = answer.json()["results"]
        # the gateway itself writes this block anew, as FortiGuard's updates do on a device
        own = re.sub(_OF_UPDATES, "", backup.text, flags=re.S | re.M)
        lines = [line for line in own.splitlines() if not line.startswith("#")]
        return cls(re.sub(r"ENC \S+", "ENC", "\n".join(lines)), tables)


class Runs:
    """The command line against one lab, with one results folder for all runs.

    Args:
        testbed: of the lab.
        results: the folder.
    """

    def __init__(self, testbed: Path, results: Path) -> None:
        self.testbed = testbed
        self.results = results
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(PROJECT / "libraries"), str(PROJECT))),
            "GATEPASS_RESULTS": str(results),
            "GATEPASS_PDF": "no",
            "LAB_FOLDER": str(testbed.parents[1]),
        }

    def gateway(self) -> AbstractContextManager[FortiGate]:
        """A client of the gateway, as somebody else who manages it."""
        return gateway_of(self.testbed)

    def start(self, *robot: str, order: Path | None = None) -> Running:
        """Start a run with these options for Robot; all checks without one."""
        words = ["run", "--testbed", str(self.testbed), "--profile", "smoke"]
        words += ["--order", str(order)] if order else []
        before = set(self.results.iterdir())
        process = self._popen("-m", "gatepass", *words, "--", *robot)
        return Running(process, self.results, before)

    def start_restore(self) -> subprocess.Popen[str]:
        """Start a restore."""
        return self._popen("-m", "gatepass", "restore")

    def call(self, *words: str) -> tuple[int, str]:
        """Exit code and words of another command."""
        done = command_line.call(
            "gatepass", *words, folder=PROJECT, environment=self.environment, patience_s=_PATIENCE_S
        )
        return done.returncode, done.stdout + done.stderr

    def unheard(self, *words: str, output: int) -> int:
        """Exit code of a command whose words go into this file descriptor."""
        program = [sys.executable, "-m", "gatepass", *words]
        where = {"cwd": PROJECT, "env": self.environment, "stdout": output, "stderr": output}
        return subprocess.run(program, timeout=120, check=False, **where).returncode

    def restore(self) -> tuple[int, str]:
        """Exit code and words of a restore."""
        return self.call("restore")

    def on(self, node: str, command: str) -> list[str]:
        """The lines that a shell command prints in a node of the lab."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LAB_FOLDER", self.environment["LAB_FOLDER"])
            settings = environment()
            words = lab(NAME).node(node).entering(["sh", "-c", command], settings["HOME"])
        done = subprocess.run(
            words, env=settings, capture_output=True, text=True, timeout=60, check=False
        )
        return (done.stdout + done.stderr).splitlines()

    def _popen(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=PROJECT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


@dataclass
class Running:
    """A run at work."""

    process: subprocess.Popen[str]
    results: Path
    before: set[Path]

    @property
    def folder(self) -> Path | None:
        """Its folder below the results, as soon as it has one."""
        new = (path for path in set(self.results.iterdir()) - self.before if path.is_dir())
        return next(new, None)

    def announced(self) -> list[dict]:
        """What its journal announces so far."""
        try:
            text = (self.folder / JOURNAL).read_text() if self.folder else ""
        except FileNotFoundError:
            return []
        return [json.loads(line[line.index("{") :]) for line in text.split("\n")[:-1]]

    def reaches(self, entries: int) -> bool:
        """Wait until it has announced so much; False where it ended before."""
        return self._until(lambda: len(self.announced()) >= entries)

    def _until(self, holds: Callable[[], bool], patience_s: float = _PATIENCE_S) -> bool:
        give_up = time.monotonic() + patience_s
        while not holds():
            if self.process.poll() is not None:
                return holds()
            assert time.monotonic() < give_up, "the run is stuck"
            time.sleep(0.002)
        return True

    def kill(self) -> None:
        """``kill -9``."""
        self.process.kill()
        self.process.communicate(timeout=60)

    def ended(self, patience_s: float = _PATIENCE_S) -> tuple[int, str]:
        """Exit code and words once it has ended."""
        try:
            output, _ = self.process.communicate(timeout=patience_s)
        except subprocess.TimeoutExpired as late:
            self.kill()
            said = late.output.decode() if isinstance(late.output, bytes) else late.output
            raise AssertionError(f"the run does not end; so far it said: {said}") from None
        return self.process.returncode, output
