"""VPN users on the client endpoint: what is the same however they connect."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.endpoint.answers import Count, Words, of_json, words_of
from gatepass.endpoint.probe import Probe, install
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.shell import Shell
from gatepass.scenarios.remote_access.configuration import VpnUser

_TABLES = 1 << 30
_SEEDS = (1 << 22) - 1


@dataclass(frozen=True)
class Connected:
    """What became of a user who tried to connect.

    Attributes:
        user: who.
        address: that the gateway gave; empty for one who is not connected.
        routes: that it gave, as networks.
        interface: on the client, that the user's packets leave by.
        table: number of the user's routing table, which is the mark of their packets too.
        seconds: from the start to the address.
        words: of the VPN client, why it did not connect.
    """

    user: VpnUser
    address: str
    routes: tuple[str, ...]
    interface: str
    table: int
    seconds: float = 0.0
    words: str = ""

    @property
    def up(self) -> bool:
        """Whether the user is connected."""
        return bool(self.address)

    def probe(self, address: str, port: int, tries: int = 3) -> Probe:
        """A TCP connection whose way the user's own routes decide."""
        return Probe("tcp", address, port, tries, via=str(self.table))

    def forced(self, address: str, port: int) -> Probe:
        """One that goes into the tunnel whatever the routes say."""
        return Probe("tcp", address, port, via=self.interface)


class VpnClient(Protocol):
    """Connects users from the client endpoint; one set of them at a time.

    Attributes:
        program: that carries their packets, as a reader calls it.
    """

    program: str

    def check(self) -> None:
        """Raises NotProven where the endpoint lacks something that is needed."""

    def connect(self, users: Sequence[VpnUser]) -> list[Connected]:
        """Connect all of them at the same time; whoever was connected before is logged out."""

    def disconnect(self) -> None:
        """Log them all out; nothing of them is left on the endpoint."""

    def cpu_s(self) -> float:
        """CPU time of the programs that carry their packets, in seconds so far."""


@dataclass(frozen=True)
class Asked:
    """What one of many users got from the server.

    Attributes:
        user: who.
        answers: how often the server named which address as the user's.
        failed: exchanges without an answer.
        reason: of the first of them; empty without one.
    """

    user: Connected
    answers: dict[str, int]
    failed: int
    reason: str

    @property
    def served(self) -> bool:
        """Whether there were answers, each with the user's own address."""
        return set(self.answers) == {self.user.address}

    @property
    def summary(self) -> str:
        """Whom the server saw, or why nothing came back."""
        return f"seen as {', '.join(self.answers)}" if self.answers else self.reason


@dataclass(frozen=True)
class Together:
    """What became of the traffic of many users at once.

    Attributes:
        asked: of each user, in their order.
        reached: pairs of users of whom the first reached the second.
        answered: users whose datagram to the server, sent like those to neighbours, was answered.
    """

    asked: tuple[Asked, ...]
    reached: tuple[tuple[VpnUser, VpnUser], ...]
    answered: tuple[VpnUser, ...]

    @property
    def served(self) -> int:
        """How many users got answers, and none but with their own address."""
        return sum(one.served for one in self.asked)

    @property
    def answers(self) -> int:
        """How many answers there were in all."""
        return sum(sum(one.answers.values()) for one in self.asked)

    @property
    def content_bytes(self) -> int:
        """Bytes of all answers, without any header."""
        return sum(len(seen) * count for one in self.asked for seen, count in one.answers.items())

    @property
    def mixed(self) -> int:
        """Answers that named another address than the user's own."""
        return self.answers - sum(one.answers.get(one.user.address, 0) for one in self.asked)

    @property
    def failed(self) -> int:
        """Exchanges without an answer."""
        return sum(one.failed for one in self.asked)

    @property
    def reason(self) -> str:
        """Of the first of them; empty without one."""
        return next((one.reason for one in self.asked if one.reason), "")


class _Exchanges(TypedDict):
    answers: dict[Words, Count]
    failed: Count
    reason: Words


class _Traffic(TypedDict):
    asked: list[_Exchanges]
    arrived: list[tuple[Count, Count]]
    answered: list[Count]


def together(
    client: Shell, users: Sequence[Connected], address: str, port: int, seconds: float
) -> Together:
    """Have all users exchange something with the server at once, and try to reach each other.

    Args:
        client: where they are.
        users: all connected.
        address, port: where the server's responder listens.
        seconds: for how long they ask.

    Raises:
        NotProven: the script did not work on the client.
    """
    job = f"{client.folder()}/vpn-traffic.json"
    who = [{"address": user.address, "interface": user.interface} for user in users]
    client.put(json.dumps({"users": who, "server": address, "port": port, "seconds": seconds}), job)
    program = install(client, "vpn_traffic.py")
    ask = script("ulimit -n 4096; python3 {program} {job}", program=program, job=job)
    done = client.run(ask, timeout_s=seconds + 60)
    names = [user.user for user in users]
    try:
        answer = of_json(_Traffic, done.output)
        return Together(
            asked=tuple(
                Asked(user, one["answers"], one["failed"], one["reason"])
                for user, one in zip(users, answer["asked"], strict=True)
            ),
            reached=tuple((names[one], names[other]) for one, other in answer["arrived"]),
            answered=tuple(names[at] for at in answer["answered"]),
        )
    except (ValueError, IndexError):
        words = words_of(done)
        raise NotProven(f"the VPN users' traffic failed on the {client.name}: {words}") from None


def table_of(mark: str, number: int) -> int:
    """The routing table of a user: of each run and each user another, and none that hosts use.

    Args:
        mark: of the run.
        number: of the user, at most 255.
    """
    seed = int.from_bytes(mark.encode()[-6:], "big") & _SEEDS
    return _TABLES | seed << 8 | number


def interface_of(mark: str, number: int) -> str:
    """The name of a user's interface, 15 characters at most."""
    return f"{mark}-{number}"


def left_of(tables: Sequence[int]) -> Script:
    """The command that shows the rules and routes of these tables that are there."""
    numbers = "|".join(map(str, tables)) or "none"
    return script(
        "ip rule show | grep -E {rules}; ip route show table all | grep -E {routes}",
        rules=f"lookup ({numbers})( |$)",
        routes=f"table ({numbers})( |$)",
    )


def forget(tables: Sequence[int]) -> list[Script]:
    """The commands that take back all rules and routes of these tables."""
    return [
        script(
            "for t in {tables}; do while ip rule del lookup $t; do :; done; "
            "ip route flush table $t; done 2>/dev/null",
            tables=tables,
        )
    ]
