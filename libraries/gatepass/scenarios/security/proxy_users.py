"""Concurrent users of the gateway's explicit web proxy, by a script on the client."""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.base.flight_recorder import recorder
from gatepass.endpoint.answers import Count, Words, of_json, words_of
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.shell import Shell
from gatepass.results.exchanges import ConnectionTry

_OBJECT_LINES = 1024


@dataclass(frozen=True)
class Users:
    """What became of the users.

    Attributes:
        users: that there were at once; `served_users` of them got an answer of their own.
        served_users: see `users`.
        served, failed, mixed: transactions; mixed are answers that belong to another user.
        bytes: of content.
        reason: what the first failure was; empty without one.
        median_s, p99_s: time of a transaction; None where none was served.
    """

    users: Count
    served_users: Count
    served: Count
    failed: Count
    mixed: Count
    bytes: Count
    reason: Words
    median_s: float | None
    p99_s: float | None

    @property
    def attempted(self) -> int:
        """All transactions."""
        return self.served + self.failed + self.mixed

    def __str__(self) -> str:
        times = ""
        if self.median_s is not None:
            times = f", median {self.median_s * 1e3:.0f} ms, 99 % in {self.p99_s * 1e3:.0f} ms"
        return (
            f"{self.served_users} of {self.users} users were served, "
            f"{self.served:,} of {self.attempted:,} transactions{times}"
        )


def content(user: int) -> bytes:
    """The file of a user: its number, a line a time."""
    return b"user %d\n" % user * _OBJECT_LINES


def make_files(count: int) -> Script:
    """The shell command that writes the files of so many users into the current folder."""
    return script(
        'i=0; while [ $i -lt {count} ]; do yes "user $i" | head -n {lines} > user-$i; '
        "i=$((i+1)); done",
        count=count,
        lines=_OBJECT_LINES,
    )


def run(
    client: Shell, proxy: tuple[str, int] | None, prefix: str, count: int, seconds: float
) -> Users:
    """Be so many users at once.

    Args:
        client: where they are.
        proxy: host and port; None asks the server itself.
        prefix: of the URLs; the user's number follows.
        count: of users.
        seconds: for how long they ask.

    Raises:
        NotProven: the script did not work on the client.
    """
    host, port = proxy or ("-", 0)
    command = script(
        "ulimit -n 4096; python3 {program} {host} {port} {prefix} {count} {seconds:g}",
        program=install(client, "users.py"),
        host=host,
        port=port,
        prefix=prefix,
        count=count,
        seconds=seconds,
    )
    done = client.run(command, timeout_s=seconds + 30)
    try:
        users = of_json(Users, done.output)
    except ValueError:
        words = words_of(done)
        raise NotProven(f"the proxy's users failed on the {client.name}: {words}") from None
    way = f"by the proxy {host} port {port}" if proxy else "without the proxy"
    outcome = f"{users}{f'; the others: {users.reason}' if users.reason else ''}"
    recorder.note(ConnectionTry(client.name, f"{count} users, GET {prefix}… {way}", outcome))
    return users
