"""What security services have to stop, each beside a harmless neighbour that has to get through.

A specimen is a file on the server and a way to ask for it. What makes it one is the run's own mark
(a path, a client's name, a host's name), so that a real gateway needs no signature that only a
licence brings; the virus is the EICAR test file, which every scanner knows.
"""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from gatepass.base.phrase import Phrase, say

# Written in two halves: this file is no virus test file and must not be taken for one.
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$" + rb"EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
"""The anti-virus test file of EICAR (eicar.org), 68 bytes."""

HARMLESS_AGENT, CONTROLLED_AGENT = "GatepassHarmless/1.0", "GatepassControlled/1.0"
BLOCKED_HOST, NEIGHBOUR_HOST = "blocked.gatepass.test", "allowed.gatepass.test"
"""Names in the zone that is set aside for tests (RFC 6761); the client gives them the address."""


SpecimenName = Literal[
    "the virus test file",
    "a clean file",
    "a virus in a large archive",
    "a clean archive",
    "the page of a blocked host",
    "the page of its neighbour",
    "an exploit-like request",
    "a harmless request",
    "a controlled application",
    "another application",
    "a file of a filtered type",
    "a file of another type",
]
_SAID: dict[SpecimenName, str] = {
    "the virus test file": "virus",
    "a clean file": "clean_file",
    "a virus in a large archive": "archive",
    "a clean archive": "clean_archive",
    "the page of a blocked host": "blocked_host",
    "the page of its neighbour": "neighbour",
    "an exploit-like request": "exploit",
    "a harmless request": "harmless",
    "a controlled application": "controlled",
    "another application": "other_application",
    "a file of a filtered type": "filtered",
    "a file of another type": "other_type",
}


@dataclass(frozen=True)
class Specimen:
    """A file, and how it is asked for.

    Attributes:
        name: as sentences have it.
        file: its name on the server.
        content: of the file.
        host: name by which the server is asked for.
        agent: what the client calls itself (HTTP).
        log: the gateway's log that tells of its being stopped: virus, webfilter, ips, app-ctrl,
            file-filter; empty for what is harmless.
        licence: the function of ``license/status`` that it takes; empty for none: a list of URLs
            and signatures of one's own work without (Fortinet KB 240941).
    """

    name: SpecimenName
    file: str
    content: bytes
    host: str = NEIGHBOUR_HOST
    agent: str = HARMLESS_AGENT
    log: str = ""
    licence: str = ""

    @property
    def said(self) -> Phrase:
        """What it is, as it is recorded."""
        return say(_SAID[self.name])


@lru_cache(maxsize=2)
def specimens(mark: str, file_types: tuple[str, ...]) -> Mapping[str, Specimen]:
    """All of them by name.

    Args:
        mark: of the run; part of each file's name.
        file_types: that the order filters: exe, bat, …; the first that can be made is tried.
    """
    page = b"<html><body>A page of the test.</body></html>\n"
    text = b"Notes of the test, in plain words.\n" * 20
    noise = random.Random(mark).randbytes(8 * 2**20)
    kinds = (
        Specimen(
            "the virus test file", f"{mark}-eicar.com", EICAR, log="virus", licence="antivirus"
        ),
        Specimen("a clean file", f"{mark}-clean.bin", noise),
        Specimen(
            "a virus in a large archive",
            f"{mark}-archive.zip",
            _archive(noise[: 2 * 2**20]),
            log="virus",
            licence="antivirus",
        ),
        Specimen("a clean archive", f"{mark}-clean.zip", _archive(noise[: 2 * 2**20], virus=False)),
        Specimen(
            "the page of a blocked host",
            f"{mark}-page.html",
            page,
            host=BLOCKED_HOST,
            log="webfilter",
        ),
        Specimen("the page of its neighbour", f"{mark}-page.html", page),
        Specimen("an exploit-like request", exploit(mark), page, log="ips"),
        Specimen("a harmless request", f"{mark}-harmless.html", page),
        Specimen(
            "a controlled application",
            f"{mark}-app.html",
            page,
            agent=CONTROLLED_AGENT,
            log="app-ctrl",
        ),
        Specimen("another application", f"{mark}-app.html", page),
        Specimen("a file of a filtered type", *filtered(mark, file_types), log="file-filter"),
        Specimen("a file of another type", f"{mark}-notes.txt", text),
    )
    return MappingProxyType({kind.name: kind for kind in kinds})


def _archive(noise: bytes, virus: bool = True) -> bytes:
    """A zip archive of noise, with the virus test file at its end."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo("noise.bin"), noise)
        if virus:
            archive.writestr(zipfile.ZipInfo("eicar.com"), EICAR)
    return packed.getvalue()


def exploit(mark: str) -> str:
    """The file name that the run's own IPS signature knows."""
    return f"{mark}-exploit-marker.html"


FILTERED = {
    # MS-DOS header, and the offset of "PE" at 0x3c (Microsoft PE format, 2.1)
    "exe": b"MZ" + b"\0" * 58 + b"\x40\0\0\0" + b"PE\0\0" + b"\x4c\x01" + b"\0" * 512,
    "bat": b"@echo off\r\nrem A batch file of the test.\r\n" * 10,
    "elf": b"\x7fELF\x02\x01\x01" + b"\0" * 512,
    "zip": b"PK\x03\x04" + b"\0" * 512,
    "pdf": b"%PDF-1.4\n" + b"%" * 512 + b"\n%%EOF\n",
}
"""The beginnings by which file types are known."""


def filtered(mark: str, file_types: tuple[str, ...]) -> tuple[str, bytes]:
    """Name and content of a file of the first of these types."""
    kind = next(kind for kind in file_types if kind in FILTERED)
    return f"{mark}-tool.{kind}", FILTERED[kind]
