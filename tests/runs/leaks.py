"""Looks for secrets where none may be: in files, and in the processes of this machine."""

from __future__ import annotations

import base64
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from faults.faulty_lab import FaultyLab
from runs.beside import beside
from runs.printed_user import TOKEN

_PERIOD_S = 0.05


def secrets_of(lab: FaultyLab) -> dict[str, str]:
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
        "password for the web page": (folder / "gui-password").read_text().strip(),
        "private key": key,
        "private key in base64": base64.b64encode(key.encode()).decode()[:60],
        "private key's frame": "PRIVATE KEY",
    }
    lines = [line for line in key.splitlines() if line and "-----" not in line]
    if (printed := folder / TOKEN).exists():
        found["API token that was printed"] = printed.read_text().strip()
    found |= {f"private key, line {number}": line for number, line in enumerate(lines, 1)}
    assert all(len(secret) > 6 for secret in found.values())
    assert len(lines) > 2
    return found


def leaks(folder: Path, secrets: dict[str, str]) -> list[str]:
    """Which file holds which secret."""
    found, looked_at = [], 0
    for path in folder.rglob("*"):
        if path.is_file():
            looked_at += 1
            content = path.read_bytes()
            held = [what for what, secret in secrets.items() if secret.encode() in content]
            found += [f"{path}: {what}" for what in held]
            if re.search(rb"\bENC (?!\*\*\*)\S", content):
                found.append(f"{path}: an encrypted secret")
    assert looked_at
    return found


class Watch:
    """Looks at all processes of the machine again and again.

    Attributes:
        seen: what showed a secret.
        processes: how many command lines were looked at that are of a run or of its endpoints.
    """

    def __init__(self, secrets: list[bytes], period_s: float = _PERIOD_S) -> None:
        self._secrets, self._period_s = secrets, period_s
        self._ended = threading.Event()
        self.seen: set[str] = set()
        self.processes: set[str] = set()

    def look(self) -> None:
        """Until told to end."""
        while not self._ended.wait(self._period_s):
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
    def at_work(self) -> Iterator[Watch]:
        """Look for as long as the block lasts."""
        with beside(self.look, self._ended):
            yield self
