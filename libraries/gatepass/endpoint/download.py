"""Downloads over HTTP, HTTPS and FTP by curl on the client."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from pydantic import Field, TypeAdapter

from gatepass.base.errors import NotProven
from gatepass.base.figures import Count, NotNegative
from gatepass.base.flight_recorder import recorder
from gatepass.base.masking import masked_line
from gatepass.base.printable import shown
from gatepass.endpoint.answers import number
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.shell import Shell, signal_of
from gatepass.results.downloads import Transfer
from gatepass.results.exchanges import FileTransfer

_FIELDS = "%{http_code} %{size_download} %{time_starttransfer} %{time_total} %{num_connects}"
_NO_TOOL = 127
_DIGEST, _HEX = re.compile("[0-9a-f]{64}"), re.compile("([0-9a-f]{2})*")
_STATUS = re.compile("[0-9]{1,3}")
_OWN_FAULTS = (2, 4, 23, 26, 27, 43, 45, 48)
"""Exit codes of what fails on the client itself: to begin, to write or read a file, memory, use."""
_BEGINNING = 512
"""Bytes of what arrived that are kept: all of what is as small as the virus test file."""
_LONGEST = 300
"""Letters of a complaint."""
_HEADERS = "head -n 40 {head} | cut -c 1-300 | tr -d '\\r' | grep -v '^$'"


@dataclass(frozen=True)
class FileSource:
    """Where a file is asked for.

    Attributes:
        scheme: http, https or ftp.
        address: of the server on the path.
        port: where it answers.
        host: name that the server is asked for by; empty for the address itself.
        agent: what the client calls itself.
    """

    scheme: str
    address: str
    port: int
    host: str = ""
    agent: str = ""

    def url(self, path: str) -> str:
        """The URL of a file."""
        name = self.host if self.host and self.scheme != "ftp" else self.address
        return f"{self.scheme}://{name}:{self.port}/{path}"

    def request(self, path: str) -> list[str]:
        """What is asked for, line by line, without what every client of the kind says."""
        if self.scheme == "ftp":
            return [f"RETR {self.url(path)}"]
        name = f"{self.host or self.address}:{self.port}"
        agent = [f"User-Agent: {self.agent}"] if self.agent else []
        return [f"GET {self.url(path)}", f"Host: {name}", *agent, f"(sent to {self.address})"]

    def options(self) -> list[str]:
        """curl's options for it."""
        words = ["--silent", "--show-error", "--noproxy", "*"]
        if self.scheme == "https":
            words.append("--insecure")  # what is tried is the name, not the certificate
        if self.host and self.scheme != "ftp":
            words += ["--resolve", f"{self.host}:{self.port}:{self.address}"]
        if self.agent:
            words += ["--user-agent", self.agent]
        return words


@dataclass(frozen=True)
class Download:
    """How one download ended.

    Attributes:
        digest: SHA-256 of what arrived, hexadecimal.
        status: of HTTP or FTP; 0 where there was none.
        bytes: that arrived.
        exit_code: of curl; 0 where it thinks that all arrived.
        words: of curl, where it complained.
        request: its lines, as they were sent.
        answer: the lines of status and headers, as they came; of FTP the server's replies; without
            secrets.
        beginning: the first bytes of what arrived, hexadecimal.
    """

    digest: str
    status: int
    bytes: int
    exit_code: int
    words: str
    request: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    beginning: str = ""

    def is_copy_of(self, content: bytes) -> bool:
        """Whether exactly this content arrived."""
        return self.digest == hashlib.sha256(content).hexdigest()

    def contradictions(self) -> Iterator[str]:
        """What curl told that does not agree with the rest of it, each in a clause."""
        start = bytes.fromhex(self.beginning)
        if len(start) != min(self.bytes, _BEGINNING):
            yield f"{self.bytes:,} bytes arrived, and the first {len(start)} are kept"
        elif len(start) < _BEGINNING and hashlib.sha256(start).hexdigest() != self.digest:
            yield f"the {len(start)} bytes that arrived do not have the digest {self.digest}"
        told = [line.split() for line in self.answer if line.startswith("HTTP/")]
        if len(told) == 1 and told[0][1:2] != [f"{self.status:03d}"]:
            yield f"the answer is {self.status}, and its status line is {' '.join(told[0])}"

    def __str__(self) -> str:
        answer = f"answer {self.status}, " if self.status else ""
        words = f" ({self.words})" if self.words else ""
        return f"{answer}{self.bytes:,} bytes{words}"


def fetch(
    client: Shell,
    source: FileSource,
    path: str,
    limit_s: float = 5,
    expected: bytes | None = None,
) -> Download:
    """Download one file and keep nothing of it but its digest.

    Args:
        client: where curl runs.
        source: the server.
        path: of the file there.
        limit_s: after which curl gives up.
        expected: content of the server's file, for who reads of the transfer; None if not known.

    Raises:
        NotProven: there is no curl.
        EndpointLost: the client cannot be reached.
    """
    place = f"{client.folder()}/download"
    command = script(
        'rm -f {place}; : > {head}; {curl}; echo " $?"; '
        "[ -f {place} ] || : > {place}; sha256sum < {place}; "
        "head -c {beginning} {place} | od -An -v -tx1 | tr -d ' \\n'; echo; "
        "{headers}; rm -f {place} {head}",
        place=place,
        head=f"{place}.head",
        curl=_curl(source, path, limit_s, place, f"{place}.head"),
        beginning=_BEGINNING,
        headers=script(_HEADERS, head=f"{place}.head"),
    )
    done = client.run(command, timeout_s=limit_s + 10, again=True)
    lines = done.output.splitlines()
    line, digest, beginning, *answer = lines + [""] * (3 - len(lines))
    told = _Figures.of(client, line, done.errors)
    digest = digest.partition(" ")[0]
    if not (_DIGEST.fullmatch(digest) and _HEX.fullmatch(beginning)):
        words = _words(done.errors.strip() or line)
        raise NotProven(f"curl does not work on the {client.name}: {words}.")
    complaint = done.errors.strip().splitlines()
    download = Download(
        digest,
        told.status,
        told.bytes,
        told.code,
        complaint[-1].removeprefix("curl: ")[:_LONGEST] if complaint else "",
        tuple(source.request(path)),
        tuple(masked_line(line) for line in answer),
        beginning,
    )
    recorder.note(
        FileTransfer(
            download.request,
            download.answer,
            download.bytes,
            None if expected is None else len(expected),
            download.digest,
            "" if expected is None else hashlib.sha256(expected).hexdigest(),
            bytes.fromhex(beginning),
            download.words,
        )
    )
    return download


def timed(client: Shell, source: FileSource, path: str, size: int, limit_s: float) -> Transfer:
    """Download one large file as fast as it comes; nothing is written to a disk.

    Args:
        client: where curl runs.
        source: the server.
        path: of the file there.
        size: of the file in bytes.
        limit_s: after which curl gives up.

    Raises:
        NotProven: there is no curl.
        Broken: the file did not arrive whole.
    """
    head = f"{client.folder()}/download.head"
    command = script(
        ': > {head}; {curl}; echo " $?"; {headers}; rm -f {head}',
        head=head,
        curl=_curl(source, path, limit_s, "/dev/null", head),
        headers=script(_HEADERS, head=head),
    )
    done = client.run(command, timeout_s=limit_s + 10)
    line, *answer = done.output.splitlines() or [""]
    told = _Figures.of(client, line, done.errors)
    problem = done.errors.strip().removeprefix("curl: ")
    recorder.note(FileTransfer(source.request(path), answer, told.bytes, size, problem=problem))
    if told.bytes != size or told.code:
        raise Broken(f"{told.bytes:,} of {size:,} bytes arrived: {_words(done.errors)}.")
    if not told.seconds:
        raise NotProven(f"curl on the {client.name} reported {told.bytes:,} bytes in no time.")
    return Transfer(told.bytes, told.seconds)


class _Figures(NamedTuple):
    """What curl tells of a transfer (`_FIELDS`), and its exit code."""

    status: Annotated[int, Field(ge=0, le=999)]
    bytes: Count
    first_s: NotNegative
    seconds: NotNegative
    connections: Count
    code: Annotated[int, Field(ge=0, le=255)]

    @classmethod
    def of(cls, client: Shell, line: str, errors: str) -> _Figures:
        """From the line that it wrote.

        Raises:
            NotProven: a signal ended it, it lacked something on its own host, or it did not work.
        """
        words = line.split()
        _must_have_worked(client, words[-1] if words else "", errors)
        try:
            status, size, first_s, seconds, connections, code = map(number, words)
            if code == _NO_TOOL:
                raise ValueError
            return _FIGURES.validate_python(
                (int(status), int(size), first_s, seconds, int(connections), int(code))
            )
        except ValueError:
            raise NotProven(
                f"curl does not work on the {client.name}: {_words(errors.strip() or line)}."
            ) from None


_FIGURES = TypeAdapter(_Figures)


def _words(text: str) -> str:
    return shown(" ".join(text.split()), _LONGEST)


def _curl(source: FileSource, path: str, limit_s: float, place: str, head: str) -> Script:
    """curl at a file: the content into one place, what came before it into another."""
    return script(
        "curl {options} --max-time {limit_s:g} -o {place} -D {head} -w {fields} {url}",
        options=source.options(),
        limit_s=limit_s,
        place=place,
        head=head,
        fields=_FIELDS,
        url=source.url(path),
    )


def _must_have_worked(client: Shell, code: str, errors: str) -> None:
    """curl ended by itself, and lacked nothing on its own host.

    Args:
        client: where it ran.
        code: its exit code.
        errors: its words.

    Raises:
        NotProven: a signal ended it, or it had no room, no memory or no rights.
    """
    status = int(code) if _STATUS.fullmatch(code) else 0
    if signal := signal_of(status):
        raise NotProven(f"curl on the {client.name} was ended by signal {signal}.")
    if status in _OWN_FAULTS:
        raise NotProven(f"curl failed on the {client.name}: {_words(errors)}.")


class Broken(Exception):
    """A download that did not arrive whole."""
