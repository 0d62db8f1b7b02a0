"""Time stamps of a real authority on the loopback, which OpenSSL itself makes."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from stamping_authority import Authority

from gatepass.base.errors import InputError
from gatepass.proof.folder import SUMS, TIMESTAMP, seal
from gatepass.proof.timestamp import NotStamped, look, stamp


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run that was sealed."""
    (tmp_path / "output.xml").write_text("<robot/>")
    seal(tmp_path)
    return tmp_path


def test_stamped(run: Path, authority: tuple[str, Path]) -> None:
    address, certificate = authority
    assert look(run, None) == ""
    assert stamp(run, address) == run / TIMESTAMP
    moment = datetime.strptime(look(run, certificate), "%Y-%m-%d %H:%M:%S UTC")
    assert abs(datetime.now(UTC) - moment.replace(tzinfo=UTC)) < timedelta(hours=1)


def test_without_gatepass(run: Path, authority: tuple[str, Path]) -> None:
    address, certificate = authority
    stamp(run, address)
    command = ["openssl", "ts", "-verify", "-data", SUMS, "-in", TIMESTAMP]
    command += ["-CAfile", str(certificate)]
    assert subprocess.run(command, cwd=run, check=False, capture_output=True).returncode == 0


def test_of_another_record(run: Path, authority: tuple[str, Path]) -> None:
    address, certificate = authority
    stamp(run, address)
    (run / "output.xml").write_text("<robot generator='x'/>")
    seal(run)
    with pytest.raises(NotStamped, match="does not fit SHA256SUMS"):
        look(run, certificate)


def test_by_an_authority_that_nobody_trusts(
    run: Path, authority: tuple[str, Path], certificates: Path
) -> None:
    stamp(run, authority[0])
    with pytest.raises(NotStamped, match="does not fit SHA256SUMS"):
        look(run, certificates / "ca.pem")


def test_a_stamp_that_is_none(run: Path) -> None:
    (run / TIMESTAMP).write_text("none")
    with pytest.raises(NotStamped, match="is no time stamp"):
        look(run, None)


def test_an_answer_that_is_none(
    run: Path, authority: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Authority, "answer", b"<html>Sign in first</html>")
    with pytest.raises(InputError, match="its answer is no time stamp"):
        stamp(run, authority[0])
    assert not (run / TIMESTAMP).exists()


def test_an_authority_that_is_not_there(run: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be asked \(ConnectionError\)"):
        stamp(run, "http://127.0.0.1:9/")
