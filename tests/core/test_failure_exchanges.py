"""What went to and fro in a check that did not pass: on its page, bounded, without secrets."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.flight_recorder import MOST, FlightRecorder, recorder
from gatepass.endpoint.download import Broken, FileSource, fetch, timed
from gatepass.endpoint.probe import Probe, try_all
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.security_log import stopped
from gatepass.report.failure_data import FailureFolder
from gatepass.report.failure_exchanges import (
    MOST_ROWS,
    MOST_TRANSFERS,
    MOST_TRIES,
    exchanges,
    packets_in,
    to_be_kept,
)
from gatepass.report.failure_page import Subject, Tried, render
from gatepass.results.exchanges import ConnectionTry, FileTransfer, LogExcerpt

ABOUT = Subject("Security services", "A Virus Over HTTP")
VIRUS = b"a virus of the test\x00\xff"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(VIRUS)))
        self.send_header("Set-Cookie", "session=very-secret")
        self.end_headers()
        self.wfile.write(VIRUS[:7] if "cut" in self.path else VIRUS)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def source() -> Iterator[FileSource]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield FileSource("http", "127.0.0.1", server.server_port, "blocked.gatepass.test", "Agent/1.0")
    server.shutdown()
    server.server_close()


def page(since: float = 0, beside: list[tuple[str, str]] | None = None) -> str:
    seen = exchanges(recorder, since, beside or [])
    return render(ABOUT, "It arrived.", [], [], Tried(), seen)


def test_a_file_that_arrived_whole(source: FileSource, shell: LocalShell) -> None:
    began = time.time()
    fetch(shell, source, "eicar.com", expected=VIRUS)
    shown = page(began)
    for words in (
        *(f"GET http://blocked.gatepass.test:{source.port}/eicar.com", "User-Agent: Agent/1.0"),
        *(" 200 OK", f"Content-Length: {len(VIRUS)}", f"{len(VIRUS)} of {len(VIRUS)} bytes"),
        *(f"SHA-256 {sha256(VIRUS).hexdigest()}, the same as the server&#39;s file",),
        *("61 20 76 69 72 75 73", "a virus of the t", "sent to 127.0.0.1"),
    ):
        assert words in shown, words
    assert "very-secret" not in shown and "Set-Cookie: ***" in shown


def test_what_went_alike_stands_once(source: FileSource, shell: LocalShell) -> None:
    began = time.time()
    for path in ("eicar.com", "eicar.com", "eicar.com", "cut"):
        fetch(shell, source, path, expected=VIRUS)
    first, second = exchanges(recorder, began).transfers
    assert first.before.startswith("and 2 alike since ") and not second.before
    assert all(line for line in first.answer)
    assert "and 2 alike since" in page(began)


def test_a_file_that_broke_off(source: FileSource, shell: LocalShell) -> None:
    began = time.time()
    with pytest.raises(Broken):
        timed(shell, source, "cut", len(VIRUS), 5)
    fetch(shell, source, "cut", expected=VIRUS)
    large, small = exchanges(recorder, began).transfers
    assert large.received == small.received == f"7 of {len(VIRUS)} bytes"
    assert large.problem and small.problem and "the server's file has" in small.content
    assert small.beginning.startswith(b"a virus".hex(" "))


def test_a_connection_that_was_tried(shell: LocalShell) -> None:
    began = time.time()
    try_all(shell, [Probe("tcp", "127.0.0.1", 9)], 0.2)
    ((_, one),) = exchanges(recorder, began).tries
    assert (one.source, one.target) == ("client", "TCP to 127.0.0.1 port 9")
    assert "TCP to 127.0.0.1 port 9" in page(began) and "refused" in page(began)


def test_the_log_that_the_check_read(gateway: FortiGate) -> None:
    began = time.time()
    stopped(gateway, "virus", "198.18.1.10", 1)
    assert "memory/virus" in page(began) and "srcip==198.18.1.10" in page(began)
    assert "0 entries" in page(began)  # that there was none is what an engineer looks for


def test_what_was_before_the_check_is_no_part_of_it(shell: LocalShell) -> None:
    try_all(shell, [Probe("tcp", "127.0.0.1", 9)], 0.2)
    assert exchanges(recorder, time.time() + 1).tries == []


def many() -> FlightRecorder:
    kept, row = FlightRecorder(), {"date": "2026-11-28", "virus": "EICAR", "msg": "x" * 5000}
    for number in range(3 * MOST):
        answer = [f"X-{line}: {'y' * 5000}" for line in range(100)]
        kept.note(FileTransfer([f"GET /{number}"], answer, number, problem="z" * 5000))
        kept.note(ConnectionTry("client", f"TCP to port {number}", "silent"))
        kept.note(LogExcerpt("disk/virus", {}, [row] * 200))
    return kept


def test_each_part_is_bounded() -> None:
    kept = many()
    seen = exchanges(kept, 0)
    assert len(seen.transfers) == MOST_TRANSFERS and len(seen.tries) == MOST_TRIES
    assert seen.transfers[-1].request == [f"GET /{3 * MOST - 1}"]  # the latest
    assert seen.more == (MOST - MOST_TRANSFERS, MOST - MOST_TRIES)
    (log,) = seen.logs
    assert len(log.rows) == MOST_ROWS
    assert len(render(ABOUT, "", [], [], Tried(), seen)) < 100_000


def test_all_of_it_lies_beside_the_page(tmp_path: Path) -> None:
    folder = FailureFolder(tmp_path / "check")
    for name, meaning, rows in to_be_kept(many(), 0):
        folder.json(name, meaning, rows)
    assert [name for name, _ in folder.kept] == [
        *("exchanges/transfers.json", "exchanges/connections.json", "gateway/log-disk-virus.json")
    ]


def test_a_capture_is_led_to_with_what_is_in_it(tmp_path: Path) -> None:
    packet = struct.pack("<IIII", 1, 2, 3, 60) + b"abc"
    capture = tmp_path / "server.pcap"
    capture.write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + packet * 5)
    assert packets_in(capture) == 5
    shown = page(time.time() + 1, [("leaks/server.pcap", "5 packets that arrived")])
    assert '<a href="../../../leaks/server.pcap">leaks/server.pcap</a> 5 packets' in shown


def test_where_nothing_was_sent_nothing_is_said() -> None:
    shown = page(time.time() + 1)
    for heading in ("What was transferred", "Connections that were tried", "log said", "captured"):
        assert heading not in shown
