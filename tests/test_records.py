"""The records of real runs that tests are made of: whole, and of no machine in particular."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import records

PATH = re.compile(r"(?<![\w./<-])/(?:home|root|tmp|srv|opt|mnt|work|var|etc)/[^\s\"'<,:]*")
OURS = (records.ROOT, "/tmp/gatepass.")
"""Where the project lay, and what it had on an endpoint."""
SECRETS = ("PRIVATE KEY", "Authorization:", "Bearer ", "access_token=")


def test_there_are_some() -> None:
    assert "approved" in records.NAMES


@pytest.mark.parametrize("name", records.NAMES)
def test_it_tells_of_no_machine_and_no_secret(name: str) -> None:
    told = records.xml(name).decode()
    assert [path for path in PATH.findall(told) if not path.startswith(OURS)] == []
    assert [word for word in SECRETS if word in told] == []


@pytest.mark.parametrize("name", records.NAMES)
def test_it_is_whole(name: str, tmp_path: Path) -> None:
    kept = records.outcome(name, tmp_path)
    assert kept.restoration is not None
    assert len(kept.checks) == len(kept.run["plan"])


def test_a_run_is_kept_without_its_machine(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    told = '<suite id="s1" source="/home/me/gatepass/suites">/home/me/gatepass/lab</suite>'
    (tmp_path / "output.xml").write_text(told)
    assert records.keep(tmp_path, "mine") == tmp_path / "mine.xml.xz"
    assert records.xml("mine").decode() == told.replace("/home/me/gatepass", "/srv/gatepass")
