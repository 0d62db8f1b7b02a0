"""The page of a check that did not pass, in a browser."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from gatepass.base.flight_recorder import FlightRecorder
from gatepass.report.failure_exchanges import exchanges
from gatepass.report.failure_page import Subject, Tried, render
from gatepass.results.exchanges import ConnectionTry, FileTransfer, LogExcerpt
from paper import printed
from test_certificate_rendered import CHROMIUM, looked_at


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_what_a_browser_shows(tmp_path: Path) -> None:
    hosts = {"client": {"busy_percent": 12.0}, "server": {"busy_percent": 34.0}}
    noted = [
        {"number": number, "to": "198.18.2.10", "mbps": mbps, "hosts": hosts, "set_aside": aside}
        for number, mbps, aside in (
            *((1, 299.0, ""), (2, 299.1, ""), (3, 250.0, ""), (4, 298.9, "")),
            (5, 298.0, "the client stood still for 120 ms"),
        )
    ]
    sums = [
        {"sum": {"bytes": 18_750_000, "retransmits": 3, "seconds": 0.5, "end": 0.5 * end}}
        for end in range(1, 5)
    ]
    trials, folder = tmp_path / "trials", tmp_path / "failures" / "chapter" / "check"
    trials.mkdir()
    folder.mkdir(parents=True)
    for number in range(1, 6):
        for side in ("client", "server"):
            (trials / f"{number:03d}-{side}.json").write_text(json.dumps({"intervals": sums}))
    (tmp_path / "certificate.html").write_text("<title>Certificate</title><h1>Certificate</h1>")
    about = Subject("Stateful firewall", "One Policy, Without NAT")
    tried = Tried(noted, trials, promised=300.0)
    files = [("trials/001-client.json", "trial 1")]
    kept = FlightRecorder()
    request = ["GET http://blocked.gatepass.test:8080/" + "a-long-name-" * 8, "Agent/1.0"]
    answer = ["HTTP/1.1 200 OK", "Server: nginx", "X-Long: " + "x" * 190]
    digest = sha256(b"x").hexdigest()
    kept.note(FileTransfer(request, answer, 68, 70, digest, "0" * 64, bytes(range(64)), "cut off"))
    kept.note(ConnectionTry("client", "TCP to 198.18.2.10 port 5300", "answered", "198.18.2.1"))
    row = {"date": "2026-11-28", "time": "02:00:00", "action": "blocked", "virus": "EICAR"}
    kept.note(LogExcerpt("disk/virus", {"filter": "srcip==198.18.1.10"}, [row]))
    seen = exchanges(kept, 0, [("leaks/server.pcap", "5 packets")])
    page = render(about, "It carried 287 Mbit/s.", files, [], tried, seen)
    (folder / "index.html").write_text(page)
    done = looked_at(tmp_path, "failure.robot")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_no_word_of_a_table_is_torn(tmp_path: Path) -> None:
    kept = FlightRecorder()
    for port in (39501, 39502):
        target = f"TCP to 198.18.2.1 port {port}, with the rules in force"
        seen = "; ".join([f"198.18.2.233, at 198.18.1.253 port {port}"] * 2)
        kept.note(ConnectionTry("198.18.2.233", target, "answered", seen))
    about = Subject("The edge of the network", "A Published Port Leads To Its Host")
    page = render(about, "It led elsewhere.", [], [], Tried(), exchanges(kept, 0, []))
    words = [word.text for sheet in printed(page, tmp_path).sheets for word in sheet]
    assert words.count("answered") == 2 and "Outcome" in words
