"""Who is told of a run's end: a command, an address; nothing of it is in the way of the verdict."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gatepass.run.notice import COMMAND, WEBHOOK, tell_of_the_end

DOCUMENT = {"verdict": "approved"}


class _Hook(ThreadingHTTPServer):
    status = 200
    location = ""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.taken: list[tuple[str, str, bytes]] = []


class _Handler(BaseHTTPRequestHandler):
    server: _Hook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append((self.path, self.headers["Content-Type"], body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def hook() -> Iterator[_Hook]:
    server = _Hook()
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "results.json").write_text(json.dumps(DOCUMENT))
    return tmp_path


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (COMMAND, WEBHOOK):
        monkeypatch.delenv(name, raising=False)


def test_nobody_is_told_unless_asked_for(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tell_of_the_end(run, "approved")
    assert capsys.readouterr().err == ""


def test_a_command_has_file_and_verdict(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = f'cp "$GATEPASS_RESULTS_JSON" {run}/copy; echo "$GATEPASS_VERDICT" > {run}/verdict'
    monkeypatch.setenv(COMMAND, copy)
    tell_of_the_end(run, "not proven")
    assert json.loads((run / "copy").read_text()) == DOCUMENT
    assert (run / "verdict").read_text() == "not proven\n"
    assert capsys.readouterr().err == ""


def test_a_command_that_fails_is_told(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(COMMAND, "echo no disk >&2; exit 3")
    tell_of_the_end(run, "approved")
    assert capsys.readouterr().err == (
        "Gatepass: the run has ended, and the command of GATEPASS_AT_END ended with 3: no disk.\n"
    )


def test_an_address_gets_the_document(
    run: Path, hook: _Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WEBHOOK, f"http://127.0.0.1:{hook.server_port}/take?token=s3cret")
    tell_of_the_end(run, "approved")
    ((path, kind, body),) = hook.taken
    assert (path, kind) == ("/take?token=s3cret", "application/json")
    assert json.loads(body) == DOCUMENT


def test_an_address_that_refuses_is_told_without_its_secret(
    run: Path, hook: _Hook, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hook.status = 403
    monkeypatch.setenv(WEBHOOK, f"http://127.0.0.1:{hook.server_port}/take?token=s3cret")
    tell_of_the_end(run, "approved")
    told = capsys.readouterr().err
    assert "127.0.0.1, which GATEPASS_WEBHOOK names, answered 403." in told
    assert "s3cret" not in told


def test_an_address_that_is_not_there(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(WEBHOOK, "http://127.0.0.1:9/?token=s3cret")
    tell_of_the_end(run, "approved")
    told = capsys.readouterr().err
    assert "cannot be told (" in told and "s3cret" not in told


@pytest.mark.parametrize(
    "address",
    [
        *("nonsense s3cret", "http://[", "https://", "//s3cret", "file:///etc/s3cret"),
        *("http://hooks.example.net/s3cret", "https://[::1/s3cret", "http://2130706433/s3cret"),
    ],
)
def test_what_is_no_address_is_told_in_a_sentence(
    run: Path, address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(WEBHOOK, address)
    tell_of_the_end(run, "approved")
    told = capsys.readouterr().err
    assert "GATEPASS_WEBHOOK holds no address of the form https://HOST/…" in told
    assert "s3cret" not in told


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(
    run: Path, hook: _Hook, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    status: int,
) -> None:
    hook.status = status
    hook.location = f"http://127.0.0.1:{hook.server_port}/elsewhere"
    monkeypatch.setenv(WEBHOOK, f"http://127.0.0.1:{hook.server_port}/take")
    tell_of_the_end(run, "approved")
    assert f"answered {status}." in capsys.readouterr().err
    assert [path for path, _, _ in hook.taken] == ["/take"]


def test_without_results_there_is_nothing_to_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(COMMAND, f"touch {tmp_path}/called")
    tell_of_the_end(tmp_path, "approved")
    assert not (tmp_path / "called").exists()
