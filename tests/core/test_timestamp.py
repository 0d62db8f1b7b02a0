"""Time stamps of a real authority on the loopback, which OpenSSL itself makes."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from stamping_authority import Authority

from gatepass.base.errors import InputError
from gatepass.proof.folder import SUMS, TIMESTAMP, seal
from gatepass.proof.timestamp import NotStamped, ask, look, stamp


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


def asked_for(run: Path, address: str) -> bytes:
    """What the authority answers to another request over the same or another list."""
    words = ["openssl", "ts", "-query", "-data", str(run / SUMS), "-sha256", "-cert"]
    return ask(address, subprocess.run(words, check=True, capture_output=True).stdout)


@pytest.mark.parametrize("of", ["another-list", "an-earlier-request"])
def test_an_answer_to_another_request(
    run: Path, authority: tuple[str, Path], of: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither is kept, and the stamp that was there stays."""
    before = stamp(run, authority[0]).read_bytes()
    listed = (run / SUMS).read_bytes()
    if of == "another-list":
        (run / SUMS).write_text("another")
    answer = asked_for(run, authority[0])
    (run / SUMS).write_bytes(listed)
    monkeypatch.setattr(Authority, "answer", answer)
    with pytest.raises(InputError, match=r"no time stamp of what was asked: \w+.* mismatch"):
        stamp(run, authority[0])
    assert (run / TIMESTAMP).read_bytes() == before
    assert {path.name for path in run.iterdir()} == {"output.xml", SUMS, TIMESTAMP}


def test_an_answer_that_grants_nothing(
    run: Path, authority: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = bytes.fromhex("30053003020102")  # PKIStatusInfo: rejection
    monkeypatch.setattr(Authority, "answer", refused)
    with pytest.raises(InputError, match="none was granted"):
        stamp(run, authority[0])


def test_an_answer_whose_signature_does_not_hold(
    run: Path, authority: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nobody was named whose stamps count."""
    stamp(run, authority[0])
    content = bytearray((run / TIMESTAMP).read_bytes())
    content[-1] ^= 1
    (run / TIMESTAMP).write_bytes(content)
    with pytest.raises(NotStamped):
        look(run, None)


def test_an_answer_without_end(
    run: Path, authority: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Authority, "answer", bytes(2 * 2**20))
    with pytest.raises(InputError, match="larger than 1024 KiB"):
        stamp(run, authority[0])


def test_of_another_record_whoever_made_it(run: Path, authority: tuple[str, Path]) -> None:
    stamp(run, authority[0])
    (run / "output.xml").write_text("<robot generator='x'/>")
    seal(run)
    with pytest.raises(NotStamped, match="does not fit SHA256SUMS"):
        look(run, None)


def test_an_authority_that_is_not_there(run: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be asked \(ConnectionError\)"):
        stamp(run, "http://127.0.0.1:9/")
