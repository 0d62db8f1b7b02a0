"""Downloads with a real curl from a small web server on the loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.endpoint.download import Broken, FileSource, fetch, timed
from gatepass.endpoint.file_server import TestFiles
from gatepass.endpoint.remote import mix
from gatepass.endpoint.specimens import EICAR, FILTERED, specimens
from gatepass.results.downloads import Transfer
from gatepass.scenarios.security.application_mix import mixed_load

MARK = "gp0a1b2c"


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server: Web = self.server
        server.asked.append((self.path, self.headers["Host"], self.headers["User-Agent"]))
        if "cut" in self.path:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x" * 10)
            self.close_connection = True
        elif "missing" in self.path or "gone" in self.path:
            self.send_error(404)
        else:
            super().do_GET()

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


class Web(ThreadingHTTPServer):
    """Serves a folder and remembers what was asked."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[tuple[str, str, str]] = []
        super().__init__(
            ("127.0.0.1", 0), lambda *args: _Handler(*args, directory=str(folder))
        )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "www").mkdir()
    return tmp_path / "www"


@pytest.fixture
def web(root: Path) -> Iterator[Web]:
    server = Web(root)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def source(web: Web) -> FileSource:
    return FileSource("http", "127.0.0.1", web.server_port, "blocked.gatepass.test", "Agent/1.0")


def test_a_copy_is_told_from_anything_else(
    root: Path, web: Web, source: FileSource, shell: LocalShell
) -> None:
    (root / "f.bin").write_bytes(b"abc")
    got = fetch(shell, source, "f.bin")
    assert (got.status, got.bytes, got.exit_code) == (200, 3, 0)
    assert got.is_copy_of(b"abc") and not got.is_copy_of(b"abd")
    assert web.asked == [("/f.bin", f"blocked.gatepass.test:{web.server_port}", "Agent/1.0")]


@pytest.mark.parametrize("path", ["missing", "cut"])
def test_what_did_not_arrive_is_no_copy(source: FileSource, shell: LocalShell, path: str) -> None:
    got = fetch(shell, source, path)
    assert not got.is_copy_of(b"") or got.bytes == 0
    assert got.status in (404, 200)


def test_nobody_there(shell: LocalShell) -> None:
    got = fetch(shell, FileSource("http", "127.0.0.1", 9), "f")
    assert (got.status, got.bytes) == (0, 0) and got.exit_code
    assert ("(" in str(got) and "Could not connect" in str(got)) or "Failed to connect" in str(got)


def test_a_timed_download_is_whole_or_broken(
    root: Path, source: FileSource, shell: LocalShell
) -> None:
    (root / "large").write_bytes(b"x" * 100_000)
    transfer = timed(shell, source, "large", 100_000, 5)
    assert transfer.bytes == 100_000 and transfer.mbps > 0
    with pytest.raises(Broken, match="100,000 of 200,000 bytes"):
        timed(shell, source, "large", 200_000, 5)
    with pytest.raises(Broken, match="10 of 1,000 bytes"):
        timed(shell, source, "cut", 1000, 5)


ONE_MIX = (("HTTP", 2), ("HTTPS", 1))


def test_a_load_is_counted_in_windows(root: Path, source: FileSource, shell: LocalShell) -> None:
    (root / "a").write_bytes(b"x" * 1000)
    (root / "b").write_bytes(b"y" * 3000)
    files = [("a", 1000), ("b", 3000)]
    found = mixed_load(shell, lambda protocol: source, files, ONE_MIX, 0.3, 1.5)
    assert len(found) == 2 and all(window.seconds == 0.75 for window in found)
    whole = Transfer.joined(found)
    assert whole.bytes > 10_000 and whole.files > 5 and not whole.failed
    missing = [*files, ("gone", 5)]
    whole = Transfer.joined(mixed_load(shell, lambda protocol: source, missing, ONE_MIX, 0.3, 1.0))
    assert 0 < whole.failed < whole.files
    nowhere = FileSource("http", "127.0.0.1", 9)
    whole = Transfer.joined(mixed_load(shell, lambda protocol: nowhere, files, ONE_MIX, 0.1, 0.3))
    assert whole.bytes == 0 and whole.failed == whole.files > 0
    assert whole.seconds == pytest.approx(0.3)


def test_an_object_counts_over_the_time_that_it_took() -> None:
    # 100 bytes from 9.5 to 11.5: a quarter before the start at 10, half and a quarter in windows
    found = mix.windows_of([(11.5, 2.0, 100)], 10, 1, 3)
    assert [window["bytes"] for window in found] == [50, 25, 0]
    assert [window["files"] for window in found] == [0, 1, 0]
    # so large objects at a steady rate are a steady rate
    large = [(9.0 + 0.7 * number, 0.7, 70) for number in range(1, 9)]
    assert {window["bytes"] for window in mix.windows_of(large, 10, 1, 4)} == {100}
    failed = mix.windows_of([(10.5, 0.1, 0)], 10, 1, 1)
    assert failed == [{"bytes": 0, "files": 1, "failed": 1}]


@pytest.mark.parametrize(
    ("end", "told"),
    [("kill -KILL $$", "curl on the client was ended by signal 9"), ("exit 23", "curl failed on")],
)
def test_a_curl_that_fails_by_itself_is_the_rigs(
    source: FileSource, shell: LocalShell, end: str, told: str
) -> None:
    folder = Path(shell.folder()) / "bin"
    folder.mkdir()
    (folder / "curl").write_text(f"#!/bin/sh\nprintf '200 10 0 0 1'; {end}\n")
    (folder / "curl").chmod(0o755)
    shell.inside = ("env", f"PATH={folder}:/usr/sbin:/usr/bin:/sbin:/bin")
    for ask in (lambda: fetch(shell, source, "f"), lambda: timed(shell, source, "f", 20, 5)):
        with pytest.raises(NotProven, match=told):
            ask()


def test_no_curl(source: FileSource, tmp_path: Path) -> None:
    bare = LocalShell("client", tmp_path, ("env", f"PATH={tmp_path}"))
    with pytest.raises((NotProven, FileNotFoundError)):
        fetch(bare, source, "f")


def test_files_are_put_and_taken_away(root: Path, shell: LocalShell) -> None:
    files = TestFiles(shell, str(root), MARK)
    made = specimens(MARK, ("bat", "exe"))
    files.put(made.values())
    files.noise("large.bin", 5000)
    for specimen in made.values():
        assert (root / files.path(specimen.file)).read_bytes() == specimen.content
    assert (root / MARK / "large.bin").stat().st_size == 5000
    assert made["a file of a filtered type"].content == FILTERED["bat"]
    assert made["the virus test file"].content == EICAR and len(EICAR) == 68
    files.remove()
    assert not (root / MARK).exists()


def test_a_folder_that_cannot_be_written_is_one_sentence(shell: LocalShell) -> None:
    with pytest.raises(NotProven, match=r"cannot be put into /proc/gp0a1b2c on the .*testbed file"):
        TestFiles(shell, "/proc", MARK).noise("x", 1)


def test_each_harmful_specimen_has_a_harmless_neighbour() -> None:
    made = list(specimens(MARK, ("exe",)).values())
    for harmful, harmless in zip(made[::2], made[1::2], strict=True):
        assert harmful.log and not harmless.log
        assert (harmful.file, harmful.host, harmful.agent) != (
            harmless.file,
            harmless.host,
            harmless.agent,
        )
