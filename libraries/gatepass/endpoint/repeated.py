"""One file that an endpoint asks for again and again, while something else happens."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.base.flight_recorder import recorder
from gatepass.endpoint.answers import Digest, of_json
from gatepass.endpoint.download import FileSource
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell
from gatepass.results.exchanges import ConnectionTry

_PAUSE_S = 0.05
_GIVEN_UP_S = 0.5
"""After which curl gives one try up."""
_END_S = 10


@dataclass(frozen=True)
class Try:
    """One download.

    Attributes:
        began, ended: in seconds since the epoch, by the client's clock.
        digest: SHA-256 of what arrived, hexadecimal.
    """

    began: float
    ended: float
    digest: str


_Row = tuple[float, float, int, Digest]


class RepeatedDownload:
    """A file that is asked for until `end`, about ten times a second while it arrives.

    Args:
        client: where curl runs.
        name: of the program's files in the run's folder.
        source: the server.
        path: of the file there.
        limit_s: after which it ends by itself.

    Raises:
        NotProven: it cannot be started, with its own words.
    """

    def __init__(
        self, client: Shell, name: str, source: FileSource, path: str, limit_s: float
    ) -> None:
        self._client, self._asked = client, " ".join(source.request(path))
        program, stem = install(client, "fetch_again.py"), f"{client.folder()}/{name}"
        command = script(
            "python3 {program} {pause_s:g} {stem}.file {stem}.stop "
            "curl {options} --max-time {given_up_s:g} -o {stem}.file {url}",
            program=program,
            pause_s=_PAUSE_S,
            stem=stem,
            options=source.options(),
            given_up_s=_GIVEN_UP_S,
            url=source.url(path),
        )
        client.run(script("rm -f {stem}.stop", stem=stem))
        try:
            self._program = Detached.start(client, stem, command, limit_s)
        except ProgramEnded as ended:
            raise NotProven(f"files cannot be asked for on the {client.name}: {ended}.") from ended

    def tries(self) -> list[Try]:
        """Those that have ended so far."""
        look = script("cat {stem}.out", stem=self._program.stem)
        output = self._client.run(look, again=True).output
        return self._tries(output)

    def end(self) -> list[Try]:
        """Ask no more; all tries.

        Raises:
            NotProven: the program failed, with its own words.
        """
        self._client.run(script(": >{stem}.stop", stem=self._program.stem), again=True)
        try:
            status = self._program.wait(_END_S)
        except ProgramEnded:
            status = 1
        if status:
            words = self._program.last_words() or "it wrote nothing"
            raise NotProven(f"asking for files failed on the {self._client.name}: {words}.")
        tries = self._tries(self._program.output)
        target = f"{self._asked}, again and again"
        recorder.note(ConnectionTry(self._client.name, target, _told(tries)))
        return tries

    def stop(self) -> None:
        """End it, whatever it does."""
        self._program.stop()

    def _tries(self, output: str) -> list[Try]:
        try:
            return _tries(output.splitlines(keepends=True))
        except ValueError as error:
            raise NotProven(
                f"asking for files failed on the {self._client.name}: {error}."
            ) from None


def _told(tries: list[Try]) -> str:
    """How many brought what."""
    counted = Counter(one.digest for one in tries)
    what = {hashlib.sha256(b"").hexdigest(): "brought nothing"}
    return "; ".join(
        f"{count} {what.get(digest, f'brought a file of SHA-256 {digest}')}"
        for digest, count in counted.most_common(5)
    )


def _tries(lines: list[str]) -> list[Try]:
    """Of whole lines; the last may still be written."""
    rows = [of_json(_Row, line) for line in lines if line.endswith("\n")]
    return [Try(began, ended, digest) for began, ended, _, digest in rows]
