"""No secret is anywhere below results/, in a process list or in an environment."""

from __future__ import annotations

import base64
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from faults.faulty_lab import Ended, FaultyLab
from runs.killing import Runs

_PERIOD_S = 0.05


def _secrets(lab: FaultyLab) -> dict[str, str]:
    """What must not be found, by what it is."""
    folder = lab.testbed.parent
    token = (folder / "api-token").read_text().strip()
    key = (folder / "ssh" / "id_ed25519").read_text()
    password = (folder / "gateway" / "admin-password").read_text().strip()
    found = {
        "API token": token,
        "API token as a header": f"Bearer {token}",
        "API token in base64": base64.b64encode(token.encode()).decode().rstrip("="),
        "administrator's password": password,
        "private key": key,
        "private key in base64": base64.b64encode(key.encode()).decode()[:60],
        "private key's frame": "PRIVATE KEY",
    }
    lines = [line for line in key.splitlines() if line and "-----" not in line]
    found |= {f"private key, line {number}": line for number, line in enumerate(lines, 1)}
    assert all(len(secret) > 6 for secret in found.values())
    assert len(lines) > 2
    return found


def _leaks(folder: Path, secrets: dict[str, str]) -> list[str]:
    """Which file holds which secret."""
    leaks, looked_at = [], 0
    for path in folder.rglob("*"):
        if path.is_file():
            looked_at += 1
            content = path.read_bytes()
            held = [what for what, secret in secrets.items() if secret.encode() in content]
            leaks += [f"{path}: {what}" for what in held]
            if re.search(rb"\bENC (?!\*\*\*)\S", content):
                leaks.append(f"{path}: an encrypted secret")
    assert looked_at
    return leaks


def test_the_search_finds_what_is_there(lab: FaultyLab) -> None:
    """Otherwise finding nothing below would prove nothing."""
    leaks = _leaks(lab.testbed.parent, _secrets(lab))
    assert any("API token" in leak for leak in leaks)
    assert any("private key, line 2" in leak for leak in leaks)
    assert any("password" in leak for leak in leaks)


def test_no_secret_is_in_the_results(lab: FaultyLab, whole_run: Ended) -> None:
    assert _leaks(whole_run.folder.parent, _secrets(lab)) == []
    assert {path.name for path in whole_run.folder.iterdir()} >= {"output.xml", "journal.jsonl"}


def test_what_is_kept_of_the_customers_configuration_is_for_the_owner_alone(
    whole_run: Ended,
) -> None:
    assert (whole_run.folder / "gateway-before.conf").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("level", ["TRACE", "DEBUG"])
def test_no_secret_is_in_the_results_of_a_talkative_run(
    lab: FaultyLab, tmp_path: Path, level: str
) -> None:
    """Robot's finest log levels show arguments and answers of every keyword."""
    (tmp_path / "results").mkdir()
    runs = Runs(lab.testbed, tmp_path / "results")
    chosen = ("*.The Path Is Open*", "*.Management Plane*", "*.One Policy, With NAT")
    run = runs.start(
        *(word for name in chosen for word in ("--test", name)),
        *("--loglevel", level, "--debugfile", str(tmp_path / "results" / "debug.txt")),
    )
    code, output = run.ended()
    assert code == 2, output
    assert "DEBUG" in (tmp_path / "results" / "debug.txt").read_text()
    assert _leaks(tmp_path / "results", _secrets(lab)) == []
    assert not [what for what, secret in _secrets(lab).items() if secret in output]


class _Watch:
    """Looks at all processes of the machine again and again.

    Attributes:
        seen: what showed a secret.
        processes: how many command lines were looked at that are of a run or of its endpoints.
    """

    def __init__(self, secrets: list[bytes]) -> None:
        self._secrets = secrets
        self._ended = threading.Event()
        self.seen: set[str] = set()
        self.processes: set[str] = set()

    def look(self) -> None:
        """Until told to end."""
        while not self._ended.wait(_PERIOD_S):
            for process in Path("/proc").glob("[0-9]*"):
                for what in ("cmdline", "environ"):
                    self._look_at(process / what)

    def _look_at(self, path: Path) -> None:
        try:
            content = path.read_bytes()
        except OSError:  # it has ended
            return
        if path.name == "cmdline" and (b"gatepass" in content or b"iperf3" in content):
            self.processes.add(path.parent.name)
        if any(secret in content for secret in self._secrets):
            self.seen.add(f"{path}: {content[:60]!r}")

    @contextmanager
    def at_work(self) -> Iterator[_Watch]:
        """Look for as long as the block lasts."""
        thread = threading.Thread(target=self.look)
        thread.start()
        try:
            yield self
        finally:
            self._ended.set()
            thread.join()


def test_no_secret_shows_in_a_process(lab: FaultyLab) -> None:
    secrets = _secrets(lab)
    del secrets["private key's frame"]
    with _Watch([secret.encode() for secret in secrets.values()]).at_work() as watch:
        ended = lab.run("*.One Policy, With NAT", "*.Policy Enforcement.*", "*.Handover.*")
    assert not watch.seen
    assert len(watch.processes) > 4, ended.output
