"""SSL VPN users on the client endpoint: openconnect, one process and one interface for each.

A script of ours keeps them connected (`remote/openconnect_users.py`). Their passwords go there in
a file that only the user there can read and that the script removes at once, and from it to
openconnect's standard input; they stand in no command line.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.base.finding import must_be_fine
from gatepass.endpoint import host_changes
from gatepass.endpoint.answers import Address4, Network, Nothing, Words, of_json
from gatepass.endpoint.host import survey
from gatepass.endpoint.looks import LOOK_OVER, begin_look
from gatepass.endpoint.needs import ROOT, TUN
from gatepass.endpoint.probe import install
from gatepass.endpoint.processor_time import used_s
from gatepass.endpoint.readiness import lacking
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell, put_secret
from gatepass.scenarios.remote_access.configuration import VpnUser
from gatepass.scenarios.remote_access.vpn_client import (
    Connected,
    forget,
    interface_of,
    left_of,
    table_of,
)

_T = TypeVar("_T")
_PATIENCE_S = 30
"""How long a user may take to get an address, with all others at it."""
_ROUTING = "vpn-routing"
_NEEDS = dict.fromkeys((ROOT, TUN, "openconnect", "ip", "nft"), ("remote_access",))


@dataclass(frozen=True)
class Replay:
    """What became of a session that was used again.

    Attributes:
        first, second: addresses that the session got when it was fresh and when it should have
            been over; empty for none.
        by_gateway: whether the gateway ended the first connection by itself, after `seconds`.
        seconds: see `by_gateway`.
        words: of openconnect, at the second use, or at the first where that was refused.
    """

    first: str
    second: str
    by_gateway: bool
    seconds: float
    words: str


class _Found(TypedDict):
    address: Address4 | Nothing
    words: Words


class _Outcome(_Found):
    routes: tuple[Network, ...]
    seconds: float


class _End(TypedDict):
    by_gateway: bool
    seconds: float


class _Replayed(TypedDict):
    first: _Found | None
    ended: _End | None
    second: _Found | None


class SslVpnClient:
    """The users of one run (see `VpnClient`).

    Args:
        shell: the client endpoint.
        mark: of the run.
        address, port: where the gateway's SSL VPN listens.
        pin: of its certificate; whoever shows another one gets no password.
        limit_s: after which users leave by themselves, should nobody tell them to.
    """

    program = "openconnect"

    def __init__(
        self, shell: Shell, mark: str, address: str, port: int, pin: str, limit_s: float = 600
    ) -> None:
        self.shell = shell
        self.mark = mark
        self.server = f"https://{address}:{port}/"
        self.pin = pin
        self.limit_s = limit_s
        self._running: Detached | None = None
        self._numbers: list[int] = []

    def check(self) -> None:
        """Look whether the endpoint has all that is needed.

        Raises:
            NotProven: it lacks something.
        """
        must_be_fine(lacking(survey(self.shell), _NEEDS))

    def connect(self, users: Sequence[VpnUser]) -> list[Connected]:
        """Connect all users at the same time; what became of each, in their order.

        Raises:
            NotProven: the script did not work on the endpoint.
        """
        self.disconnect()
        self._numbers = [user.number for user in users]
        answer = self._run(
            list[_Outcome], "openconnect_users.py", users, _PATIENCE_S + 10, stays=True
        )
        return [
            Connected(
                user,
                one["address"],
                one["routes"],
                interface_of(self.mark, user.number),
                table_of(self.mark, user.number),
                one["seconds"],
                one["words"],
            )
            for user, one in zip(users, answer, strict=True)
        ]

    def disconnect(self) -> None:
        """Log all users out and wait until they are gone."""
        running, self._running = self._running, None
        if running is None:
            return
        # not its whole session, whose shell writes down that it has ended
        running.end(f"{running.stem}.told.process")
        try:
            running.wait(_PATIENCE_S)
        except ProgramEnded:
            running.kill()
        host_changes.take_back(self.shell, _ROUTING)

    def replay(self, user: VpnUser, after: str, expiry_s: float) -> Replay:
        """Use a session again that should be over.

        Args:
            user: who logs in.
            after: how the session ends: "logout" or "expiry".
            expiry_s: how long its expiry is waited for.

        Raises:
            NotProven: the script did not work on the endpoint.
        """
        self.disconnect()
        self._numbers = [user.number]
        patience_s = expiry_s + 3 * _PATIENCE_S
        extra = {"after": after, "expiry_s": expiry_s}
        answer = self._run(_Replayed, "openconnect_replay.py", [user], patience_s, **extra)
        first, second, ended = answer["first"], answer["second"], answer["ended"]
        return Replay(
            first["address"] if first else "",
            second["address"] if second else "",
            bool(ended and ended["by_gateway"]),
            ended["seconds"] if ended else 0.0,
            (second or first or {"words": ""})["words"],
        )

    def left(self) -> list[str]:
        """Interfaces, rules and routes of the run's users that are on the endpoint."""
        look = script(
            "ip -o link show | grep -o {interfaces}; {left}",
            interfaces=f"{self.mark}-[0-9]*",
            left=left_of([table_of(self.mark, number) for number in self._numbers]),
        )
        return self.shell.run(look).output.splitlines()

    def cpu_s(self) -> float:
        """CPU time of all openconnect processes in seconds so far."""
        if self._running is None:
            return 0.0
        return used_s(
            self.shell, script("$(ps -o pid= -g $(cat {stem}.pid))", stem=self._running.stem)
        )

    def _run(
        self,
        kind: type[_T],
        program: str,
        users: Sequence[VpnUser],
        patience_s: float,
        stays: bool = False,
        **extra: object,
    ) -> _T:
        """Start a script with a job of these users, and what it tells, which is of a kind."""
        path = install(self.shell, program)
        install(self.shell, "openconnect_users.py")
        job = {
            "server": self.server,
            "pin": self.pin,
            "script": install(self.shell, "vpn_script.sh"),
            "patience_s": _PATIENCE_S,
            "users": [
                {
                    "number": user.number,
                    "name": user.name,
                    "password": user.password,
                    "interface": interface_of(self.mark, user.number),
                    "table": table_of(self.mark, user.number),
                }
                for user in users
            ],
        } | extra
        stem = f"{self.shell.folder()}/vpn-users"
        put_secret(self.shell, json.dumps(job), f"{stem}.job")
        tables = [user["table"] for user in job["users"]]
        host_changes.announce(self.shell, _ROUTING, forget(tables))
        self.shell.run(script("rm -f {stem}.told", stem=stem))
        command = script("python3 {path} {stem}.job {stem}.told", path=path, stem=stem)
        running = Detached.start(self.shell, stem, command, self.limit_s)
        try:
            answer = self._told(kind, running, patience_s)
        except BaseException:
            running.stop()
            raise
        if stays:
            self._running = running
        else:
            running.wait(_PATIENCE_S)
            host_changes.take_back(self.shell, _ROUTING)
        return answer

    def _told(self, kind: type[_T], running: Detached, patience_s: float) -> _T:
        """What the script wrote, waited for on the endpoint itself."""
        look = script(
            "{begin}; until [ -s {stem}.told ] || [ -s {stem}.rc ]; do "
            "{over} && exit 9; sleep 0.02; done; cat {stem}.told",
            begin=begin_look(5),
            stem=running.stem,
            over=LOOK_OVER,
        )
        for _ in range(int(patience_s / 5) + 1):
            done = self.shell.run(look, timeout_s=20, again=True)
            if done.status != 9:
                break
        with suppress(ValueError):
            return of_json(kind, done.output)
        words = running.last_words() or "it wrote nothing"
        raise NotProven(f"the VPN users' script failed on the {self.shell.name}: {words}")
