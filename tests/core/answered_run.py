"""The sealed run with a check whose answers were kept, as a run of today keeps them."""

from __future__ import annotations

import hashlib
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from careful_forger import OUTPUT, Content, altered, remade, with_files_as_they_are, write

from gatepass.base.digests import digest_of
from gatepass.base.phrase import say
from gatepass.endpoint.download import Download
from gatepass.endpoint.probe import Answer as Tried
from gatepass.endpoint.probe import Probe
from gatepass.endpoint.specimens import specimens
from gatepass.endpoint.stream import Arrivals
from gatepass.report.log_lines import line
from gatepass.results import record
from gatepass.results.kept_answers import FOLDER, Answer, AnswerFiles
from gatepass.results.outcome import read
from gatepass.results.record import PASS
from gatepass.scenarios.connections import ConnectionBlocked, ConnectionPermitted, DenyCounted
from gatepass.scenarios.edge.rules.answers import Case, EdgeHeld, TakenIn
from gatepass.scenarios.edge.rules.attempts import Arrival, Attempt, Seen
from gatepass.scenarios.leaks.answers import LeakScan
from gatepass.scenarios.quarantine import BanEnded, BanHeeded, BanListed
from gatepass.scenarios.security.answers import (
    Asked,
    NoByte,
    SpecimenArrived,
    SpecimenStopped,
    StoppedLogged,
)

MARK, TYPES, CLIENT = "gp0a1b2c", ("exe",), "198.18.1.10"
_AGENT = "User-Agent: GatepassHarmless/1.0"
ROW = {"action": "blocked", "srcip": CLIENT, "policyid": "7", "virus": "Eicar-Test-Signature"}


def downloaded(what: str, by: str, content: bytes, status: int = 200) -> Download:
    """How a download of a specimen ended that brought this content."""
    file = specimens(MARK, TYPES)[what].file
    url = f"{by.lower()}://allowed.gatepass.test:80/{MARK}/{file}"
    request = (f"RETR {url}",) if by == "FTP" else (f"GET {url}", "Host: allowed", _AGENT)
    answer = () if by == "FTP" else (f"HTTP/1.1 {status} OK", "Server: nginx")
    digest = hashlib.sha256(content).hexdigest()
    rest = (0, "", request, answer, content[:512].hex())
    return Download(digest, status, len(content), *rest)


def asked(what: str, by: str = "HTTP", content: bytes | None = None, status: int = 200) -> Asked:
    """A specimen that was asked for; its own content came unless another is given."""
    if content is None:
        content = specimens(MARK, TYPES)[what].content
    return Asked(what, by, MARK, TYPES, downloaded(what, by, content, status))


def answers() -> list[Answer]:
    """Those of an honest check."""
    page = asked("the virus test file", content=b"<h1>Blocked</h1>", status=403)
    return [
        SpecimenStopped(page),
        NoByte(page),
        SpecimenArrived(asked("a clean file"), inspected=True),
        StoppedLogged.of("virus", CLIENT, 7, 0, [ROW]),
    ]


def _published(*seen: Arrival) -> Answer:
    """A published port, tried while something permitted passed beside it."""
    port = Attempt(
        "tcp", "tcp", "198.18.2.233", "198.18.2.1", 39501, frozenset({"with"}), ("198.18.1.253", 1)
    )
    control = replace(port, name="control", target="198.18.1.253")
    passed = Seen((Arrival("198.18.2.233", "198.18.1.253", 1),), "answered", "")
    claim = say("published", what=say("published_port")).as_json()
    tried = Seen(seen, "answered", "") if seen else passed
    return EdgeHeld(claim, (Case(port, "with", tried),), (Case(control, "with", passed),))


def at_the_edge() -> list[Answer]:
    """Those of an honest check of connections and published addresses."""
    probe = Probe("tcp", "198.18.2.10", 5301)
    return [
        ConnectionPermitted("first_port", Tried(probe, "answered", CLIENT)),
        ConnectionBlocked("second_port", Tried(probe, "silent")),
        _published(),
        TakenIn("published_address", ("198.18.2.251",), ("198.18.2.251",)),
    ]


def of_scans() -> list[Answer]:
    """Those of honest checks of denying policies, quarantine and leaks."""
    came, sent = ((100.0, 101.02), (104.01, 106.0)), ((100.0, 106.0),)
    until_banned = Arrivals(200, 120, came, sendings=sent)
    rest = ({1: 12}, {}, 11_886, 14_252, "")
    return [
        DenyCounted.of(0, {"bytes": 60}, {"bytes": 120, "hit_count": 1}),
        DenyCounted.of(7, {}, {"hit_count": 1}, country=True),
        BanListed(CLIENT, (CLIENT,)),
        BanHeeded(until_banned, 101.0, 104.0),
        BanEnded(until_banned, 104.0),
        LeakScan("fragments", 8_192, "12 ways over IPv4 and IPv6: 4 sorts", 0, "", *rest),
    ]


def leaking() -> list[Answer]:
    """Those of a gateway that counts nothing, heeds no ban and lets fragments through."""
    counted, _, listed, heeded, _, scan = of_scans()
    all_the_while = replace(heeded.arrivals, stretches=((100.0, 106.0),))
    told = "Of 8,192 packets these arrived: a tiny fragment."
    return [
        replace(counted, after=counted.before),
        listed,
        replace(heeded, arrivals=all_the_while),
        replace(scan, leaks=1, told=told),
    ]


def open_to_all() -> list[Answer]:
    """Those of a gateway that blocks nothing, and publishes to the wrong host."""
    permitted, blocked, _, taken_in = at_the_edge()
    answered = replace(blocked, tried=permitted.tried)
    return [permitted, answered, _published(Arrival("198.18.2.233", "198.18.1.9", 1)), taken_in]


def arrived() -> list[Answer]:
    """Those of a gateway that stops nothing, where the check went on all the same."""
    first, _, *rest = answers()
    return [replace(first, asked=asked("the virus test file")), *rest]


def with_answers(folder: Path, given: Sequence[Answer]) -> None:
    """A check of the run that passed was given these as well; all else is made anew."""
    passed = next(one for one in read(folder / OUTPUT).checks if one.verdict == PASS)
    tree = ElementTree.parse(folder / OUTPUT)
    test = next(one for one in tree.iter("test") if one.get("name") == passed.name)
    files, place = AnswerFiles(folder), test.find("kw")
    for answer in given:
        number, kept = files.keep(passed.chapter, passed.name, answer)
        seen = replace(kept.evidence(), answer=number)
        for text, level in ((record.dump("evidence", seen), "DEBUG"), (line(seen), "INFO")):
            message = ElementTree.Element("msg", time="2026-11-25T11:00:00", level=level)
            message.text = text
            if level == "INFO":
                message.set("html", "true")
            place.insert(len(place) - 1, message)
    write(tree, folder)
    there = {path.relative_to(folder).as_posix(): path for path in folder.glob(f"{FOLDER}/*")}
    digests = {name: digest_of(path) for name, path in there.items()}
    altered("files", lambda told: told | {"sha256": told["sha256"] | digests})(folder)
    remade(folder)


def answer_altered(number: int, change: Callable[[Content], Any]) -> Callable[[Path], None]:
    """A forgery: a kept answer is changed in its place; None takes it away."""

    def forge(folder: Path) -> None:
        (path,) = (folder / FOLDER).iterdir()
        lines = [json.loads(one) for one in path.read_text().splitlines()]
        kept = [change(one) if one["number"] == number else one for one in lines]
        path.write_text("".join(f"{json.dumps(one)}\n" for one in kept if one))
        with_files_as_they_are(folder)

    return forge
