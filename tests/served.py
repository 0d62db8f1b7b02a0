"""A results folder with runs of every kind, and the pages over it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from fleet_examples import plan
from gatepass.report.certificate import render
from gatepass.report.results_json import document, write
from gatepass.results.outcome import Outcome
from history_examples import DIGEST, outcome

NAME = "gatepass-"
COOKIES: dict[str, str] = {}
"""By server, what a browser keeps of it."""
PROJECT = Path(__file__).parents[1]
OTHER = "FGVM02TM24005678"
FIRST, SECOND = "20260302-080000-1234", "20260303-080000-1234"
FLEET, BROKEN, LIVE = "fleet-20260304-080000", "20260305-080000-gone", "20260306-080000-now"
PLAN = {
    "event": "plan",
    "at": 1.0,
    "order": "4711-09",
    "tier": "SGW-200",
    "customer": "Third Oy",
    "checks": 4,
    "shortest_s": 100.0,
    "longest_s": 200.0,
}


def kept(folder: Path, ended: Outcome, **order: str) -> Path:
    """A run that has ended, as its folder holds it."""
    folder.mkdir(parents=True)
    ended.run["order"] = ended.run["order"] | order
    write(document(ended, DIGEST), folder)
    (folder / "certificate.html").write_text(render(ended, DIGEST), encoding="utf-8")
    (folder / "gateway-before.conf").write_text("set passwd ENC secret", encoding="utf-8")
    (folder / "trials.csv").write_text("run,trial\n", encoding="utf-8")
    return folder


def results(folder: Path) -> Path:
    """Two runs of one gateway, the second slower; a fleet; one that was killed."""
    kept(folder / FIRST, outcome(0, (309.0, 308.0)), customer="First Oy")
    kept(folder / SECOND, outcome(1, (250.0, 308.0), shaper=261.0), customer="First Oy")
    fleet = plan(folder / FLEET, ["a"])
    kept(fleet / "orders" / "a", outcome(2, serial=OTHER), customer="Second Oy", tier="SGW-50")
    broken = folder / BROKEN
    broken.mkdir()
    tell(broken, PLAN, {"event": "chapter", "name": "Before the test"})
    return folder


def tell(folder: Path, *events: dict) -> None:
    """Events of a run, as `gatepass.run.progress` writes them."""
    with (folder / "progress.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"at": time.time()} | event) + "\n" for event in events)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """`./run.sh serve` over a results folder; where it is."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "libraries")}
    call = [sys.executable, "-m", "gatepass", "serve", "--results", str(folder), "--port", "0"]
    with subprocess.Popen(
        call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        cwd=PROJECT,
    ) as server:  # fmt: skip
        try:
            said = server.stdout.readline()
            assert said.startswith("http://127.0.0.1:"), server.stderr.read()
            here, _, token = said.split(" ")[0].partition("/?token=")
            COOKIES[here] = f"{NAME}{sha256(token.encode()).hexdigest()[:8]}={token}"
            yield here
        finally:
            server.terminate()
            said, complained = server.communicate(timeout=60)
    assert (server.returncode, said, complained) == (0, "", "")


def token_of(url: str) -> str:
    """The secret in the address that a server has printed."""
    return COOKIES[url].partition("=")[2]


def asked(url: str, words: str) -> tuple[int, str]:
    """Send a request as it stands, and read status and answer.

    Args:
        url: of the server.
        words: the request's first line and headers, without the version and the end; the cookie
            of who opened the printed address is added, where no other is among them.
    """
    if "\ncookie:" not in words.lower():
        words = f"{words}\nCookie: {COOKIES[url]}"
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as line:
        first, *headers = words.splitlines()
        there = [one for one in headers if one.lower().startswith("host:")] or [f"Host: {host}"]
        others = [one for one in headers if one not in there]
        lines = [f"{first} HTTP/1.1", *there, *others, "Connection: close", "", ""]
        line.sendall("\r\n".join(lines).encode())
        answer = b"".join(iter(lambda: line.recv(65536), b"")).decode(errors="replace")
    return int(answer.split(" ")[1]), answer
