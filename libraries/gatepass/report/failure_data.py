"""First failure data: what an engineer needs of a check that did not pass, as it was right then.

Everything is bounded: each file, the folder of a check, all of a run, and the time that looking
may take. What could not be had is named with its reason.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gatepass.base.masking import masked, masked_text
from gatepass.endpoint.script import joined, script
from gatepass.endpoint.shell import EndpointLost, Shell
from gatepass.gateway.changes import marked
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.gateway.harmless import masked_rows
from gatepass.gateway.journal import Journal
from gatepass.gateway.load import usage_query
from gatepass.gateway.rules import POLICY
from gatepass.report.failure_exchanges import Exchanges
from gatepass.report.failure_page import NOTHING_SEEN, Subject, Tried, render

NOTHING_TRIED = Tried()
FOLDER = "failures"
INDEX = "index.html"
KIB = 1024
FILE_BYTES, CHECK_BYTES, RUN_BYTES = 256 * KIB, 1024 * KIB, 16 * 1024 * KIB
TIME_S = 12
"""For everything; a call that is under way may take `_CALL_S` longer."""
_CALL_S = 3
_ENDPOINT_S = 5
_POLICIES, _SESSIONS = 200, 100
_SHAPING = ("firewall/shaping-policy", "firewall.shaper/traffic-shaper")
_CUT = "\n… cut here: the rest is larger than the {limit} KiB that are kept.\n"

# Names of programs alone: a command line may hold a secret.
_ENDPOINT_COMMANDS = (
    script("ip -s link"),
    script("ip address"),
    script("ip route"),
    script("tc -s qdisc"),
    script("ss -s"),
    script("ss -tinm"),
    script("nstat -asz"),
    script("head -n 9 /proc/stat"),
    script("cat /proc/loadavg"),
    script("head -n 5 /proc/meminfo"),
    script("ps -eo pid,ni,pcpu,etimes,comm --sort=-pcpu | head -n 15"),
)


@dataclass
class FailureFolder:
    """The folder of one check.

    Attributes:
        path: below the run's folder; made at the first file.
        secrets: that must stand in none of its files.
        room: bytes that may still be written.
        kept: name and meaning of each file, in order.
        missing: what could not be had, in sentences.
    """

    path: Path
    secrets: Sequence[str] = ()
    room: int = CHECK_BYTES
    kept: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    _give_up: float = field(default_factory=lambda: time.monotonic() + TIME_S, init=False)

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._give_up

    def text(self, name: str, meaning: str, content: str) -> None:
        """Keep a text, cut where it is too large."""
        content = masked_text(content, self.secrets)
        limit = max(0, min(FILE_BYTES, self.room))
        if len(content.encode()) > limit:
            kept = content.encode()[:limit].decode(errors="ignore")
            content = kept + _CUT.format(limit=limit // KIB)
        self._write(name, meaning, content)

    def json(self, name: str, meaning: str, content: object) -> None:
        """Keep what an API answered; a list loses its last rows where it is too large."""
        content = masked(content, self.secrets)
        written = json.dumps(content, indent=1, ensure_ascii=False)
        rows = content if isinstance(content, list) else None
        while rows and len(written.encode()) > min(FILE_BYTES, self.room):
            rows = rows[: len(rows) // 2]
            written = json.dumps(rows, indent=1, ensure_ascii=False)
            meaning = f"{meaning.partition(' (')[0]} (the first {len(rows)} rows)"
        self.text(name, meaning, written)

    def file(self, name: str, meaning: str, source: Path) -> None:
        """Keep a copy of a file, or say where a large one lies."""
        if source.stat().st_size > min(FILE_BYTES, self.room):
            self.missing.append(f"{name} is larger than what is kept here: see {source.name}.")
            return
        self.text(name, meaning, source.read_text(encoding="utf-8"))

    def picture(self, name: str, meaning: str, source: Path) -> None:
        """Move a picture here, or say that it has no room."""
        size = source.stat().st_size
        if size > self.room:
            self.missing.append(f"{name}: there is no more room for a picture of {size:,} bytes.")
            source.unlink()
            return
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        source.replace(self.path / name)
        self.room -= size
        self.kept.append((name, meaning))

    def _write(self, name: str, meaning: str, content: str) -> None:
        target = self.path / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # the customer's configuration is for the owner alone
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(content)
        self.room -= len(content.encode())
        self.kept.append((name, meaning))

    def close(
        self,
        about: Subject,
        message: str,
        tried: Tried = NOTHING_TRIED,
        seen: Exchanges = NOTHING_SEEN,
    ) -> None:
        """Write the page that leads to the files.

        Args:
            about: the check.
            message: why it did not pass.
            tried: its trials.
            seen: what went to and fro.
        """
        lost = [masked_text(one, self.secrets) for one in self.missing]
        said = masked_text(message, self.secrets)
        page = render(about, said, self.kept, lost, tried, seen)
        self._write(INDEX, "this page", masked_text(page, self.secrets))

    def discard(self) -> None:
        """Remove it."""
        shutil.rmtree(self.path, ignore_errors=True)


def place(run: Path, chapter: str, check: str) -> Path:
    """The folder of a check, by names that need no quoting in a link."""
    return run / FOLDER / _plain(chapter) / _plain(check)


def room_in(run: Path) -> int:
    """Bytes that one more check of this run may keep."""
    used = sum(path.stat().st_size for path in (run / FOLDER).rglob("*") if path.is_file())
    return max(0, min(CHECK_BYTES, RUN_BYTES - used))


def from_gateway(folder: FailureFolder, gateway: FortiGate, journal: Journal | None) -> None:
    """Keep what the gateway shows; ends at the first call that gets no answer.

    Args:
        folder: where to.
        gateway: a client of its own is made, which does not wait for long.
        journal: of the run, which names what it has made.
    """
    brief = replace(gateway, timeout_s=_CALL_S, patience_s=0)
    mark = journal.head.get("mark", "") if journal else ""
    made = {entry["path"] for entry in journal.entries} if journal else set()
    made -= {POLICY, *_SHAPING}

    def results(path: str, **query: object) -> object:
        return brief.monitor(path, **query).get("results")

    def objects() -> dict[str, list[dict]]:
        return {
            path: [row for row in brief.rows(path) if marked(row, mark)] for path in sorted(made)
        }

    def counters() -> list[dict]:
        first = brief.rows(POLICY, count=_POLICIES, format="policyid")
        shown = {0, *(row["policyid"] for row in first)}
        return [row for row in results("firewall/policy") if row["policyid"] in shown]

    def sessions() -> object:
        try:
            return results("firewall/session", count=_SESSIONS)
        except Refused:  # its name from 7.6 on
            return results("firewall/sessions", count=_SESSIONS)

    looks: tuple[tuple[str, str, Callable[[], object]], ...] = (
        (
            "policies",
            f"firewall policies in the order of evaluation (the first {_POLICIES})",
            lambda: brief.rows(POLICY, count=_POLICIES),
        ),
        ("policy-counters", "their counters; policy 0 is the implicit deny", counters),
        ("objects", "what else the run has made", objects),
        ("shaping", "shapers and shaping policies", lambda: {p: brief.rows(p) for p in _SHAPING}),
        ("routes", "the routing table", lambda: results("router/ipv4")),
        ("interfaces", "state and counters of the ports", brief.interfaces),
        ("sessions", f"the session table (at most {_SESSIONS})", sessions),
        (
            "resources",
            "CPU, memory, sessions over the last minute",
            lambda: results("system/resource/usage", **usage_query("1-min")),
        ),
        ("licence", "what it is licensed for", lambda: results("license/status")),
        ("status", "who it is", lambda: brief.monitor("system/status")),
    )
    try:
        for name, meaning, look in looks:
            if folder.late:
                folder.missing.append(f"The gateway from {name} on: {TIME_S} s were over.")
                return
            try:
                shown = masked_rows(look(), POLICY if name == "policies" else "")
                folder.json(f"gateway/{name}.json", f"gateway: {meaning}", shown)
            except (Refused, KeyError, TypeError) as refused:
                folder.missing.append(f"The gateway's {name}: {refused}")
    except GatewayLost as lost:
        folder.missing.append(f"The gateway: {lost}")
    finally:
        brief.close()


def from_browser(folder: FailureFolder, picture: Path) -> None:
    """Take over the picture of what the gateway's web page showed."""
    folder.picture("gui.png", "the gateway's web page, as the browser showed it", picture)


def from_endpoint(folder: FailureFolder, shell: Shell) -> None:
    """Keep what an endpoint shows, with one command."""
    if folder.late:
        folder.missing.append(f"The {shell.name}: {TIME_S} s were over.")
        return
    shows = [
        script(
            "echo {title}; {command} 2>&1 | head -c {most}; echo",
            title=f"### {command}",
            command=command,
            most=FILE_BYTES // 4,
        )
        for command in _ENDPOINT_COMMANDS
    ]
    try:
        shown = shell.run(joined("; ", shows), timeout_s=_ENDPOINT_S).output
    except EndpointLost as lost:
        folder.missing.append(f"The {shell.name}: {lost}")
        return
    meaning = f"{shell.name}: counters of interfaces and protocols, sockets, routes, processors"
    folder.text(f"{shell.name}.txt", meaning, shown)


def from_trials(folder: FailureFolder, files: Iterable[Path]) -> None:
    """Keep the programs' JSON of the check's trials, the newest first: for them there is room."""
    for source in files:
        number, _, side = source.stem.partition("-")
        told = "its delays" if side == "delays" else f"as the {side}'s program told it"
        meaning = f"trial {int(number)}, {told}"
        folder.file(f"trials/{source.name}", meaning, source)


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:80] or "check"
