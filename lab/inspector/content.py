"""Looks into what is transferred: one body of HTTP, one file of FTP."""

from __future__ import annotations

import os

from lab.inspector.clamd import Clamd
from lab.inspector.filetypes import ENOUGH, file_type
from lab.inspector.judge import FROM_CLIENT, FROM_SERVER, Blocked, Judge
from lab.inspector.plan import FileRule
from lab.io.backlog import HELD

LARGEST = 2_000 << 20
"""Bytes up to which content is scanned; clamd takes no larger file, and the rest passes."""
_EVERYTHING = 1 << 62


class Content:
    """One body. `feed` it piece by piece, then ask for the `verdict`.

    Args:
        judge: of the session.
        clamd: the scanner.
        upload: whether it goes from the client to the server.
    """

    def __init__(self, judge: Judge, clamd: Clamd, upload: bool) -> None:
        self._judge, self._clamd = judge, clamd
        policy, service = judge.policy, judge.service
        self._antivirus = policy.antivirus.get(service)
        self._rules: list[FileRule] = []
        if policy.files is not None:
            way = "outgoing" if upload else "incoming"
            self._rules = [
                rule
                for rule in policy.files.rules
                if service in rule.protocols and rule.direction in ("any", way)
            ]
        flow = FROM_CLIENT if upload else FROM_SERVER
        self._search = judge.search(flow, "body", "packet")
        self._begin: bytearray | None = bytearray() if self._rules else None
        self._buffering = policy.buffering.get(service)
        self._fd = -1
        self._size = 0

    @property
    def needed(self) -> bool:
        """Whether anything is looked for at all."""
        return bool(self._antivirus or self._rules or self._search)

    @property
    def hold(self) -> int:
        """How many of the newest bytes may not be passed on before the verdict.

        Flow inspection passes on what it has seen but for the end; a proxy buffers the whole of
        it, unless it is larger than the proxy may buffer.
        """
        if self._buffering is None:
            return HELD
        return _EVERYTHING if self._size <= self._buffering.limit else 0

    def feed(self, piece: bytes | memoryview) -> None:
        """Take the next piece.

        Raises:
            Blocked: what is known so far may not pass.
        """
        if self._begin is not None:
            self._begin += piece[: ENOUGH - len(self._begin)]
            if len(self._begin) >= ENOUGH:
                self._judge_type()
        if self._search is not None:
            self._judge.hit(list(self._search.feed(piece)))
        self._size += len(piece)
        if self._buffering is not None and self._size > self._buffering.limit:
            self._oversized(self._buffering.blocks)
        elif self._antivirus and self._size <= LARGEST:
            if self._fd < 0:
                self._fd = os.memfd_create("content", os.MFD_CLOEXEC)
            os.write(self._fd, piece)

    async def verdict(self) -> None:
        """Decide over the whole.

        Raises:
            Blocked: it may not pass.
            OSError: the scanner failed.
        """
        if self._begin is not None:
            self._judge_type()
        if self._fd >= 0:
            virus = await self._clamd.scan(self._fd)
            if virus:
                self._infected(virus)

    def close(self) -> None:
        """Let go of what was kept."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _oversized(self, blocks: bool) -> None:
        """A proxy lets pass unscanned what is too large to buffer, unless told to block it."""
        self.close()
        if blocks:
            judge = self._judge
            profile = judge.policy.antivirus_profile
            judge.event("virus", "blocked", profile, subtype="oversize", msg="Size limit exceeded.")
            raise Blocked("oversize", judge.facts())

    def _infected(self, virus: str) -> None:
        judge, blocks = self._judge, self._antivirus == "block"
        judge.event(
            "virus",
            "blocked" if blocks else "monitored",
            judge.policy.antivirus_profile,
            subtype="infected",
            virus=virus,
            msg="File is infected.",
        )
        if blocks:
            raise Blocked("virus", judge.facts(Virus=virus))

    def _judge_type(self) -> None:
        begin, self._begin = bytes(self._begin or b""), None
        if not begin:
            return
        judge, files = self._judge, self._judge.policy.files
        assert files is not None
        found = file_type(begin, judge.filename)
        rule = next((rule for rule in self._rules if found in rule.types), None)
        if rule is None:
            return
        blocks = rule.action == "block"
        if files.log:
            judge.event(
                "file-filter",
                "blocked" if blocks else "passthrough",
                files.profile,
                filetype=found,
                msg=f"Rule {rule.name}",
            )
        if blocks:
            raise Blocked("file-filter", judge.facts(**{"File type": found}))
