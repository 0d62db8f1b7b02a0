"""Users of a web proxy: a real script, against a small server that can be told to misbehave."""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.scenarios.security import proxy_users
from gatepass.scenarios.security.proxy_users import Users, content


class Proxy:
    """Answers each request with the content of the user that its URL names.

    Attributes:
        most: connections at once; what is more gets 403 and is closed.
        mixes: whether each user gets the content of the next one.
        at_once: the most connections that there were.
    """

    def __init__(self) -> None:
        self.most, self.mixes, self.at_once = 10_000, False, 0
        self._now = 0
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        threading.Thread(target=self._serve, args=(ready,), daemon=True).start()
        assert ready.wait(60)

    def _serve(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        start = asyncio.start_server(self._client, "127.0.0.1", 0, backlog=512)
        self._server = self._loop.run_until_complete(start)
        self.port = self._server.sockets[0].getsockname()[1]
        ready.set()
        self._loop.run_forever()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._now += 1
        self.at_once = max(self.at_once, self._now)
        refused = self._now > self.most
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                user = int(head.split()[1].rpartition(b"-")[2])
                body = b"" if refused else content(user + self.mixes)
                status = b"403 Forbidden" if refused else b"200 OK"
                writer.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n" % (status, len(body)))
                writer.write(body)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._now -= 1
            writer.close()


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    made = Proxy()
    yield made
    made.close()


def ask(shell: LocalShell, proxy: Proxy, count: int) -> Users:
    prefix = "http://192.0.2.1:80/user-"
    return proxy_users.run(shell, ("127.0.0.1", proxy.port), prefix, count, 0.5)


def test_all_are_served_at_once(shell: LocalShell, proxy: Proxy) -> None:
    told = ask(shell, proxy, 60)
    assert (told.users, told.served_users, told.failed, told.mixed) == (60, 60, 0, 0)
    # who has an answer asks again, maybe before the proxy has seen that it is through with the last
    assert proxy.at_once >= 60
    assert told.served >= 60
    assert told.bytes >= sum(len(content(user)) for user in range(60))
    assert told.median_s <= told.p99_s
    assert "60 of 60 users were served" in str(told)


def test_refused_users_are_counted(shell: LocalShell, proxy: Proxy) -> None:
    proxy.most = 20
    told = ask(shell, proxy, 50)
    assert told.served_users == 20
    assert told.failed >= 30 and told.reason == "answer 403"


def test_another_users_answer_is_seen(shell: LocalShell, proxy: Proxy) -> None:
    proxy.mixes = True
    told = ask(shell, proxy, 5)
    assert (told.served, told.served_users) == (0, 0) and told.mixed >= 5


def test_nobody_there(shell: LocalShell) -> None:
    told = proxy_users.run(shell, ("127.0.0.1", 9), "http://192.0.2.1/user-", 3, 0.3)
    assert told.served == 0 and told.failed >= 3
    assert told.reason.startswith("no connection")


def test_what_is_no_answer_is_not_proven(tmp_path: Path) -> None:
    broken = tmp_path / "python3"
    broken.write_text("#!/bin/sh\necho no module named asyncio >&2\nexit 1\n")
    broken.chmod(0o755)
    path = f"PATH={tmp_path}:{os.environ['PATH']}"
    with pytest.raises(NotProven, match="failed on the client: no module named asyncio"):
        proxy_users.run(
            LocalShell("client", tmp_path, ("env", path)), None, "http://127.0.0.1:9/u-", 1, 0.1
        )


def test_the_files_are_what_the_users_expect(tmp_path: Path) -> None:
    command = f"cd {tmp_path} && {proxy_users.make_files(3)}"
    subprocess.run(["sh", "-c", command], check=True)
    for user in range(3):
        assert (tmp_path / f"user-{user}").read_bytes() == content(user)
