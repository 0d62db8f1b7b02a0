"""The page of a check that did not pass, in a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gatepass.report.failure_page import Subject, Tried, render
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
    (folder / "index.html").write_text(render(about, "It carried 287 Mbit/s.", files, [], tried))
    done = looked_at(tmp_path, "failure.robot")
    assert done.returncode == 0, done.stdout + done.stderr
