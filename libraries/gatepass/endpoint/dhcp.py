"""Hosts that ask for addresses by DHCP: many at once, played by one endpoint."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from ipaddress import IPv4Address
from typing import Literal

from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.base.figures import NotNegative
from gatepass.endpoint.answers import Address4, Count, Mac, Nothing, of_json, words_of
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Shell

ASK, LEASE, RENEW, RELEASE = "ask", "lease", "renew", "release"
BOUND, OFFERED, REFUSED = "bound", "offered", "refused"
_NETMASK, _ROUTER, _NAME_SERVERS, _DOMAIN, _LEASE_TIME = 1, 3, 6, 15, 51  # RFC 2132
_OVERHEAD_S = 20
_STILL_S = 20
"""For how long the program may stand still in all; that does not count for its steps."""


@dataclass(frozen=True)
class Group:
    """Hosts that do the same in a step.

    Attributes:
        does: `ASK` for offers that none of them takes, `LEASE`, `RENEW` or `RELEASE`.
        hosts: their hardware addresses.
        from_s: when they begin, in seconds from the step's beginning.
        within_s: over which they begin one after the other; 0 for all at once.
        awaited: whether the step waits for them.
    """

    does: str
    hosts: Sequence[str]
    from_s: float = 0.0
    within_s: float = 0.0
    awaited: bool = True


@dataclass(frozen=True)
class Step:
    """What hosts do at the same time.

    Attributes:
        groups: of hosts.
        least_s, most_s: how long it takes at least, and at most where a host that is awaited is
            not done.
        who_has: addresses that are asked for by ARP meanwhile.
    """

    groups: Sequence[Group]
    least_s: float
    most_s: float
    who_has: Sequence[str] = ()


@dataclass(frozen=True)
class Asked:
    """What became of one host in a step.

    Attributes:
        state: `BOUND`, `OFFERED`, `REFUSED`, "released" or "silent".
        address: that it was given; empty for none.
        ms: from its first question to its address, in milliseconds; None without an address.
        questions: how often it asked.
        refusals: how often the server took an offer back (DHCPNAK).
        reached: whether the server answered this host's ARP, so that its packets got there.
        options: what it was told, by the option's number.
    """

    state: str
    address: str = ""
    ms: float | None = None
    questions: int = 0
    refusals: int = 0
    reached: bool = False
    options: Mapping[int, bytes] = field(default_factory=dict)

    @property
    def bound(self) -> bool:
        """Whether it has an address."""
        return self.state == BOUND

    @property
    def netmask(self) -> str:
        """Of its network, as it was told; empty for nothing."""
        return _listed(self.options.get(_NETMASK, b""))

    @property
    def routers(self) -> str:
        """That it was told, with commas between."""
        return _listed(self.options.get(_ROUTER, b""))

    @property
    def name_servers(self) -> str:
        """That it was told, with commas between."""
        return _listed(self.options.get(_NAME_SERVERS, b""))

    @property
    def domain(self) -> str:
        """That it was told."""
        return self.options.get(_DOMAIN, b"").rstrip(b"\0").decode("ascii", "replace")

    @property
    def lease_s(self) -> int:
        """How long it may keep the address, in seconds."""
        return int.from_bytes(self.options.get(_LEASE_TIME, b""), "big")


def _listed(value: bytes) -> str:
    addresses = (value[at : at + 4] for at in range(0, len(value) - 3, 4))
    return ", ".join(str(IPv4Address(one)) for one in addresses)


@dataclass(frozen=True)
class Seen:
    """What was seen in a step.

    Attributes:
        hosts: what became of each, by hardware address.
        taken: of the addresses that were asked for those that somebody has.
    """

    hosts: Mapping[str, Asked]
    taken: frozenset[str]


class DhcpHosts:
    """The hosts of an endpoint, on one interface; their server is known.

    Args:
        shell: the endpoint.
        interface: its name there.
        server: the server's address; answers of others are told, never taken.
        server_mac: its hardware address.
        name: what the hosts' names begin with.

    Attributes:
        foreign: the addresses of other servers that answered anybody on that wire.
        strangers: the hardware addresses of hosts that are not of the run and got an address.
        sent, heard: how many frames went out, and how many came from the server meanwhile.
    """

    def __init__(
        self, shell: Shell, interface: str, server: str, server_mac: str, name: str
    ) -> None:
        self._shell = shell
        self._plan = {
            "interface": interface, "server": server, "server_mac": server_mac, "name": name
        }
        self._has: dict[str, str] = {}
        self.foreign: set[str] = set()
        self.strangers: set[str] = set()
        self.sent = self.heard = 0

    def do(self, *steps: Step) -> list[Seen]:
        """Let them do this, one step after the other.

        Raises:
            NotProven: the endpoint cannot play them, with the program's own words.
        """
        program, plan = install(self._shell, "dhcp.py"), f"{self._shell.folder()}/dhcp.json"
        told = {**self._plan, "has": self._has, "steps": [asdict(step) for step in steps]}
        self._shell.put(json.dumps(told), plan)
        limit_s = sum(step.most_s for step in steps) + _STILL_S
        command = script(
            "timeout -k 1 {end_s:.0f} python3 {program} {plan} {limit_s:.1f}",
            end_s=limit_s + _OVERHEAD_S / 2,
            program=program,
            plan=plan,
            limit_s=limit_s,
        )
        done = self._shell.run(command, timeout_s=limit_s + _OVERHEAD_S)
        try:
            answer = of_json(_Told, done.output)
            seen = [_seen(one) for one in answer["steps"]]
        except ValueError:
            raise NotProven(
                f"the {self._shell.name} cannot simulate hosts that ask for addresses: "
                f"{words_of(done)}. "
                "It needs root as its SSH user and Python 3.9 or later."
            ) from None
        self.foreign |= set(answer["foreign"])
        self.strangers |= set(answer["strangers"])
        self.sent += answer["sent"]
        self.heard += answer["heard"]
        for step in seen:
            self._keep(step.hosts)
        return seen

    def _keep(self, hosts: Mapping[str, Asked]) -> None:
        for mac, asked in hosts.items():
            if asked.bound:
                self._has[mac] = asked.address
            elif asked.state in ("released", REFUSED):
                self._has.pop(mac, None)

    def release_all(self) -> None:
        """All that have an address give it back."""
        if self._has:
            self.do(releasing(self._has))


def releasing(hosts: Iterable[str]) -> Step:
    """A step in which these give back what they have; nobody answers that."""
    return Step((Group(RELEASE, tuple(hosts)),), least_s=0.1, most_s=0.1)


class _Host(TypedDict):
    state: Literal["idle", "silent", "offered", "bound", "refused", "released"]
    address: Address4 | Nothing
    ms: NotNegative | None
    asked: Count
    refusals: Count
    reached: bool
    options: dict[str, str]


class _Step(TypedDict):
    hosts: dict[Mac, _Host]
    taken: frozenset[Address4]


class _Told(TypedDict):
    steps: list[_Step]
    foreign: list[Address4]
    strangers: list[Mac]
    sent: Count
    heard: Count


def _seen(one: _Step) -> Seen:
    return Seen(
        {
            mac: Asked(
                told["state"],
                told["address"],
                told["ms"],
                told["asked"],
                told["refusals"],
                told["reached"],
                {int(number): bytes.fromhex(text) for number, text in told["options"].items()},
            )
            for mac, told in one["hosts"].items()
        },
        one["taken"],
    )
